"""numpy.random with traced parameters: NumPy's draws, and their derivatives."""

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp

VECTOR, POSITIVE = onp.array([0.5, -1.0, 2.0]), onp.array([0.7, 1.5, 2.5])
COVARIANCE = onp.array([[2.0, 0.3, -0.4], [0.3, 1.0, 0.2], [-0.4, 0.2, 1.5]])

draws = {
    "normal": (lambda r, m, s: r.normal(m, s), [(0.3, 1.5), (VECTOR, 1.5), (VECTOR, POSITIVE)]),
    "normal, size": (lambda r, m, s: r.normal(scale=s, loc=m, size=(2, 3)), [(0.3, 1.5), (VECTOR, POSITIVE)]),
    "normal, one parameter": (lambda r, m: r.normal(m, size=4), [(0.3,)]),
    "uniform": (lambda r, a, b: r.uniform(a, b, (2, 3)), [(-1.0, 2.0), (VECTOR, VECTOR + POSITIVE)]),
    "laplace": (lambda r, m, s: r.laplace(m, s, (4, 3)), [(VECTOR, POSITIVE)]),
    "logistic": (lambda r, m, s: r.logistic(m, s, (4, 3)), [(VECTOR, POSITIVE)]),
    "gumbel": (lambda r, m, s: r.gumbel(m, s, (4, 3)), [(VECTOR, POSITIVE)]),
    "lognormal": (lambda r, m, s: r.lognormal(m, s), [(VECTOR, POSITIVE), (0.1, 0.5)]),
    "exponential": (lambda r, s: r.exponential(s), [(POSITIVE,), (0.5,)]),
    "rayleigh": (lambda r, s: r.rayleigh(s, (2, 3)), [(POSITIVE,)]),
    "gamma": (lambda r, s: r.gamma(POSITIVE, s), [(1.5,), (POSITIVE,)]),
    "weibull": (lambda r, a: r.weibull(a, (2, 3)), [(POSITIVE,)]),
    "pareto": (lambda r, a: r.pareto(a), [(POSITIVE + 1,)]),
    "power": (lambda r, a: r.power(a), [(POSITIVE,)]),
    "triangular": (lambda r, a, b, c: r.triangular(a, b, c, 20), [(-1.0, 0.3, 2.0)]),
    "triangular, mode at the end": (lambda r, a, b: r.triangular(a, a, b, 20), [(-1.0, 2.0)]),
    "multivariate_normal": (lambda r, m: r.multivariate_normal(m, COVARIANCE, (2,)), [(VECTOR,)]),
    "permutation": (lambda r, x: r.permutation(x), [(VECTOR,), (COVARIANCE,)]),
    "choice": (lambda r, a: r.choice(a, (2, 4), p=[0.2, 0.3, 0.5]), [(VECTOR,)]),
}


@pytest.mark.parametrize(
    "draw, args",
    [
        pytest.param(draw, args, id=f"{name}-{i}")
        for name, (draw, cases) in draws.items()
        for i, args in enumerate(cases)
    ],
)
def test_draws_are_numpys_and_their_derivatives_right(draw, args):
    def seeded(np, *args):
        np.random.seed(12)
        return draw(np.random, *args)

    check_both_modes(seeded, *args, float32=False)


def test_the_generator_is_left_as_numpy_leaves_it():
    def following(np, *args):
        np.random.seed(3)
        for draw, cases in draws.values():
            draw(np.random, *[args[0] * value for value in cases[0]])
        return np.random.random_sample()

    traced = []
    ag.make_jvp(lambda one: traced.append(following(anp, one)) or one)(1.0)(1.0)
    assert traced == [following(onp, 1.0)]


def test_draws_of_many_normal_variables_move_with_their_covariance():
    def variance(factor):
        anp.random.seed(0)
        x = anp.random.multivariate_normal(VECTOR, factor * COVARIANCE, 50)
        return anp.mean((x - VECTOR) ** 2)

    value, slope = ag.value_and_grad(variance)(2.0)
    onp.random.seed(0)
    plain = onp.random.multivariate_normal(VECTOR, 2 * COVARIANCE, 50)
    onp.testing.assert_allclose(value, onp.mean((plain - VECTOR) ** 2))
    onp.testing.assert_allclose(slope, value / 2)
    with pytest.raises(NotImplementedError, match="numpy.random.multivariate_normal: .*singular"):
        ag.grad(lambda s: anp.sum(anp.random.multivariate_normal([0.0, 0.0], s * onp.ones((2, 2)))))(1.0)


@pytest.mark.parametrize(
    "draw, words",
    [
        (lambda r, x: r.gamma(x, 1.0), "numpy.random.gamma: .* in shape;"),
        (lambda r, x: r.beta(1.0, b=x), "numpy.random.beta: .* in b;"),
        (lambda r, x: r.poisson(lam=x, size=2), "numpy.random.poisson: .* in lam;"),
        (lambda r, x: r.dirichlet([x, 1.0, x]), "numpy.random.dirichlet: .* in alpha;"),
        (lambda r, x: r.choice(2, p=[x, 1 - x]), "numpy.random.choice: .* in p;"),
        (lambda r, x: r.wald(x, x), "numpy.random.wald: .* in mean and scale;"),
    ],
)
def test_other_distributions_refuse_traced_parameters(draw, words):
    with pytest.raises(NotImplementedError, match=words):
        ag.grad(lambda x: anp.sum(draw(anp.random, x)))(0.4)


@pytest.mark.parametrize(
    "draw, words",
    [
        (lambda r, x: r.normal(0.0, -x), "scale < 0"),
        (lambda r, x: r.weibull(-x), "a <= 0"),
        (lambda r, x: r.choice(x * onp.ones((2, 2))), "1-dimensional"),
        (lambda r, x: r.triangular(x, 0.0, 1.0), "left <= mode"),
        (lambda r, x: r.normal(x * onp.ones(3), 1.0, size=2), "shape mismatch"),
        (lambda r, x: r.normal(x * onp.ones((2, 3)), 1.0, size=3), "Output size"),
    ],
)
def test_parameters_are_checked_as_numpy_checks_them(draw, words):
    for number in (0.4, 1.0):
        with pytest.raises(ValueError, match=words):
            ag.grad(lambda x: anp.sum(draw(anp.random, x)))(number)


def test_a_generator_is_numpys_own():
    generator = anp.random.default_rng(0)
    assert type(generator) is onp.random.Generator
    with pytest.raises((TypeError, ValueError)):
        ag.grad(lambda x: anp.sum(generator.normal(x, 1.0, 2)))(1.0)
