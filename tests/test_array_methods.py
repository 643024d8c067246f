"""Methods and attributes of traced arrays, as ndarray has them; what writes in place explains itself."""

import numpy as onp
import pytest
from expressions import complex_, table
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.tracer import isbox

NUMPY2 = onp.lib.NumpyVersion(onp.__version__) >= "2.0.0"
LINEAR = [
    "x.T",
    "x.transpose()",
    "x.transpose(1, 0)",
    "x.transpose((-1, 0))",
    "x.swapaxes(0, -1)",
    "x.reshape(4, 3)",
    "x.reshape((2, -1), order='F')",
    "x.reshape(12, order='A')",
    "x.T.reshape(12, order='A')",
    "x.flatten()",
    "x.flatten('F')",
    "x.flatten('A')",
    "x.T.flatten('K')",
    "x.ravel('F')",
    "x.repeat(2, axis=1)",
    "x.squeeze()",
    "x.diagonal(1)",
    "x.trace(offset=-1)",
    "x.take([0, 2, 2], axis=1)",
    "x.take(5)",
    "x.take([-5, 7], axis=1, mode='clip')",
    "x.compress([True, False, True], axis=0)",
    "x.copy('F')",
    "x.view()",
    "x.conj()",
    "x.conjugate()",
    "x.real",
    "x.imag * x",
    "x.dot(x.T)",
    "x.dot(b=x[0])",
    "x.item(3) * x",
    "x.item(1, 2) * x",
    "x.item((1, 2)) * x",
    "x[0, 0].item() * x",
    "x.sum(axis=1, keepdims=True)",
    "x.mean(0)",
    "x.prod(axis=-1)",
    "x.var(ddof=1)",
    "x.std(axis=0)",
    "x.cumsum(1)",
    "x.cumprod(axis=0)",
]
CASES = [
    *table({"x": (3, 4)}, *LINEAR, "x.max(axis=1)", "x.min()", "x.flat[2:7]", "x.clip(-0.5, 0.5)"),
    *table({"x": complex_(3, 4)}, *LINEAR[:-4]),
    *table({"x": (2, 3)}, "np.array(x.tolist())", float32=False),
]
if NUMPY2:
    CASES += table({"x": (2, 3, 4)}, "x.mT", "x.to_device('cpu')")


@pytest.mark.parametrize(("f", "args", "options"), CASES)
def test_method(f, args, options):
    check_both_modes(f, *args, **options)


@pytest.mark.parametrize("index", [None, (None, None), (..., None), (), True, (None, True)])
@pytest.mark.parametrize("x", [onp.array(0.7), onp.float64(0.7), onp.array(0.7 + 0.2j)])
def test_subscripts_of_no_dimensions(index, x):
    check_both_modes(lambda np, v: 3 * v[index], x)


def test_bounds_of_a_plain_array_s_clip_may_be_traced():
    x = onp.array([-2.0, 0.3, 0.1, 4.0])
    check_both_modes(lambda np, low, high: x.clip(low, high), -1.0, 1.0)


@pytest.mark.parametrize("name", ["strides", "flags", "nbytes", "itemsize", "ndim", "size", "shape", "dtype"])
def test_attribute(name):
    x = onp.ones((2, 3), order="F")

    def f(v):
        assert str(getattr(v, name)) == str(getattr(x, name))
        return np.sum(v)

    ag.grad(f)(x)


def test_membership_and_rounding():
    def f(v):
        assert 1.0 in v
        assert 3.0 not in v
        assert v[0, 0] in v
        assert round(v[0, 1]) == 2
        assert type(round(v[0, 1])) is int
        assert round(v[0, 1], 1) == 1.7
        return np.sum(v)

    ag.grad(f)(onp.array([[1.0, 1.74]]))


@pytest.mark.parametrize(
    "cast", [lambda x: x.astype(int), lambda x: x.astype("bool"), lambda x: x[0].astype(int)]
)
def test_a_cast_to_integers_is_plain_and_can_index(cast):
    def f(x):
        index = cast(x)
        assert not isbox(index)
        return np.sum(x[index])

    ag.grad(f)(onp.array([1.0, 0.0]))
    ag.make_jvp(f)(onp.array([1.0, 0.0]))(onp.ones(2))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.sort(),
        lambda x: x.fill(0.0),
        lambda x: x.partition(1),
        lambda x: x.put([0], 1.0),
        lambda x: x.resize((1,)),
        lambda x: np.put(x, [0], 1.0),
        lambda x: np.copyto(x, 1.0),
        lambda x: np.copyto(onp.zeros(3), x),
        lambda x: np.place(x, x > 0, 1.0),
        lambda x: np.putmask(onp.zeros(3), [True] * 3, values=x),
        lambda x: np.fill_diagonal(np.outer(x, x), 1.0),
        lambda x: np.put_along_axis(x, onp.array([0]), 1.0, 0),
    ],
)
def test_work_in_place_is_refused(call):
    def f(x):
        call(x)
        return np.sum(x)

    with pytest.raises(TypeError, match=r"(in place|write into).*derivative"):
        ag.grad(f)(onp.ones(3))


@pytest.mark.parametrize("vectorize", [np.vectorize, onp.vectorize])
def test_vectorize(vectorize):
    check_both_modes(
        lambda _, x: np.array(vectorize(lambda v: v * v)(x)), onp.array([1.0, 2.0]), float32=False
    )


def test_vectorize_with_several_results_and_signature():
    def f(_, x):
        square, double = np.vectorize(lambda v: (v * v, 2 * v))(x)
        sums = np.vectorize(lambda row: np.sum(row**3), signature="(n)->()")(x)
        return square, double, np.array(sums)

    check_both_modes(lambda np_, x: f(np_, x), onp.array([[1.0, 2.0], [0.5, 3.0]]), float32=False)


def test_ufunc_of_a_python_function():
    x, y = onp.array([[1.0], [2.0]]), onp.array([0.5, 3.0])
    product = np.frompyfunc(lambda v, w: v * w + v, 2, 1)
    check_both_modes(lambda _, a, b: np.array(product(a, b).tolist()), x, y, float32=False)
    both = onp.frompyfunc(lambda v: (v, v * v), 1, 2)
    onp.testing.assert_array_equal(ag.grad(lambda v: np.sum(both(v)[1]))(y), 2 * y)
