"""Every kind of array, as point and as constant: right, or a clear error, in both modes."""

import numpy as onp
import pytest
from layouts import Sub, read_only, unaligned

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import _kernels

BASE = onp.random.default_rng(0).uniform(0.5, 1.5, (3, 4))
COMPLEX = BASE + 1j * BASE[::-1]


KINDS = {
    "contiguous": BASE,
    "Fortran": onp.asfortranarray(BASE),
    "view": onp.repeat(onp.repeat(BASE, 2, 0), 3, 1)[::2, ::3],
    "negative strides": BASE[::-1, ::-1],
    "zero strides": onp.broadcast_to(BASE[0], (3, 4)),
    "overlapping": onp.lib.stride_tricks.sliding_window_view(BASE.ravel()[:6], 4),
    "read-only": read_only(BASE),
    "unaligned": unaligned(BASE),
    "byte-swapped": BASE.astype(">f8"),
    "byte-swapped f": BASE.astype(">f4"),
    "byte-swapped complex": COMPLEX.astype(">c16"),
    "float16": BASE.astype("e"),
    "float32": BASE.astype("f"),
    "float32 view": onp.repeat(BASE.astype("f"), 2, 1)[:, ::2],
    "unaligned float32": unaligned(BASE.astype("f")),
    "longdouble": BASE.astype("g"),
    "complex64": COMPLEX.astype("F"),
    "complex128": COMPLEX,
    "clongdouble": COMPLEX.astype("G"),
    "integers": onp.arange(1, 13).reshape(3, 4),
    "unsigned": onp.arange(1, 13, dtype="u1").reshape(3, 4),
    "bools": BASE > 1.0,
    "empty": onp.zeros((0, 4)),
    "empty inside": onp.zeros((3, 0)),
    "one entry": BASE[:1, :1],
}

PROGRAMS = {
    "elementwise": lambda np, x: np.exp(0.5 * x) * x + x / 3 - x,
    "nonlinear": lambda np, x: np.tanh(x) * np.sqrt(1.0 + x * x),
    "sums": lambda np, x: np.sum(x * x, axis=0) + np.sum(x),
    "subscripts": lambda np, x: x[..., ::-1] * x + x[::-1],
    "fancy subscripts": lambda np, x: x[:, [0] * x.shape[1]] * x if x.size else x,
    "matrix product": lambda np, x: np.dot(x.T, x),
    "matmul": lambda np, x: x @ x.T,
    "einsum": lambda np, x: np.einsum("ij,kj->ik", x, x),
    "cumsum": lambda np, x: np.cumsum(x, -1) * x,
    "broadcast": lambda np, x: x * BASE[0, :1] + x[:1],
    "joins": lambda np, x: np.concatenate([x, 2.0 * x], axis=1),
    "shapes": lambda np, x: np.reshape(np.transpose(x), -1) * np.ravel(x),
    "where": lambda np, x: np.where(np.real(x) > 1.01, x * x, -x),
    "power": lambda np, x: (1.0 + x) ** 3,
    "plain NumPy": lambda np, x: onp.multiply(onp.sin(x), x),
}
TOLERANCE = {"e": 2e-2, "f": 2e-5, "F": 2e-5}


def scalar(np, y):
    return np.sum(np.real(y) * 0.5)


def exact(x):
    """The same numbers in an ordinary array of float64 or complex128."""
    return onp.array(x, dtype=complex if onp.iscomplexobj(x) else float, order="C")


def tolerance(x):
    tol = TOLERANCE.get(x.dtype.char, 1e-12)
    return {"rtol": tol, "atol": tol}


@pytest.fixture(params=[True, False], ids=["kernels", "no kernels"])
def kernels(request):
    was = _kernels.set_enabled(request.param)
    yield request.param
    _kernels.set_enabled(was)


def differences(f, x, v, h=1e-4):
    x = exact(x)
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
@pytest.mark.parametrize("x", KINDS.values(), ids=KINDS.keys())
def test_kinds(x, program, kernels):
    before = x.tobytes()
    value, g = ag.value_and_grad(lambda x: scalar(np, program(np, x)))(x)
    v = onp.random.default_rng(1).standard_normal(x.shape).astype(x.dtype if x.dtype.kind in "fc" else "d")
    tangent = ag.make_jvp(lambda x: program(np, x))(x)(v)[1]
    want = differences(lambda x: scalar(onp, program(onp, x)), x, exact(v))
    got = onp.sum(onp.real(exact(g) * exact(v)))
    tol = max(TOLERANCE.get(x.dtype.char, 0.0) * 20, 1e-5)
    onp.testing.assert_allclose(got, want, rtol=tol, atol=tol)
    onp.testing.assert_allclose(scalar(onp, exact(tangent)), want, rtol=tol, atol=tol)
    onp.testing.assert_allclose(g, ag.grad(lambda x: scalar(np, program(np, x)))(exact(x)), **tolerance(x))
    assert g.shape == x.shape
    assert type(g) is onp.ndarray and g.flags.writeable
    assert g.dtype.newbyteorder("=") == (x.dtype.newbyteorder("=") if x.dtype.kind in "fc" else onp.float64)
    assert not onp.shares_memory(g, x)
    assert x.tobytes() == before


@pytest.mark.parametrize("x", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize(
    "f",
    [
        lambda np, x, c: x * c,
        lambda np, x, c: c * x + x,
        lambda np, x, c: np.maximum(x, c * 1.0) if c.dtype.kind != "c" else x - c,
        lambda np, x, c: np.dot(c.T, x),
        lambda np, x, c: x.T @ c,
        lambda np, x, c: np.where(np.real(c) > 1, x, c * 1.0),
        lambda np, x, c: np.concatenate([x, c * x[:, :1]], axis=1) if c.size else x,
        lambda np, x, c: onp.multiply(c, x),
    ],
    ids=["product", "reflected", "maximum", "dot", "matmul", "where", "join", "plain NumPy"],
)
def test_kinds_as_constants(f, x, kernels):
    point = onp.linspace(0.1, 2.0, x.size).reshape(x.shape)
    got = ag.grad(lambda p: scalar(np, f(np, p, x)))(point)
    want = ag.grad(lambda p: scalar(np, f(np, p, exact(x))))(point)
    assert got.dtype == point.dtype
    tol = tolerance(x)
    onp.testing.assert_allclose(got, want, **tol)
    tangent = ag.make_jvp(lambda p: scalar(np, f(np, p, x)))(point)(point)[1]
    onp.testing.assert_allclose(
        float(tangent), onp.sum(want * point), rtol=10 * tol["rtol"], atol=10 * tol["atol"]
    )


def test_arrays_without_dimensions(kernels):
    for x in (
        onp.array(0.7),
        onp.float64(0.7),
        0.7,
        onp.float32(0.7),
        onp.float16(0.7),
        onp.longdouble(0.7),
        1,
        True,
    ):
        for f in (
            lambda x: x * x + np.sin(x),
            lambda x: np.sum(x) * x,
            lambda x: np.reshape(x, (1, 1))[0, 0] ** 2,
        ):
            g, want = ag.grad(f)(x), ag.grad(f)(float(x))
            assert onp.shape(g) == ()
            onp.testing.assert_allclose(float(g), want, rtol=1e-2 if isinstance(x, onp.float16) else 1e-6)
            onp.testing.assert_allclose(float(ag.make_jvp(f)(x)(1.0)[1]), want, rtol=1e-2)


def test_memory_maps(tmp_path):
    x = onp.memmap(tmp_path / "numbers", dtype="d", mode="w+", shape=BASE.shape)
    x[...] = BASE
    onp.testing.assert_array_equal(ag.grad(lambda y: np.sum(x * y))(onp.ones(BASE.shape)), BASE)
    onp.testing.assert_array_equal(ag.grad(lambda y: np.sum(y * x))(onp.ones(BASE.shape)), BASE)
    onp.testing.assert_allclose(ag.grad(lambda x: np.sum(x * x))(onp.asarray(x)), 2 * BASE)
    with pytest.raises(TypeError, match="memmap"):
        ag.grad(lambda x: np.sum(x * x))(x)


SUBCLASSES = {
    "masked": onp.ma.array(BASE, mask=BASE > 1),
    "nothing masked": onp.ma.array(BASE),
    "matrix": None,  # made in the test: NumPy warns of it
    "subclass": BASE.view(Sub),
    "record array": onp.rec.array(BASE),
}


@pytest.fixture(params=SUBCLASSES, ids=str)
def subclass(request):
    if request.param != "matrix":
        return SUBCLASSES[request.param]
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return onp.asmatrix(BASE)


def test_subclasses_as_the_point_are_an_error(subclass):
    for run in (
        lambda: ag.grad(lambda x: np.sum(x * x))(subclass),
        lambda: ag.make_jvp(lambda x: np.sum(x * x))(subclass)(BASE),
        lambda: ag.grad(lambda p: np.sum(p[0] * p[0]))([subclass]),
    ):
        with pytest.raises(TypeError, match=f"{type(subclass).__name__}"):
            run()


def test_subclasses_as_constants_are_right_or_an_error(subclass):
    """What comes out is the derivative of what NumPy computes with the subclass."""
    right = 0
    for f in (
        lambda x: np.sum(x * subclass),
        lambda x: np.sum(subclass * x),
        lambda x: np.sum((subclass + x) ** 2),
        lambda x: np.sum(np.multiply(x, subclass)),
        lambda x: np.sum(np.dot(subclass, x.T)),
        lambda x: np.sum(np.maximum(x, subclass)),
        lambda x: np.sum(x * np.asarray(subclass)),
        lambda x: np.sum(np.asarray(subclass) * x),
    ):
        x = onp.linspace(0.4, 1.6, BASE.size).reshape(BASE.shape)
        try:
            g = ag.grad(f)(x)
            t = ag.make_jvp(f)(x)(x)[1]
        except (TypeError, ValueError, NotImplementedError):
            continue
        right += 1
        want = onp.array([differences(f, x, e.reshape(x.shape)) for e in onp.eye(x.size)]).reshape(x.shape)
        onp.testing.assert_allclose(g, want, rtol=1e-5, atol=1e-6)
        onp.testing.assert_allclose(float(t), onp.sum(want * x), rtol=1e-5)
    assert right >= 2


def test_objects():
    x = onp.array([1.0, 2.0, 3.0], dtype=object)
    for f in (lambda x: np.sum(x * x), lambda x: np.dot(x, x), lambda x: np.sum((x + 1.0) * x[::-1])):
        want = ag.grad(f)(x.astype(float))
        onp.testing.assert_allclose(onp.asarray(ag.grad(f)(x), float), want)
    with pytest.raises(TypeError, match="exp"):
        ag.grad(lambda x: np.sum(np.exp(x)))(x)
    constant = onp.array([1, 2.5, onp.float32(3)], dtype=object)
    onp.testing.assert_allclose(ag.grad(lambda y: np.sum(constant * y))(onp.ones(3)), [1.0, 2.5, 3.0])


@pytest.mark.parametrize(
    "x",
    [
        onp.zeros(3, [("a", float)]),
        onp.array(["a", "b"]),
        onp.array([b"a", b"b"]),
        onp.array([1, 2], "m8[s]"),
        onp.array(["2020-01-01"], "M8[D]"),
        onp.array([None, None]),
        onp.zeros(3, "V8"),
    ],
    ids=["structured", "str", "bytes", "timedelta", "datetime", "None", "void"],
)
def test_arrays_that_hold_no_numbers_are_an_error(x):
    for f in (lambda x: np.sum(x * x), lambda x: np.sum(x + 1.0), lambda x: np.sum(x)):
        with pytest.raises((TypeError, ValueError)):
            ag.grad(f)(x)
        with pytest.raises((TypeError, ValueError)):
            ag.make_jvp(f)(x)(onp.ones(x.shape))
