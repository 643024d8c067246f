"""Jacobians by many rows at once, row by row, by columns, and by finite differences; plans of pullbacks."""

import threading

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as anp
import autograd_fast.scipy.special as special
from autograd_fast import _jacobians, _kernels
from autograd_fast.extend import defvjp, primitive
from autograd_fast.tracer import getval

rng = onp.random.default_rng(3)
A = rng.standard_normal((4, 4)) + 4 * onp.eye(4)
B = rng.standard_normal((2, 4))
X = rng.uniform(0.3, 1.4, 4)
M = rng.uniform(0.3, 1.4, (2, 4))


@primitive
def user_cube(x):
    return x**3


defvjp(user_cube, lambda ans, x: lambda g: 3 * g * x * x)
ag.extend.defjvp(user_cube, lambda t, ans, x: 3 * t * x * x)


def stretched(np, x):
    return np.exp(x[:, None] * x) / (1.0 + x) - np.sqrt(x)[:, None] ** x


VECTORS = {
    "elementwise": lambda np, x: np.tanh(x) * np.exp(-x) + np.log1p(x) / np.sqrt(x) - x**3,
    "square": lambda np, x: x * x + (x + 1.0) * (x + 1.0),
    "powers": lambda np, x: x**x + 2.0**x + np.power(x, 1.5),
    "broadcasting": stretched,
    "numbers": lambda np, x: np.array([x[0] * 2.0, 3.0, x[1] * x[2]]),
    "sums": lambda np, x: x * np.sum(x * x) + np.mean(x) - np.max(x) * np.min(x),
    "sums over axes": lambda np, x: (
        np.sum(np.outer(x, x), 0) + np.mean(np.outer(x, x * x), axis=1, keepdims=True)
    ),
    "ties": lambda np, x: np.max(np.array([x, x]), axis=0) + np.maximum(x, 0.5) + np.minimum(x, x[0]),
    "variance": lambda np, x: x * np.var(x) + np.std(np.outer(x, x), axis=0),
    "matrix by vector": lambda np, x: np.dot(A, x) + A @ (x * x),
    "vector by matrix": lambda np, x: np.dot(x, A) + x @ A,
    "vector by vector": lambda np, x: np.dot(x, x) * x + x @ A @ x,
    "matrices": lambda np, x: np.dot(np.outer(x, x), A) + np.outer(x, x) @ np.outer(x, A[0]),
    "outer of products": lambda np, x: np.dot(np.reshape(x, (2, 2)), B) @ x,
    "number by array": lambda np, x: np.dot(x[0], x) + np.dot(x, x[1]),
    "stacks of matrices": lambda np, x: np.matmul(np.stack([A * x[0], A]), np.outer(x, x)),
    "basic subscripts": lambda np, x: x[1:] * x[:-1] + x[0] * x[-1] + x[::2][None, 0],
    "more subscripts": lambda np, x: np.outer(x, x)[1:, ..., None][:, 0],
    "arrays as subscripts": lambda np, x: x[[0, 0, 3]] * x[onp.array([True, True, False, True])],
    "shapes": lambda np, x: np.reshape(np.outer(x, x).T, (2, 8)).T,
    "order of axes": lambda np, x: np.transpose(np.reshape(np.outer(x, x), (2, 2, 4)), (2, 0, 1)),
    "choices": lambda np, x: np.where(x > 0.8, x * x, np.exp(x)) + np.where(onp.arange(4) > 1, x, 0.0),
    "joins": lambda np, x: np.concatenate([x, x[:2] * x[0], np.cumsum(x)]),
    "solutions": lambda np, x: np.linalg.solve(A + np.diag(x), x),
    "constant": lambda np, x: onp.arange(3.0),
}


def rows_one_by_one(f, x):
    vjp, ans = ag.make_vjp(f)(x)
    shape = onp.shape(ans)
    basis = onp.eye(int(onp.prod(shape))).reshape((-1, *shape))
    return onp.reshape([vjp(e) for e in basis], shape + onp.shape(x))


def columns_by_differences(f, x, h=1e-5):
    columns = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in onp.eye(len(x))]
    return onp.stack(columns, axis=-1)


@pytest.mark.filterwarnings("ignore:Output seems independent of input")
@pytest.mark.parametrize("kernels", [True, False], ids=["kernels", "no kernels"])
@pytest.mark.parametrize("name", VECTORS)
def test_every_mode_gives_the_same(name, kernels, monkeypatch):
    was = _kernels.set_enabled(kernels)
    try:
        f = VECTORS[name]
        want = columns_by_differences(lambda x: onp.asarray(f(onp, x)), X)
        for mode in ("reverse", "forward", "auto"):
            got = ag.jacobian(lambda x: f(anp, x), mode=mode)(X)
            onp.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-7)
            assert got.dtype == float
        exact = rows_one_by_one(lambda x: f(anp, x), X)
        got = ag.jacobian(lambda x: f(anp, x))(X)
        onp.testing.assert_allclose(got, exact, rtol=1e-13, atol=1e-13)
        monkeypatch.setattr(_jacobians, "_CHUNK", 8)
        onp.testing.assert_allclose(ag.jacobian(lambda x: f(anp, x))(X), exact, rtol=1e-13, atol=1e-13)
    finally:
        _kernels.set_enabled(was)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: anp.sum(anp.exp(x) * x[::-1] ** 2) * x[0],
        lambda x: special.logsumexp(anp.outer(x, x)) + anp.max(x) * anp.std(x),
        lambda x: anp.sum(anp.where(x > 0.8, x**3, anp.sin(x)) @ A * x),
        lambda x: anp.linalg.slogdet(A + anp.outer(x, x))[1],
    ],
)
def test_hessians_in_every_mode(f):
    want = columns_by_differences(lambda x: ag.grad(f)(x), X)
    for mode in ("reverse", "forward", "auto"):
        onp.testing.assert_allclose(ag.hessian(f, mode=mode)(X), want, rtol=1e-6, atol=1e-7)


def test_hessian_of_a_vector():
    f = lambda x: anp.dot(A, x * x) * x
    got = ag.hessian(f)(X)
    assert got.shape == (4, 4, 4)
    onp.testing.assert_allclose(got, ag.hessian(f, mode="forward")(X), rtol=1e-12)
    onp.testing.assert_allclose(got, columns_by_differences(ag.jacobian(f), X), rtol=1e-6, atol=1e-7)


def test_a_jacobian_inside_a_derivative():
    f = lambda x: anp.sum(ag.jacobian(lambda y: anp.tanh(A @ y) * x)(x) ** 2)
    for i, e in enumerate(onp.eye(4)):
        difference = (f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6
        assert abs(ag.grad(f)(X)[i] - difference) < 1e-6


def test_rules_and_nodes_of_users_go_by_rows():
    got = ag.jacobian(lambda x: user_cube(x) * x[0])(X)
    onp.testing.assert_allclose(got, rows_one_by_one(lambda x: user_cube(x) * x[0], X), rtol=1e-14)


def test_containers_inside_go_one_by_one():
    def f(x):
        low, high = ag.builtins.tuple((x[:2], x[2:] * x[0]))
        return anp.concatenate([low * high, high])

    onp.testing.assert_allclose(ag.jacobian(f)(X), ag.jacobian(f, mode="forward")(X), rtol=1e-14)


@pytest.mark.parametrize("dtype", [onp.float32, onp.longdouble, onp.float16])
def test_other_precisions(dtype):
    x = X.astype(dtype)
    f = lambda x: anp.exp(x) * anp.sum(x * x) / x[0]
    for mode in ("reverse", "forward"):
        got = ag.jacobian(f, mode=mode)(x)
        assert got.dtype == dtype
        onp.testing.assert_allclose(got, ag.jacobian(f)(X), rtol=1e-2 if dtype == onp.float16 else 1e-5)


def test_complex_functions_by_columns():
    z = X + 0.5j * X[::-1]
    holomorphic = lambda z: anp.exp(z) * z[0] + anp.dot(A, z)
    real = lambda z: anp.real(z * anp.conj(z)) * anp.imag(z[0])
    of_reals = lambda x: anp.exp(1j * x) * x[0]
    for f, at in ((holomorphic, z), (real, z), (of_reals, X)):
        want, got = ag.jacobian(f)(at), ag.jacobian(f, mode="forward")(at)
        onp.testing.assert_allclose(got, want, rtol=1e-13)
        assert got.dtype == want.dtype
    for mode in ("reverse", "forward"):
        with pytest.raises(ValueError, match="holomorphic"):
            ag.jacobian(lambda z: z * anp.conj(z) + 0j, mode=mode)(z)


def test_matrices_numbers_and_nothing():
    f = lambda m: anp.dot(m, m.T) * m[0, 0]
    onp.testing.assert_allclose(ag.jacobian(f)(M), ag.jacobian(f, mode="forward")(M), rtol=1e-14)
    for mode in ("reverse", "forward", "auto"):
        assert ag.jacobian(lambda x: x**2, mode=mode)(3.0) == 6.0
        assert ag.jacobian(lambda x: x[:0], mode=mode)(X).shape == (0, 4)
        assert ag.jacobian(lambda x: anp.ones(2) * anp.sum(x), mode=mode)(onp.zeros(0)).shape == (2, 0)
        onp.testing.assert_array_equal(ag.jacobian(lambda a, b: a * b, 1, mode=mode)(X, X), onp.diag(X))


def test_auto_counts_inputs_and_outputs():
    runs = []

    def f(x):
        runs.append(1)
        return anp.concatenate([x * k for k in range(1, 40)])

    wide = ag.jacobian(f, mode="auto")(onp.ones(2))
    assert len(runs) == 1 + 2  # a look at the output, then a column for each of two inputs
    runs.clear()
    onp.testing.assert_array_equal(wide, ag.jacobian(f)(onp.ones(2)))
    ag.jacobian(lambda x: f(x)[:3], mode="auto")(onp.ones(2))
    assert len(runs) == 2


def test_bad_modes():
    for operator in (ag.jacobian, ag.hessian):
        with pytest.raises(ValueError, match="'reverse', 'forward' or 'auto'; got 'backward'"):
            operator(anp.sin, mode="backward")(X)
    with pytest.raises(TypeError, match="the output is a tuple"):
        ag.jacobian(lambda x: (x, x), mode="forward")(X)


def test_floating_point_errors_of_rows():
    with (
        onp.errstate(divide="raise"),
        pytest.raises(FloatingPointError, match="divide by zero encountered in"),
    ):
        ag.jacobian(lambda x: anp.sqrt(x) * 2.0)(onp.zeros(3))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert onp.isinf(ag.jacobian(lambda x: anp.sqrt(x) * 2.0)(onp.zeros(1))).all()


# ----- plans: the second pullback of a graph and those after it


def pullbacks(f, x, count=4):
    vjp, ans = ag.make_vjp(f)(x)
    g = onp.linspace(-1.0, 1.0, onp.size(ans)).reshape(onp.shape(ans))
    return [vjp(g) for _ in range(count)]


@pytest.mark.filterwarnings("ignore:Output seems independent of input")
@pytest.mark.parametrize("name", VECTORS)
def test_every_pullback_is_the_first_to_the_bit(name):
    first, *others = pullbacks(lambda x: VECTORS[name](anp, x), X)
    for other in others:
        assert onp.array_equal(first, other) and other.dtype == first.dtype
        assert not onp.shares_memory(first, other)
        other[...] = onp.nan
    assert onp.isfinite(first).all()


def test_pullbacks_of_containers():
    f = lambda p: p["a"] * p["b"][0] + anp.sum(p["b"][1])
    vjp, _ = ag.make_vjp(f)({"a": X, "b": [2.0, M]})
    first, second, third = (vjp(onp.ones(4)) for _ in range(3))
    for other in (second, third):
        onp.testing.assert_array_equal(first["a"], other["a"])
        assert first["b"][0] == other["b"][0]
        onp.testing.assert_array_equal(first["b"][1], other["b"][1])


def test_a_pullback_inside_itself():
    @primitive
    def twice(x):
        return 2 * x

    def again(g):
        seen.append(getval(g))
        if len(seen) < 6:
            inner.append(vjp(g * 10))
        return 2 * g

    seen, inner = [], []
    defvjp(twice, lambda ans, x: again)
    vjp, _ = ag.make_vjp(lambda x: twice(x) * X)(X)
    vjp(onp.ones(4))
    seen.clear(), inner.clear()
    onp.testing.assert_allclose(vjp(onp.ones(4)), 2 * X)
    assert len(inner) == 5
    onp.testing.assert_allclose(inner[0], 2 * X * (10 * X) ** 5 / X**5 * X**5)


def test_pullbacks_in_threads():
    vjp, _ = ag.make_vjp(lambda x: VECTORS["broadcasting"](anp, x))(X)
    want = [vjp(k * onp.ones((4, 4))) for k in range(8)]
    got = [None] * 8

    def run(k):
        for _ in range(50):
            got[k] = vjp(k * onp.ones((4, 4)))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    onp.testing.assert_array_equal(got, want)


def test_a_graph_changed_by_hand_gets_another_plan():
    from autograd_fast.core import VJPNode, backward_pass
    from autograd_fast.tracer import trace

    nodes = []

    def f(x):
        y = x * 2.0
        nodes.append(y._node)
        return y * 3.0

    vjp, _ = ag.make_vjp(f)(X)
    assert [vjp(onp.ones(4))[0] for _ in range(3)] == [6.0] * 3
    nodes[0].vjp = lambda g: (7 * g,)
    assert [vjp(onp.ones(4))[0] for _ in range(3)] == [21.0] * 3
    _, end = trace(VJPNode.new_root(), f, X)
    assert backward_pass(onp.ones(4), end)[0] == 6.0
