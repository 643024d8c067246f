"""Reductions, running sums and products, order statistics, averages, against finite differences."""

import numpy as onp
import pytest
from expressions import complex_, table
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.tracer import getval

AXES = ["", "axis=0", "axis=-1", "axis=(0, -1)", "axis=1, keepdims=True", "keepdims=True"]
REDUCTIONS = ["sum", "mean", "prod", "max", "min", "amax", "amin", "ptp", "var", "std", "median"]
SMOOTH = ["sum", "mean", "prod", "var", "std"]
METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]
NAN = ["nansum", "nanmean", "nanprod", "nanmax", "nanmin", "nanvar", "nanstd", "nanmedian"]
ONE_ZERO = onp.array([[0.5, 0.0, 2.0, -1.0], [1.5, 0.7, -0.3, 0.9]])
ZEROS = onp.array([[0.5, 0.0, 0.0, -1.0], [1.5, 0.7, 0.0, 0.9]])
GAPS = onp.isnan([[0, onp.nan, 0, 0], [0, 0, 0, 0], [onp.nan, 0, 0, onp.nan]])
HOLES = f"np.where(onp.array({GAPS.tolist()}), nan, x)"


def calls(names, *options):
    return [f"np.{name}(x, {option})" for name in names for option in options]


CASES = [
    *table({"x": (3, 4)}, *calls(REDUCTIONS, *AXES)),
    *table({"x": (2, 3, 4)}, *calls(REDUCTIONS, "axis=(0, 2)", "axis=(-1, 0), keepdims=True")),
    *table({"x": 1.7}, *calls(REDUCTIONS, "")),
    *table({"x": onp.array(1.7)}, *calls(REDUCTIONS, "")),
    *table({"x": complex_(3, 4)}, *calls(SMOOTH, "", "axis=0", "axis=1, keepdims=True")),
    *table({"x": (3, 4)}, *calls(SMOOTH, "axis=1, where=mask", "where=mask[0], keepdims=True", "dtype='f8'")),
    *table(
        {"x": (3, 4)}, *calls(["sum", "prod"], "axis=1, initial=2.5", "axis=(0, 1), where=mask, initial=2.5")
    ),
    *table({"x": (3, 4)}, *calls(["max"], "axis=1, where=mask, initial=0.3", "initial=9.0")),
    *table({"x": (3, 4)}, *calls(["var", "std"], "axis=1, ddof=1", "ddof=1, where=mask")),
    *table({"x": (3, 4), "a": 1.3}, *calls(["sum", "prod"], "initial=a", "axis=0, where=mask, initial=a")),
    *table({"x": onp.zeros((3, 0))}, *calls(["sum", "prod"], "axis=1", "axis=0", "")),
    *table({"x": onp.zeros((3, 0))}, *calls(["cumsum", "cumprod"], "axis=1", "axis=0", "")),
    *table({"x": (2, 3, 4)}, *calls(["cumsum", "cumprod"], "", "axis=0", "axis=-2")),
    *table({"x": complex_(3, 4)}, *calls(["cumsum", "cumprod"], "", "axis=0", "axis=-1, dtype=complex")),
    *table({"x": onp.array(1.7)}, *calls(["cumsum", "cumprod"], "", "axis=0")),
    *table({"x": ONE_ZERO}, *calls(["prod", "cumprod"], "", "axis=0", "axis=-1")),
    *table({"x": ZEROS}, *calls(["prod", "cumprod"], "", "axis=0", "axis=-1")),
    *table({"x": ZEROS * (1 + 0.5j)}, *calls(["prod", "cumprod"], "", "axis=0")),
    *table(
        {"x": (3, 4)}, *(f"np.{name}({HOLES}, {option})" for name in NAN for option in AXES), float32=False
    ),
    *table({"x": (3, 4)}, *calls(NAN, "axis=0")),
    *table(
        {"x": (3, 4)},
        *(f"np.{name}({HOLES}, axis=1, where=mask)" for name in NAN[:3] + NAN[5:7]),
        *(f"np.{name}({HOLES}, axis=0, ddof=1)" for name in NAN[5:7]),
        f"np.nanmax({HOLES}, axis=1, where=mask, initial=-0.2)",
        f"np.nanmin({HOLES}, axis=1, where=mask, initial=0.2)",
        *(f"np.{name}({HOLES}, {axis})" for name in ("nancumsum", "nancumprod") for axis in ("", "axis=-1")),
        float32=False,
    ),
    *table(
        {"x": complex_(3, 4)}, *(f"np.{name}({HOLES}, axis=0)" for name in NAN[:3] + NAN[5:7]), float32=False
    ),
    *table(
        {"x": (2, 7)}, *(f"np.quantile(x, [0.13, 0.37, 0.5, 0.92], axis=1, method='{m}')" for m in METHODS)
    ),
    *table(
        {"x": (2, 7), "q": onp.array([[0.23, 0.37], [0.55, 0.72]])},
        *(f"np.quantile(x, q, axis=1, method='{m}')" for m in METHODS),
        float32=False,
    ),
    *table(
        {"x": (3, 4)},
        *(f"np.nanquantile({HOLES}, [0.13, 0.37, 0.92], axis=1, method='{m}')" for m in METHODS),
        f"np.nanpercentile({HOLES}, 31.0, axis=0, keepdims=True)",
        float32=False,
    ),
    *table(
        {"x": (2, 3, 4)},
        "np.quantile(x, 0.3)",
        "np.quantile(x, [[0.3, 0.2, 1.0]], axis=(0, 2), keepdims=True)",
        "np.percentile(x, [0, 10, 50, 100], axis=-1)",
        "np.percentile(x, onp.float64(33.0), axis=1)",
    ),
    *table({"x": (3, 4), "q": 33.3}, "np.percentile(x, q, axis=-1)", f"np.nanpercentile({HOLES}, q, axis=0)"),
    *table({"x": (3, 4)}, "np.average(x)", "np.average(x, 0)", "np.average(x, axis=0, returned=True)[0]"),
    *table({"x": (3, 4), "w": onp.linspace(0.1, 2.0, 12).reshape(3, 4)}, "np.average(x, weights=w)"),
    *table({"x": complex_(3, 4), "w": onp.linspace(0.1, 2.0, 3)}, "np.average(x, axis=0, weights=w)"),
    *table({"x": (3, 4), "w": onp.linspace(0.1, 2.0, 4)}, "np.average(x, 1, w, True)"),
    *table(
        {"x": (3, 4)},
        "np.cov(x)",
        "np.cov(x, rowvar=False)",
        "np.cov(x, bias=True)",
        "np.cov(x, ddof=0)",
        "np.cov(x, fweights=[1, 2, 1, 3])",
        "np.cov(x[0])",
        "np.cov(x[0], x[1])",
    ),
    *table({"x": (3, 4), "y": (2, 4)}, "np.cov(x, y)", "np.corrcoef(x, y)"),
    *table({"x": complex_(3, 5)}, "np.cov(x)", "np.corrcoef(x)", atol=1e-7),
    *table(
        {"x": (3, 4), "a": onp.linspace(0.1, 2.0, 4)},
        "np.cov(x, aweights=a)",
        "np.cov(x, fweights=[1, 2, 1, 3], aweights=a, ddof=1)",
    ),
]
if onp.lib.NumpyVersion(onp.__version__) >= "2.0.0":
    CASES += [
        *table(
            {"x": (3, 4)}, *calls(["var", "std"], "axis=1, correction=1, where=mask", "mean=onp.ones((1, 1))")
        ),
        *table(
            {"x": (2, 3, 4), "w": onp.linspace(0.1, 2.0, 8).reshape(4, 2)},
            "np.average(x, (2, 0), w, keepdims=True)",
        ),
        *table(
            {"x": (3, 4)},
            "np.quantile(x, [0.3, 0.8], axis=1, method='inverted_cdf', weights=1.0 + mask)",
            "np.percentile(x, 30.0, method='inverted_cdf', weights=1.0 + mask, keepdims=True)",
        ),
    ]
if hasattr(onp, "cumulative_sum"):
    CASES += table(
        {"x": (3, 4)},
        *calls(["cumulative_sum", "cumulative_prod"], "axis=-1, include_initial=True", "axis=0"),
        *(f"np.{name}(x[0])" for name in ("cumulative_sum", "cumulative_prod")),
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("f", "args", "options"), CASES)
def test_rule(f, args, options):
    check_both_modes(f, *args, **options)


@pytest.mark.parametrize(
    ("f", "x", "gradient"),
    [
        (np.max, [1, 3, 3], [0, 0.5, 0.5]),
        (np.min, [1, 1, 3, 1], [1 / 3, 1 / 3, 0, 1 / 3]),
        (np.max, [1, onp.nan, 3], [0, 1, 0]),
        (np.ptp, [1, 4, 2, 4], [-1, 0.5, 0, 0.5]),
        (np.median, [2, 5, 1, 3], [0.5, 0, 0, 0.5]),
        (np.median, [2, onp.inf, 1], [1, 0, 0]),
        (np.std, [2, 2, 2], [0, 0, 0]),
        (np.nanstd, [2, 2, onp.nan], [0, 0, 0]),
        (np.prod, [0, 2, 0], [0, 0, 0]),
        (np.prod, [0, 2, 3], [6, 0, 0]),
        (np.prod, [1e-200, 1e-200, 1e300], [1e100, 1e100, 0]),
        (np.nanprod, [1, onp.nan, 3, 2], [6, 0, 2, 3]),
        (np.nanmax, [1, onp.nan, 3, 2], [0, 0, 1, 0]),
        (np.nanmean, [1, onp.nan, 3, 2], [1 / 3, 0, 1 / 3, 1 / 3]),
    ],
)
def test_convention(f, x, gradient):
    x = onp.array(x, float)
    onp.testing.assert_allclose(ag.grad(f)(x), gradient, rtol=1e-12)
    tangents = [ag.make_jvp(f)(x)(e)[1] for e in onp.eye(len(x))]
    onp.testing.assert_allclose(tangents, gradient, rtol=1e-12)


@pytest.mark.parametrize("f", [np.nanmax, np.nanmin, np.nanmean, np.nanvar, np.nanmedian])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_slice_of_nan_gives_nan(f):
    x = onp.array([[onp.nan, onp.nan], [1.0, 2.0]])
    value, tangent = ag.make_jvp(lambda v: f(v, axis=1))(x)(onp.ones((2, 2)))
    assert onp.isnan(value[0])
    assert onp.isfinite(value[1])
    assert onp.isfinite(tangent[1])


@pytest.mark.parametrize("name", ["max", "min", "amax", "nanmax", "nanmin", "sum", "prod"])
@pytest.mark.parametrize("initial", [-0.4, 0.3, 2.6])
def test_traced_initial(name, initial):
    x = onp.array([[-0.7, 1.9, 0.2], [0.9, -1.2, 1.1]])
    mask = onp.array([True, False, True])
    check_both_modes(lambda np, v, i: getattr(np, name)(v, axis=1, initial=i), x, initial)
    check_both_modes(lambda np, v, i: getattr(np, name)(v, initial=i, keepdims=True, where=mask), x, initial)


@pytest.mark.parametrize("zeros", [1, 2])
def test_traced_initial_of_a_product_with_zeros(zeros):
    x = onp.array([1.5, 2.0, 0.7, 1.2])
    x[:zeros] = 0
    check_both_modes(lambda np, v, i: np.prod(v, initial=i) + np.sum(v) * i, x, 0.3)


def test_initial_shares_ties():
    gradient = ag.grad(lambda x, i: np.max(x, initial=i), (0, 1))
    shares, of_initial = gradient(onp.array([1.0, 2.0, 2.0]), 2.0)
    onp.testing.assert_allclose(shares, [0, 1 / 3, 1 / 3])
    assert of_initial == pytest.approx(1 / 3)
    onp.testing.assert_allclose(ag.grad(lambda x: np.max(x, initial=0.0))(onp.array([-1.0, 0.0])), [0, 0.5])


@pytest.mark.parametrize(
    "f",
    [
        lambda np, x: np.median(x),
        lambda np, x: np.quantile(x, 0.3),
        lambda np, x: np.nanpercentile(x, 30),
        lambda np, x: np.quantile(x, 0.3, axis=(0, 1)),
        lambda np, x: np.nanmax(x),
        lambda np, x: np.nanvar(x),
        lambda np, x: np.linalg.norm(x, 1),
        lambda np, x: np.linalg.norm(x, "nuc"),
        lambda np, x: np.average(x, returned=True)[1],
    ],
)
def test_a_reduction_to_a_number_has_numpy_s_type(f):
    x = onp.array([[0.3, 1.2], [0.7, 2.5]], "f")
    seen = []

    def run(v):
        seen.append(getval(f(np, v)))
        return np.sum(v)

    ag.grad(run)(x)
    got, wanted = seen[0], f(onp, x)
    assert type(got) is type(wanted)
    assert got.dtype == wanted.dtype


def test_third_derivative_of_prod_with_zeros():
    x = onp.array([0.0, 0.0, 0.0, 2.0])
    third = ag.jacobian(ag.hessian(np.prod))(x)
    assert third[0, 1, 2] == third[2, 0, 1] == 2.0
    assert third[0, 1, 3] == third[3, 3, 0] == 0.0


def test_weights_that_sum_to_zero():
    with pytest.raises(ZeroDivisionError):
        ag.grad(lambda w: np.average(onp.ones(2), weights=w))(onp.array([1.0, -1.0]))


@pytest.mark.skipif(onp.lib.NumpyVersion(onp.__version__) < "2.0.0", reason="new in NumPy 2")
@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("options", [{}, {"where": onp.arange(12).reshape(3, 4) % 5 > 0, "correction": 1}])
def test_mean_computed_before(name, options):
    where = options.get("where", True)

    def f(np, x):
        return getattr(np, name)(x, axis=1, mean=np.mean(x, axis=1, keepdims=True, where=where), **options)

    check_both_modes(f, onp.arange(12.0).reshape(3, 4) ** 1.5)


@pytest.mark.parametrize("call", ["ptp", "nansum", "nanmean", "nanvar", "median"])
def test_out_is_refused(call):
    with pytest.raises(NotImplementedError, match=f"np.{call}.*out=.*use the result"):
        ag.grad(lambda x: getattr(np, call)(x, out=onp.zeros(())))(onp.ones(3))


@pytest.mark.parametrize("f", [np.std, np.nanstd])
def test_second_derivative_of_std(f):
    with onp.errstate(all="ignore"):
        assert onp.isnan(ag.hessian(lambda x: f(x) ** 2)(onp.ones(3))).all()
    of_one_number = ag.hessian(lambda x: np.sum(f(x, axis=1)))(onp.array([[2.0], [3.0]]))
    onp.testing.assert_array_equal(of_one_number, onp.zeros((2, 1, 2, 1)))
    mask = onp.array([[True, False, False], [True, True, True]])
    check_both_modes(
        lambda np, x: getattr(np, f.__name__)(x, axis=1, where=mask),
        onp.array([[1.0, 2.0, 4.0], [0.3, -1.0, 2.0]]),
    )


if onp.lib.NumpyVersion(onp.__version__) >= "2.0.0":

    @pytest.mark.parametrize("f", [np.std, np.nanstd])
    def test_std_of_one_number_about_another_mean(f):
        check_both_modes(
            lambda np, x: getattr(np, f.__name__)(x, axis=1, mean=onp.array([[1.0], [7.0]])),
            onp.array([[2.0], [3.0]]),
        )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [np.cov, np.corrcoef])
def test_dtype_of_covariances(f, dtype):
    x = onp.array([[1.0, 2.0, 4.0], [0.3, -1.0, 2.0]])
    value, tangent = ag.make_jvp(lambda x: f(x, dtype=dtype))(x)(onp.ones_like(x))
    assert value.dtype == tangent.dtype == dtype
    onp.testing.assert_allclose(value, f(x, dtype=dtype), rtol=1e-6)


def test_correlations_stay_within_one():
    x = onp.array([[0.1, 0.2, 0.7], [0.3, 0.6, 2.1], [-0.1, -0.2, -0.7]])
    seen = []
    hessian = ag.hessian(lambda x: seen.append(np.corrcoef(x)) or seen[-1][0, 1])(x)
    assert onp.all(onp.abs(getval(getval(seen[0]))) <= 1)
    assert onp.abs(hessian).max() > 0.1


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda np, x: np.median(x, axis=2)),
        (ValueError, lambda np, x: np.quantile(x, 0.3, axis=-3)),
        (ValueError, lambda np, x: np.quantile(x, 0.3, axis=(0, 0))),
        (ValueError, lambda np, x: np.nanpercentile(x, 30, axis=(1, -1))),
        (ValueError, lambda np, x: np.cov(x, ddof=0.5)),
        (ValueError, lambda np, x: np.cov(x, fweights=[-1, 1, 1, 1])),
        (ValueError, lambda np, x: np.cov(x, aweights=[-1, 1, 1, 1])),
        (TypeError, lambda np, x: np.cov(x, fweights=[0.5, 1, 1, 1])),
    ],
)
def test_bad_calls_are_reported_as_numpy_does(error, call):
    x = onp.ones((3, 4))
    with pytest.raises(error):
        call(onp, x)
    with pytest.raises(error):
        ag.make_vjp(lambda x: call(np, x))(x)
