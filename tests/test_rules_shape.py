"""Shapes, repetitions, diagonals, pieces, joins, fills and paddings, against finite differences."""

import numpy as onp
import pytest
from expressions import complex_, table
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as np

NUMPY2 = onp.lib.NumpyVersion(onp.__version__) >= "2.0.0"
PLANES = ["0, 1", "1, 0", "2, 0", "-1, -2"]

SHAPES = [
    *table(
        {"x": (3, 4)},
        "np.reshape(x, (4, 3))",
        "np.reshape(x, (2, -1), order='F')",
        "x.reshape(4, 3)",
        "np.ravel(x)",
        "np.ravel(x, order='F')",
        "x.flatten()",
        "np.expand_dims(x, 1)",
        "np.expand_dims(x, axis=(0, -1))",
        "np.broadcast_to(x, (2, 3, 4))",
        "np.atleast_2d(x, x[0], 3.0)",
        "np.atleast_3d(x)",
        "np.ix_(x[0], x[1])",
        "np.array(object=x, ndmin=3)",
    ),
    *table(
        {"x": (1, 3, 1)}, "np.squeeze(x)", "np.squeeze(x, axis=-1)", "np.broadcast_to(x, shape=(2, 3, 4))"
    ),
    *table({"x": (5,)}, "np.atleast_1d(x)", "np.atleast_2d(x)", "np.atleast_3d(x)"),
    *table({"x": (2, 1, 2, 3)}, "np.atleast_3d(x)", "np.atleast_1d(x, x[0])"),
    *table({"x": onp.array(1.7)}, "np.atleast_1d(x)", "np.atleast_3d(x)", "np.reshape(x, (1, 1))"),
    *table({"x": 1.7}, "np.broadcast_to(x, (2, 3))", "np.atleast_2d(x)", "np.repeat(x, 3)", "np.tile(x, 3)"),
    *table({"x": (3, 1), "y": (4,)}, "np.broadcast_arrays(x, y)"),
    *table(
        {"x": (3,), "y": (4,), "z": (2,)},
        "np.meshgrid(x, y, z)",
        "np.meshgrid(x, y, z, indexing='ij')",
        "np.meshgrid(x, y, z, sparse=True)",
        "np.meshgrid(x, y[:1])[0]",
    ),
    *table(
        {"x": (2, 3, 4)},
        "np.transpose(x)",
        "np.transpose(x, axes=(-1, 0, 1))",
        "x.transpose(1, -1, 0)",
        "np.swapaxes(x, 0, -1)",
        "np.moveaxis(x, -1, 0)",
        "np.moveaxis(x, source=(0, 1), destination=(-1, 0))",
        *(f"np.rollaxis(x, {axis}, {start})" for axis in (-1, 0, 1, 2) for start in (-2, 0, 1, 2, 3)),
    ),
    *table(
        {"x": (2, 3, 4)},
        "np.flip(x)",
        "np.flip(x, -1)",
        "np.flip(x, axis=(0, 2))",
        "np.fliplr(x)",
        "np.flipud(x)",
        "np.rot90(x, k=3, axes=(1, -3))",
        "np.roll(x, 2)",
        "np.roll(x, -3, axis=-1)",
        "np.roll(x, (1, 2), axis=(0, 1))",
        "np.roll(x, 1, axis=(0, 1))",
        "np.tile(x, reps=(2,))",
        "np.tile(x, (2, 1, 3))",
        "np.tile(x, (2, 1, 1, 2))",
        "np.repeat(x, 2)",
        "np.repeat(x, repeats=3, axis=-2)",
        "np.repeat(x, [2], axis=1)",
        "np.repeat(x, [1, 0, 3], axis=1)",
        "np.repeat(x, onp.arange(24) % 3)",
        "np.triu(x, k=1)",
        "np.tril(x, -1)",
        "np.split(x, 2, axis=-1)",
        "np.split(x, [1, 3], 2)",
        "np.split(x, [3, 1], axis=2)",
        "np.array_split(x, 3, axis=2)",
        "np.hsplit(x, 3)",
        "np.vsplit(x, 2)",
        "np.dsplit(x, [-1])",
    ),
    *table({"x": (5,)}, "np.tril(x, -1)", "np.hsplit(x, [2])", "np.array_split(x, 3)", "np.tile(x, (2, 3))"),
    *table(
        {"x": complex_(3, 4)},
        "np.flip(x)",
        "np.rot90(x)",
        "np.roll(x, 1, axis=0)",
        "np.tile(x, 2)",
        "np.repeat(x, 2, axis=-1)",
        "np.repeat(x, [1, 2, 0], axis=0)",
        "np.transpose(x)",
        "np.tril(x)",
        "np.split(x, 2, axis=1)",
        "np.broadcast_to(x, (2, 3, 4))",
    ),
]

DIAGONALS = [
    *table({"x": (3, 4)}, *(f"np.diag(x, {k})" for k in (-2, 0, 1, 3)), "np.trace(x)"),
    *table({"x": (3, 4)}, *(f"np.diagonal(x, {k})" for k in (-2, 0, 3, 5))),
    *table({"x": (3,)}, "np.diag(x)", "np.diag(x, k=-2)", "np.diagflat(x, 1)"),
    *table({"x": (2, 2)}, "np.diagflat(x)"),
    *table({"x": (2, 3, 4)}, *(f"np.diagonal(x, {k}, {plane})" for k in (-1, 0, 1) for plane in PLANES)),
    *table({"x": (2, 3, 4)}, *(f"np.trace(x, {k}, {plane})" for k in (-1, 0, 1, 7) for plane in PLANES)),
    *table({"x": complex_(3, 4)}, "np.diag(x, 1)", "np.diagonal(x)", "np.trace(x, -1)"),
]

COPIES = table(
    {"x": (3, 4)},
    "np.copy(x)",
    "np.copy([x[0], x[1]])",
    "np.asarray(x, dtype=complex)",
    "np.asarray([[x[0, 0], 2.0], [x[1, 1], x[0, 1]]])",
    "np.asanyarray(x)",
    "np.ascontiguousarray(x)",
    "np.asfortranarray(x)",
    "np.asarray_chkfinite(x)",
    "np.require(x, 'f8', ['F'])",
    "x.astype(complex)",
    "x * (4 * x).astype(int)",
    "np.array(x)",
    "np.array(x, ndmin=3)",
    "np.array([x[0, 0], x[1] @ x[2], 3.0])",
    "np.array([[x[0], x[1]], (x[2], onp.ones(4))])",
    "np.array([x, 2 * x], ndmin=4)",
)

FILLS = [
    *table(
        {"a": 1.7}, "np.full((2, 3), a)", "np.full_like(onp.ones((2, 3)), a)", "np.full(3, a, dtype=complex)"
    ),
    *table({"a": (3,)}, "np.full((2, 3), a)", "np.full_like(a, a[0], shape=(4,))"),
    *table(
        {"a": 1.1, "b": 4.0},
        "np.linspace(a, b)",
        "np.linspace(a, b, num=5, endpoint=False)",
        "np.linspace(a, b, 7, retstep=True)",
        "np.linspace(a, b, 1)",
        "np.linspace(a, b, 0)",
        "np.logspace(a, b, 5, endpoint=False)",
        "np.logspace(a, 2.0, 4, base=b)",
        "np.geomspace(a, b, 5)",
        "np.geomspace(-a, -b, 5, endpoint=False)",
        "np.arange(a, 9.0, b / 3)",
        "np.arange(a, b)",
    ),
    *table(
        {"a": (2, 1), "b": (3,)},
        "np.linspace(a, b, 4, axis=-1)",
        "np.linspace(a, b, 4, True, True, axis=1)",
        "np.geomspace(2 + a, 2 + b, 4, axis=-1)",
    ),
    *table({"a": 1.1 + 1j, "b": 3.4j}, "np.linspace(a, b, 4)", "np.geomspace(a, b, 5)"),
    *table({"a": (2,), "b": onp.array([2.0, 3.0])}, "np.logspace(a, 1.0, 4, base=b)"),
    *table({"x": onp.array([0.0, 1.0, -2.0])}, "np.vander(x)", "np.vander(x, 4, increasing=True)"),
]

JOINS = [
    *table(
        {"x": (3, 4), "y": (2, 4)},
        "np.concatenate([x, y], axis=0)",
        "np.concatenate((x, y, x), axis=-2)",
        "np.concatenate([x, y], axis=None)",
        "np.concatenate([x, y], dtype=complex)",
        "np.concatenate([x[0], [1.0, y[0, 0]], onp.ones(3), y[1]])",
        "np.vstack([x, y, y[0]])",
        "np.hstack((x.T, y.T))",
        "np.hstack([x[0], y[1]], dtype=complex)",
        "np.stack([x[:2], y])",
        "np.stack([x[:2], y], axis=-1)",
        "np.dstack([x[:2], y])",
        "np.dstack([x[0], y[0]])",
        "np.column_stack([x[0], y.T, x[1]])",
        "np.append(x, y)",
        "np.append(x, y, axis=0)",
        "np.block([[x, x], [y, y**2]])",
        "np.block([x[0], 2.0, y[0]])",
        "np.block([[[y, y]], [[y, onp.eye(2, 4)]]])",
    ),
    *table(
        {"x": (3, 4), "y": (4,)},
        "np.insert(x, 1, y, axis=0)",
        "np.insert(x, 1, y[:3], axis=1)",
        "np.insert(x, 1, y.reshape(2, 2)[:, :1] * onp.ones(3), axis=-1)",
        "np.insert(x, [1, 3], y[:2], axis=1)",
        "np.insert(x, [1], y[:3, None] * onp.ones(2), axis=1)",
        "np.insert(x, [1, 1, 0], y[:3])",
        "np.insert(x, slice(1, 4), y[:3])",
        "np.insert(x, [0, 2], y[0], axis=-1)",
        "np.insert(y, -1, x[0, 0])",
    ),
    *table(
        {"x": (3, 4)},
        "np.delete(x, 1)",
        "np.delete(x, [0, 2], axis=1)",
        "np.delete(x, slice(None, None, 2), axis=-1)",
        "np.resize(x, (5, 4))",
        "np.resize(x, 3)",
    ),
    *table(
        {"x": complex_(2, 3), "y": (2, 3)},
        "np.concatenate([x, y])",
        "np.stack([x, y], 1)",
        "np.block([[x], [y]])",
    ),
]

WIDTHS = ["2", "((1, 2), (3, 0))", "((4, 7), (5, 6))"]
MODES = ["edge", "reflect", "symmetric", "wrap", "linear_ramp", "mean", "maximum", "minimum", "median"]
PADS = [
    *table({"x": (3, 4)}, *(f"np.pad(x, {w}, mode='{mode}')" for mode in MODES for w in WIDTHS)),
    *table(
        {"x": (3, 4)},
        "np.pad(x, 1)",
        "np.pad(x, ((1, 2), (0, 1)))",
        "np.pad(x, (1, 2), 'constant', constant_values=(1.0, 2.0))",
        "np.pad(x, (3, 1), 'mean', stat_length=2)",
        "np.pad(x, (3, 1), 'maximum', stat_length=((1, 2), (3, 1)))",
        "np.pad(x, (5, 2), 'reflect', reflect_type='odd')",
        "np.pad(x, (5, 2), 'symmetric', reflect_type='odd')",
    ),
    *table(
        {"x": (3, 4), "c": (2, 2)},
        "np.pad(x, 2, constant_values=c)",
        "np.pad(x, (1, 2), constant_values=c[0, 0])",
        "np.pad(x, (3, 1), 'linear_ramp', end_values=c)",
    ),
    *table({"x": complex_(3, 4)}, "np.pad(x, 1)", "np.pad(x, 2, 'reflect')", "np.pad(x, 2, 'linear_ramp')"),
]

CASES = SHAPES + DIAGONALS + COPIES + FILLS + JOINS + PADS
if NUMPY2:
    CASES += [
        *table(
            {"x": (2, 3, 4)},
            "np.permute_dims(x, (2, 0, -2))",
            "np.matrix_transpose(x)",
            "np.astype(x, onp.complex128)",
        ),
        *table({"x": (3, 4), "y": (2, 4)}, "np.concat([x, y])", "np.concat([x, y], axis=None)"),
    ]
if hasattr(onp, "unstack"):
    CASES += table({"x": (3, 4)}, "np.unstack(x)", "np.unstack(x, axis=-1)")


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:Output seems independent:UserWarning")
@pytest.mark.parametrize(("f", "args", "options"), CASES)
def test_rule(f, args, options):
    check_both_modes(f, *args, **options)


@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_make_diagonal(offset):
    x = onp.array([1.0, -2.0, 3.0])
    weights = onp.arange((3 + abs(offset)) ** 2.0).reshape(2 * (3 + abs(offset),))
    f = lambda v: np.sum(weights * np.make_diagonal(v, offset, -2, -1))
    onp.testing.assert_allclose(ag.grad(f)(x), onp.diagonal(weights, offset))
    assert ag.make_jvp(f)(x)(x)[1] == onp.sum(x * onp.diagonal(weights, offset))


LAYOUTS = {
    "C": lambda x: x,
    "Fortran": onp.asfortranarray,
    "transposed": lambda x: onp.transpose(x, (1, 2, 0)),
    "backwards": lambda x: x[:, ::-1],
    "with gaps": lambda x: onp.transpose(x, (1, 0, 2))[:, :, ::2],
    "new axis": lambda x: x[:, None, ::2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "f",
    [
        lambda np, x: np.ravel(x, "A"),
        lambda np, x: np.ravel(x, order="K"),
        lambda np, x: np.reshape(x, -1, "A"),
        lambda np, x: np.reshape(x, (-1, 2), order="A"),
        lambda np, x: x.reshape(-1, order="A"),
        lambda np, x: x.flatten("K"),
        lambda np, x: np.ravel(x + 0.0, "K"),
    ],
)
def test_order_in_memory(f, layout):
    x = LAYOUTS[layout](onp.arange(24.0).reshape(2, 3, 4))
    weights = onp.sin(onp.arange(x.size))
    want = onp.empty(x.size)
    want[onp.argsort(x, None)] = weights[onp.argsort(f(onp, x), None)]
    got = ag.grad(lambda x: np.sum(weights * np.reshape(f(np, x), -1)))(x)
    onp.testing.assert_array_equal(got, want.reshape(x.shape))
    tangent = ag.make_jvp(lambda x: f(np, x))(x)(x)[1]
    onp.testing.assert_array_equal(tangent, f(onp, x))


def test_order_of_shared_memory_is_refused_at_the_call():
    x = onp.broadcast_to(onp.arange(2.0), (3, 2))
    with pytest.raises(NotImplementedError, match="order='K'.*order='C' or 'F'"):
        ag.make_vjp(lambda x: np.ravel(x, "K"))(x)


def test_pad_by_a_function_is_refused():
    with pytest.raises(NotImplementedError, match="np.pad.*mode=<function>.*np.concatenate"):
        ag.grad(lambda x: np.sum(np.pad(x, 1, lambda *a: None)))(onp.ones(2))


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: np.pad(x, 1, "foo"),
        lambda np, x: np.pad(x, 1, "edge", constant_values=3),
        lambda np, x: np.pad(x, 1, end_values=3),
        lambda np, x: np.pad(x[:0], ((1, 0), (0, 0)), "mean"),
        lambda np, x: np.vander(x),
        lambda np, x: np.geomspace(0 * x, 1.0, 3),
        lambda np, x: np.take(x, [0], axis=0, mode="foo"),
        lambda np, x: np.apply_along_axis(np.sum, 1, x[:0]),
    ],
)
def test_bad_calls_are_reported_as_numpy_does(call):
    x = onp.ones((2, 3))
    with pytest.raises(ValueError):
        call(onp, x)
    with pytest.raises(ValueError):
        ag.make_vjp(lambda x: call(np, x))(x)


def test_functions_along_an_axis_of_nothing():
    check_both_modes(lambda np, x: np.apply_along_axis(np.sum, 0, x), onp.zeros(0), order=1)
    check_both_modes(
        lambda np, x: np.apply_along_axis(lambda row: row * row, 1, x), onp.zeros((2, 0)), order=1
    )
    check_both_modes(lambda np, x: np.apply_over_axes(np.sum, x, 0), onp.array(0.7))


def test_broadcast_arrays_with_integers():
    f = lambda np, x: np.broadcast_arrays(x, onp.array([[1], [2]]))
    check_both_modes(lambda np, x: f(np, x)[0] * np.sum(f(np, x)[1]), onp.array([0.3, 0.7]))


def test_stack_refuses_unsafe_casts():
    with pytest.raises(TypeError, match="cast"):
        ag.grad(lambda x: np.sum(np.stack([x, x], dtype=int)))(onp.ones(2))
