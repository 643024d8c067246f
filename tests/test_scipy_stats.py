"""The derivatives of scipy.stats against finite differences of SciPy."""

import numpy as onp
import pytest

pytest.importorskip("scipy")

import scipy.stats
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast.scipy import stats

TOLERANCES = {"rtol": 1e-5, "atol": 1e-7}


def traced(dist, name):
    """The function of that name: SciPy's for plain NumPy, ours for the traced namespace."""

    def call(np, *args, **kwargs):
        return getattr(getattr(scipy.stats if np is onp else stats, dist), name)(*args, **kwargs)

    return call


# A point, the shape parameters, loc and scale: of shapes that broadcast.
FAMILIES = {
    "norm": (onp.array([[0.3, -1.2, 2.1]]), (), onp.array([[0.1], [0.6]]), onp.array([1.3, 0.7, 2.0])),
    "t": (onp.array([[0.3, -1.2, 2.1]]), (onp.array([[2.5], [6.0]]),), 0.2, onp.array([1.3, 0.7, 2.0])),
    "gamma": (onp.array([[1.3, 0.7, 2.1]]), (onp.array([[2.5], [0.8]]),), 0.2, onp.array([1.3, 0.7, 2.0])),
    "chi2": (onp.array([[1.3, 0.7, 2.1]]), (onp.array([[2.5], [3.8]]),), 0.2, onp.array([1.3, 0.7, 2.0])),
    "beta": (
        onp.array([[0.3, 0.5, 0.8]]),
        (onp.array([[2.5], [0.8]]), onp.array([1.4, 2.0, 3.1])),
        0.1,
        onp.array([1.1, 1.4, 2.0]),
    ),
}
PROBABILITIES = onp.array([[0.2, 0.55, 0.9]])


@pytest.mark.parametrize("dist", FAMILIES)
@pytest.mark.parametrize("name", ["logpdf", "pdf", "cdf", "logcdf", "sf", "logsf"])
def test_family(dist, name):
    x, shapes, loc, scale = FAMILIES[dist]
    check_both_modes(traced(dist, name), x, *shapes, **TOLERANCES)
    check_both_modes(traced(dist, name), x, *shapes, loc, scale, **TOLERANCES)


@pytest.mark.parametrize("dist", FAMILIES)
@pytest.mark.parametrize("name", ["ppf", "isf"])
def test_inverse(dist, name):
    _, shapes, loc, scale = FAMILIES[dist]
    check_both_modes(traced(dist, name), PROBABILITIES, *shapes, loc, scale, **TOLERANCES)


@pytest.mark.parametrize("dist", FAMILIES)
def test_keywords(dist):
    x, shapes, loc, scale = (
        v if isinstance(v, tuple) else onp.float64(onp.ravel(v)[0]) for v in FAMILIES[dist]
    )
    shapes = [onp.ravel(s)[0] for s in shapes]
    names = [s.strip() for s in (getattr(scipy.stats, dist).shapes or "").split(",") if s.strip()]
    names += ["loc", "scale"]

    def by_name(np, *values):
        return traced(dist, "logpdf")(np, x, **dict(zip(names, values, strict=True)))

    check_both_modes(by_name, *shapes, loc, scale, **TOLERANCES)
    check_both_modes(lambda np, x: traced(dist, "cdf")(np, x, *shapes, scale=2.0), x, **TOLERANCES)


@pytest.mark.parametrize(
    "dist, shapes, x",
    [("gamma", (2.5,), -0.3), ("chi2", (3.0,), -0.3), ("beta", (1.4, 2.0), 1.3), ("beta", (1.4, 2.0), -0.3)],
)
def test_outside_the_support(dist, shapes, x):
    module = getattr(stats, dist)
    with onp.errstate(all="raise"):
        for name in ("pdf", "cdf", "sf", "logsf" if x < 0 else "logcdf"):
            fun = getattr(module, name)
            for argnum in range(1 + len(shapes)):
                assert ag.grad(fun, argnum)(x, *shapes) == 0
                assert ag.grad(ag.grad(fun, argnum), argnum)(x, *shapes) == 0
    some = onp.array([x, 0.4])
    got = ag.grad(lambda v: anp.sum(module.pdf(v, *shapes)))(some)
    assert got[0] == 0 and got[1] == ag.grad(module.pdf)(0.4, *shapes)


@pytest.mark.parametrize(
    "dist, name, args, argnum, slope",
    [
        ("chi2", "logpdf", (1.3, 2.5), 0, 0.25 / 1.3 - 0.5),
        ("norm", "logcdf", (-1e4,), 0, 1e4),
        ("norm", "logsf", (1e4,), 0, -1e4),
        ("norm", "logcdf", (-1e4, 0.0, 2.0), 2, 5e3**2 / 2),
        ("gamma", "logpdf", (0.0, 1.0), 0, -1.0),
        ("beta", "pdf", (0.0, 1.0, 1.0), 0, 0.0),
        ("poisson", "logpmf", (0, 0.0), 1, -1.0),
    ],
)
def test_extreme_points(dist, name, args, argnum, slope):
    onp.testing.assert_allclose(ag.grad(getattr(getattr(stats, dist), name), argnum)(*args), slope, rtol=1e-6)


def test_negative_scale_is_nan():
    assert onp.isnan(stats.gamma.cdf(1.0, 2.0, 0.0, -1.0))
    assert onp.isnan(ag.make_jvp(lambda x: stats.gamma.cdf(x, 2.0, 0.0, -1.0))(1.0)(1.0)[0])


@pytest.mark.parametrize("name", ["logpmf", "pmf", "cdf", "logcdf", "sf", "logsf"])
def test_poisson(name):
    k = onp.array([[0, 2, 5]])
    mu = onp.array([[1.3], [4.2]])
    check_both_modes(lambda np, mu: traced("poisson", name)(np, k, mu), mu, **TOLERANCES)
    check_both_modes(lambda np, mu: traced("poisson", name)(np, k + 1.0, mu=mu, loc=1), mu, **TOLERANCES)
    with pytest.raises(NotImplementedError, match="whole numbers"):
        ag.grad(lambda k: getattr(stats.poisson, name)(k, 2.0))(3.0)


def test_poisson_of_impossible_counts():
    for k in (-1, 1.5):
        assert ag.grad(stats.poisson.pmf, 1)(k, 2.0) == 0
        assert ag.grad(stats.poisson.logpmf, 1)(k, 2.0) == 0


COV = onp.array([[1.5, 0.3, -0.2], [0.3, 0.9, 0.1], [-0.2, 0.1, 1.2]])
MEAN = onp.array([0.3, -0.4, 0.1])


def symmetric(np, s):
    return (s + np.transpose(s)) / 2


@pytest.mark.parametrize("name", ["logpdf", "pdf"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 3), (2, 4, 3), (2, 1, 3)])
def test_multivariate_normal(name, shape):
    x = onp.random.default_rng(0).standard_normal(shape)

    def f(np, x, mean, s):
        return traced("multivariate_normal", name)(np, x, mean, symmetric(np, s))

    check_both_modes(f, x, MEAN, COV + onp.triu(0.1 * COV, 1), **TOLERANCES)


@pytest.mark.parametrize(
    "x, mean, cov",
    [
        (0.4, 0.3, 1.7),
        (onp.array([0.4, 1.1]), 0.3, 1.7),
        (onp.array([0.4, 1.1]), onp.array([0.3, 0.2]), 1.7),
        (onp.array([0.4, 1.1]), onp.array([0.3, 0.2]), onp.array([1.7, 0.8])),
        (onp.array([0.4, 1.1]), onp.array([0.3]), onp.array([[1.7]])),
    ],
)
def test_multivariate_normal_short_forms(x, mean, cov):
    f = traced("multivariate_normal", "logpdf")
    check_both_modes(f, x, mean, cov, float32=False, **TOLERANCES)
    check_both_modes(lambda np, x, m, c: f(np, x, mean=m, cov=c), x, mean, cov, float32=False, **TOLERANCES)


def test_multivariate_normal_defaults():
    f = traced("multivariate_normal", "logpdf")
    x = onp.array([0.3, 0.4])
    check_both_modes(lambda np, x, m: f(np, x, m), x, onp.array([0.1, 0.2]), **TOLERANCES)
    check_both_modes(lambda np, x: f(np, x), x, **TOLERANCES)
    check_both_modes(lambda np, x: f(np, x, cov=[[1.2, 0.1], [0.1, 0.8]]), x, **TOLERANCES)
    check_both_modes(lambda np, x: f(np, x, None, None), x, **TOLERANCES)


def test_multivariate_normal_singular():
    v = onp.array([1.0, 2.0])
    cov, x = onp.outer(v, v), 0.4 * v
    got = ag.grad(lambda x: stats.multivariate_normal.logpdf(x, onp.zeros(2), cov, True))(x)
    onp.testing.assert_allclose(got, -onp.linalg.pinv(cov) @ x)
    with pytest.raises(NotImplementedError, match="singular"):
        ag.grad(lambda c: stats.multivariate_normal.logpdf(x, onp.zeros(2), c, True))(cov)


def test_multivariate_normal_entropy():
    def f(np, s):
        return traced("multivariate_normal", "entropy")(np, cov=symmetric(np, s))

    check_both_modes(f, COV, **TOLERANCES)
    assert onp.isclose(ag.grad(lambda c: stats.multivariate_normal.entropy(MEAN, c * COV))(2.0), 0.75)


@pytest.mark.parametrize("name", ["logpdf", "pdf"])
def test_dirichlet(name):
    alpha = onp.array([1.4, 2.3, 0.7])
    x = onp.array([[0.2, 0.1], [0.5, 0.3], [0.3, 0.6]])
    f = traced("dirichlet", name)

    def normalised(np, x, alpha):
        return f(np, x / np.sum(x, axis=0), alpha)

    check_both_modes(normalised, x, alpha, **TOLERANCES)
    check_both_modes(normalised, x[:, 0], alpha, **TOLERANCES)
    check_both_modes(f, x[:2], alpha, float32=False, **TOLERANCES)
    check_both_modes(f, x[:2, 0], alpha, float32=False, **TOLERANCES)


def test_dirichlet_samples():
    assert stats.dirichlet.rvs(onp.array([1.0, 2.0]), size=3, random_state=0).shape == (3, 2)


@pytest.mark.parametrize("name", ["logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"])
def test_values_of_norm(name):
    x = onp.array([[-onp.inf, -40.0, -1.5, 0.0, 0.3, 0.9, 1.0, 1.2, 50.0, onp.inf, onp.nan]])
    loc, scale = onp.array([[0.0], [0.4]]), onp.array([[1.0], [2.5]])
    ours, theirs = getattr(stats.norm, name), getattr(scipy.stats.norm, name)
    onp.testing.assert_allclose(ours(x, loc, scale), theirs(x, loc, scale), rtol=1e-15)
    onp.testing.assert_allclose(ours(x, loc, -scale), theirs(x, loc, -scale), rtol=1e-15)
    for point in (0.3, onp.float32(0.3), 0, [0.1, 0.2], onp.ones((0, 2))):
        got, want = ours(point), theirs(point)
        onp.testing.assert_allclose(got, want, rtol=1e-7 if isinstance(point, onp.float32) else 1e-15)
        assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape


def test_lists_of_traced_values():
    def total(np, x):
        return [
            np.sum(traced("norm", "logpdf")(np, [x, 2 * x], [0.1, x])),
            np.sum(traced("gamma", "logpdf")(np, [x, 2 * x], [2.0, x + 1])),
            np.sum(traced("poisson", "logpmf")(np, [1, 2], [x, 2 * x])),
            traced("multivariate_normal", "logpdf")(
                np, [x, 2 * x], [0.0, x], [[2.0, 0.1 * x], [0.1 * x, 1.0]]
            ),
            traced("dirichlet", "logpdf")(np, [0.2, 0.3, 0.5], [1.0, 2.0, x]),
        ]

    for k in range(5):
        check_both_modes(lambda np, x, k=k: total(np, x)[k], 0.7, **TOLERANCES)
