"""Kernels of reductions in double and single precision: values to the bit, warnings, gradients."""

import warnings

import numpy as onp
import pytest
import scipy.special
from numeric import check_both_modes, without_kernels

import autograd_fast as ag
import autograd_fast.numpy as np
import autograd_fast.scipy.special as special
from autograd_fast.core import add_outgrads
from autograd_fast.tracer import getval

RNG = onp.random.default_rng(9)
REDUCTIONS = {
    "sum": (np.sum, onp.sum),
    "mean": (np.mean, onp.mean),
    "max": (np.max, onp.max),
    "min": (np.min, onp.min),
    "var": (np.var, onp.var),
    "std": (np.std, onp.std),
    "logsumexp": (special.logsumexp, scipy.special.logsumexp),
}
SHAPES = [
    (1,),
    (3,),
    (9,),
    (130,),
    (1, 5),
    (5, 1),
    (4, 5),
    (7, 20),
    (3, 300),
    (300, 3),
    (5, 6, 7),
    (3, 40, 2),
]


def traced_value(f, x, **options):
    """The plain result of a traced call."""
    seen = []

    def run(box):
        seen.append(getval(f(box, **options)))
        return np.real(np.sum(box[:1]))

    ag.grad(run)(x)
    return seen[0]


def messages(call):
    """The result of a call and its warnings, those of underflow too."""
    with warnings.catch_warnings(record=True) as seen, onp.errstate(all="warn"):
        warnings.simplefilter("always")
        result = call()
    return result, sorted(str(warning.message) for warning in seen)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_values_are_numpys_to_the_bit(name, dtype, shape):
    traced, plain = REDUCTIONS[name]
    for axis in (None, *range(-1, len(shape))):
        for keepdims in (False, True):
            for scale in (0.1, 1.0, 30.0):
                x = (scale * RNG.standard_normal(shape)).astype(dtype)
                got = traced_value(traced, x, axis=axis, keepdims=keepdims)
                want = plain(x, axis=axis, keepdims=keepdims)
                assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape
                assert got.tobytes() == want.tobytes(), (axis, keepdims, scale)


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_gradients_with_and_without_kernels_differ_by_rounding(name, dtype):
    traced, plain = REDUCTIONS[name]
    for shape in SHAPES:
        for axis in (None, *range(len(shape))):
            x = RNG.standard_normal(shape).astype(dtype)
            weights = RNG.standard_normal(onp.shape(plain(x, axis=axis))).astype(dtype)
            gradient = ag.grad(lambda x, axis=axis, w=weights: np.sum(traced(x, axis=axis) * w))
            a, b = gradient(x), without_kernels(lambda x=x, gradient=gradient: gradient(x))
            assert a.dtype == b.dtype == dtype and a.shape == b.shape
            assert onp.allclose(a, b, rtol=0, atol=16 * onp.finfo(dtype).eps * onp.max(onp.abs(b)))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["var", "std", "logsumexp"])
def test_derivatives(name, axis):
    def f(np_, x):
        traced, plain = REDUCTIONS[name]
        return (traced if np_ is np else plain)(x, axis=axis)

    check_both_modes(f, RNG.standard_normal((4, 3)))


UNUSUAL = {
    "infinities": [1.0, onp.inf, 2.0],
    "both infinities": [onp.inf, -onp.inf, 1.0],
    "nan": [1.0, onp.nan, 2.0],
    "all minus infinity": [-onp.inf] * 3,
    "some minus infinity": [-onp.inf, 1.0, 2.0],
    "far apart": [-1e4, 0.0, 1e4],
    "overflowing": [3e38, -3e38, 3e38],
    "overflowing in double precision": [1.5e308, -1.5e308, 1.5e308],
    "tiny": [1e-45, 2e-45, 1e-40],
    "tiny in double precision": [5e-324, 1e-310, 1e-320],
    "equal": [2.0, 2.0, 2.0],
    "zeros of both signs": [-0.0, 0.0, -0.0],
}


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("numbers", UNUSUAL)
@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_unusual_numbers(name, dtype, numbers):
    traced, _ = REDUCTIONS[name]
    x = onp.array([UNUSUAL[numbers], UNUSUAL[numbers]]).astype(dtype)
    for axis in (None, 0, 1):

        def value(axis=axis):
            return traced_value(traced, x, axis=axis)

        def slope(axis=axis):
            return ag.make_vjp(lambda x: traced(x, axis=axis))(x)[0](onp.ones((2, 3)).sum(axis).astype(dtype))

        for call in (value, slope):
            got, warned = messages(call)
            want, warned_without = without_kernels(lambda call=call: messages(call))
            assert onp.allclose(got, want, rtol=8 * onp.finfo(dtype).eps, atol=0, equal_nan=True)
            assert set(warned) == set(warned_without), (axis, call)


def test_long_reductions_in_single_precision():
    x = RNG.standard_normal(5000).astype("f")
    for traced, plain in REDUCTIONS.values():
        assert traced_value(traced, x).tobytes() == onp.asarray(plain(x)).tobytes()
        assert ag.grad(traced)(x).dtype == "f"


@pytest.mark.parametrize("dtype", ["d", "f"])
def test_a_sum_of_empty_cotangents_touches_no_memory(dtype):
    bits = {"d": onp.uint64(0x7FF0000000000001), "f": onp.uint32(0x7F800001)}
    signalling = onp.array([bits[dtype]])
    cell = signalling.view(dtype)
    empty = onp.lib.stride_tricks.as_strided(cell, (0,), (0,))
    with onp.errstate(all="raise"):
        total, mutable = add_outgrads((empty, True), onp.empty(0, dtype))
    assert mutable and total.shape == (0,)
    assert cell.view(signalling.dtype)[0] == signalling[0]
