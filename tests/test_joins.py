"""Joins of traced arrays and numbers: values, layouts, derivatives of every order, kernels on and off."""

import warnings

import numpy as onp
import pytest
from numeric import check_both_modes, check_jvp, check_vjp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import _kernels
from autograd_fast.core import primitive_vjps
from autograd_fast.extend import defvjp_argnum
from autograd_fast.tracer import getval

RNG = onp.random.default_rng(3)
X, Y = RNG.standard_normal(5), RNG.standard_normal(5)
M, N = RNG.standard_normal((2, 3)), RNG.standard_normal((2, 3))
T = RNG.standard_normal((2, 3, 4))
WIDE = RNG.standard_normal((40, 2))
BIG = RNG.standard_normal(1000)

JOINS = {
    "concatenate": (lambda np, x, y: np.concatenate([x, y]), X, Y),
    "concatenate with a constant": (lambda np, x: np.concatenate((Y, x, Y)), X),
    "concatenate with integers": (lambda np, x: np.concatenate((x, onp.arange(3))), X),
    "concatenate with a list": (lambda np, x: np.concatenate(([1.0, 2.0], x)), X),
    "concatenate a list of numbers": (lambda np, x: np.concatenate([[x[0], 2.0], x]), X),
    "concatenate twice the same": (lambda np, x: np.concatenate([x, x]), X),
    "concatenate along 1": (lambda np, x, y: np.concatenate([x, y], 1), M, N),
    "concatenate along -1": (lambda np, x, y: np.concatenate([x, y, x], axis=-1), T, T + 1),
    "concatenate along 1 of 3": (lambda np, x, y: np.concatenate([x, y[:, :1]], axis=1), T, T + 1),
    "concatenate scattered blocks": (lambda np, x, y: np.concatenate([x, y], axis=1), WIDE, WIDE + 1),
    "concatenate large": (lambda np, x, y: np.concatenate([x, y]), BIG, BIG + 1),
    "concatenate transposed": (lambda np, x, y: np.concatenate([x.T, y.T]), M, N),
    "concatenate many": (lambda np, x: np.concatenate([x[i : i + 1] for i in range(5)] * 2), X),
    "concatenate with an empty one": (lambda np, x: np.concatenate([x, onp.zeros(0), x[:0]]), X),
    "stack": (lambda np, x, y: np.stack([x, y]), X, Y),
    "stack along 1": (lambda np, x, y: np.stack((x, y, X), 1), X, Y),
    "stack along -1": (lambda np, x, y: np.stack([x, y], axis=-1), M, N),
    "stack along 1 of 3": (lambda np, x, y: np.stack([x, y], axis=1), T, T + 1),
    "stack transposed": (lambda np, x, y: np.stack([x.T, y.T], 1), M, N),
    "stack numbers": (lambda np, x: np.stack([x[0], 2.0, x[1], x[0]]), X),
    "hstack": (lambda np, x, y: np.hstack([x, y]), X, Y),
    "hstack of matrices": (lambda np, x, y: np.hstack([x, y]), M, N),
    "hstack with a number": (lambda np, x: np.hstack([1.0, x, x[0]]), X),
    "hstack numbers": (lambda np, x: np.hstack([x[0], x[1], 1.0]), X),
    "vstack": (lambda np, x, y: np.vstack([x, y]), X, Y),
    "vstack of a matrix and a vector": (lambda np, x, y: np.vstack([x, y[:3]]), M, Y),
    "vstack numbers": (lambda np, x: np.vstack([x[0], x[1]]), X),
    "column_stack": (lambda np, x, y: np.column_stack([x, y]), X, Y),
    "column_stack of a vector and a matrix": (lambda np, x, y: np.column_stack([y[:2], x]), M, Y),
    "append": (lambda np, x, y: np.append(x, y), X, Y),
    "append a number": (lambda np, x: np.append(x, 0), X),
    "append to a matrix": (lambda np, x, y: np.append(x, y), M, Y),
    "append along an axis": (lambda np, x, y: np.append(x, y, axis=1), M, N),
    "array of numbers": (lambda np, x: np.array([x[0], x[3] * x[0], 1.0, 2]), X),
    "array of a tuple": (lambda np, x: np.array((x[0], x[3])), X),
    "array of lists": (lambda np, x: np.array([[x[0], 1.0, x[1]], [x[2], x[2], 0.0]]), X),
    "array of arrays": (lambda np, x, y: np.array([x, y, X]), X, Y),
    "array of lists of arrays": (lambda np, x, y: np.array([[x, y], [y, Y]]), X, Y),
    "array of three levels": (lambda np, x: np.array([[[x[0]], [x[1]]], [[x[2]], [1.0]]]), X),
    "array of transposed": (lambda np, x, y: np.array([x.T, y.T]), M, N),
    "array of one dtype": (lambda np, x: np.array([x[0], 1, x[1]], dtype=float), X),
    "array of sums": (lambda np, x, y: np.array([np.sum(x), np.sum(y), np.sum(x * y)]), X, Y),
}


@pytest.fixture(params=[True, False], ids=["kernels", "no kernels"])
def kernels(request):
    was = _kernels.set_enabled(request.param)
    yield
    _kernels.set_enabled(was)


def value_of(f, args):
    """The plain result of a function of traced operands."""
    seen = []

    def run(*boxes):
        seen.append(getval(f(np, *boxes)))
        return np.sum(boxes[0])

    ag.grad(run, tuple(range(len(args))))(*args)
    return seen[0]


@pytest.mark.parametrize("name", JOINS)
def test_derivatives(name, kernels):
    f, *args = JOINS[name]
    if max(onp.size(x) for x in args) > 100:
        for i in range(len(args)):
            check_jvp(f, args, i, RNG)
            check_vjp(f, args, i, RNG)
    else:
        check_both_modes(f, *args)


@pytest.mark.parametrize("name", JOINS)
@pytest.mark.parametrize("dtype", ["d", "f"])
def test_values_and_layouts_are_numpys(name, dtype, kernels):
    f, *args = JOINS[name]
    args = [onp.asarray(x, dtype) for x in args]
    got, want = value_of(f, args), f(onp, *args)
    assert type(got) is onp.ndarray and got.dtype == want.dtype
    assert got.shape == want.shape and got.tobytes() == want.tobytes()
    assert got.flags.c_contiguous == want.flags.c_contiguous


@pytest.mark.parametrize("name", JOINS)
def test_gradients_with_and_without_kernels_agree_to_the_bit(name):
    f, *args = JOINS[name]
    found = []
    for on in (True, False):
        was = _kernels.set_enabled(on)
        try:
            for dtype in ("d", "f"):
                typed = [onp.asarray(x, dtype) for x in args]
                found.append(ag.grad(lambda *a: np.sum(f(np, *a) ** 2), tuple(range(len(args))))(*typed))
        finally:
            _kernels.set_enabled(was)
    for with_kernels, without in zip(found[:2], found[2:], strict=True):
        for a, b in zip(with_kernels, without, strict=True):
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("name", JOINS)
def test_jacobians_and_repeated_pullbacks(name):
    f, *args = JOINS[name]
    if max(onp.size(x) for x in args) > 100:
        pytest.skip("a Jacobian of that size says no more")
    want_pullback, ans = ag.make_vjp(lambda x: f(np, x, *args[1:]))(args[0])
    jacobian = ag.jacobian(lambda x: f(np, x, *args[1:]))(args[0])
    assert jacobian.shape == ans.shape + onp.shape(args[0])
    for place in list(onp.ndindex(ans.shape))[:6]:
        unit = onp.zeros(ans.shape)
        unit[place] = 1.0
        assert onp.array_equal(jacobian[place], want_pullback(unit))


def test_numbers_of_every_kind_make_an_array():
    parts = [1.5, 2, onp.float64(3.0), onp.array(4.0), onp.float32(5.0), onp.int64(6), True]

    def f(x):
        return np.array([x, *parts])

    assert onp.array_equal(ag.jacobian(f)(0.5), onp.eye(8)[0])
    value = ag.make_vjp(f)(0.5)[1]
    assert value.dtype == onp.float64 and onp.array_equal(value, onp.array([0.5, *parts]))


def test_large_integers_beside_traced_numbers_are_rounded_as_numpy_rounds_them():
    for integer in (2**53 + 1, 2**63, -(2**60) - 1, 10**30):
        assert ag.make_vjp(lambda x, n=integer: np.array([x, n]))(0.5)[1][1] == onp.array([0.5, integer])[1]


def test_operands_of_two_kinds_get_gradients_of_their_own():
    x, y = X.astype("f"), Y
    gx, gy = ag.grad(lambda x, y: np.sum(np.concatenate([x, y]) * onp.arange(10.0)), (0, 1))(x, y)
    assert gx.dtype == "f" and gy.dtype == "d"
    assert onp.array_equal(gx, onp.arange(5.0)) and onp.array_equal(gy, onp.arange(5.0, 10.0))
    z = X + 1j * Y
    gx, gz = ag.grad(lambda x, z: np.sum(np.abs(np.concatenate([x, z])) ** 2), (0, 1))(X, z)
    assert gx.dtype == "d" and onp.allclose(gx, 2 * X) and onp.allclose(gz, 2 * onp.conj(z))


def test_parts_of_two_traces():
    def outer(y):
        inner = ag.grad(lambda x: np.sum(np.concatenate([x * y, y, x]) ** 2 * onp.arange(15.0)))
        return np.sum(inner(y) ** 2)

    def by_hand(y):
        w = onp.arange(15.0)
        return onp.sum((2 * w[:5] * y**3 + 2 * w[10:] * y) ** 2)

    assert onp.isclose(ag.value_and_grad(outer)(X)[0], by_hand(X))
    h = 1e-6
    want = [(by_hand(X + h * e) - by_hand(X - h * e)) / (2 * h) for e in onp.eye(5)]
    assert onp.allclose(ag.grad(outer)(X), want, rtol=1e-6)


@pytest.mark.parametrize(
    "maker", [lambda x: np.array([x, x**2, x**3]), lambda x: np.stack([x, x * x, x * x * x])]
)
def test_fourth_derivative(maker):
    f = ag.grad(ag.grad(ag.grad(ag.grad(lambda x: np.sum(maker(x) ** 2)))))
    assert onp.isclose(f(1.5), 24 + 360 * 1.5**2)


def test_traced_lists_and_tuples():
    parts = [X, Y, X * Y]
    for join, want in (
        (np.concatenate, [onp.arange(5.0), onp.arange(5.0, 10.0), onp.arange(10.0, 15.0)]),
        (np.stack, [onp.arange(5.0), onp.arange(5.0, 10.0), onp.arange(10.0, 15.0)]),
        (np.array, [onp.arange(5.0), onp.arange(5.0, 10.0), onp.arange(10.0, 15.0)]),
    ):
        grads = ag.grad(lambda parts, join=join: np.sum(np.ravel(join(parts)) * onp.arange(15.0)))(parts)
        assert all(onp.array_equal(g, w) for g, w in zip(grads, want, strict=True))
    assert ag.grad(lambda xs: np.sum(np.array(xs) ** 2))((1.0, 2.0)) == (2.0, 4.0)


def test_gradients_share_no_memory():
    gx, gy = ag.grad(lambda x, y: np.sum(np.concatenate([x, y, y])), (0, 1))(BIG, BIG + 1)
    gx[:] = 7.0
    assert onp.all(gy == 2.0)
    pullback, _ = ag.make_vjp(lambda x, y: np.concatenate([x, y]), (0, 1))(BIG, BIG)
    cotangent = onp.ones(2000)
    first, second = pullback(cotangent)
    first[:] = 5.0
    assert onp.all(cotangent == 1.0) and onp.all(second == 1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: np.concatenate([x, M]),
        lambda np, x: np.concatenate([x, x], axis=1),
        lambda np, x: np.concatenate([x, x], axis=5),
        lambda np, x: np.concatenate([x[0], x]),
        lambda np, x: np.stack([x, X[:2]]),
        lambda np, x: np.stack([x, x], axis=3),
        lambda np, x: np.stack([x[0], x[1]], axis=1),
        lambda np, x: np.vstack([x, X[:2]]),
        lambda np, x: np.append(x, M, axis=1),
        lambda np, x: np.array([x, x[:2]]),
        lambda np, x: np.array([[x[0], x[1]], [x[0]]]),
        lambda np, x: np.array([[x[0]], x[1]]),
    ],
)
def test_parts_that_do_not_fit_are_refused_as_numpy_refuses_them(call):
    with pytest.raises(ValueError) as numpys:
        call(onp, X)
    with pytest.raises(type(numpys.value)):
        ag.grad(lambda x: np.sum(call(np, x)))(X)


def test_options_of_joins():
    def f(x):
        return np.sum(np.concatenate([x, x], dtype="f", casting="same_kind") ** 2)

    assert onp.allclose(ag.grad(f)(X), 4 * X, rtol=1e-6)
    assert onp.array_equal(ag.grad(lambda m: np.sum(np.concatenate([m, N], axis=None)))(M), onp.ones((2, 3)))
    assert onp.array_equal(ag.grad(lambda x: np.sum(np.array([x[0], x[1]], ndmin=2)))(X), [1, 1, 0, 0, 0])
    single = ag.make_vjp(lambda x: np.array([x[0], x[1]], dtype="f"))(X)[1]
    assert single.dtype == "f" and onp.array_equal(single, X[:2].astype("f"))


@pytest.mark.parametrize(
    ("primitive", "rule"),
    [
        (np.concatenate_args, lambda argnum, ans, args, kwargs: lambda g: 3 * onp.ones(5)),
        (np.concatenate, lambda argnum, ans, args, kwargs: lambda g: [3 * onp.ones(5), 3 * onp.ones(5)]),
    ],
)
def test_a_users_rule_of_a_join_is_used(primitive, rule):
    before = primitive_vjps[primitive]
    try:
        defvjp_argnum(primitive, rule)
        got = ag.grad(lambda parts: np.sum(np.concatenate(parts)))([X, Y])
    finally:
        primitive_vjps[primitive] = before
    assert onp.array_equal(got[0], 3 * onp.ones(5)) and onp.array_equal(got[1], got[0])
    assert onp.array_equal(ag.grad(lambda x: np.sum(np.concatenate([x, x])))(X), 2 * onp.ones(5))


@pytest.mark.parametrize("mode", [ag.detect_nans, ag.strong_zeros, ag.debug])
@pytest.mark.parametrize("name", ["concatenate with a constant", "stack along 1", "array of lists"])
def test_modes(mode, name):
    f, *args = JOINS[name]
    want = ag.grad(lambda x: np.sum(f(np, x, *args[1:]) ** 2))(args[0])
    with mode():
        assert onp.array_equal(ag.grad(lambda x: np.sum(f(np, x, *args[1:]) ** 2))(args[0]), want)
    pullback, ans = ag.make_vjp(lambda x: f(np, x, *args[1:]))(args[0])
    with mode():  # the graph is older than the mode
        assert onp.array_equal(pullback(2 * ans), want)


def test_infinities_pass_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g = ag.grad(lambda x: np.sum(np.concatenate([x, x])))(onp.array([onp.inf, onp.nan, 1e-310]))
    assert onp.array_equal(g, [2.0, 2.0, 2.0])


@pytest.mark.parametrize("number", [2, 0.5, True, onp.float32(0.5), onp.float64(0.5)])
def test_numbers_beside_single_precision(number):
    x = X.astype("f")
    for join in (
        lambda np, x: np.concatenate([x, number], axis=None),
        lambda np, x: np.concatenate([number, x, x], axis=None),
        lambda np, x: np.append(x, number),
        lambda np, x: np.append(number, x),
    ):
        value = ag.make_vjp(lambda x, join=join: join(np, x))(x)[1]
        assert value.dtype == join(onp, x).dtype
        assert ag.grad(lambda x, join=join: np.sum(join(np, x)))(x).dtype == onp.float32
