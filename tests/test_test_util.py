"""The gradient checks themselves: right rules pass, wrong ones of every kind fail."""

import numpy as onp
import pytest


@pytest.fixture
def check(lib):
    return lib.module("test_util")


def primitive_with(lib, f, vjp=None, jvp=None):
    """A primitive with the given maps ``vjp(g, ans, x)`` and ``jvp(t, ans, x)``."""
    extend = lib.module("extend")
    made = extend.primitive(lambda x: f(x))  # not the ufunc itself, whose primitive this would replace
    if vjp is not None:
        extend.defvjp(made, lambda ans, x: lambda g: vjp(g, ans, x))
    if jvp is not None:
        extend.defjvp(made, jvp)
    return made


POINTS = [
    2.0,
    onp.float64(0.3),
    onp.array([0.5, -1.0, 2.0]),
    onp.ones((2, 1, 3)),
    onp.array([1.0 + 2.0j, -0.5j]),
    [1.0, (onp.array([2.0, 3.0]), {"k": 0.5})],
]


def smooth(np, x):
    if isinstance(x, onp.ndarray) or onp.isscalar(x) or hasattr(x, "dtype"):
        return np.sin(x) * x + np.exp(0.1 * x)
    return x[0] * np.sum(x[1][0] ** 2) * x[1][1]["k"]


@pytest.mark.parametrize("x", POINTS, ids=str)
def test_right_derivatives_pass(lib, check, x):
    check.check_grads(lambda x: smooth(lib.np, x), modes=["fwd", "rev"], order=2)(x)
    check.check_vjp(lambda x: smooth(lib.np, x), x)
    check.check_jvp(lambda x: smooth(lib.np, x), x)


def test_orders_modes_and_arguments(lib, check):
    def f(x, y, k=2.0):
        return x**3 * lib.np.sin(k * y)

    for modes in (["fwd"], ["rev"], ["fwd", "rev"], ("rev", "fwd")):
        for order in (1, 2, 3):
            check.check_grads(f, (0, 1), modes=modes, order=order)(1.3, 0.4)
    check.check_grads(f, 1, order=2)(1.3, 0.4, k=1.1)
    check.check_grads(f, [0, 1], ["rev"], 1)(1.3, onp.array([0.4, 0.5]))
    assert check.check_grads(f).__name__ == "check_grads_of_f_wrt_argnum_0"


WRONG = {
    "factor": lambda g, ans, x: 1.001 * g * onp.cos(x),
    "sign": lambda g, ans, x: -g * onp.cos(x),
    "zero": lambda g, ans, x: 0.0 * g,
    "nan": lambda g, ans, x: g * onp.nan,
    "nan in one entry": lambda g, ans, x: g * onp.cos(x) * onp.where(x > 1.0, onp.nan, 1.0),
    "inf": lambda g, ans, x: g * onp.inf,
    "one entry": lambda g, ans, x: g * onp.cos(x) * onp.where(x > 1.0, 1.01, 1.0),
    "shape": lambda g, ans, x: onp.sum(g * onp.cos(x)),
    "kind": lambda g, ans, x: g * onp.cos(x) * (1.0 + 0.0j),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_wrong_rules_fail(lib, check, name, mode):
    if (name, mode, lib.ag.__name__) == ("kind", "rev", "autograd_fast"):
        pytest.skip("a cotangent is brought to the kind of its operand")
    bad = primitive_with(lib, onp.sin, WRONG[name], WRONG[name])
    x = onp.array([0.3, 1.2, -0.4])
    with onp.errstate(invalid="ignore"), pytest.raises(AssertionError):
        check.check_grads(bad, modes=[mode], order=1)(x)
    with onp.errstate(invalid="ignore"), pytest.raises(AssertionError):
        (check.check_jvp if mode == "fwd" else check.check_vjp)(bad, x)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_a_rule_that_drops_the_next_order_fails_at_order_two(lib, check, mode):
    getval = lib.module("tracer").getval
    rule = lambda g, ans, x: g * onp.cos(getval(x))
    f = primitive_with(lib, onp.sin, rule, rule)
    check.check_grads(f, modes=[mode], order=1)(0.7)
    with pytest.raises(AssertionError):
        check.check_grads(f, modes=[mode], order=2)(0.7)


def test_a_missing_rule_is_not_a_failed_check(lib, check):
    f = primitive_with(lib, onp.sin)
    for mode in ("fwd", "rev"):
        with pytest.raises(NotImplementedError):
            check.check_grads(f, modes=[mode])(0.7)


@pytest.mark.ours_only("only the derivative is checked, not the traced value")
def test_a_value_that_changes_under_tracing_fails(lib, check):
    isbox = lib.module("tracer").isbox
    f = lambda x: x * 2.0 + (1.0 if isbox(x) else 0.0)
    with pytest.raises(AssertionError, match="Value mismatch"):
        check.check_vjp(f, 1.0)
    with pytest.raises(AssertionError, match="Value mismatch"):
        check.check_jvp(f, 1.0)


@pytest.mark.ours_only("differences with one small step only")
def test_hard_points_pass(lib, check):
    np = lib.np
    check.check_grads(np.log)(1e-2)  # near the border of the domain
    check.check_grads(np.abs)(1e-4)  # near a kink
    check.check_grads(lambda x: 1e8 * np.sin(x))(0.5)  # large values
    check.check_grads(lambda x: np.exp(x) - 1e5)(0.5)  # cancellation
    check.check_grads(np.sin)(1e4)


@pytest.mark.ours_only("differences are too coarse in single precision")
def test_single_precision(lib, check):
    x = onp.array([0.3, -1.2], dtype=onp.float32)
    check.check_grads(lib.np.sin)(x)
    bad = primitive_with(lib, onp.sin, lambda g, ans, x: (g * onp.cos(x) * 1.1).astype(x.dtype))
    with pytest.raises(AssertionError):
        check.check_grads(bad, modes=["rev"], order=1)(x)


def test_modes_are_checked(lib, check):
    for modes in (["zzz"], "fwd"):
        with pytest.raises(AssertionError):
            check.check_grads(lib.np.sin, modes=modes)(1.0)


def test_scalar_close(lib, check):
    for a, b, close in (
        (1.0, 1.0 + 1e-7, True),
        (1.0, 1.0 + 1e-5, False),
        (0.0, 5e-7, True),
        (0.0, 2e-6, False),
        (1e9, 1e9 + 500, True),
        (1e9, 1e9 + 5000, False),
        (float("nan"), float("nan"), False),
        (1.0, float("nan"), False),
    ):
        assert check.scalar_close(a, b) == close, (a, b)
    assert (check.TOL, check.RTOL, check.EPS) == (1e-6, 1e-6, 1e-6)


def test_check_equivalent(lib, check):
    for x in (1.0, onp.ones(3), [1.0, onp.ones(2)], {"a": 1j}):
        check.check_equivalent(x, x)
    for x, y, message in (
        (1.0, 2.0, "Value mismatch"),
        (onp.ones(2), onp.ones(3), "VSpace mismatch"),
        (1.0, 1j, "VSpace mismatch"),
        ([1.0], (1.0,), "VSpace mismatch"),
        (float("nan"), float("nan"), "Value mismatch"),
    ):
        with pytest.raises(AssertionError, match=message):
            check.check_equivalent(x, y)


def test_make_numerical_jvp(lib, check):
    jvp = check.make_numerical_jvp(lambda x: x**3, onp.array([1.0, 2.0]))
    onp.testing.assert_allclose(jvp(onp.array([1.0, 10.0])), [3.0, 120.0], rtol=1e-6)
    jvp = check.make_numerical_jvp(lambda p: p[0] * p[1], (3.0, 2.0))
    onp.testing.assert_allclose(jvp((1.0, 0.0)), 2.0, rtol=1e-6)


def test_combo_check_tries_every_combination(lib, check):
    seen = set()

    def f(x, y, axis=None, keepdims=False):
        seen.add((float(onp.asarray(lib.module("tracer").getval(x)).flat[0]).__round__(3), axis, keepdims))
        return lib.np.sum(x * y, axis=axis, keepdims=keepdims)

    checker = check.combo_check(f, (0, 1), ["rev"], 1)
    checker(
        [onp.ones((2, 2)), 2 * onp.ones((2, 2))], [onp.ones((2, 2))], axis=[None, 0], keepdims=[True, False]
    )
    assert {case[1:] for case in seen} == {(None, True), (None, False), (0, True), (0, False)}
    assert {1.0, 2.0} <= {case[0] for case in seen}
    bad = primitive_with(lib, onp.sin, WRONG["sign"])
    with pytest.raises(AssertionError):
        check.combo_check(bad, 0, modes=["rev"])([0.0, 1.0])


def test_quick_grad_check_still_works_and_warns(lib):
    quick_grad_check = lib.module("util").quick_grad_check
    with pytest.warns(UserWarning, match="quick_grad_check function is deprecated"):
        quick_grad_check(lambda x, y, k=1.0: x**2 * y * k, 3.0, (2.0,), {"k": 3.0}, verbose=False)
    bad = primitive_with(lib, onp.sin, WRONG["factor"])
    with pytest.warns(UserWarning, match="deprecated"), pytest.raises(AssertionError):
        quick_grad_check(bad, 0.3)
