"""Cotangents that are a number times an array, or one number everywhere, not made before they are read."""

import warnings

import numpy as onp
import pytest
from numeric import without_kernels

import autograd_fast as ag
import autograd_fast.numpy as anp

X = onp.linspace(0.3, 1.7, 12)

PROGRAMS = {
    "sum": lambda x: anp.sum(x),
    "mean": lambda x: anp.mean(x),
    "scaled sum": lambda x: anp.sum(3.0 * x),
    "scaled twice": lambda x: anp.sum(0.3 * (0.7 * x)),
    "negated": lambda x: -anp.sum(-anp.negative(x)),
    "subtracted": lambda x: anp.sum(2.0 - x) + anp.sum(1.5 * (x - 0.2 * (x - x * x))),
    "divided by a number": lambda x: anp.sum((0.1 * (x / 3.0)) / 7.0),
    "by an int": lambda x: anp.sum((x * x * 3) / 7 - 2 * x),
    "functions": lambda x: anp.mean(
        anp.exp(-0.5 * x) * anp.tanh(2.0 * x)
        + anp.log(3.0 * x)
        - anp.sqrt(0.5 * x)
        + anp.sin(-x) * anp.cos(x)
    ),
    "of functions": lambda x: anp.sum(
        0.1 * anp.exp(x)
        - 0.2 * anp.log(x)
        + 0.3 * anp.sqrt(x)
        - 0.4 * anp.tanh(x)
        + 0.5 * anp.sin(x)
        - 0.6 * anp.cos(x)
        + 0.7 * anp.log1p(x)
        - 0.8 * anp.expm1(x)
        + 0.9 * anp.square(x)
        - abs(x)
    ),
    "quotients": lambda x: anp.sum(0.3 * (x / (x * x + 1.0)) - 0.7 / x),
    "powers": lambda x: anp.sum(0.3 * x**2 - 0.1 * x**3 + 2.0 * x**1 - x**-1.5),
    "one value three times": lambda x: (lambda y: anp.sum(0.5 * y - 0.25 * y + y))(x * x),
    "shapes": lambda x: (
        anp.sum(0.5 * anp.transpose(anp.reshape(-x, (3, 4)))) + anp.mean(anp.reshape(x, (2, 6)))
    ),
    "subscripts": lambda x: anp.sum(2.0 * x[3:]) + anp.sum(x) - anp.sum(0.1 * x[::2]) + 3.0 * x[4],
    "rows": lambda x: anp.sum(
        0.3 * (anp.reshape(x, (3, 4)) * x[:4]) - 0.1 * (anp.reshape(x, (3, 4)) + x[4:8])
    ),
    "columns": lambda x: anp.sum(-2.0 * (anp.reshape(x, (3, 4)) - anp.reshape(x, (3, 4))[:, :1])),
    "over a sum": lambda x: anp.sum(2.0 * (x / anp.sum(x))),
    "choices": lambda x: anp.sum(
        0.5 * anp.where(x > 1, x, -x) - 2.0 * anp.maximum(x, 1.1) + 3.0 * anp.minimum(x, 1)
    ),
    "numbers": lambda x: (lambda s: 2.0 * s - s * s)(anp.sum(-x)),
    "products": lambda x: anp.sum(-0.5 * anp.dot(anp.reshape(x, (3, 4)), anp.reshape(x, (4, 3)))),
    "empty": lambda x: anp.sum(2.0 * x[:0]) + anp.sum(-x),
    "many steps": lambda x: (lambda y: [y := y + 0.1 * (anp.sin(x) - y * y) for _ in range(5)][-1])(x)[3],
}


@pytest.fixture(params=["d", "f"])
def x(request):
    return X.astype(request.param)


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_without_kernels(name, x):
    f = PROGRAMS[name]
    got, want = ag.grad(f)(x), without_kernels(lambda: ag.grad(f)(x))
    assert type(got) is onp.ndarray and got.dtype == want.dtype and got.shape == want.shape
    assert got.flags.owndata and got.flags.writeable
    onp.testing.assert_allclose(got, want, rtol=8 * onp.finfo(x.dtype).eps, atol=4 * onp.finfo(x.dtype).eps)


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_differences(name):
    f, step, expected = PROGRAMS[name], 1e-6, onp.empty(12)
    for i in range(12):
        up, down = X.copy(), X.copy()
        up[i] += step
        down[i] -= step
        expected[i] = (f(up) - f(down)) / (2 * step)
    onp.testing.assert_allclose(ag.grad(f)(X), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", PROGRAMS)
def test_repeated_pullbacks_and_second_derivatives(name):
    f = PROGRAMS[name]
    pullback, _ = ag.make_vjp(f)(X)
    first = pullback(1.0)
    for g in (1.0, -2.0, 0.5):
        onp.testing.assert_allclose(pullback(g), g * first, rtol=1e-14, atol=1e-14)
    onp.testing.assert_allclose(ag.jacobian(f)(X), first, rtol=1e-14, atol=1e-14)
    hessian = ag.hessian(lambda x: f(x) * anp.sum(x * x))
    expected = without_kernels(lambda: hessian(X))
    onp.testing.assert_allclose(hessian(X), expected, rtol=1e-12, atol=1e-12)


def test_a_cotangent_of_the_caller_is_left_alone():
    g = onp.linspace(1.0, 2.0, 12)
    kept = g.copy()
    for f in (lambda x: 2.0 * x, lambda x: -x, lambda x: -(3.0 * (x - 1.0)), lambda x: 2.0 * x - x * x):
        pullback, _ = ag.make_vjp(f)(X)
        for _ in range(3):
            result = pullback(g)
            assert not onp.shares_memory(result, g)
            result[...] = onp.nan
            onp.testing.assert_array_equal(g, kept)


def seen(call, **errstate):
    """What a call gives, and the floating-point warnings of it, or its error."""
    with onp.errstate(**errstate), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except FloatingPointError as error:
            return str(error), []
    return result, sorted(str(w.message) for w in caught)


HUGE, TINY = 1e300, 1e-300
HUGES = onp.where(X > 1, 1.0, HUGE)  # where entries of X are not taken below
HOSTILE = {
    "product overflows": (lambda x: anp.sum(HUGE * (HUGE * x)), X),
    "read twice": (lambda x: (lambda y: anp.sum(HUGE * (HUGE * (y + y * y))))(x + 0.5), X),
    "sum of both": (lambda x: anp.sum(1.5e308 * x + 1.5e308 * x), X),
    "sum in place": (lambda x: (lambda y: anp.sum(y * y + 1.7e308 * y + 1.7e308 * y))(x * 1.0), X),
    "late in a long array": (
        lambda x: (lambda y: anp.sum(y * y + anp.exp(y) + HUGE * y))(x * 1e8),
        onp.append(onp.ones(1000), 1.0) * 1e-6,
    ),
    "product vanishes": (lambda x: anp.sum(TINY * (TINY * x)), X),
    "mean vanishes": (lambda x: 1e-307 * anp.mean(x), onp.linspace(1, 2, 100)),
    "quotient": (lambda x: anp.sum(HUGE * (x / 1e-20)), X),
    "infinite": (lambda x: anp.sum(onp.inf * x - onp.inf * x), X),
    "zero times infinite": (lambda x: 0.0 * anp.sum(onp.inf * x), X),
    "function": (lambda x: anp.sum(HUGE * anp.exp(x)), X + 30),
    "overflow where nothing is taken": (lambda x: anp.sum(HUGES * (HUGE * anp.where(X > 1, x, 0.0))), X),
    "overflow of what lost": (lambda x: anp.sum(HUGES * (HUGE * anp.maximum(x, 3.0 * (X < 1)))), X),
    "underflow of what lost": (lambda x: anp.sum(1 / HUGES * (TINY * anp.minimum(x, 2.0 * (X > 1)))), X),
    "zero times infinite where nothing is taken": (
        lambda x: anp.sum((X > 1) * (onp.inf * anp.where(X > 1, x, 0.0))),
        X,
    ),
    "overflow beside nan": (lambda x: anp.sum(HUGES * (HUGE * abs(x))), onp.where(X > 1, X, onp.nan)),
    "root, halved and divided": (lambda x: anp.sum(anp.sqrt(x + 0.5) / (X * 1e308)), X),
    "logarithm at zero": (lambda x: anp.sum(-3.0 * anp.log(x)), X - X[3]),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("action", ["warn", "ignore", "raise"])
def test_floating_point_errors(name, action):
    f, x = HOSTILE[name]
    with onp.errstate(all="ignore"):
        pullback, _ = ag.make_vjp(f)(x)
        slow, _ = without_kernels(lambda: ag.make_vjp(f)(x))
    got = seen(lambda: pullback(1.0), all=action)
    want = without_kernels(lambda: seen(lambda: slow(1.0), all=action))
    assert type(got[0]) is type(want[0])
    assert got[1] == want[1]
    if isinstance(got[0], str):
        assert got[0] == want[0]
    else:
        onp.testing.assert_allclose(got[0], want[0], rtol=1e-14)
