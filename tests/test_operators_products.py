"""Jacobians, Hessians, their products, make_vjp and make_jvp, checkpoint, against closed forms."""

import numpy as onp
import pytest


def assert_close(got, want, rtol=1e-10):
    assert onp.shape(got) == onp.shape(want), f"shape {onp.shape(got)}, expected {onp.shape(want)}"
    assert onp.asarray(got).dtype != object
    onp.testing.assert_allclose(got, want, rtol=rtol, atol=1e-12)


X = onp.array([0.5, -1.0, 2.0])
A = onp.array([[2.0, 0.3, -1.0], [0.3, 1.0, 0.5], [-1.0, 0.5, 3.0]])


def quadratic(x):
    return 0.5 * x @ (A @ x)


# ----- jacobian and hessian -----


def test_jacobian(lib):
    jacobian, np = lib.ag.jacobian, lib.np
    f = lambda x: np.array([x[0] * x[1], np.sin(x[0]) + x[1] ** 2])
    x = onp.array([2.0, 3.0])
    assert_close(jacobian(f)(x), [[3.0, 2.0], [onp.cos(2.0), 6.0]])
    assert_close(
        jacobian(lambda x: np.outer(x, x)[:, :2])(X),
        onp.einsum("ik,j->ijk", onp.eye(3), X[:2]) + onp.einsum("i,jk->ijk", X, onp.eye(3)[:2]),
    )
    assert_close(jacobian(np.sum)(X), onp.ones(3))
    assert_close(jacobian(lambda x: np.array([x, x * x]))(2.0), [1.0, 4.0])
    assert_close(jacobian(lambda x: x**2)(3.0), 6.0)
    assert_close(jacobian(lambda a, b: a * b, 1)(X, X), onp.diag(X))
    assert_close(jacobian(lambda m: m @ X)(A), onp.einsum("ik,j->ikj", onp.eye(3), X))


def test_jacobian_of_outputs_that_do_not_depend_on_the_input(lib):
    np = lib.np
    assert_close(lib.ag.jacobian(lambda x: np.array([x[0], 2.0]))(onp.ones(2)), [[1.0, 0.0], [0.0, 0.0]])


@pytest.mark.ours_only("can't be reshaped: the basis has twice as many vectors")
def test_jacobian_of_complex_outputs(lib):
    jacobian, np = lib.ag.jacobian, lib.np
    assert_close(jacobian(lambda x: np.exp(1j * x))(X), onp.diag(1j * onp.exp(1j * X)))
    z = X + 1j * X[::-1]
    assert_close(jacobian(lambda z: z**2)(z), onp.diag(2 * z))


def test_hessian(lib):
    ag, np = lib.ag, lib.np
    assert_close(ag.hessian(quadratic)(X), A)
    assert_close(ag.hessian(lambda x: x**3)(2.0), 12.0)
    assert_close(ag.hessian(lambda x: np.sum(x**3))(onp.ones((2, 2))), 6 * onp.eye(4).reshape(2, 2, 2, 2))
    assert_close(ag.hessian(lambda x: np.sum(x[[0, 0, 2]] ** 3))(X), onp.diag([12 * X[0], 0.0, 6 * X[2]]))
    assert_close(ag.hessian(lambda a, x: a * np.sum(x**2), 1)(3.0, X), 6 * onp.eye(3))


# ----- products -----


def test_hessian_products(lib):
    ag, np = lib.ag, lib.np
    v = onp.array([1.0, -2.0, 0.5])
    assert_close(ag.hessian_vector_product(quadratic)(X, v), A @ v)
    assert_close(ag.hessian_tensor_product(lambda m: np.sum(m**3))(A, onp.eye(3)), 6 * A * onp.eye(3))
    assert_close(ag.hessian_vector_product(lambda a, x: a * np.sum(x**3), 1)(2.0, X, v), 12 * X * v)
    hvp, g = ag.make_hvp(quadratic)(X)
    assert_close(g, A @ X)
    assert_close(hvp(v), A @ v)
    assert_close(hvp(2 * v), 2 * A @ v)
    hvp, _ = ag.make_hvp(lambda a, x: a * np.sum(x**3), 1)(2.0, X)
    assert_close(hvp(v), 12 * X * v)


def test_tensor_jacobian_product(lib):
    ag, np = lib.ag, lib.np
    m = onp.arange(6.0).reshape(2, 3)
    v = onp.array([1.0, -2.0])
    assert_close(ag.vector_jacobian_product(lambda x: np.dot(m, x))(X, v), v @ m)
    assert_close(
        ag.tensor_jacobian_product(lambda x: np.outer(m @ x, x))(X, onp.ones((2, 3))),
        m.sum(0) * X.sum() + (m @ X).sum() * onp.ones(3),
    )
    assert_close(ag.tensor_jacobian_product(lambda a, x: a * np.dot(m, x), 1)(2.0, X, v), 2 * v @ m)


def test_make_vjp_and_make_jvp(lib):
    ag, np = lib.ag, lib.np
    f = lambda x: np.array([x[0] * x[1], np.sin(x[0]) + x[1] ** 2])
    x, J = onp.array([2.0, 3.0]), onp.array([[3.0, 2.0], [onp.cos(2.0), 6.0]])
    vjp, value = ag.make_vjp(f)(x)
    assert_close(value, f(x))
    for w in ([1.0, 0.0], [0.0, 1.0], [2.0, -0.5]):
        assert_close(vjp(onp.array(w)), onp.array(w) @ J)
    jvp = ag.make_jvp(f)(x)
    for v in ([1.0, 0.0], [0.0, 1.0], [1.0, -1.0]):
        value, tangent = jvp(onp.array(v))
        assert_close(value, f(x))
        assert_close(tangent, J @ v)
    reverse = (
        ag.make_jvp_reversemode(f)(x)
        if hasattr(ag, "make_jvp_reversemode")
        else lib.module("differential_operators").make_jvp_reversemode(f)(x)
    )
    assert_close(reverse(onp.array([1.0, -1.0])), J @ [1.0, -1.0])
    vjp, _ = ag.make_vjp(lambda a, b: a * b, (0, 1))(2.0, 3.0)
    assert_close(vjp(10.0), [30.0, 20.0])
    assert_close(ag.make_jvp(lambda a, b: a * b, (0, 1))(2.0, 3.0)((1.0, 0.5))[1], 4.0)
    assert_close(ag.make_jvp(lambda a, b: a * b, 1)(2.0, 3.0)(1.0), [6.0, 2.0])


def test_a_jvp_runs_the_function_again_and_a_vjp_does_not(lib):
    runs = []

    def f(x):
        runs.append(1)
        return x * 2.0

    vjp, _ = lib.ag.make_vjp(f)(1.0)
    vjp(1.0), vjp(2.0)
    assert len(runs) == 1
    jvp = lib.ag.make_jvp(f)(1.0)
    jvp(1.0), jvp(2.0)
    assert len(runs) == 3


def test_a_vjp_can_itself_be_differentiated(lib):
    ag, np = lib.ag, lib.np
    vjp, _ = ag.make_vjp(np.sin)(X)
    assert_close(ag.jacobian(vjp)(onp.ones(3)), onp.diag(onp.cos(X)))
    second = ag.grad(lambda x: np.sum(ag.make_vjp(np.sin)(x)[0](x)))
    assert_close(second(X), onp.cos(X) - X * onp.sin(X))


def test_make_ggnvp(lib):
    ag, np = lib.ag, lib.np
    m = onp.arange(6.0).reshape(2, 3)
    v = onp.array([1.0, -2.0, 0.5])
    assert_close(ag.make_ggnvp(lambda x: np.dot(m, x))(X)(v), m.T @ (m @ v))
    f = lambda x: np.sin(np.dot(m, x))
    J = onp.cos(m @ X)[:, None] * m
    H = onp.diag(6 * onp.sin(m @ X))
    assert_close(ag.make_ggnvp(f, lambda y: np.sum(y**3))(X)(v), J.T @ (H @ (J @ v)))
    assert_close(ag.make_ggnvp(lambda a, x: a * np.dot(m, x), f_argnum=1)(2.0, X)(v), 4 * m.T @ (m @ v))


# ----- checkpoint -----


def test_checkpoint(lib):
    ag, np = lib.ag, lib.np
    runs = []

    def block(x, w, power=2):
        runs.append(1)
        return np.tanh(x * w) ** power

    plain = lambda x, w: np.sum(block(x, w) * x)
    saved = lambda x, w: np.sum(ag.checkpoint(block)(x, w) * x)
    for i in (0, 1):
        assert_close(ag.grad(saved, i)(X, 2 * X), ag.grad(plain, i)(X, 2 * X))
    runs.clear()
    ag.grad(saved)(X, X)
    assert len(runs) == 2  # once forward, once more backward
    cubed = lambda x: np.sum(ag.checkpoint(block)(x, 2.0, power=3))
    assert_close(ag.grad(cubed)(X), ag.grad(lambda x: np.sum(np.tanh(2.0 * x) ** 3))(X))
    assert_close(ag.hessian(saved)(X, X), ag.hessian(plain)(X, X))


@pytest.mark.ours_only("gradient zero, silently")
def test_checkpoint_of_containers(lib):
    ag = lib.ag
    assert_close(ag.grad(lambda x: ag.checkpoint(lambda y: [2.0 * y])(x)[0])(1.0), 2.0)
    f = ag.checkpoint(lambda p: {"k": p[0] * p[1], "l": (p[0],)})
    assert_close(ag.grad(lambda p: f(p)["k"] * f(p)["l"][0])((2.0, 3.0)), [12.0, 4.0])


@pytest.mark.ours_only("no forward mode")
def test_checkpoint_in_forward_mode(lib):
    ag, np = lib.ag, lib.np
    f = ag.checkpoint(lambda x: np.sin(x) * x)
    assert_close(ag.make_jvp(f)(X)(onp.ones(3))[1], onp.cos(X) * X + onp.sin(X))


def test_scipy_optimize(lib):
    optimize = pytest.importorskip("scipy.optimize")
    ag, np = lib.ag, lib.np
    f = lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    found = optimize.minimize(
        ag.value_and_grad(f), onp.array([-1.2, 1.0, 0.5]), jac=True, method="BFGS", options={"gtol": 1e-8}
    )
    onp.testing.assert_allclose(found.x, onp.ones(3), rtol=1e-4)
    found = optimize.minimize(
        f, onp.array([0.8, 1.2, 0.5]), jac=ag.grad(f), hessp=ag.hessian_vector_product(f), method="Newton-CG"
    )
    onp.testing.assert_allclose(found.x, onp.ones(3), rtol=1e-3)
