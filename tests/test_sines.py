"""The sines and cosines of pullbacks: right to the last place, and NumPy's own where their loop gives up."""

import warnings
from decimal import Decimal, localcontext

import numpy as onp
import pytest
from numeric import without_kernels

import autograd_fast as ag
import autograd_fast.numpy as np

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")
LIMIT = 1024.0  # from where the loop leaves the numbers to NumPy

RNG = onp.random.default_rng(0)
MULTIPLES = onp.arange(-651, 652) * (onp.pi / 2)
NUMBERS = {
    "small": RNG.uniform(-1, 1, 1000),
    "tiny": RNG.uniform(-1, 1, 300) * 2.0 ** RNG.integers(-300, 0, 300),
    "medium": RNG.uniform(-20, 20, 1000),
    "large": RNG.uniform(-LIMIT, LIMIT, 1000),
    "multiples of pi/2": MULTIPLES,
    "above multiples": onp.nextafter(MULTIPLES, onp.inf),
    "below multiples": onp.nextafter(MULTIPLES, -onp.inf),
    "between multiples": MULTIPLES[:-1] + onp.pi / 4,
    "beyond the limit": onp.array([LIMIT, -LIMIT, 1e5, -1e10]),
    "some beyond the limit": onp.concatenate([RNG.uniform(-3, 3, 1500), [1e7], RNG.uniform(-3, 3, 1500)]),
}
# The function, and its derivative as a sine: how many quarters of a turn are added to x, and the sign.
FUNCTIONS = {"sin": (np.sin, 1, 1), "cos": (np.cos, 0, -1)}


def exact(x, quarters):
    """``sin(x + quarters * pi / 2)`` by its series, to more than 50 digits."""
    with localcontext(prec=80):
        x = Decimal(float(x)) + quarters * PI / 2
        x -= (x / (2 * PI)).to_integral_value() * (2 * PI)
        term = total = x
        n = 1
        while abs(term) > Decimal(10) ** -75 * abs(total):
            n += 2
            term *= -x * x / (n * (n - 1))
            total += term
        return total


def derivatives(f, x):
    """By a cotangent of ones, by one that is broadcast, and by a tangent."""
    ones = onp.ones_like(x)
    yield ag.make_vjp(f)(x)[0](ones)
    yield ag.grad(lambda x: np.sum(f(x)))(x)
    yield ag.make_jvp(f)(x)(ones)[1]


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_derivative_is_right_to_the_last_place(name, numbers):
    f, quarters, sign = FUNCTIONS[name]
    x = NUMBERS[numbers]
    want = [sign * exact(entry, quarters) for entry in x]
    unit = onp.spacing(onp.abs(onp.array(want, float)))
    for got in derivatives(f, x):
        off = [
            abs(float((Decimal(float(g)) - w) / Decimal(float(u))))
            for g, w, u in zip(got, want, unit, strict=True)
        ]
        assert max(off) <= 1.0


@pytest.mark.parametrize("n", [1, 2, 3, 7, 1023, 1024, 1025, 2049])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_length_has_its_own_entries(name, n):
    f = FUNCTIONS[name][0]
    x, g = RNG.uniform(-5, 5, n), RNG.standard_normal(n)
    want = g * (onp.cos(x) if name == "sin" else -onp.sin(x))
    onp.testing.assert_allclose(ag.make_vjp(f)(x)[0](g), want, rtol=1e-15)
    onp.testing.assert_allclose(ag.make_jvp(f)(x)(g)[1], want, rtol=1e-15)


@pytest.mark.parametrize(
    "bad", [onp.inf, -onp.inf, onp.nan, 5e-324, -5e-324, 1e-310, 1e-200, 0.0, -0.0, 1e300]
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_hostile_entries_have_the_values_and_warnings_of_the_general_path(name, bad):
    f = FUNCTIONS[name][0]
    x = onp.array([0.5, bad, 700.0, -0.25])

    def observed():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results = list(derivatives(f, x))
        return results, [str(w.message) for w in caught]

    results, texts = observed()
    plain, plain_texts = without_kernels(observed)
    assert texts == plain_texts
    for got, want in zip(results, plain, strict=True):
        onp.testing.assert_allclose(got, want, rtol=4e-16)


def test_single_precision_and_higher_orders_keep_their_kind():
    x = RNG.uniform(-3, 3, 50)
    single = ag.elementwise_grad(np.sin)(x.astype("f"))
    assert single.dtype == onp.float32
    onp.testing.assert_allclose(single, onp.cos(x), rtol=1e-5, atol=1e-6)
    third = ag.elementwise_grad(ag.elementwise_grad(ag.elementwise_grad(np.sin)))(x)
    onp.testing.assert_allclose(third, -onp.cos(x), rtol=1e-15)
