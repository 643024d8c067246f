"""Sorting, sets of values, selection and indexing by functions: both modes against finite differences."""

import numpy as onp
import pytest
from expressions import complex_, table
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as np

NUMPY2 = onp.lib.NumpyVersion(onp.__version__) >= "2.0.0"

SORTS = [
    *table(
        {"x": (2, 3, 4)},
        "np.sort(x)",
        "np.sort(x, axis=0)",
        "np.sort(x, axis=-2, kind='stable')",
        "np.sort(x, axis=None)",
        "np.partition(x, 1)",
        "np.partition(x, 1, axis=0)",
        "np.partition(x, kth=[0, 2], axis=-1)",
        "np.partition(x, (1, 4), axis=None)",
        "np.sort_complex(x)",
    ),
    *table(
        {
            "x": complex_(
                5,
            )
        },
        "np.sort(x)",
        "np.sort_complex(x)",
    ),
]

SETS = table(
    {"x": (3, 4), "y": (5,)},
    "np.unique(x)",
    "np.unique(np.concatenate([y, y[::-1]]))",
    "np.unique(x, return_index=True)[0]",
    "np.unique(x, return_counts=True, return_inverse=True)[0]",
    "np.unique(x, axis=0)",
    "np.union1d(x, y)",
    "np.setxor1d(x, y)",
    "np.setdiff1d(x, onp.ones(2))",
    "np.setdiff1d(np.append(x, y), y)",
    "np.intersect1d(np.append(x, y), y)",
    "np.intersect1d(np.append(x, y), y, return_indices=True)[0]",
)

TAKES = [
    *table(
        {"x": (3, 4)},
        "np.take(x, [[0, 2], [1, 1]])",
        "np.take(x, [[0, 2], [1, 1]], axis=-1)",
        "np.take(x, 2, axis=1)",
        "np.take(x, [-1, -1, 0])",
        "np.take(x, [5, -7, 2], axis=0, mode='wrap')",
        "np.take(x, [9, -7, 2], axis=1, mode='clip')",
        "np.take_along_axis(x, onp.array([[0], [1], [0]]), axis=1)",
        "np.take_along_axis(x, onp.array([[0, 1, 1, 2]]), axis=0)",
        "np.take_along_axis(x[:1], onp.array([[0, 1], [1, 3]]), axis=1)",
        "np.take_along_axis(x, onp.array([3, 3, 0]), axis=None)",
        "np.compress([True, False, True], x, axis=0)",
        "np.compress([0, 1, 1, 0, 1], x)",
        "np.extract(mask, x)",
        "np.lib.stride_tricks.sliding_window_view(x, 3, axis=1)",
        "np.lib.stride_tricks.sliding_window_view(x, (2, 2))",
        "x.take([1, 1], axis=0)",
        "x.compress([1, 0, 1], axis=0)",
    ),
    *table({"x": complex_(3, 4)}, "np.take(x, [2, 2, 0], axis=1)", "np.compress([1, 0, 1], x, axis=0)"),
    *table(
        {"x": (5,)},
        "np.trim_zeros(x * [0, 0, 1, 0, 1])",
        "np.trim_zeros(x * [0, 1, 0, 1, 0], 'f')",
        "np.trim_zeros(x * [0, 1, 0, 1, 0], 'B')",
        "np.trim_zeros(0 * x)",
    ),
]

CHOICES = table(
    {"x": (3, 4), "y": (4,)},
    "np.select([mask, x < 0], [x**2, y], default=3.0)",
    "np.select([mask[0], mask[1]], [x, y])",
    "np.choose([0, 1, 1, 0], [x, y])",
    "np.choose([0, 1, 5, -3], [x, y], mode='wrap')",
    "np.choose([0, 1, 5, -3], x, mode='clip')",
    "np.piecewise(x, [x < 0, x > 0.5], [lambda t: t**2, lambda t: t**3, 0.25])",
    "np.piecewise(x, [x < 0, x < 0.5], [lambda t, a: t**2 * a, lambda t, a: t**3], 3.0)",
    "np.piecewise(x, [x < 0], [lambda t: -t])",
    "np.piecewise(y[0], [y[0] < 0, y[0] >= 0], [lambda t: t**2, lambda t: t**3])",
)

SLICES = table(
    {"x": (2, 3, 4)},
    "np.apply_along_axis(lambda t: np.sum(t**2), 0, x)",
    "np.apply_along_axis(lambda t, a: a * np.cumsum(t**2)[1:], 1, x, 2.0)",
    "np.apply_along_axis(lambda t: np.outer(t, t)[:2], -2, x)",
    "np.apply_over_axes(lambda a, axis: np.sum(a**2, axis), x, [0, -1])",
    "np.apply_over_axes(lambda a, axis: np.sum(a**2, axis, keepdims=True), x, 1)",
)

CASES = SORTS + SETS + TAKES + CHOICES + SLICES
if hasattr(onp, "unique_values"):
    CASES += table({"x": (3, 4)}, "np.unique_values(x)")
if NUMPY2:
    CASES += table({"x": (3, 4)}, "np.sort(x, stable=True)")


@pytest.mark.filterwarnings("ignore:Output seems independent:UserWarning")
@pytest.mark.parametrize(("f", "args", "options"), CASES)
def test_rule(f, args, options):
    check_both_modes(f, *args, **options)


@pytest.mark.parametrize(
    ("f", "x", "gradient"),
    [
        (lambda v: np.sum(np.sort(v) * [1, 2, 3]), [1, 1, 0], [2, 3, 1]),
        (lambda v: np.sum(np.partition(v, 1) * [1, 2, 3]), [1, 1, 0], [2, 3, 1]),
        (lambda v: np.sum(np.unique(v) * [1, 2]), [5, 3, 5, 3], [2, 1, 0, 0]),
        (lambda v: np.sum(np.sort(v)[:2]), [onp.nan, 3, 1], [0, 1, 1]),
    ],
)
def test_ties_keep_their_order(f, x, gradient):
    x = onp.array(x, float)
    onp.testing.assert_array_equal(ag.grad(f)(x), gradient)
    onp.testing.assert_array_equal([ag.make_jvp(f)(x)(e)[1] for e in onp.eye(len(x))], gradient)


def test_indices_are_plain():
    def f(x):
        values, index, counts = np.unique(x, return_index=True, return_counts=True)
        assert type(index) is type(counts) is onp.ndarray
        return np.sum(values * x[index] * counts)

    onp.testing.assert_array_equal(ag.grad(f)(onp.array([2.0, 3.0, 2.0])), [8.0, 6.0, 0.0])


@pytest.mark.skipif(not hasattr(onp, "unique_all"), reason="new in NumPy 2")
@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse"])
def test_named_sets(name):
    x = onp.array([[2.0, 3.0], [2.0, 1.0]])
    check_both_modes(lambda np, v: getattr(np, name)(v).values, onp.array([[2.0, 3.0], [5.0, 1.0]]))

    def f(v):
        named = getattr(np, name)(v)
        plain = getattr(onp, name)(x)
        assert type(named) is type(plain)
        for got, wanted in zip(named[1:], plain[1:], strict=True):
            assert type(got) is onp.ndarray
            onp.testing.assert_array_equal(got, wanted)
        return np.sum(named.values**2)

    onp.testing.assert_array_equal(ag.grad(f)(x), [[4, 6], [0, 2]])


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_take_from_a_number(axis):
    check_both_modes(lambda np, x: np.take(x, [0, 0], axis=axis), onp.array(0.7))


def test_choose_refuses_an_index_out_of_range():
    with pytest.raises(ValueError, match="choice"):
        ag.grad(lambda x: np.sum(np.choose([0, 2], [x, x])))(onp.ones(2))


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_take_from_an_empty_axis(mode):
    for shape, axis, taken in (((0, 0), 1, (0, 2)), ((2, 0, 0), 1, (2, 2, 0))):
        pullback, value = ag.make_vjp(lambda x, axis=axis: np.take(x, [0, 0], axis, mode=mode))(
            onp.ones(shape)
        )
        assert value.shape == taken
        assert pullback(onp.ones(taken)).shape == shape
    with pytest.raises(IndexError, match="non-empty take"):
        ag.grad(lambda x: np.sum(np.take(x, [0], 1, mode=mode)))(onp.ones((3, 0)))
