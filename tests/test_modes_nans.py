"""`detect_nans`: an error at the operation that made a NaN, and at no other."""

import inspect
import re

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.extend import defjvp, defvjp, primitive
from autograd_fast.tracer import getval

NAN = onp.nan


@pytest.fixture(autouse=True)
def silent():
    with onp.errstate(all="ignore"):
        yield


@pytest.fixture
def detecting():
    with ag.detect_nans():
        yield


def line_of(function, offset=1):
    return f"{__file__}:{inspect.getsourcelines(function)[1] + offset}"


def message(run, *args):
    with pytest.raises(FloatingPointError) as caught:
        run(*args)
    return str(caught.value)


@pytest.mark.usefixtures("detecting")
class TestForward:
    def test_a_traced_value(self):
        def f(x):
            return np.sum(np.log(x))

        said = message(ag.grad(f), onp.array([1.0, -2.0]))
        assert said.startswith("log made a NaN from -2.0 at entry (1,)") and said.endswith(line_of(f))

    def test_a_plain_value(self):
        assert message(np.sqrt, -1.0).startswith("sqrt made a NaN from -1.0")

    def test_an_operator(self):
        def f(x):
            return x - x

        said = message(ag.grad(f), onp.inf)
        assert said.startswith("subtract made a NaN from inf and inf") and said.endswith(line_of(f))

    def test_plain_numpy(self):
        def f(x):
            return onp.arccos(x)

        assert message(ag.grad(f), 2.0).endswith(line_of(f))

    def test_integers(self):
        assert "divide made a NaN" in message(ag.grad(lambda x: x * np.true_divide(0, 0)), 1.0)

    @pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "F", "D"])
    def test_every_precision(self, dtype):
        x = onp.array([1.0, onp.inf], dtype)
        assert message(ag.elementwise_grad(lambda x: np.real(x - x)), x).startswith("subtract made a NaN")

    def test_a_tuple_of_results(self):
        pair = primitive(lambda x: (x, onp.log(x)))
        defvjp(pair, lambda ans, x: lambda g: g[0] + g[1] / x)
        assert message(ag.grad(lambda x: pair(x)[0]), -1.0).startswith("<lambda> made a NaN")

    def test_an_object_array_of_traced_values(self):
        def f(x):
            return np.sum(onp.array([x, 2.0 * x], dtype=object) ** 0.5)

        assert "made a NaN" in message(ag.grad(f), -1.0)

    def test_a_function_made_of_others_is_one(self):
        """Masked NaNs inside of it don't count; those that come out have its name."""
        x = onp.array([1.0, NAN, 3.0])
        assert onp.array_equal(ag.grad(np.nansum)(x), [1.0, 0.0, 1.0])
        assert onp.array_equal(ag.grad(lambda x: np.nansum(np.nan_to_num(x)))(x), [1.0, 0.0, 1.0])

        def f(x):
            return np.nanvar(x, ddof=3)

        said = message(ag.grad(f), onp.ones(3))
        assert said.startswith("nanvar made a NaN") and said.endswith(line_of(f))

    def test_the_line_of_the_user_and_not_of_a_library(self):
        def f(x):
            return onp.mean(np.log(x))

        assert message(ag.grad(f), onp.array([-1.0])).endswith(line_of(f))

    def test_inside_a_checkpoint(self):
        def f(x):
            return np.log(x)

        said = message(ag.grad(ag.checkpoint(f)), -1.0)
        assert said.startswith("log made a NaN") and said.endswith(line_of(f))

    def test_inside_nested_derivatives(self):
        def f(x):
            return np.log(x)

        assert message(ag.grad(ag.grad(f)), -1.0).endswith(line_of(f))


@pytest.mark.usefixtures("detecting")
class TestBackward:
    def test_zero_times_infinity(self):
        def f(x):
            y = np.sqrt(x)
            return np.where(x > 0, y, 0.0)

        said = message(ag.grad(f), 0.0)
        assert said.startswith("the derivative of sqrt in argument 0 made a NaN in the backward pass")
        assert "strong_zeros()" in said and said.endswith(line_of(f))

    def test_the_argument(self):
        def f(x, y):
            return np.where(x > 0, np.power(x, y), 0.0)

        assert "power in argument 0" in message(ag.grad(f, 0), 0.0, -1.0)
        inverse = lambda y: np.where(y > 0, np.divide(1.0, y), 0.0)
        assert "divide in argument 1" in message(ag.grad(inverse), 0.0)

    def test_a_function_that_is_not_elementwise(self):
        def f(x):
            return 0.0 * np.linalg.norm(np.sqrt(x))

        said = message(ag.grad(f), onp.zeros(2))
        assert "derivative of sqrt" in said and said.endswith(line_of(f))

    def test_a_rule_of_the_user(self):
        length = primitive(lambda x: onp.sqrt(onp.sum(x * x)))
        length.__name__ = "length"
        defvjp(length, lambda ans, x: lambda g: g * x / ans)

        def f(x):
            return length(x)

        said = message(ag.grad(f), onp.zeros(2))
        assert said.startswith("the derivative of length made a NaN") and said.endswith(line_of(f))

    def test_a_cotangent_summed_to_a_broadcast_operand(self):
        pull, _ = ag.make_vjp(lambda x: x + onp.zeros(2))(1.0)
        assert "derivative of add in argument 0" in message(pull, onp.array([onp.inf, -onp.inf]))

    def test_cotangents_that_cancel(self):
        """Each is infinite, their sum a NaN."""

        def f(x):
            y = 1.0 * x
            return np.sqrt(y) - np.sqrt(2.0 * y)

        said = message(ag.grad(f), 0.0)
        assert re.match("the cotangents .* have a sum with a NaN", said) and said.endswith(line_of(f, 2))

    def test_second_order(self):
        def f(x):
            return np.where(x > 0, x**1.5, 0.0)

        for run in (ag.grad(ag.grad(f)), lambda x: ag.make_jvp(ag.grad(f))(x)(1.0)):
            said = message(run, 0.0)
            assert "derivative of power" in said and said.endswith(line_of(f))

    def test_steps_inside_rules_don_t_count(self):
        """sinc's second derivative is computed with masked 0/0 at 0."""
        assert onp.isclose(ag.grad(ag.grad(np.sinc))(0.0), -(onp.pi**2) / 3)

    def test_containers(self):
        def f(parts):
            return np.where(parts["x"][0] > 0, np.sqrt(parts["x"][0]), parts["y"])

        said = message(ag.grad(f), {"x": (0.0, 1.0), "y": 1.0})
        assert "derivative of sqrt" in said and said.endswith(line_of(f))


@pytest.mark.usefixtures("detecting")
class TestForwardMode:
    def test_a_tangent(self):
        def f(x):
            return np.sqrt(x * x)

        said = message(lambda: ag.make_jvp(f)(0.0)(1.0))
        assert said.startswith("the derivative of sqrt in argument 0 made a NaN in forward mode")
        assert said.endswith(line_of(f))

    def test_the_argument(self):
        def f(x):
            return np.multiply(0.0 * x, np.sqrt(x))

        assert "multiply in argument 1" in message(lambda: ag.make_jvp(f)(0.0)(1.0))

    def test_a_rule_of_the_user(self):
        root = primitive(onp.sqrt)
        defjvp(root, lambda t, ans, x: t / (2 * ans))
        assert "the derivative of sqrt" in message(lambda: ag.make_jvp(lambda x: root(x * x))(0.0)(1.0))


@pytest.mark.usefixtures("detecting")
class TestNaNsInTheData:
    x = onp.array([1.0, NAN, 3.0])

    def test_both_modes(self):
        f = lambda x: np.sum(np.exp(x) * x) + np.linalg.norm(x) + np.max(x) + np.sum(np.sort(x))
        assert onp.isnan(ag.grad(f)(self.x)[1])
        assert onp.isnan(ag.make_jvp(f)(self.x)(onp.ones(3))[1])
        assert onp.isnan(ag.hessian(lambda x: np.sum(x**3))(self.x)[1, 1])

    def test_cotangents_and_tangents(self):
        pull, _ = ag.make_vjp(np.sin)(onp.ones(3))
        assert onp.array_equal(onp.isnan(pull(self.x)), onp.isnan(self.x))
        assert onp.isnan(ag.make_jvp(np.sin)(1.0)(NAN)[1])

    def test_an_entry_beside_them_is_seen(self):
        assert "entry (0,)" in message(ag.grad(lambda x: np.sum(np.log(-x))), self.x)

    def test_operands_of_rules_of_the_user(self):
        scaled = primitive(lambda x, a: x * a)
        defvjp(scaled, lambda ans, x, a: lambda g: g * a)
        assert onp.isnan(ag.grad(scaled)(1.0, NAN))

    def test_lists_and_constants(self):
        assert onp.isnan(np.array([1.0, NAN])[1])
        assert onp.isnan(ag.grad(lambda x: np.where(x > 5.0, x, NAN) * x)(1.0))
        assert onp.all(onp.isnan(np.full(3, NAN)))

    def test_uninitialised_memory(self):
        for _ in range(20):
            onp.full(7, NAN)
            np.empty(7), np.empty_like(onp.ones(7))

    def test_entries_that_where_leaves_out(self):
        x = onp.array([-1.0, 4.0])
        gradient = ag.grad(lambda x: np.sum(np.sqrt(x, where=getval(x) > 0, out=None)[1:]))(x)
        assert gradient[1] == 0.25


def test_the_forward_pass_outside_of_the_mode():
    pull, _ = ag.make_vjp(lambda x: np.where(x > 0, np.sqrt(x), 0.0))(0.0)
    with ag.detect_nans():
        said = message(pull, 1.0)
    assert "derivative of sqrt" in said and "outside of the mode" in said


def test_the_backward_pass_outside_of_the_mode():
    with ag.detect_nans():
        pull, _ = ag.make_vjp(lambda x: np.where(x > 0, np.sqrt(x), 0.0))(0.0)
    assert onp.isnan(pull(1.0))


def test_errstate_stays_the_users():
    with ag.detect_nans(), onp.errstate(divide="raise"):
        with pytest.raises(FloatingPointError, match="divide by zero"):
            ag.grad(np.log)(0.0)
