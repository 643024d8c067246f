"""grad and its relatives: call forms, names, errors, orders, complex arguments."""

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
    # HIPS's complex numbers grow under NumPy 1, where a product with a Python complex is double
    hips_on_numpy_1 = not lib.ours and onp.__version__.startswith("1.")
    for dtype in (onp.float32, onp.float64, *([] if hips_on_numpy_1 else [onp.complex64])):
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
