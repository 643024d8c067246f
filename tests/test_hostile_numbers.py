"""Derivatives to order six in mixed modes, and kernels against the ordinary way on awkward operands."""

import itertools
import math
import warnings

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import _kernels
from autograd_fast.extend import vspace

AT = 0.7


def forward(f):
    return lambda x: ag.make_jvp(f)(x)(1.0)[1]


MODES = {
    "reverse": [ag.grad] * 6,
    "forward": [forward] * 6,
    "alternating": [ag.grad, forward] * 3,
    "mixed": [forward, forward, ag.grad, ag.grad, forward, ag.grad],
}

SIXTH = {
    "sin": (np.sin, -math.sin(AT)),
    "exp": (lambda x: x * np.exp(x), (AT + 6) * math.exp(AT)),
    "log": (np.log, -120 / AT**6),
    "reciprocal": (lambda x: 1 / x, 720 / AT**7),
    "sqrt": (np.sqrt, -945 / 64 * AT**-5.5),
    "power": (lambda x: x**7, 5040 * AT),
    "exponent": (lambda x: 2.0**x, math.log(2) ** 6 * 2**AT),
    "dot": (lambda x: np.dot(np.array([x, x**3]), np.array([x, x**3])), 720.0),
    "prod": (lambda x: np.prod(np.array([x] * 6)), 720.0),
    "where": (lambda x: np.where(x > 0, x**6, 0.0), 720.0),
    "norm": (lambda x: np.linalg.norm(np.array([x, 0.0])) ** 6, 720.0),
    "inv": (lambda x: np.linalg.inv(np.array([[x, 0.0], [0.0, 1.0]]))[0, 0], 720 / AT**7),
    "einsum": (lambda x: np.einsum("i,i,i->", *[np.array([x**2, x])] * 3), 720.0),
}


@pytest.mark.filterwarnings("ignore:Output seems independent")
@pytest.mark.parametrize("modes", MODES)
@pytest.mark.parametrize("name", SIXTH)
def test_sixth_derivatives(name, modes):
    f, want = SIXTH[name]
    for operator in MODES[modes]:
        f = operator(f)
    onp.testing.assert_allclose(f(AT), want, rtol=1e-6)


# ----- kernels -----

SPECIAL = onp.array([0.0, 1.0, -1.0, 0.5, 3.0, onp.inf, -onp.inf, onp.nan, 1e308, 5e-324, 710.0, -745.0])
OPERANDS = [
    1.5,
    2,
    -1,
    True,
    10**30,
    onp.float64(0.0),
    onp.float64(onp.inf),
    onp.float32(1.5),
    SPECIAL,
    SPECIAL.reshape(3, 4).T,
    SPECIAL[::-2],
    onp.array([[1.0, 2.0, 0.5]] * 2),
    onp.array([1.0, 2.0, 0.5]),
    onp.array([1.0, 2.0, 0.5], "f"),
    onp.array(2.0),
    onp.ones((2, 0)),
    onp.array([1 + 2j, 3, 0]),
    onp.array([1.0, 2.0, 0.5], ">f8"),
]


def outcome(f, argnum, args):
    """Value, cotangent and floating-point errors of a call, or the error that it raises."""
    seen = set()
    with warnings.catch_warnings(), onp.errstate(all="call", call=lambda kind, flag: seen.add(kind)):
        warnings.simplefilter("error")
        try:
            vjp, ans = ag.make_vjp(f, argnum)(*args)
            return ans, vjp(vspace(ans).ones()), seen
        except (TypeError, ValueError, ArithmeticError) as error:
            return type(error), None, seen


@pytest.fixture
def without_kernels():
    def run(*args):
        was = _kernels.set_enabled(False)
        try:
            return outcome(*args)
        finally:
            _kernels.set_enabled(was)

    return run


def assert_same(got, want):
    if isinstance(want, type) or want is None:
        assert got is want
        return
    got, want = onp.asarray(got), onp.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype == object:  # NumPy before 2 makes objects of long integers, and finds no nan among them
        got, want = onp.vectorize(repr, otypes="U")(got), onp.vectorize(repr, otypes="U")(want)
    onp.testing.assert_array_equal(got, want)


UNARY = ["negative", "exp", "log", "log1p", "expm1", "sqrt", "square", "sin", "cos", "tanh", "absolute"]
BINARY = ["add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "matmul"]


@pytest.mark.parametrize("name", [*UNARY, "sum"])
def test_unary_kernels_are_numpy_on_awkward_operands(name, without_kernels):
    for x in OPERANDS:
        case = (getattr(np, name), 0, (x,))
        for got, want in zip(outcome(*case), without_kernels(*case), strict=True):
            if isinstance(want, set):
                assert got == want, x
            else:
                assert_same(got, want)


@pytest.mark.parametrize("name", BINARY)
def test_binary_kernels_are_numpy_on_awkward_operands(name, without_kernels):
    for x, y in itertools.product(OPERANDS, OPERANDS):
        for argnum in (0, 1):
            case = (getattr(np, name), argnum, (x, y))
            for got, want in zip(outcome(*case), without_kernels(*case), strict=True):
                if isinstance(want, set):
                    assert got == want, (x, y)
                else:
                    assert_same(got, want)
