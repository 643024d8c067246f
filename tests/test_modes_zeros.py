"""`strong_zeros`: zero cotangents and tangents stay zero; everything else is as without."""

import warnings

import numpy as onp
import pytest
from generated import Builder
from test_generated import Case, assert_near, dot

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.extend import defjvp, defvjp, primitive


@pytest.fixture(autouse=True)
def strong():
    with ag.strong_zeros():
        yield


X = onp.array([0.0, -1.0, 2.0])


def grad_of_sum(f):
    return ag.grad(lambda x: np.sum(f(x)))


# Each with its derivative and second derivative where x > 0; infinite or NaN at 0 or below.
FUNCTIONS = [
    (np.sqrt, lambda x: 0.5 * x**-0.5, lambda x: -0.25 * x**-1.5),
    (np.log, lambda x: 1 / x, lambda x: -1 / x**2),
    (lambda x: x**1.5, lambda x: 1.5 * x**0.5, lambda x: 0.75 * x**-0.5),
    (lambda x: 1.0 / x, lambda x: -1 / x**2, lambda x: 2 / x**3),
    (lambda x: x * np.log(x), lambda x: onp.log(x) + 1, lambda x: 1 / x),
    (
        lambda x: np.exp(-1 / x),
        lambda x: onp.exp(-1 / x) / x**2,
        lambda x: onp.exp(-1 / x) * (1 - 2 * x) / x**4,
    ),
]
MASKS = [
    lambda f, x: np.where(x > 0, f(x), 0.0),
    lambda f, x: np.select([x > 0], [f(x)], 0.0),
    lambda f, x: f(x)[x > 0],
    lambda f, x: np.where(x > 0, np.where(x > 0, f(x), 1.0), 0.0),
]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("f, first, second", FUNCTIONS)
def test_masked_functions(f, first, second, mask):
    """First and second derivatives by all ways, against the formulas."""
    total = lambda x: np.sum(mask(f, x))
    with onp.errstate(all="ignore"):
        want = onp.where(X > 0, first(X), 0.0)
        curvature = onp.diag(onp.where(X > 0, second(X), 0.0))
        v = onp.array([0.3, -0.7, 1.1])
        onp.testing.assert_allclose(ag.grad(total)(X), want, atol=1e-14)
        onp.testing.assert_allclose(ag.make_jvp(total)(X)(v)[1], want @ v, atol=1e-14)
        onp.testing.assert_allclose(ag.hessian(total)(X), curvature, atol=1e-14)
        onp.testing.assert_allclose(ag.make_jvp(ag.grad(total))(X)(v)[1], curvature @ v, atol=1e-14)
        slope = lambda x: ag.make_jvp(total)(x)(v)[1]
        onp.testing.assert_allclose(ag.grad(slope)(X), curvature @ v, atol=1e-14)
        onp.testing.assert_allclose(ag.make_jvp(slope)(X)(v)[1], v @ curvature @ v, atol=1e-14)


def test_third_order():
    f = lambda x: np.where(x > 0, np.log(x), 0.0)
    third = ag.grad(ag.grad(ag.grad(f)))
    with onp.errstate(all="ignore"):
        assert third(0.0) == 0 and onp.isclose(third(2.0), 0.25)


@pytest.mark.parametrize("dtype", ["f4", "f8", "F", "D"])
def test_kinds(dtype):
    with onp.errstate(all="ignore"):
        x = X.astype(dtype)
        g = ag.grad(lambda x: np.sum(np.real(np.where(np.real(x) > 0, np.log(x), 0.0))))(x)
    assert g.dtype == dtype
    onp.testing.assert_allclose(g, [0, 0, 0.5], rtol=1e-6)


def test_a_python_number_gives_a_number():
    with onp.errstate(all="ignore"):
        g = ag.grad(lambda x: np.where(x > 0, np.sqrt(x), 0.0))(0.0)
    assert type(g) is onp.float64 and g == 0


def summed_to(row, shape):
    row = row.reshape((-1,) + row.shape[row.ndim - len(shape) :]).sum(axis=0)
    return row.sum(axis=tuple(i for i in range(len(shape)) if shape[i] == 1), keepdims=True)


@pytest.mark.parametrize("shapes", [((3, 1), (1, 4)), ((), (3, 4)), ((3, 4), ()), ((4,), (3, 4))])
def test_broadcast_operands(shapes):
    """The zeros are those of the result, before cotangents are summed to the operands."""
    x, y = (onp.linspace(-1.0, 1.0, max(onp.prod(s, dtype=int), 1)).reshape(s) for s in shapes)
    x = onp.where(onp.abs(x) < 0.5, 0.0, x)
    keep = onp.broadcast_to(x + 0 * y, onp.broadcast_shapes(*shapes)) > 0

    def f(x, y):
        return np.sum(np.where(keep, y / x, 0.0))

    with onp.errstate(all="ignore"):
        gx, gy = ag.grad(f, (0, 1))(x, y)
        tangent = ag.make_jvp(lambda xy: f(*xy))((x, y))((onp.ones_like(x), onp.ones_like(y)))[1]
        rows = onp.where(keep, -y / x**2, 0.0), onp.where(keep, 1 / x + 0 * y, 0.0)
    sums = [summed_to(row, onp.shape(a)) for row, a in zip(rows, (x, y), strict=True)]
    onp.testing.assert_allclose(gx, sums[0], atol=1e-14)
    onp.testing.assert_allclose(gy, sums[1], atol=1e-14)
    onp.testing.assert_allclose(tangent, rows[0].sum() + rows[1].sum(), atol=1e-13)


def test_tangents_by_operand():
    """The part of a zero tangent is zero, that of the other operand as usual."""
    with onp.errstate(all="ignore"):
        _, t = ag.make_jvp(lambda xy: np.power(xy[0], xy[1]))((0.0, 0.5))((0.0, 3.0))
        assert t == 0
        _, t = ag.make_jvp(lambda xy: xy[0] / xy[1])((1.0, 0.0))((2.0, 0.0))
        assert t == onp.inf


def test_values_elsewhere_are_as_usual():
    with onp.errstate(all="ignore"):
        assert ag.grad(np.sqrt)(0.0) == onp.inf
        assert onp.isnan(ag.grad(lambda x: np.sqrt(x * x))(0.0))
        assert onp.isnan(grad_of_sum(lambda x: x * x)(onp.array([1.0, onp.nan]))[1])


def test_a_derivative_in_the_cotangent_is_kept():
    """d/dx of y sqrt(x) is y times infinity: zero at y = 0, and infinite beside it."""
    slope = lambda y: ag.grad(lambda x: y * np.sqrt(x))(0.0)
    with onp.errstate(all="ignore"):
        assert slope(0.0) == 0
        assert ag.grad(slope)(0.0) == onp.inf
        assert ag.make_jvp(slope)(0.0)(1.0) == (0.0, onp.inf)
    product = lambda y: ag.grad(lambda x: y * np.sin(x))(1.0)
    assert onp.isclose(ag.grad(product)(0.0), onp.cos(1.0))
    assert onp.isclose(ag.make_jvp(product)(0.0)(1.0)[1], onp.cos(1.0))


def test_nothing_is_wrong_without_a_word_at_second_order():
    """sqrt(x)**4 is x**2, whose second derivative is 2: it isn't found, and no number is given for it."""
    f = lambda x: np.sqrt(x) ** 4
    with onp.errstate(all="ignore"):
        assert ag.grad(f)(0.0) == 0
        assert onp.isnan(ag.grad(ag.grad(f))(0.0))


class TestOtherFunctions:
    """Zero where the whole of the cotangent or tangent is."""

    def test_inverse(self):
        singular = onp.ones((2, 2)) * onp.array([1.0, 0.0])
        with onp.errstate(all="ignore"):
            assert onp.all(ag.grad(lambda x: 0.0 * np.sum(np.log(x)))(singular) == 0)

    def test_statistics(self):
        scipy_stats = pytest.importorskip("autograd_fast.scipy.stats")
        with onp.errstate(all="ignore"):
            f = lambda x: np.where(x > 0, scipy_stats.gamma.logpdf(x, 2.0), 0.0)
            g = grad_of_sum(f)(X)
        onp.testing.assert_allclose(g, [0.0, 0.0, -0.5], atol=1e-14)


@pytest.fixture
def length():
    fun = primitive(lambda x: onp.sqrt(onp.sum(x * x)))
    defvjp(fun, lambda ans, x: lambda g: g * x / ans)
    defjvp(fun, lambda t, ans, x: np.sum(t * x) / ans)
    return fun


class TestRulesOfUsers:
    def test_reverse(self, length):
        f = lambda x: np.where(x[0] > 0, length(x), 0.0)
        assert onp.array_equal(ag.grad(f)(onp.zeros(2)), [0, 0])
        assert onp.array_equal(ag.hessian(f)(onp.zeros(2)), onp.zeros((2, 2)))
        with onp.errstate(all="ignore"):
            assert onp.all(onp.isnan(ag.grad(length)(onp.zeros(2))))
        onp.testing.assert_allclose(ag.grad(f)(onp.array([3.0, 4.0])), [0.6, 0.8])

    def test_forward(self, length):
        assert ag.make_jvp(length)(onp.zeros(2))(onp.zeros(2))[1] == 0
        with onp.errstate(all="ignore"):
            assert onp.isnan(ag.make_jvp(length)(onp.zeros(2))(onp.ones(2))[1])

    def test_forward_by_operand(self):
        scaled_root = primitive(lambda x, y: x * onp.sqrt(y))
        in_y = lambda t, ans, x, y: t * x / (2 * np.sqrt(y))
        defjvp(scaled_root, lambda t, ans, x, y: t * np.sqrt(y), in_y)
        push = ag.make_jvp(lambda xy: scaled_root(*xy))
        assert push((3.0, 0.0))((1.0, 0.0))[1] == 0
        assert push((3.0, 4.0))((1.0, 0.0))[1] == 2
        with onp.errstate(all="ignore"):
            assert push((3.0, 0.0))((1.0, 1.0))[1] == onp.inf

    def test_of_a_ufunc_entry_by_entry(self):
        root = primitive(onp.sqrt)
        defvjp(root, lambda ans, x: lambda g: g / (2 * ans))
        with onp.errstate(all="ignore"):
            g = grad_of_sum(lambda x: np.where(x > 0, root(x), 0.0))(onp.array([0.0, 4.0]))
        assert onp.array_equal(g, [0, 0.25])

    def test_containers(self):
        both = primitive(lambda xy: onp.divide(*xy))
        defvjp(both, lambda ans, xy: lambda g: (g / xy[1], -g * xy[0] / xy[1] ** 2))
        with onp.errstate(all="ignore"):
            g = ag.grad(lambda xy: np.where(xy[1] > 0, both(xy), 0.0))((1.0, 0.0))
        assert g == (0, 0)


class TestWarnings:
    """Those of the entries that are zero are not given, the others are."""

    def test_zeros_are_silent(self):
        f = lambda x: np.where(x > 0, 1.0, 1.0) * np.sum(x[:2]) + np.sum(np.where(x > 0, np.sqrt(x), 0.0))
        x = onp.array([0.0, 4.0])
        with onp.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            assert onp.array_equal(grad_of_sum(lambda x: np.where(x > 0, np.sqrt(x), 0.0))(x), [0, 0.25])
            assert onp.array_equal(ag.make_jvp(np.sqrt)(x)(onp.array([0.0, 1.0]))[1], [0, 0.25])
            assert onp.all(onp.isfinite(grad_of_sum(f)(x)))

    def test_others_are_not(self):
        x = onp.array([0.0, 0.0, 4.0])
        keep = onp.array([False, True, True])
        f = grad_of_sum(lambda x: np.where(keep, np.sqrt(x), 0.0))
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert onp.array_equal(f(x), [0, onp.inf, 0.25])
        with onp.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            f(x)


@pytest.mark.parametrize("seed", range(60))
def test_generated_programs_are_the_same(seed):
    """Where all is finite the mode changes nothing, at first and second order, in either mode."""
    rng = onp.random.default_rng(seed)
    case = Case(Builder(lambda n: int(rng.integers(n))).build())
    packed = case.program.pack(case.x)
    run = lambda packed: case.program.run(np, ag, packed)

    def slope(packed):
        g = case.program.unpack(ag.grad(case.loss(np, ag))(packed))
        return sum(np.sum(np.real(a * b)) for a, b in zip(g, case.u, strict=True))

    def everything():
        with warnings.catch_warnings(), onp.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            first = dot(case.gradient(np, ag, case.x), case.v)
            forward = dot(case.weights, ag.make_jvp(run)(packed)(case.program.pack(case.v))[1])
            second = dot(case.program.unpack(ag.grad(slope)(packed)), case.v)
            mixed = ag.make_jvp(slope)(packed)(case.program.pack(case.v))[1]
        return first, forward, second, (mixed, second[1])

    with_mode = everything()
    for (got, _), (want, scale) in zip(with_mode, without(everything), strict=True):
        if onp.isfinite(want):
            assert_near(got, want, scale, 1e-9, "with and without strong_zeros")


def without(run):
    """What `run` gives in a thread, which has no mode."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()
