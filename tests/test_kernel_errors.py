"""Kernels against NumPy's own loops: the same values and floating-point errors in every errstate."""

import itertools
import warnings

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as anp
import autograd_fast.scipy.special as special
from autograd_fast import _kernels

BIG, TINY, INF, NAN = 1e308, 1e-308, onp.inf, onp.nan
NUMBERS = [0.0, -0.0, 0.5, -0.5, 1.0, 2.0, -3.0, 800.0, -800.0, BIG, -BIG, TINY, INF, -INF, NAN]

UNARY = {
    "negative": lambda x: -x,
    "exp": anp.exp,
    "log": anp.log,
    "log1p": anp.log1p,
    "expm1": anp.expm1,
    "sqrt": anp.sqrt,
    "square": anp.square,
    "sin": anp.sin,
    "cos": anp.cos,
    "tanh": anp.tanh,
    "abs": anp.abs,
    "x * x": lambda x: x * x,
    "x / x": lambda x: x / x,
    "x ** 2": lambda x: x**2,
    "x ** 3": lambda x: x**3,
    "x ** 0.5": lambda x: x**0.5,
    "x ** -1": lambda x: x**-1,
    "1 / x": lambda x: 1 / x,
    "maximum": lambda x: anp.maximum(x, 0.0),
    "minimum": lambda x: anp.minimum(0.5, x),
    "where": lambda x: anp.where(onp.arange(onp.size(x)) > 1, x, 2.0),
}
REDUCTIONS = {
    "sum": anp.sum,
    "mean": anp.mean,
    "max": anp.max,
    "min": anp.min,
    "var": anp.var,
    "std": anp.std,
    "logsumexp": special.logsumexp,
    "dot": lambda x: anp.dot(x, x),
    "matmul": lambda x: x @ x,
}
PAIRS = {
    "add": anp.add,
    "subtract": anp.subtract,
    "multiply": anp.multiply,
    "divide": anp.divide,
    "maximum": anp.maximum,
    "minimum": anp.minimum,
}


def outcome(f, xs, state):
    """Value, gradients, and what NumPy said under an errstate: warnings, calls, or an error."""
    calls = set()
    with warnings.catch_warnings(record=True) as seen, onp.errstate(all=state):
        warnings.simplefilter("always")
        old = onp.seterrcall(lambda kind, flag: calls.add(kind))
        try:
            value, gradient = ag.value_and_grad(f, tuple(range(len(xs))))(*xs)
        except FloatingPointError as error:
            return "error", str(error)
        finally:
            onp.seterrcall(old)
    texts = {str(w.message) for w in seen if issubclass(w.category, RuntimeWarning)}
    return value, gradient, texts, calls


def agree(f, xs, state, rtol=4e-15, texts=True):
    on = outcome(f, xs, state)
    was = _kernels.set_enabled(False)
    try:
        off = outcome(f, xs, state)
    finally:
        _kernels.set_enabled(was)
    if off[0] == "error" or on[0] == "error":
        assert on == off if texts else on[0] == off[0], (xs, state)
        return
    assert on[3] == off[3], (xs, state)
    assert on[2] == off[2] if texts else bool(on[2]) == bool(off[2]), (xs, state, on[2], off[2])
    onp.testing.assert_allclose(on[0], off[0], rtol=rtol)
    for a, b in zip(on[1], off[1], strict=True):
        assert (
            type(a) is type(b) and onp.shape(a) == onp.shape(b) and onp.result_type(a) == onp.result_type(b)
        )
        onp.testing.assert_allclose(a, b, rtol=rtol)


STATES = ["ignore", "warn", "call", "raise"]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", UNARY)
def test_elementwise_functions(name, state):
    f = UNARY[name]
    for x, weight in itertools.product(NUMBERS, [1.0, 0.0, BIG, INF]):
        array = onp.array([x, 0.5, 1.5])
        agree(lambda x, w=weight: anp.sum(w * f(x)), (array,), state)
        # the cotangent is the pass's own here, which a kernel may write into
        agree(lambda x, w=weight: anp.sum(w * (2.0 * f(x))), (array,), state)
        if name != "where":
            agree(lambda x, w=weight: w * f(x), (x,), state)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_and_products(name, state):
    f = REDUCTIONS[name]
    for x, weight in itertools.product(NUMBERS, [1.0, 0.0, BIG]):
        agree(lambda x, w=weight: w * f(x), (onp.array([x, 0.5, 1.5, x]),), state, rtol=1e-14, texts=False)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_operands(name, state):
    f = PAIRS[name]
    for x, y in itertools.product(NUMBERS, NUMBERS):
        xs = (onp.array([x, 0.5, 1.5]), onp.array([y, 0.5, 2.5]))
        agree(lambda x, y: anp.sum(3.0 * f(x, y)), xs, state)
        agree(lambda x, y: anp.sum(3.0 * f(x, y)), (xs[0], y), state)
        agree(lambda x, y: f(x, y), (x, y), state)


@pytest.mark.parametrize("dtype", [onp.float64, onp.float32])
def test_products_of_matrices_to_the_bit(dtype):
    rng = onp.random.default_rng(0)
    layouts = [onp.ascontiguousarray, onp.asfortranarray, lambda a: onp.repeat(a, 2, axis=0)[::2]]
    for (m, n, p), lay_a, lay_b in itertools.product(
        [(1, 1, 1), (1, 5, 3), (4, 1, 3), (3, 4, 1), (7, 5, 9), (33, 17, 20)], layouts, layouts
    ):
        a = lay_a(rng.standard_normal((m, n)).astype(dtype))
        b = lay_b(rng.standard_normal((n, p)).astype(dtype))
        for x, y in ((a, b), (a[0], b), (a, b[:, 0]), (a[0], b[:, 0]), (b.T, a.T)):
            for name in ("dot", "matmul"):
                got = ag.make_vjp(lambda x, y=y, name=name: getattr(anp, name)(x, y))(x)[1]
                want = getattr(onp, name)(x, y)
                assert onp.array_equal(got, want) and got.dtype == want.dtype and type(got) is type(want)


@pytest.mark.parametrize("dtype", [onp.float64, onp.float32])
@pytest.mark.parametrize("name", [*PAIRS, "power"])
def test_broadcasting_to_the_bit(name, dtype):
    rng = onp.random.default_rng(0)
    shapes = [((r, c), s) for r, c in [(1, 4), (3, 5), (6, 33)] for s in [(r, 1), (c,), (1, c), (), (r, c)]]
    for big, small in shapes:
        x, y = (onp.asarray(rng.uniform(0.1, 3.0, s), dtype) for s in (big, small))
        for a, b in ((x, y), (y, x)):
            got = ag.make_vjp(getattr(anp, name))(a, b)[1]
            want = getattr(onp, name)(a, b)
            assert onp.array_equal(got, want) and got.dtype == want.dtype
