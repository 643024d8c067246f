"""numpy.fft: every transform in both modes against finite differences."""

import itertools

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp

rng = onp.random.default_rng(5)


def operand(kind, *shape):
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if kind == "complex" else x


NORMS = [None, "backward", "ortho", "forward"]
KINDS = {"rfft": ["real"], "ihfft": ["real"], "rfft2": ["real"], "rfftn": ["real"]}
ONE_AXIS = [{}, {"n": 3}, {"n": 6}, {"n": 7}, {"axis": 0}, {"n": 4, "axis": -2}, {"n": 1}]
MANY_AXES = [{}, {"s": (2, 5)}, {"s": (5, 4), "axes": (-1, 0)}, {"axes": (0,)}, {"axes": (1, 2, 0)}]


def one_axis():
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        for kind, options in itertools.product(KINDS.get(name, ["real", "complex"]), ONE_AXIS):
            yield name, kind, (4, 5), options
        for norm, n in itertools.product(NORMS, (4, 5)):
            yield name, KINDS.get(name, ["complex"])[0], (6,), {"norm": norm, "n": n}


def many_axes():
    for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"):
        for kind, options in itertools.product(KINDS.get(name, ["real", "complex"]), MANY_AXES):
            if "s" not in options or "axes" in options or name.endswith("2"):
                yield name, kind, (2, 3, 4), options
        for norm in NORMS:
            yield name, KINDS.get(name, ["complex"])[0], (3, 4), {"norm": norm}
    yield "fftn", "complex", (3, 4), {"axes": (0, 0)}
    yield "rfftn", "real", (3, 4), {"axes": (1, 1)}
    yield "irfftn", "complex", (3, 4), {"axes": (1, 1)}
    if onp.lib.NumpyVersion(onp.__version__) >= "2.0.0":  # -1 for the operand's own length
        for name in ("fftn", "ifft2", "rfftn", "irfft2", "irfftn"):
            yield name, KINDS.get(name, ["complex"])[0], (3, 5), {"s": (2, -1), "axes": (0, 1)}


def helpers():
    for name, options in itertools.product(("fftshift", "ifftshift"), ({}, {"axes": 1}, {"axes": (0, -1)})):
        yield name, "complex", (3, 4), options


@pytest.mark.parametrize("name, kind, shape, options", [*one_axis(), *many_axes(), *helpers()])
def test_derivatives(name, kind, shape, options):
    def transform(np, x):
        return getattr(np.fft, name)(x, **options)

    x = operand(kind, *shape)
    single = onp.asarray(transform(onp, x.astype("F" if kind == "complex" else "f"))).dtype.itemsize
    check_both_modes(transform, x, float32=single <= 8)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_the_spacing_of_frequencies_is_traced(name):
    check_both_modes(lambda np, d: getattr(np.fft, name)(5, d), 0.7, float32=False)


@pytest.mark.parametrize("name", ["fftn", "ifft2"])
def test_lengths_of_a_repeated_axis_are_refused(name):
    with pytest.raises(NotImplementedError, match=f"numpy.fft.{name}"):
        ag.grad(lambda x: anp.sum(anp.abs(getattr(anp.fft, name)(x, (3, 3), (0, 0)))))(onp.ones((4, 2)))


@pytest.mark.parametrize("name", ["fft", "irfft", "hfft", "fft2", "rfftn"])
def test_unknown_norms_and_out_are_refused(name):
    def total(x, **options):
        return anp.sum(anp.abs(getattr(anp.fft, name)(x, **options)))

    with pytest.raises(ValueError, match="norm"):
        ag.grad(total)(onp.ones((2, 3)), norm="orthogonal")
    if onp.lib.NumpyVersion(onp.__version__) >= "2.0.0":
        out = onp.zeros_like(getattr(onp.fft, name)(onp.ones((2, 3))))
        with pytest.raises(NotImplementedError, match="out"):
            ag.grad(total)(onp.ones((2, 3)), out=out)


def test_a_round_trip_has_the_identity_as_jacobian():
    x = operand("real", 7)
    jacobian = ag.jacobian(lambda x: anp.fft.irfft(anp.fft.rfft(x), 7))(x)
    onp.testing.assert_allclose(jacobian, onp.eye(7), atol=1e-15)


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "hfft", "fft2", "rfft2", "rfftn", "irfftn"])
def test_lists(name):
    check_both_modes(lambda np, x: getattr(np.fft, name)([[x, 1.0, x * x], [2.0, x, 0.5]]), 0.7)
