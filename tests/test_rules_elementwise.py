"""Derivatives of NumPy's elementwise functions against finite differences of plain NumPy."""

import warnings

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp

rng = onp.random.default_rng(0)


@pytest.fixture(autouse=True)
def same_numbers_whichever_tests_run():
    global rng
    rng = onp.random.default_rng(0)


def draw(low, high, shape=(2, 3)):
    return rng.uniform(low, high, shape)


def draw_complex(radius=1.0, shape=(2, 3)):
    return radius * (rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape))


# name: range of the operand, and whether the function takes complex numbers
UNARY = {
    "positive": (-2, 2, True),
    "negative": (-2, 2, True),
    "reciprocal": (0.5, 2, True),
    "square": (-2, 2, True),
    "sqrt": (0.5, 2, True),
    "cbrt": (0.5, 2, False),
    "exp": (-2, 2, True),
    "exp2": (-2, 2, True),
    "expm1": (-2, 2, True),
    "log": (0.5, 2, True),
    "log2": (0.5, 2, True),
    "log10": (0.5, 2, True),
    "log1p": (-0.5, 2, True),
    "sin": (-2, 2, True),
    "cos": (-2, 2, True),
    "tan": (-1, 1, True),
    "arcsin": (-0.8, 0.8, True),
    "arccos": (-0.8, 0.8, True),
    "arctan": (-2, 2, True),
    "sinh": (-2, 2, True),
    "cosh": (-2, 2, True),
    "tanh": (-2, 2, True),
    "arcsinh": (-2, 2, True),
    "arccosh": (1.5, 3, True),
    "arctanh": (-0.8, 0.8, True),
    "deg2rad": (-90, 90, False),
    "radians": (-90, 90, False),
    "rad2deg": (-2, 2, False),
    "degrees": (-2, 2, False),
    "sinc": (-3, 3, True),
    "i0": (-3, 3, False),
    "abs": (0.3, 2, True),
    "absolute": (-2, -0.3, True),
    "fabs": (-2, -0.3, False),
    "conj": (-2, 2, True),
    "conjugate": (-2, 2, True),
    "real": (-2, 2, True),
    "imag": (-2, 2, True),
    "real_if_close": (-2, 2, True),
    "nan_to_num": (-2, 2, True),
}

BINARY = {
    "add": (-2, 2, True),
    "subtract": (-2, 2, True),
    "multiply": (-2, 2, True),
    "divide": (0.5, 2, True),
    "true_divide": (0.5, 2, True),
    "power": (0.5, 2, True),
    "float_power": (0.5, 2, True),
    "maximum": (-2, 2, False),
    "minimum": (-2, 2, False),
    "fmax": (-2, 2, False),
    "fmin": (-2, 2, False),
    "hypot": (-2, 2, False),
    "arctan2": (-2, 2, False),
    "logaddexp": (-2, 2, False),
    "logaddexp2": (-2, 2, False),
}


def call(name):
    return lambda np, *args: getattr(np, name)(*args)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    low, high, takes_complex = UNARY[name]
    f = call(name)
    check_both_modes(f, draw(low, high))
    for empty_or_scalar in (draw(low, high, ()), float(draw(low, high, ()))):
        check_both_modes(f, empty_or_scalar, order=1, float32=False)
    check_both_modes(f, onp.zeros((0, 2)), order=1)
    if takes_complex:
        check_both_modes(f, draw_complex((high - low) / 4) + (low + high) / 2)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    low, high, takes_complex = BINARY[name]
    f = call(name)
    check_both_modes(f, draw(low, high), draw(low, high))
    if name == "float_power":
        return
    for shapes in [((2, 3), (3,)), ((2, 1), (2, 3)), ((), (2, 2)), ((3,), ()), ((0, 3), (3,))]:
        args = [draw(low, high, shape) for shape in shapes]
        check_both_modes(f, *args, order=1)
    if takes_complex:
        centre = (low + high) / 2
        check_both_modes(f, draw_complex() + centre, draw_complex() + centre)
        check_both_modes(f, draw(low, high), draw_complex() + centre, float32=False)


@pytest.mark.parametrize("divisor", [0.7, -0.7, onp.array([[0.7], [-1.3]])])
@pytest.mark.parametrize("name", ["mod", "remainder", "fmod"])
def test_remainders_of_several_periods(name, divisor):
    check_both_modes(call(name), onp.array([-3.3, -1.2, 0.2, 1.9, 4.4]), divisor, float32=False)


OPTIONS = {
    "angle": (lambda np, z: np.angle(z), draw_complex()),
    "sign of complex": (lambda np, z: np.sign(z) + z, draw_complex()),
    "angle deg": (lambda np, z: np.angle(z, deg=True), draw_complex()),
    "angle deg, positional": (lambda np, z: np.angle(z, True), draw_complex()),
    "angle of real": (lambda np, x: np.angle(x) * x, draw(0.5, 1)),
    "real_if_close of almost real": (lambda np, x: np.real_if_close(x + 1e-16j), draw(0.5, 1)),
    "ldexp": (lambda np, x: np.ldexp(x, [[1], [-2]]), draw(-1, 1)),
    "frexp": (lambda np, x: np.frexp(x)[0], draw(0.55, 0.95) * 8),
    "modf": (lambda np, x: np.modf(x)[0], draw(0.2, 0.8) + [[1], [-3]]),
    "modf, whole part": (lambda np, x: np.modf(x)[1] + 0 * x, draw(0.2, 0.8) - 2),
    "divmod": (lambda np, x, y: np.divmod(x, y)[1], draw(3.1, 3.3), draw(1.1, 1.3)),
    "copysign": (lambda np, x, y: np.copysign(x, y) + x * y, draw(-1, 1), draw(-1, 1, 3)),
    "nextafter": (lambda np, x, y: np.nextafter(x, y) + x * y, draw(-1, 1), draw(-1, 1, 3)),
    "heaviside": (lambda np, x, y: np.heaviside(x, y) + x * y, draw(-1, 1), draw(-1, 1, 3)),
    "heaviside at 0": (lambda np, h: np.heaviside(onp.array([0.0, 1.0, 0.0]), h), draw(0, 1)),
    "power to a number": (lambda np, x: x**3 + x**2.0 + x**1 + x**0 + x**-1 + x**0.5, draw(0.5, 2)),
    "power to integers": (lambda np, x: np.power(x, onp.array([0, 2, 3])), draw(-2, -1)),
    "power to a list": (lambda np, x: np.power(x, [1, 2, 3]) + np.float_power([1, 2, 3], x), draw(0.5, 2)),
    "arithmetic with lists": (lambda np, x: np.divide([1, 2, 3], x) + np.maximum(x, [1, 1, 2]), draw(0.5, 2)),
    "modf of a list": (lambda np, x: np.modf([x[0, 0], x[0, 1]])[0], draw(0.2, 0.8)),
    "frexp of a list": (lambda np, x: np.frexp([x[0, 0], x[0, 1]])[0], draw(0.55, 0.95)),
    "sign of a list": (lambda np, x: np.sign([x[0, 0], x[0, 1]]) * x[0, 1], draw(0.55, 0.95)),
    "divmod of lists": (lambda np, x: np.divmod([x[0, 0], x[0, 1]], [0.3, 0.4])[1], draw(0.65, 0.75)),
    "hypot": (lambda np, x: np.hypot([3, 4, 5], x), draw(-1, 1)),
    "power of an integer": (lambda np, y: 2**y, draw(-2, 2)),
    "nan_to_num of parts": (
        lambda np, x: np.nan_to_num(x + onp.array([0, onp.nan, onp.inf]), posinf=3.0),
        draw(-2, 2),
    ),
    "clip": (lambda np, x, lo, hi: np.clip(x, lo, hi), 3 * draw(-1, 1), draw(-0.9, -0.1), draw(0.1, 0.9, 3)),
    "clip below": (lambda np, x, lo: np.clip(x, lo, None), 3 * draw(-1, 1), -0.123),
    "clip above": (lambda np, x, hi: np.clip(x, None, hi), 3 * draw(-1, 1), 0.123),
    "clip by name": (lambda np, x, lo, hi: np.clip(x, a_max=hi, a_min=lo), 3 * draw(-1, 1), -0.123, 0.5),
    "clip crossed": (lambda np, x, lo, hi: np.clip(x, lo, hi), 3 * draw(-1, 1), 0.3, -0.4),
    "where": (lambda np, x, y: np.where(x > 0, x, y), draw(-1, 1), draw(-1, 1, 3)),
    "where broadcast by the condition": (
        lambda np, x, y: np.where([[True], [False]], x, y),
        draw(-1, 1, ()),
        draw(-1, 1, 3),
    ),
    "where complex": (lambda np, x, y: np.where([True, False, True], x, y), draw_complex(), draw(-1, 1)),
    "float32 array in float64": (lambda np, x: x * onp.float64(2) + onp.ones(3), draw(-1, 1)),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    f, *args = OPTIONS[name]
    check_both_modes(f, *args)


if onp.lib.NumpyVersion(onp.__version__) >= "2.1.0":  # names the bounds min and max

    def test_clip_by_new_names():
        check_both_modes(
            lambda np, x, lo, hi: np.clip(x, min=lo, max=hi), 3 * draw(-1, 1), -0.2, draw(0.1, 0.9)
        )


# function, arguments, gradient in each argument
SINGULAR = {
    "sqrt at 0": (lambda np, x: np.sqrt(x), [0.0], [onp.inf]),
    "sqrt at -0": (lambda np, x: np.sqrt(x), [-0.0], [onp.inf]),
    "power 0.5 at -0": (lambda np, x: x**0.5, [-0.0], [onp.inf]),
    "log at 0": (lambda np, x: np.log(x), [0.0], [onp.inf]),
    "log1p at -1": (lambda np, x: np.log1p(x), [-1.0], [onp.inf]),
    "reciprocal by division": (lambda np, x: 1.0 / x, [0.0], [-onp.inf]),
    "arccos at 1": (lambda np, x: np.arccos(x), [1.0], [-onp.inf]),
    "arctanh at 1": (lambda np, x: np.arctanh(x), [1.0], [onp.inf]),
    "cbrt at 0": (lambda np, x: np.cbrt(x), [0.0], [onp.inf]),
    "power 0.5 at 0": (lambda np, x: x**0.5, [0.0], [onp.inf]),
    "power 0 at 0": (lambda np, x, y: x**y, [0.0, 0.0], [0.0, 0.0]),
    "power 1 at 0": (lambda np, x, y: x**y, [0.0, 1.0], [1.0, 0.0]),
    "power 2 at 0": (lambda np, x, y: x**y, [0.0, 2.0], [0.0, 0.0]),
    "power of a negative": (lambda np, x, y: x**y, [-2.0, 3.0], [12.0, onp.nan]),
    "abs at 0": (lambda np, x: np.abs(x), [0.0], [0.0]),
    "abs at complex 0": (lambda np, x: np.abs(x), [0j], [0j]),
    "fabs at 0": (lambda np, x: np.fabs(x), [0.0], [0.0]),
    "maximum at a tie": (lambda np, x, y: np.maximum(x, y), [1.0, 1.0], [0.5, 0.5]),
    "minimum at a tie": (lambda np, x, y: np.minimum(x, y), [1.0, 1.0], [0.5, 0.5]),
    "maximum of the same": (lambda np, x: np.maximum(x, x), [1.0], [1.0]),
    "fmax with nan": (lambda np, x, y: np.fmax(x, y), [onp.nan, 1.0], [0.0, 1.0]),
    "hypot at 0": (lambda np, x, y: np.hypot(x, y), [0.0, 0.0], [0.0, 0.0]),
    "arctan2 at 0": (lambda np, x, y: np.arctan2(x, y), [0.0, 0.0], [onp.nan, onp.nan]),
    "clip at a bound": (lambda np, x, lo: np.clip(x, lo, 2.0), [1.0, 1.0], [0.0, 1.0]),
    "mod at an integer": (lambda np, x: np.mod(x, 1.0), [2.0], [1.0]),
    "copysign of 0": (lambda np, x: np.copysign(x, -1.0), [0.0], [0.0]),
    "logaddexp of nothing": (lambda np, x, y: np.logaddexp(x, y), [-onp.inf, -onp.inf], [0.0, 0.0]),
    "logaddexp with nothing": (lambda np, x, y: np.logaddexp(x, y), [-onp.inf, 1.0], [0.0, 1.0]),
    "logaddexp of infinity": (lambda np, x, y: np.logaddexp(x, y), [onp.inf, 1.0], [1.0, 0.0]),
    "logaddexp2 of nothing": (lambda np, x, y: np.logaddexp2(x, y), [-onp.inf, -onp.inf], [0.0, 0.0]),
    "nan_to_num": (lambda np, x: np.nan_to_num(x, copy=False), [onp.inf], [0.0]),
    "arcsinh of much": (lambda np, x: np.arcsinh(x), [1e200], [1e-200]),
    "arctan2 of much": (lambda np, x: np.arctan2(x, 1e200), [1e200], [0.5e-200]),
    "angle of a real 0": (lambda np, x: np.angle(x), [0.0], [0.0]),
    "sinc at 0": (lambda np, x: np.sinc(x), [0.0], [0.0]),
    "i0 at 0": (lambda np, x: np.i0(x), [0.0], [0.0]),
}


@pytest.mark.parametrize("kind", [lambda v: v, onp.asarray], ids=["number", "array"])
@pytest.mark.parametrize("name", SINGULAR)
def test_singular(name, kind):
    f, args, gradients = SINGULAR[name]
    with warnings.catch_warnings(), onp.errstate(all="ignore"):
        for i, want in enumerate(gradients):
            values = [kind(a) for a in args]
            got = ag.grad(lambda *a: f(anp, *a), i)(*values)
            onp.testing.assert_allclose(got, want, rtol=1e-14)
            tangent = ag.make_jvp(lambda *a: f(anp, *a), i)(*values)(kind(type(args[i])(1)))[1]
            onp.testing.assert_allclose(tangent, want, rtol=1e-14)


@pytest.mark.parametrize("f", [lambda x: anp.where(x > 0, x, 1.0), lambda x: anp.maximum(x, 1.0)])
def test_an_infinite_cotangent_stays_on_its_piece(f):
    g = ag.grad(lambda x: anp.sum(f(x) * onp.array([onp.inf, 1.0])))(onp.array([-1.0, 2.0]))
    onp.testing.assert_array_equal(g, [0, 1])


def nth(f, order):
    for _ in range(order):
        f = ag.elementwise_grad(f)
    return f


def test_second_derivative_of_tanh_does_not_overflow():
    x = onp.array([-800.0, 20.0, 400.0, 800.0])
    with onp.errstate(all="raise"):
        onp.testing.assert_array_equal(nth(anp.tanh, 2)(x), 0.0)


def test_power_raises_no_floating_point_errors():
    with onp.errstate(all="raise"):
        assert ag.grad(lambda x: x**2.0)(-2.0) == -4.0
        assert nth(lambda x: x**3, 3)(0.0) == 6.0
        assert ag.grad(lambda y: 0.0**y)(2.0) == 0.0
        g = ag.grad(lambda x: anp.sum(x ** onp.array([0, 1, 2], "u1")))(onp.zeros(3))
        onp.testing.assert_array_equal(g, [0, 1, 0])


def test_power_mixed_derivative_at_exponent_zero():
    slope = ag.grad(lambda x, y: x**y, 0)
    onp.testing.assert_allclose(ag.grad(slope, 1)(3.0, 0.0), 1 / 3)
    onp.testing.assert_allclose(ag.make_jvp(slope, 1)(3.0, 0.0)(1.0)[1], 1 / 3)


@pytest.mark.parametrize("order", range(1, 7))
def test_every_derivative_of_sinc(order):
    """Against the Gauss-Legendre rule of the integral of (pi t)**n cos(pi x t + n pi/2)."""
    x = onp.array([0.0, 1e-9, 1e-3, 0.2, -0.4, 0.9, 1.7, -2.5, 6.1])
    t, w = onp.polynomial.legendre.leggauss(60)
    t, w = (t + 1) / 2, w / 2
    want = onp.sum(w * (onp.pi * t) ** order * onp.cos(onp.pi * x[:, None] * t + order * onp.pi / 2), axis=1)
    onp.testing.assert_allclose(nth(anp.sinc, order)(x), want, rtol=1e-11, atol=1e-12 * onp.pi**order)


def test_derivatives_of_i0():
    special = pytest.importorskip("scipy.special")
    x = onp.array([0.0, 1e-12, 0.3, -2.0, 30.0, -150.0, 700.0])
    onp.testing.assert_allclose(nth(anp.i0, 1)(x), special.i1(x), rtol=2e-13)
    onp.testing.assert_allclose(nth(anp.i0, 3)(x), special.ivp(0, x, 3), rtol=2e-13)


def test_logaddexp_second_derivative_with_infinities():
    x = onp.array([-onp.inf, 0.3, -onp.inf])
    y = onp.array([-onp.inf, -onp.inf, 0.4])
    with onp.errstate(all="raise"):
        onp.testing.assert_array_equal(ag.elementwise_grad(ag.elementwise_grad(anp.logaddexp))(x, y), 0.0)


def test_where_of_the_condition_alone():
    assert ag.grad(lambda x: anp.sum(x[anp.where(x)] ** 2))(onp.array([1.0, 0.0, 3.0])).tolist() == [2, 0, 6]


def test_clip_refuses_out():
    x = onp.ones(2)
    with pytest.raises(NotImplementedError, match="clip.*out"):
        ag.grad(lambda v: anp.sum(anp.clip(v, 0, 1, onp.empty(2))))(x)


ZERO = [
    *["floor", "ceil", "trunc", "rint", "fix", "round", "around", "sign", "signbit", "spacing"],
    *["isfinite", "isnan", "isinf", "isneginf", "isposinf", "logical_not", "iscomplex", "isreal"],
    *["iscomplexobj", "isrealobj", "argmax", "argmin", "argsort", "nanargmax", "nanargmin", "nonzero"],
    *["count_nonzero", "flatnonzero", "argwhere", "all", "any", "size", "ndim", "shape"],
    *["zeros_like", "ones_like", "empty_like"],
]


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", ZERO)
def test_zero_derivative(name):
    x = onp.array([[1.5, -0.3, 2.0]])
    seen = []

    def f(v):
        seen.append(getattr(anp, name)(v))
        return anp.sum(v)

    onp.testing.assert_array_equal(ag.grad(f)(x), 1.0)
    if name != "empty_like":
        onp.testing.assert_array_equal(seen[0], getattr(onp, name)(x))
    assert type(seen[0]) is type(getattr(onp, name)(x))


def test_hypot_has_no_second_derivative_at_zero():
    with onp.errstate(all="ignore"):
        hessian = ag.hessian(lambda x: anp.hypot(x[0], x[1]) ** 2)(onp.zeros(2))
    assert onp.isnan(hessian).all()
