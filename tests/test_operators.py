"""The operators of the package, against closed forms."""

import collections
import functools
import inspect
import pickle

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


# ----- grad and its call forms -----


def test_grad_of_scalars_and_arrays(lib):
    grad, np = lib.ag.grad, lib.np
    assert_close(grad(lambda x: x**2)(3.0), 6.0)
    assert_close(grad(lambda x: np.sum(np.sin(x)))(X), onp.cos(X))
    assert_close(grad(quadratic)(X), A @ X)
    assert_close(grad(lambda m: np.sum(m**3))(A), 3 * A**2)
    assert_close(grad(lambda x: np.sum(x, keepdims=True))(X), onp.ones(3))  # any array of one number
    assert_close(grad(lambda x: x)(2.0), 1.0)


def test_types_and_shapes_of_gradients(lib):
    grad = lib.ag.grad
    assert isinstance(grad(lambda x: x**2)(2.0), float)
    for dtype in (onp.float32, onp.float64, onp.complex64):
        g = grad(lambda x: lib.np.real(x * x))(dtype(2.0))
        assert g.dtype == dtype and onp.shape(g) == ()
    for shape in ((), (0,), (1,), (2, 0, 3), (1, 1)):
        g = grad(lambda x: lib.np.sum(x * x))(onp.ones(shape))
        assert_close(g, 2 * onp.ones(shape))


@pytest.mark.ours_only("integers are a TypeError")
def test_integers_are_points_of_the_real_line(lib):
    grad, np = lib.ag.grad, lib.np
    assert_close(grad(lambda x: x * x)(3), 6.0)
    assert_close(grad(lambda x: np.sum(x * x))(onp.array([1, 2])), [2.0, 4.0])
    assert_close(grad(lambda p: p[0] * p[1])([2, 3]), [3.0, 2.0])


def g3(x, y, z, k=1.0):
    return x**2 * y + y * z**3 * k


@pytest.mark.parametrize("as_type", [tuple, list])
def test_argnum(lib, as_type):
    grad = lib.ag.grad
    point = (3.0, 5.0, 2.0)
    want = (2 * 3.0 * 5.0, 9.0 + 8.0, 3 * 5.0 * 4.0)
    for argnum in (0, 1, 2, -1, -2, -3):
        assert_close(grad(g3, argnum)(*point), want[argnum])
        assert_close(grad(g3, argnum=argnum)(*point), want[argnum])
    for argnums in ((0, 2), (2, 0), (1,), (0, 1, 2), (-1, 0)):
        got = grad(g3, as_type(argnums))(*point)
        assert isinstance(got, tuple) and len(got) == len(argnums)
        assert_close(got, [want[i] for i in argnums])
    assert_close(grad(g3, 2)(*point, k=10.0), 10 * want[2])
    assert_close(grad(g3, (0, 2))(*point, k=10.0)[1], 10 * want[2])
    with pytest.raises(IndexError):
        grad(g3, 5)(*point)
    with pytest.raises(IndexError):
        grad(lambda x: x)()
    for bad in ("x", 1.0, None):
        with pytest.raises(AssertionError):
            grad(g3, bad)(*point)


@pytest.mark.ours_only("argnum must be of type int")
def test_argnum_of_other_integer_types(lib):
    assert_close(lib.ag.grad(g3, onp.int64(2))(3.0, 5.0, 2.0), 60.0)


def test_names_and_documentation(lib):
    grad = lib.ag.grad

    def energy(x, k):
        "The energy."
        return k * x**2

    assert grad(energy).__name__ == "grad_of_energy_wrt_argnum_0"
    assert grad(energy, (0, 1)).__name__ == "grad_of_energy_wrt_argnum_(0, 1)"
    assert "energy" in grad(energy).__doc__
    assert grad.__name__ == "grad" and grad.__doc__
    assert lib.ag.jacobian(energy).__name__ == "jacobian_of_energy_wrt_argnum_0"


class Cube:
    def __call__(self, x):
        return x**3

    def method(self, x):
        return x**3

    @staticmethod
    def static(x):
        return x**3

    @classmethod
    def of_class(cls, x):
        return x**3


def test_every_kind_of_callable(lib):
    grad = lib.ag.grad
    for f in (
        Cube(),
        Cube().method,
        Cube.static,
        Cube.of_class,
        functools.partial(lambda k, x: k * x**3, 1.0),
    ):
        assert_close(grad(f)(2.0), 12.0)

    class Model:
        slope = grad(lambda self, x: x**3, 1)

    assert_close(Model().slope(2.0), 12.0)
    assert_close(functools.wraps(grad(Cube()))(lambda x: x)(1.0), 1.0)


def cube(x):
    return x**3


@pytest.mark.ours_only("closures can't be pickled")
def test_gradient_functions_can_be_pickled(lib):
    ag = lib.ag
    for g, want in (
        (ag.grad(cube), 12.0),
        (ag.grad(ag.grad(cube)), 12.0),
        (ag.value_and_grad(cube, 0), (8.0, 12.0)),
        (ag.jacobian(cube, argnum=0), 12.0),
        (ag.grad(g3, (0, 2)), None),
    ):
        copy = pickle.loads(pickle.dumps(g))
        assert copy.__name__ == g.__name__
        if want is not None:
            assert_close(copy(2.0), want)
    assert pickle.loads(pickle.dumps(lib.np.sin)) is lib.np.sin


@pytest.mark.ours_only("says (*args, **kwargs)")
def test_gradient_functions_have_the_signature_of_the_function(lib):
    assert str(inspect.signature(lib.ag.grad(g3))) == "(x, y, z, k=1.0)"


def test_errors_of_grad(lib):
    grad = lib.ag.grad
    with pytest.raises(TypeError, match="Grad only applies to real scalar-output functions"):
        grad(lambda x: x * 1.0)(X)
    with pytest.raises(TypeError, match="Grad only applies to real scalar-output functions"):
        grad(lambda z: z * 1.0)(1.0 + 1.0j)
    with pytest.raises(TypeError):
        grad(lambda x: 1.0)("text")
    with pytest.raises(TypeError, match="only applies to real-output"):
        lib.ag.elementwise_grad(lambda x: 1j * x)(X)


# ----- higher orders -----


def nth(grad, f, n):
    for _ in range(n):
        f = grad(f)
    return f


def test_high_orders(lib):
    ag, np = lib.ag, lib.np
    for operator in (ag.grad, ag.deriv, ag.elementwise_grad):
        assert_close([nth(operator, lambda x: x**3, n)(2.0) for n in range(1, 5)], [12.0, 12.0, 6.0, 0.0])
        assert_close(
            [nth(operator, np.sin, n)(0.7) for n in (1, 2, 3)], [onp.cos(0.7), -onp.sin(0.7), -onp.cos(0.7)]
        )
    bell = lambda x: np.exp(-(x**2))
    assert_close([nth(ag.grad, bell, n)(0.0) for n in range(1, 5)], [0.0, -2.0, 0.0, 12.0])


def test_mixed_modes(lib):
    ag = lib.ag
    f = lambda x: x**4
    forward = lambda h: lambda x: ag.make_jvp(h)(x)(1.0)[1]
    for outer in (ag.grad, forward):
        for inner in (ag.grad, forward):
            assert_close(outer(inner(f))(2.0), 48.0)


def test_nested_derivatives_of_the_same_variable_stay_apart(lib):
    grad = lib.ag.grad
    assert_close(grad(lambda x: x * grad(lambda y: x + y)(x))(5.0), 1.0)
    assert_close(grad(lambda x: x * grad(lambda y: x * y * y)(x))(5.0), 6 * 5.0**2)
    assert_close(
        lib.ag.make_jvp(lambda x: x * lib.ag.make_jvp(lambda y: x * y)(2.0)(1.0)[1])(3.0)(1.0)[1], 6.0
    )


# ----- value and gradient together -----


def test_value_and_grad(lib):
    value_and_grad = lib.ag.value_and_grad
    value, g = value_and_grad(quadratic)(X)
    assert_close(value, quadratic(X))
    assert_close(g, A @ X)
    value, g = value_and_grad(lambda a, b: a * b**2, (0, 1))(2.0, 3.0)
    assert_close(value, 18.0)
    assert_close(g, [9.0, 12.0])
    with pytest.raises(TypeError, match="real scalar-output"):
        value_and_grad(lambda x: x * 1.0)(X)


def test_grad_and_aux(lib):
    g, aux = lib.ag.grad_and_aux(lambda x: (x**2, x * 3.0))(2.0)
    assert_close(g, 4.0)
    assert_close(aux, 6.0)
    assert not lib.module("tracer").isbox(aux)
    g, aux = lib.ag.grad_and_aux(lambda a, b: (a * b, [a, {"k": b}]), 1)(2.0, 3.0)
    assert_close(g, 2.0)
    if lib.ours:
        assert aux == [2.0, {"k": 3.0}]


# ----- elementwise_grad and deriv -----


def test_elementwise_grad(lib):
    ag, np = lib.ag, lib.np
    assert_close(ag.elementwise_grad(np.tanh)(X), 1 - onp.tanh(X) ** 2)
    assert_close(ag.elementwise_grad(lambda x: np.cumsum(x))(X), [3.0, 2.0, 1.0])
    assert_close(ag.elementwise_grad(lambda a, b: a * b, 1)(X, 2 * X), X)


def test_deriv(lib):
    ag, np = lib.ag, lib.np
    assert_close(ag.deriv(np.sin)(0.3), onp.cos(0.3))
    assert_close(ag.deriv(lambda x: np.array([x, x**2, 3.0 * x]))(2.0), [1.0, 4.0, 3.0])
    assert_close(ag.deriv(lambda a, b: a * b**2, 1)(2.0, 3.0), 12.0)


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


# ----- complex arguments -----


def test_holomorphic_grad(lib):
    ag, np = lib.ag, lib.np
    z = 1.0 + 2.0j
    assert_close(ag.holomorphic_grad(lambda z: z**3)(z), 3 * z**2)
    assert_close(ag.holomorphic_grad(lambda z: np.sum(np.exp(z)))(z * X), onp.exp(z * X))
    with pytest.warns(UserWarning, match="not complex"):
        assert_close(ag.holomorphic_grad(lambda x: x**2)(3.0), 6.0)


def test_gradient_of_a_real_function_of_a_complex_number(lib):
    ag, np = lib.ag, lib.np
    z = 1.3 + 0.7j
    f = lambda z: 3 * np.real(z) ** 2 + 5 * np.imag(z) + np.real(z) * np.imag(z)
    assert_close(ag.grad(f)(z), 6 * 1.3 + 0.7 - 1j * (5 + 1.3))
    assert_close(ag.grad(lambda z: np.abs(z) ** 2)(z), 2 * onp.conj(z))
    assert not onp.iscomplexobj(ag.grad(lambda x: np.imag(np.exp(1j * x)))(0.3))


# ----- arguments by name -----


def test_grad_named(lib):
    assert_close(lib.ag.grad_named(g3, "z")(3.0, 5.0, 2.0), 60.0)
    assert_close(lib.ag.grad_named(g3, "x")(3.0, 5.0, 2.0), 30.0)


@pytest.mark.ours_only("imports a package of Python 2 times")
def test_multigrad_dict(lib):
    def f(x, y, *rest, k=2.0):
        return x * y * k * sum(rest)

    got = lib.ag.multigrad_dict(f)(2.0, 3.0, 1.0, 4.0, k=5.0)
    assert_close(got["k"], 30.0)
    assert_close(got["rest"], [30.0, 30.0])
    assert_close(got["x"], 75.0)
    got = lib.ag.multigrad_dict(lambda x, y: x * y**2)(2.0, 3.0)
    assert isinstance(got, collections.OrderedDict) and list(got) == ["x", "y"]
    assert_close([got["x"], got["y"]], [9.0, 12.0])


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
