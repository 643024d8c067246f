"""Subscripts that look alike and are not: what selects an entry once, and what more often."""

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.extend import defvjp, primitive

A = onp.arange(24.0).reshape(2, 3, 4)

SUBSCRIPTS = {
    "tuple of tuples": ((0, 1, 0), (2, 2, 2)),
    "tuple of tuples, repeated": ((0, 0, 0), (1, 1, 1), (3, 3, 3)),
    "tuple of lists": ([0, 1], [1, 1]),
    "tuple and slice": ((1, 1), slice(None)),
    "numbers": (1, 2, 3),
    "slices": (slice(None, None, -1), slice(1, None)),
    "None and ellipsis": (None, Ellipsis, 1),
    "array": onp.array([1, 1, 0]),
    "mask": A > 7.0,
    "mask and number": (onp.array([True, False]), 1),
    "bool": True,
}


@pytest.mark.parametrize("name", SUBSCRIPTS)
def test_gradient_of_a_subscript(name):
    index = SUBSCRIPTS[name]
    weights = onp.random.default_rng(0).random(onp.shape(A[index]))
    want = onp.zeros(A.shape)
    onp.add.at(want, index, weights)
    onp.testing.assert_array_equal(ag.grad(lambda x: np.sum(weights * x[index]))(A), want)
    onp.testing.assert_allclose(
        ag.grad(lambda x: np.sum(weights * x[index]) + np.sum(x) + x[0, 0, 0])(A),
        want + 1 + (onp.arange(24).reshape(A.shape) == 0),
    )


@pytest.mark.parametrize("f", [np.dot, np.inner, lambda a, b: np.tensordot(a, b, 0), np.multiply, np.outer])
def test_products_with_a_python_float(f):
    x = onp.array([[1.0, -2.0], [0.5, 3.0]])
    for g in (lambda v: np.sum(f(v, 1.5)), lambda v: np.sum(f(1.5, v))):
        onp.testing.assert_allclose(ag.grad(g)(x), onp.full((2, 2), 1.5))
    for g in (lambda s: np.sum(f(x, s)), lambda s: np.sum(f(s, x))):
        onp.testing.assert_allclose(ag.grad(g)(2.0), x.sum())


def test_append_of_a_traced_list():
    gradient = ag.grad(lambda a, b: np.sum(np.append(a, b) ** 2), (0, 1))([1.0, 2.0], 3.0)
    assert isinstance(gradient[0], list) and [float(g) for g in gradient[0]] == [2.0, 4.0]
    assert gradient[1] == 6.0


@pytest.mark.parametrize("f", [np.mean, np.sum, np.max, lambda v: np.sum(np.multiply(v, v)), np.linalg.norm])
def test_a_traced_list_is_an_array_to_numpys_functions(f):
    x = [1.0, 2.0, 3.0]
    gradient = ag.grad(f)(x)
    assert isinstance(gradient, list)
    onp.testing.assert_allclose(gradient, ag.grad(f)(onp.array(x)))


@pytest.mark.parametrize("made", [lambda g: g * (1 + 1j), lambda g: g[None], lambda g: g.astype("f")])
def test_what_a_users_rule_returns_is_brought_to_its_operand(made):
    p = primitive(lambda x: x + 0.0)
    defvjp(p, lambda ans, x: made)
    for f in (lambda x: np.sum(p(x)), lambda x: np.sum(p(x * 2.0)) / 2):
        gradient = ag.grad(f)(onp.ones(3))
        assert gradient.shape == (3,) and gradient.dtype == onp.float64
        onp.testing.assert_array_equal(gradient, onp.ones(3))


def test_an_escaped_value_may_be_compared_with():
    kept = []

    def loss(x):
        value = x * x
        better = not kept or value < kept[-1]
        kept.append(value)
        return value if better else value * 1.0

    g = ag.grad(loss)
    assert [g(x) for x in (3.0, 2.0, 4.0)] == [6.0, 4.0, 8.0]


def test_a_complex_jacobian_is_that_of_a_holomorphic_function():
    z = onp.array([1.0 + 2.0j, 0.5 - 1.0j])
    onp.testing.assert_allclose(ag.jacobian(lambda z: z**2)(z), onp.diag(2 * z))
    with pytest.raises(ValueError, match="holomorphic"):
        ag.jacobian(np.conj)(z)
