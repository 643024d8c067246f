"""The methods of ufuncs on traced operands against finite differences of plain NumPy."""

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast.numpy.rules.ufunc_methods import ufunc_method, written_at

rng = onp.random.default_rng(0)


@pytest.fixture(autouse=True)
def same_numbers_whichever_tests_run():
    global rng
    rng = onp.random.default_rng(0)


def draw(*shape):
    """Numbers further apart than the finite differences reach."""
    return rng.choice(onp.linspace(0.5, 1.5, 40), shape, replace=False)


def method(ufunc, name, *args, **kwargs):
    """A call of the method that is traced if the namespace is."""

    def call(np, *arrays):
        if np is not onp:
            return ufunc_method(ufunc, name, *arrays, *args, **kwargs)
        if ufunc not in (onp.power, onp.arctan2):
            return getattr(ufunc, name)(*arrays, *args, **kwargs)
        # NumPy's own reduce and reduceat of these err on contiguous axes with AVX-512: step by step then
        steps = onp.frompyfunc(ufunc, 2, 1)
        result = getattr(steps, name)(*(x.astype(object) for x in arrays), *args, **kwargs)
        return onp.asarray(result, arrays[0].dtype)

    return call


BINARY = [onp.add, onp.multiply, onp.maximum, onp.minimum, onp.fmax, onp.logaddexp, onp.logaddexp2, onp.hypot]
ORDERED = [onp.subtract, onp.divide, onp.power, onp.arctan2]
MASK = onp.array([[True, False, True], [True, True, False]])


@pytest.mark.parametrize("ufunc", BINARY + ORDERED, ids=lambda u: u.__name__)
def test_every_method(ufunc):
    check_both_modes(method(ufunc, "reduce"), draw(3, 2))
    check_both_modes(method(ufunc, "reduce", -1, keepdims=True), draw(2, 3))
    check_both_modes(method(ufunc, "reduce", initial=0.718), draw(3))
    check_both_modes(method(ufunc, "accumulate"), draw(3, 2))
    check_both_modes(method(ufunc, "accumulate", axis=-1), draw(2, 4))
    check_both_modes(method(ufunc, "outer"), draw(2), draw(3) + 0.013)
    check_both_modes(method(ufunc, "outer"), draw(2, 2), draw() + 0.013, order=1)
    check_both_modes(method(ufunc, "reduceat", [0, 3, 1, 4]), draw(6))
    check_both_modes(method(ufunc, "reduceat", onp.array([1, 2]), axis=1), draw(2, 4))


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda u: u.__name__)
def test_reductions_in_any_order(ufunc):
    check_both_modes(method(ufunc, "reduce", axis=None), draw(2, 3))
    check_both_modes(method(ufunc, "reduce", axis=(0, 2)), draw(2, 3, 2))
    check_both_modes(method(ufunc, "reduce", (0, -1), None, None, True), draw(2, 3, 2), order=1)
    check_both_modes(method(ufunc, "reduce", axis=1, where=MASK, initial=0.615), draw(2, 3))
    check_both_modes(lambda np, x: method(ufunc, "reduce", initial=x)(np, x * onp.array([0.4, 0.7])), 0.95)


@pytest.mark.parametrize(
    "ufunc", [onp.add, onp.multiply, onp.subtract, onp.maximum], ids=lambda u: u.__name__
)
def test_at(ufunc):
    def f(np, a, b, indices=([0, 1, 0, 0], [2, 0, 2, 1])):
        if np is not onp:
            return written_at(ufunc, a, indices, b)
        a = a.copy()
        ufunc.at(a, indices, b)
        return a

    check_both_modes(f, draw(2, 3), draw(4) + 0.013, float32=False)
    check_both_modes(f, draw(2, 3), 0.718, float32=False)
    check_both_modes(lambda np, a, b: f(np, a, b, slice(1, 3)), draw(4), draw(2) + 0.013, float32=False)


def test_at_without_a_second_operand():
    x = onp.array([0.5, 2.0])
    g = ag.grad(lambda v: anp.sum(written_at(onp.square, v, [1, 1]) * onp.array([3.0, 5.0])))(x)
    onp.testing.assert_allclose(g, [3.0, 5.0 * 4 * 2.0**3])


def test_identity_of_an_empty_reduction():
    check_both_modes(lambda np, x: method(onp.hypot, "reduce")(np, x[:0]) + x, draw(3), float32=False)


def test_dtype():
    check_both_modes(method(onp.add, "reduce", dtype="d"), draw(3))
    check_both_modes(method(onp.hypot, "accumulate", dtype="d"), draw(3))


def test_complex():
    z = draw(4) + 1j * draw(4)
    for ufunc in (onp.add, onp.multiply, onp.subtract, onp.divide):
        check_both_modes(method(ufunc, "reduce"), z)
        check_both_modes(method(ufunc, "reduceat", [0, 2]), z)


def test_logaddexp_of_nothing():
    x = onp.array([[-onp.inf, 0.3], [-onp.inf, -onp.inf]])
    g = ag.grad(lambda v: anp.sum(ufunc_method(onp.logaddexp, "reduce", v)[1]))(x)
    onp.testing.assert_array_equal(g, [[0, 1], [0, 0]])


def test_running_maximum_gives_all_to_the_first_of_ties():
    x = onp.array([1.0, 1.0, onp.nan, 2.0])
    f = anp.maximum
    g = ag.grad(lambda v: anp.sum(ufunc_method(f.fun, "accumulate", v) * onp.array([1.0, 2.0, 4.0, 8.0])))(x)
    onp.testing.assert_array_equal(g, [3, 0, 12, 0])


def test_constant_ufuncs_give_plain_results():
    seen = []
    x = onp.array([1.5, 0.5])
    ag.grad(lambda v: seen.append(ufunc_method(onp.less, "outer", v, v)) or anp.sum(v))(x)
    onp.testing.assert_array_equal(seen[0], onp.less.outer(x, x))


def test_out_and_unknown_ufuncs_are_refused():
    with pytest.raises(NotImplementedError, match=r"add\.reduce.*out"):
        ag.grad(lambda v: ufunc_method(onp.add, "reduce", v, out=onp.empty(())))(onp.ones(2))
    with pytest.raises(NotImplementedError, match=r"add\.at"):
        ag.grad(lambda v: ufunc_method(onp.add, "at", onp.zeros(3), [0, 1], v))(onp.ones(2))


def test_methods_of_plain_ufuncs_see_traced_operands():
    x = onp.array([1.0, 2.0, 4.0])
    onp.testing.assert_array_equal(ag.grad(lambda v: onp.multiply.reduce(v))(x), [8, 4, 2])
    onp.testing.assert_array_equal(ag.grad(lambda v: anp.sum(onp.add.accumulate(v)))(x), [3, 2, 1])
    onp.testing.assert_array_equal(ag.grad(lambda v: anp.sum(onp.multiply.outer(v, x)))(x), [7, 7, 7])
    onp.testing.assert_array_equal(ag.grad(lambda v: onp.maximum.reduceat(v, [0, 2])[0])(x), [0, 1, 0])


def test_plain_operands():
    assert ufunc_method(onp.add, "reduce", onp.ones(3)) == 3.0


WHOLE = onp.array([[1.7, 0.4, 2.2], [0.3, 1.1, 0.9]])
OUTSIDE = onp.where(MASK, WHOLE, [-1.0, 0.0, -2.0])  # out of the ufuncs' domains where the mask is False


@pytest.mark.parametrize(
    "f",
    [
        lambda np, x: np.sqrt(x, where=MASK, out=None),
        lambda np, x: np.log(x, where=MASK, out=None),
        lambda np, x: np.reciprocal(x, where=MASK, out=None),
        lambda np, x: np.divide(1.5, x, where=MASK, out=None),
        lambda np, x: np.power(x, [0.5, 1.5, 2.5], where=MASK, out=None),
        lambda np, x: np.power([0.5, 1.5, 2.5], x, where=x > 0, out=None),
        lambda np, x: np.arctan2(x, x[0], where=MASK, out=None),
        lambda np, x: np.multiply(x, x[:, :1], where=MASK, out=None),
        lambda np, x: np.modf(x, where=MASK, out=(None, None))[0],
        lambda np, x: np.exp(x, where=True),
        lambda np, x: np.log(x[0, 0], where=onp.True_, out=None),
        lambda np, x: np.log(x[0, 0], where=MASK, out=None),
        lambda np, x: np.hypot(x, x.T[:, :1, None], where=MASK, out=None),
    ],
)
def test_mask(f):
    def chosen(np, x):
        result = f(np, x)
        return (
            np.where(onp.broadcast_to(MASK, onp.shape(result)), result, 0.0) if onp.ndim(result) else result
        )

    with onp.errstate(all="raise"):
        check_both_modes(lambda np, x: chosen(np, x) if np is anp else in_silence(chosen, x), OUTSIDE)


def in_silence(f, x):
    with onp.errstate(all="ignore"):
        return f(onp, x)


def test_mask_without_traced_operands_and_with_out():
    with pytest.raises(NotImplementedError, match="out="):
        ag.grad(lambda x: anp.sum(anp.log(x, out=onp.zeros((2, 3)), where=MASK)))(WHOLE)
    onp.testing.assert_array_equal(anp.add(WHOLE, 1.0, where=MASK, out=None)[MASK], (WHOLE + 1)[MASK])


def test_no_entries_to_accumulate():
    for ufunc in (onp.maximum, onp.fmin, onp.add, onp.logaddexp):
        check_both_modes(method(ufunc, "accumulate"), onp.zeros((0, 2)), order=1)
