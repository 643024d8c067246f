"""Kernels of tangents of reductions and of choices: values, derivatives of higher order, warnings."""

import warnings

import numpy as onp
import pytest
from numeric import check_both_modes, without_kernels
from test_reduction_kernels import REDUCTIONS, SHAPES, UNUSUAL, messages

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.tracer import getval

RNG = onp.random.default_rng(10)
TAKEN = [name for name in REDUCTIONS if name not in ("sum", "mean")]


def pushed(f, x, t):
    """The tangent of f along t."""
    return ag.make_jvp(f)(x)(t)[1]


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", TAKEN)
def test_tangents_with_and_without_kernels_differ_by_rounding(name, dtype):
    traced, _ = REDUCTIONS[name]
    for shape in SHAPES:
        x, t = (RNG.standard_normal(shape).astype(dtype) for _ in range(2))
        for axis in (None, *range(-1, len(shape))):
            for keepdims in (False, True):

                def push(x=x, t=t, axis=axis, keepdims=keepdims):
                    return pushed(lambda x: traced(x, axis=axis, keepdims=keepdims), x, t)

                got, want = push(), without_kernels(push)
                assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape
                limit = 16 * onp.finfo(dtype).eps * onp.max(onp.abs(t))
                assert onp.allclose(got, want, rtol=0, atol=limit), (axis, keepdims)


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", TAKEN)
def test_forward_is_the_adjoint_of_reverse(name, dtype):
    traced, plain = REDUCTIONS[name]
    for shape in SHAPES:
        for axis in (None, *range(len(shape))):
            x, t = (RNG.standard_normal(shape).astype(dtype) for _ in range(2))
            weights = RNG.standard_normal(onp.shape(plain(x, axis=axis))).astype(dtype)
            forward = onp.sum(weights * pushed(lambda x, axis=axis: traced(x, axis=axis), x, t))
            pull, _ = ag.make_vjp(lambda x, axis=axis: traced(x, axis=axis))(x)
            reverse = onp.sum(t * pull(weights if weights.ndim else weights[()]))
            limit = 16 * onp.finfo(dtype).eps * (1 + onp.sum(onp.abs(t)) * onp.max(onp.abs(weights)))
            assert abs(forward - reverse) <= limit


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("numbers", UNUSUAL)
@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("name", TAKEN)
def test_tangents_at_unusual_numbers(name, dtype, numbers):
    traced, _ = REDUCTIONS[name]
    x = onp.array([UNUSUAL[numbers], UNUSUAL[numbers]]).astype(dtype)
    t = onp.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]]).astype(dtype)
    for axis in (None, 0, 1):

        def push(axis=axis):
            return pushed(lambda x: traced(x, axis=axis), x, t)

        got, warned = messages(push)
        want, warned_without = without_kernels(lambda push=push: messages(push))
        assert onp.allclose(got, want, rtol=8 * onp.finfo(dtype).eps, atol=0, equal_nan=True)
        assert set(warned) == set(warned_without), axis


@pytest.mark.parametrize("t", [onp.nan, onp.inf, -onp.inf, 1e308])
@pytest.mark.parametrize("name", TAKEN)
def test_unusual_tangents(name, t):
    traced, _ = REDUCTIONS[name]
    x = onp.array([[1.0, 3.0, 2.0], [3.0, 0.5, 3.0]])
    for axis in (None, 0, 1):
        for row in range(2):
            tangent = onp.ones((2, 3))
            tangent[row, 1] = t

            def push(axis=axis, tangent=tangent):
                return pushed(lambda x: traced(x, axis=axis), x, tangent)

            got, warned = messages(push)
            want, warned_without = without_kernels(lambda push=push: messages(push))
            assert onp.allclose(got, want, rtol=1e-14, atol=0, equal_nan=True)
            assert set(warned) == set(warned_without), axis


@pytest.mark.parametrize("name", TAKEN)
def test_a_tangent_warns_as_errstate_says(name):
    traced, _ = REDUCTIONS[name]
    x, t = onp.array([1.0, 3.0, 3.0]), onp.array([1e308, 1.7e308, 1.7e308])
    seen = []
    with onp.errstate(all="call"), warnings.catch_warnings():
        warnings.simplefilter("error")
        old = onp.seterrcall(lambda kind, flag: seen.append(kind))
        try:
            got = pushed(lambda x: np.sum(traced(x * 2.0, axis=0)), x, t)
        finally:
            onp.seterrcall(old)
    assert "overflow" in seen and not onp.isfinite(got)


PROGRAMS = {
    "maximum over columns": lambda np_, x: np_.max(x * x, axis=0) * np_.sum(x, axis=0),
    "minimum of all": lambda np_, x: np_.min(np_.sin(x)) * x,
    "maximum kept": lambda np_, x: x * np_.max(x * x, axis=1, keepdims=True),
    "where with a number": lambda np_, x: np_.where(x > 0.1, x * x * x, 0.0),
    "where of two": lambda np_, x: np_.where(x > 0.1, x * x * x, np_.sin(x)),
    "where with a constant": lambda np_, x: np_.where(x > 0.1, C, x**4),
    "where broadcast": lambda np_, x: np_.where(x > 0.1, x[:1] ** 3, x[:, :1] * x),
    "variance": lambda np_, x: np_.var(x * x, axis=0),
    "deviation": lambda np_, x: np_.std(x * x, axis=1, keepdims=True) * x,
}
C = RNG.standard_normal((3, 4))


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_each_mode_and_of_mixed_modes(name):
    x, u, v = (RNG.standard_normal((3, 4)) for _ in range(3))

    def f(np_, x):
        return PROGRAMS[name](np_, x)

    check_both_modes(f, x)

    def along(x, t):
        return pushed(lambda x: f(np, x), x, t)

    # v.(f'' u) by forward over forward, reverse over forward and forward over reverse, and differences
    weights = RNG.standard_normal(onp.shape(f(onp, x)))
    twice = onp.sum(weights * pushed(lambda x: along(x, u), x, v))
    reverse_over_forward = onp.sum(v * ag.grad(lambda x: np.sum(weights * along(x, u)))(x))
    slope = ag.grad(lambda x: np.sum(weights * f(np, x)))
    forward_over_reverse = onp.sum(u * pushed(slope, x, v))
    step = 1e-5
    differences = onp.sum(weights * (along(x + step * v, u) - along(x - step * v, u))) / (2 * step)
    scale = 1 + onp.sum(onp.abs(weights))
    for got in (twice, reverse_over_forward, forward_over_reverse):
        assert abs(got - differences) < 1e-7 * scale
    without = without_kernels(lambda: onp.sum(weights * pushed(lambda x: along(x, u), x, v)))
    assert abs(twice - without) < 1e-13 * scale


OPERANDS = {
    "array": lambda dtype: RNG.standard_normal((4, 5)).astype(dtype),
    "other precision": lambda dtype: RNG.standard_normal((4, 5)).astype("f" if dtype == "d" else "d"),
    "row": lambda dtype: RNG.standard_normal(5).astype(dtype),
    "columns first": lambda dtype: onp.asfortranarray(RNG.standard_normal((4, 5)).astype(dtype)),
    "every second": lambda dtype: RNG.standard_normal((4, 10)).astype(dtype)[:, ::2],
    "swapped bytes": lambda dtype: RNG.standard_normal((4, 5)).astype(">f8"),
    "whole numbers": lambda dtype: RNG.integers(-3, 3, (4, 5)),
    "float": lambda dtype: -0.1,
    "minus zero": lambda dtype: -0.0,
    "nan": lambda dtype: onp.nan,
    "beyond single precision": lambda dtype: 1e300,
    "int": lambda dtype: 3,
    "long int": lambda dtype: 2**62 + 1,
    "bool": lambda dtype: True,
    "float64": lambda dtype: onp.float64(0.1),
    "float32": lambda dtype: onp.float32(0.1),
    "int64": lambda dtype: onp.int64(2**60 + 1),
    "bool of numpy": lambda dtype: onp.True_,
    "complex": lambda dtype: 1j,
    "0-d": lambda dtype: onp.array(0.3, dtype),
    "list": lambda dtype: [1.0, 2.0, 3.0, 4.0, 5.0],
}
MASKS = {
    "bools": lambda: RNG.standard_normal((4, 5)) > 0,
    "whole numbers": lambda: RNG.integers(0, 3, (4, 5)),
    "row": lambda: RNG.standard_normal(5) > 0,
    "columns first": lambda: onp.asfortranarray(RNG.standard_normal((4, 5)) > 0),
    "more dimensions": lambda: RNG.standard_normal((2, 4, 5)) > 0,
    "0-d": lambda: onp.array(True),
    "bool": lambda: True,
    "empty": lambda: onp.zeros((0, 4, 5), bool),
}


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("dtype", ["d", "f"])
def test_choices_are_numpys_to_the_bit(dtype, operand, mask):
    x, other, chosen = RNG.standard_normal((4, 5)).astype(dtype), OPERANDS[operand](dtype), MASKS[mask]()
    for flipped in (False, True):
        want = onp.where(chosen, other, x) if flipped else onp.where(chosen, x, other)

        seen = []

        def traced(x, flipped=flipped, seen=seen):
            result = np.where(chosen, other, x) if flipped else np.where(chosen, x, other)
            seen.append(getval(result))
            return result

        ag.make_vjp(traced)(x)
        ag.make_jvp(traced)(x)(onp.ones_like(x))
        assert len(seen) == 2
        for got in seen:
            assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape
            assert got.tobytes() == want.tobytes()
        tangent = RNG.standard_normal(x.shape).astype(dtype)
        t = pushed(traced, x, tangent)
        taken = onp.logical_not(chosen) if flipped else onp.asarray(chosen, bool)
        slope = onp.broadcast_to(taken, want.shape)
        assert t.dtype == want.dtype and t.shape == want.shape
        assert onp.array_equal(t, onp.where(slope, tangent, 0).astype(want.dtype))


def test_choices_of_two_numbers_and_of_none_are_numpys():
    mask = onp.array([True, False])
    assert ag.make_jvp(lambda x: np.where(mask, x, x))(2.0)(1.0)[1].tolist() == [1.0, 1.0]
    value, tangent = ag.make_jvp(lambda x: np.where(mask, x, 0.5))(onp.float32(2))(onp.float32(3))
    assert value.tolist() == [2.0, 0.5] and tangent.tolist() == [3.0, 0.0]
    assert value.dtype == onp.where(mask, onp.float32(2), 0.5).dtype


@pytest.mark.parametrize("other", [0.5, onp.float64(0.5), onp.full(3, 0.5), "box", [0.5] * 3, onp.nan])
@pytest.mark.parametrize("name", ["less", "less_equal", "equal", "not_equal", "greater", "greater_equal"])
def test_comparisons_of_boxes_are_plain_in_each_mode_and_order(name, other):
    x = onp.array([0.25, 0.5, 0.75])
    plain = other if not isinstance(other, str) else x[::-1].copy()
    operator = {
        "less": lambda a, b: a < b,
        "less_equal": lambda a, b: a <= b,
        "equal": lambda a, b: a == b,
        "not_equal": lambda a, b: a != b,
        "greater": lambda a, b: a > b,
        "greater_equal": lambda a, b: a >= b,
    }[name]
    want, flipped = getattr(onp, name)(x, plain), getattr(onp, name)(plain, x)
    seen = []

    def f(x):
        right = x[::-1] if isinstance(other, str) else other
        seen.extend([operator(x, right), getattr(np, name)(x, right), getattr(np, name)(right, x)])
        return x * x

    ag.make_vjp(f)(x)
    ag.make_jvp(f)(x)(x)
    ag.make_jvp(lambda x: ag.make_jvp(f)(x)(x)[1])(x)(x)
    ag.make_jvp(lambda x: ag.make_vjp(f)(x)[0](x))(x)(x)
    assert len(seen) == 12
    for index, got in enumerate(seen):
        expected = flipped if index % 3 == 2 else want
        assert type(got) is onp.ndarray and got.dtype == bool and onp.array_equal(got, expected)
