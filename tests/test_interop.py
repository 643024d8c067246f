"""Traced values in code that knows nothing of them: plain NumPy, array containers, object arrays."""

import copy
import decimal
import fractions
import operator

import numpy as onp
import pytest

X = onp.array([1.0, 2.0, 3.0])


def assert_close(got, want):
    assert onp.shape(got) == onp.shape(want) and onp.asarray(got).dtype != object
    onp.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


# ----- plain NumPy on boxes -----

PLAIN = {
    "ufuncs": (lambda v: onp.sum(onp.sin(v) * onp.exp(v)), onp.exp(X) * (onp.sin(X) + onp.cos(X))),
    "binary ufunc, box on the right": (lambda v: onp.sum(onp.multiply(X, v)), X),
    "binary ufunc, box on the left": (lambda v: onp.sum(onp.power(v, 2)), 2 * X),
    "dot": (lambda v: onp.dot(X, v), X),
    "matmul": (lambda v: X @ v + v @ X, 2 * X),
    "scalars of NumPy": (
        lambda v: onp.float64(3.0) * v[0] + v[1] / onp.float64(2.0),
        onp.array([3.0, 0.5, 0.0]),
    ),
    "arithmetic with arrays": (lambda v: onp.sum(X * v - v * X + X / v - v), -1 / X - 1),
    "mean": (lambda v: onp.mean(v), onp.ones(3) / 3),
    "a function of methods and ufuncs": (lambda v: onp.max(v) * onp.min(v), onp.array([3.0, 0.0, 1.0])),
    "cumsum": (lambda v: onp.sum(onp.cumsum(v)), onp.array([3.0, 2.0, 1.0])),
    "reshape and transpose": (lambda v: onp.sum(onp.transpose(onp.reshape(v, (3, 1))) * X), X),
}


@pytest.mark.parametrize(("f", "want"), PLAIN.values(), ids=PLAIN)
def test_plain_numpy_keeps_the_trace(lib, f, want):
    assert_close(lib.ag.grad(f)(X), want)


@pytest.mark.filterwarnings("ignore:Output seems independent")  # second derivatives of linear functions
@pytest.mark.parametrize(("f", "want"), PLAIN.values(), ids=PLAIN)
def test_plain_numpy_in_forward_mode_and_second_order(lib, f, want):
    value, tangent = lib.ag.make_jvp(f)(X)(onp.ones(3))
    assert_close(tangent, want.sum())
    assert_close(value, f(X))
    hessian = lib.ag.hessian(f)(X)
    h = 1e-5
    g = lib.ag.grad(f)
    numeric = onp.array([(g(X + h * e) - g(X - h * e)) / (2 * h) for e in onp.eye(3)])
    onp.testing.assert_allclose(hessian, numeric, atol=1e-7)


def test_ufunc_objects_on_boxes(lib):
    assert_close(lib.ag.grad(lambda v: onp.tanh(v))(0.5), 1 - onp.tanh(0.5) ** 2)
    assert_close(lib.ag.grad(lambda v: onp.add(onp.add(v, 1.0), v))(0.5), 2.0)
    # those whose derivative is zero
    assert_close(lib.ag.grad(lambda v: onp.floor(v) * v)(2.5), 2.0)
    assert_close(lib.ag.grad(lambda v: onp.sign(v) * v)(-2.5), -1.0)
    assert_close(lib.ag.grad(lambda v: v * 2.0 if onp.greater(v, 1.0) else v)(2.5), 2.0)


def test_what_cannot_be_traced_is_an_error_not_a_wrong_number(lib):
    def f(v):
        plain = onp.zeros(3)
        plain[:] = v
        return onp.sum(plain)

    with pytest.raises((ValueError, TypeError)):
        lib.ag.grad(f)(X)
    with pytest.raises(TypeError):
        lib.ag.grad(lambda v: onp.sin(v, out=onp.zeros(3))[0])(X)
    for convert in (lambda v: onp.asarray(v, dtype=float), lambda v: onp.array([v[0], 1.0], dtype=float)):
        with pytest.raises((ValueError, TypeError)):
            lib.ag.grad(lambda v, convert=convert: convert(v)[0] * 1.0)(X)


# ----- operators against every kind of partner -----

OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.pow,
    operator.mod,
]
PARTNERS = [
    2,
    2.5,
    True,
    onp.float32(2.5),
    onp.int64(3),
    onp.array(2.5),
    onp.array([1.5, 2.5, 4.5]),
    onp.array([[2.0]]),
]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("partner", PARTNERS, ids=repr)
def test_operators(lib, op, partner):
    x = onp.array([1.3, 2.7, 3.2])
    h = 1e-6
    for f in (lambda v: op(v, partner), lambda v: op(partner, v)):
        got = lib.ag.jacobian(f)(x)
        assert type(got) is onp.ndarray and got.shape == onp.shape(f(x)) + (3,)
        numeric = onp.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in onp.eye(3)], axis=-1)
        onp.testing.assert_allclose(got, numeric, rtol=1e-6, atol=1e-6)
    lib.ag.grad(lambda v: lib.np.sum(op(v, partner)))(2.3)


def test_augmented_assignment_makes_a_new_value(lib):
    def f(v):
        y = v
        y += 1.0
        y *= v
        y -= v
        y /= 2.0
        y **= 2
        return lib.np.sum(y)  # (v^2 / 2)^2

    assert_close(lib.ag.grad(f)(X), X**3)


# ----- classes with their own ideas about arrays -----


class Wrap:
    """Holds an array and takes part in ufuncs."""

    def __init__(self, data):
        self.data = data

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        args = [arg.data if isinstance(arg, Wrap) else arg for arg in args]
        return Wrap(getattr(ufunc, method)(*args, **kwargs))


def test_containers_with_array_ufunc(lib):
    ag, np = lib.ag, lib.np
    assert_close(ag.grad(lambda v: np.sum(onp.multiply(Wrap(X), v).data))(X), X)
    assert_close(ag.grad(lambda v: np.sum(np.multiply(v, Wrap(X)).data))(X), X)
    assert_close(ag.grad(lambda v: np.sum(onp.exp(Wrap(v)).data))(X), onp.exp(X))
    assert_close(ag.grad(lambda v: np.sum(onp.add(Wrap(v), Wrap(v)).data))(X), 2 * onp.ones(3))


class Deferring:
    """Takes every operation on itself, on either side."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return ("radd", other)

    def __rmul__(self, other):
        return ("rmul", other)

    def __lt__(self, other):
        return ("lt", other)

    def __eq__(self, other):
        return ("eq", other)

    __hash__ = None


@pytest.mark.ours_only("the operators of boxes raise where those of arrays give way")
def test_reflected_operators_of_other_classes_are_used(lib):
    seen = []

    def f(v):
        seen.append((v + Deferring())[0])
        seen.append((v * Deferring())[0])
        seen.append((v > Deferring())[0])
        seen.append((v == Deferring())[0])
        return lib.np.sum(v)

    lib.ag.grad(f)(X)
    assert seen == ["radd", "rmul", "lt", "eq"]


def test_unknown_partners_are_a_type_error(lib):
    for partner in (object(), None, "text"):
        with pytest.raises(TypeError):
            lib.ag.grad(lambda v, partner=partner: v + partner)(2.0)


def test_subclasses_with_array_ufunc_on_either_side(lib):
    class Noisy(onp.ndarray):
        def __array_ufunc__(self, ufunc, method, *args, **kwargs):
            args = [arg.view(onp.ndarray) if isinstance(arg, Noisy) else arg for arg in args]
            return getattr(ufunc, method)(*args, **kwargs)

    noisy = X.view(Noisy)
    assert_close(lib.ag.grad(lambda v: lib.np.sum(v * noisy))(X), X)
    assert_close(lib.ag.grad(lambda v: lib.np.sum(noisy * v))(X), X)


# ----- object arrays -----


def test_object_arrays_of_boxes(lib):
    ag, np = lib.ag, lib.np

    def f(v):
        row = onp.empty(3, dtype=object)
        for i in range(3):
            row[i] = v[i] ** 2
        return row.sum() + onp.dot(row, X)

    assert_close(ag.grad(f)(X), 2 * X * (1 + X))
    assert_close(
        ag.grad(lambda v: np.sum(np.array(onp.array([v[0], v[1]], dtype=object))))(X), [1.0, 1.0, 0.0]
    )


@pytest.mark.ours_only("object arrays as results have derivative zero, silently")
def test_object_arrays_as_results(lib):
    def f(v):
        out = onp.empty(2, dtype=object)
        out[0], out[1] = v[0] * v[1], v[2]
        return out

    assert_close(lib.ag.jacobian(f)(X), [[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


class Uncertain:
    """A number with arithmetic of its own."""

    def __init__(self, value, error):
        self.value, self.error = value, error

    def __add__(self, other):
        other = other if isinstance(other, Uncertain) else Uncertain(other, 0.0)
        return Uncertain(self.value + other.value, self.error + other.error)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Uncertain) else Uncertain(other, 0.0)
        return Uncertain(self.value * other.value, self.error * other.value + self.value * other.error)

    __rmul__ = __mul__


def test_number_like_objects_through_wrapped_functions(lib):
    np = lib.np
    objects = onp.array([Uncertain(1.0, 0.1), Uncertain(2.0, 0.2)], dtype=object)
    total = np.sum(np.multiply(objects, onp.array([2.0, 3.0])))
    assert (total.value, round(total.error, 12)) == (8.0, 0.8)
    assert np.dot(objects, onp.array([1.0, 1.0])).value == 3.0
    assert np.sum(onp.array([fractions.Fraction(1, 3)] * 3)) == 1
    assert np.add(decimal.Decimal("0.1"), decimal.Decimal("0.2")) == decimal.Decimal("0.3")


# ----- the traced namespace on plain values is NumPy -----


def test_plain_values_give_what_numpy_gives(lib):
    np = lib.np
    for name, args in (
        ("sin", (0.5,)),
        ("add", (1, 2)),
        ("add", (X, 1)),
        ("sum", (X,)),
        ("sum", ([1, 2],)),
        ("dot", (X, X)),
        ("concatenate", ([X, X],)),
        ("array", ([1, 2.0],)),
        ("array", ([[1, 2], [3, 4]],)),
        ("stack", ([X, X],)),
        ("zeros", (3,)),
        ("arange", (3,)),
        ("where", (X > 1, X, 0)),
        ("argsort", (X,)),
        ("unique", ([1, 1, 2],)),
        ("isnan", (X,)),
    ):
        got, want = getattr(np, name)(*args), getattr(onp, name)(*args)
        assert type(got) is type(want) and onp.asarray(got).dtype == onp.asarray(want).dtype
        onp.testing.assert_array_equal(got, want)
    assert np.pi == onp.pi and np.newaxis is None and np.float64 is not None
    assert onp.isinf(np.inf)


def test_subclasses_go_through_as_numpy_lets_them(lib):
    m = onp.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    assert isinstance(lib.np.multiply(m, 2.0), onp.ma.MaskedArray)


# ----- other things one does with a value -----


@pytest.mark.ours_only("no copy protocol")
def test_copies_of_boxes(lib):
    np = lib.np
    assert_close(lib.ag.grad(lambda v: np.sum(copy.copy(v) ** 2))(X), 2 * X)
    assert_close(lib.ag.grad(lambda v: np.sum(copy.deepcopy(v) ** 2))(X), 2 * X)
    assert_close(lib.ag.grad(lambda v: np.sum(v.copy() ** 2))(X), 2 * X)


def test_sum_min_max_sorted_of_python(lib):
    grad = lib.ag.grad
    assert_close(grad(lambda v: sum(v))(X), onp.ones(3))
    assert_close(grad(lambda v: max(v) * min(v))(X), [3.0, 0.0, 1.0])
    assert_close(grad(lambda v: sorted(v, key=lambda e: -e)[0] ** 2)(X), [0.0, 0.0, 6.0])
    assert_close(grad(lambda v: sum(a * b for a, b in zip(v, v[1:], strict=False)))(X), [2.0, 4.0, 2.0])
    assert_close(grad(lambda v: abs(-v) ** 2)(3.0), 6.0)


def test_boxes_as_keys_and_in_sets(lib):
    def f(v):
        memo = {v: 2.0}
        assert v in {v} and len({v, v}) == 1
        return memo[v] * v

    assert_close(lib.ag.grad(f)(3.0), 2.0)


def test_formatting(lib):
    texts = []

    def f(v):
        texts.append(f"{v}")
        texts.append(str(v))
        texts.append(repr(v))
        return v * 1.0

    lib.ag.grad(f)(3.0)
    assert all("ArrayBox" in text for text in texts)


def test_xarray(lib):
    xarray = pytest.importorskip("xarray")

    def f(v):
        data = xarray.DataArray(v, dims="x") * 2.0
        return onp.sum((data * data).data)

    assert_close(lib.ag.grad(f)(X), 8 * X)


def test_functions_of_scipy_with_derivatives_of_users(lib):
    """A ufunc of another library has no rule: an error, not a wrong number."""
    special = pytest.importorskip("scipy.special")
    with pytest.raises((TypeError, NotImplementedError)):
        lib.ag.grad(lambda v: special.struve(0, v))(0.5)
    extend = lib.module("extend")
    struve0 = extend.primitive(lambda v: special.struve(0, v))
    extend.defvjp(struve0, lambda ans, v: lambda g: g * (2 / onp.pi - special.struve(1, v)))
    h = 1e-6
    numeric = (special.struve(0, 0.5 + h) - special.struve(0, 0.5 - h)) / (2 * h)
    onp.testing.assert_allclose(lib.ag.grad(struve0)(0.5), numeric, rtol=1e-8)
