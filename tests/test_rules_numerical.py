"""Derivatives of NumPy's numerical and polynomial functions against finite differences of plain NumPy."""

import warnings

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast.numpy import emath, polynomial

rng = onp.random.default_rng(0)


@pytest.fixture(autouse=True)
def same_numbers_whichever_tests_run():
    global rng
    rng = onp.random.default_rng(0)


def draw(*shape):
    return rng.standard_normal(shape)


def draw_complex(*shape):
    return draw(*shape) + 1j * draw(*shape)


def trapezoid(np):
    """NumPy 2's name of it, or NumPy 1's."""
    return getattr(np, "trapezoid" if hasattr(onp, "trapezoid") else "trapz")


KNOTS = onp.array([0.0, 1.1, 2.5, 4.0])
HEIGHTS = onp.array([1.0, 3.0, -2.0, 0.5])
QUERY = onp.array([[0.3, 1.2, 3.9], [9.0, -1.0, 2.2]])
UNEVEN = onp.array([0.0, 0.4, 1.3, 1.9, 3.0])
BINS = onp.array([0, 2, 2, 1, 5])
DATA = onp.array([0.1, 0.5, 1.0, 0.31, -3.0, 0.77])

CASES = {
    "interp": (lambda np, x, xp, fp: np.interp(x, xp, fp), QUERY, KNOTS, HEIGHTS),
    "interp of a number": (lambda np, x, xp, fp: np.interp(x, xp, fp), 1.3, KNOTS, HEIGHTS),
    "interp beyond": (lambda np, x, fp: np.interp(x, KNOTS, fp) + x, 9.0, HEIGHTS),
    "interp ends": (lambda np, lo, hi: np.interp(QUERY, KNOTS, HEIGHTS, lo, right=hi), 0.3, 0.7),
    "interp one knot": (lambda np, x, fp: np.interp(x, [1.0], fp) + x, QUERY, onp.array([2.0])),
    "interp complex": (lambda np, x, fp: np.interp(x, KNOTS, fp), QUERY, HEIGHTS * (1 + 2j)),
    "interp period": (
        lambda np, x, xp, fp: np.interp(x, xp, fp, period=5.0),
        QUERY + 0.05,
        onp.array([0.5, 7.0, 3.1, -1.0]),
        HEIGHTS,
    ),
    "interp in its period": (lambda np, p: np.interp(QUERY + 0.05, KNOTS, HEIGHTS, period=p), 5.0),
    "interp by keyword": (lambda np, fp: np.interp(QUERY, KNOTS, fp=fp), HEIGHTS),
    "unwrap": (lambda np, p: np.unwrap(p), 5 * draw(2, 6)),
    "unwrap axis": (lambda np, p: np.unwrap(p, axis=0), 5 * draw(4, 2)),
    "unwrap period": (lambda np, p, period: np.unwrap(p, period=period), 5 * draw(6), 2.1),
    "unwrap discont": (lambda np, p: np.unwrap(p, 4.0), 5 * draw(6)),
    "diff": (lambda np, x: np.diff(x), draw(3, 4)),
    "diff n": (lambda np, x: np.diff(x, 3), draw(2, 5)),
    "diff 0": (lambda np, x: np.diff(x, 0), draw(2, 5)),
    "diff axis": (lambda np, x: np.diff(x, n=2, axis=0), draw(4, 3)),
    "diff complex": (lambda np, x: np.diff(x, axis=-2), draw_complex(4, 2)),
    "diff edges": (lambda np, x, p, a: np.diff(x, prepend=p, append=a), draw(2, 3), 0.3, draw(2, 2)),
    "diff edge of zeros": (lambda np, x: np.diff(x, prepend=0.0), draw(3)),
    "ediff1d": (lambda np, x: np.ediff1d(x), draw(2, 3)),
    "ediff1d ends": (lambda np, x, e, b: np.ediff1d(x, e, to_begin=b), draw(4), draw(2), 0.3),
    "gradient": (lambda np, x: np.gradient(x), draw(5)),
    "gradient axes": (lambda np, x: np.gradient(x), draw(3, 4)),
    "gradient axis": (lambda np, x: np.gradient(x, axis=-2), draw(3, 4)),
    "gradient spacing": (lambda np, x, h: np.gradient(x, h), draw(3, 4), 0.7),
    "gradient spacings": (lambda np, x, h, k: np.gradient(x, h, k, axis=(1, 0)), draw(3, 4), 0.7, 1.3),
    "gradient positions": (lambda np, x, p: np.gradient(x, p), draw(5), UNEVEN),
    "gradient positions axis": (lambda np, x, p: np.gradient(x, p, axis=1), draw(2, 5), UNEVEN),
    "gradient order": (lambda np, x: np.gradient(x, edge_order=2), draw(5)),
    "gradient order positions": (lambda np, x, p: np.gradient(x, p, edge_order=2), draw(5), UNEVEN),
    "gradient of two": (lambda np, x: np.gradient(x), draw(2)),
    "gradient of three": (lambda np, x, p: np.gradient(x, p, edge_order=2), draw(3), UNEVEN[:3]),
    "gradient complex": (lambda np, x: np.gradient(x), draw_complex(4)),
    "trapezoid": (lambda np, y: trapezoid(np)(y), draw(3, 4)),
    "trapezoid dx": (lambda np, y, dx: trapezoid(np)(y, dx=dx, axis=0), draw(3, 4), 0.3),
    "trapezoid x": (lambda np, y, x: trapezoid(np)(y, x), draw(2, 5), UNEVEN),
    "trapezoid x axis": (lambda np, y, x: trapezoid(np)(y, x, axis=0), draw(5, 2), UNEVEN),
    "trapezoid full x": (lambda np, y, x: trapezoid(np)(y, x, axis=-2), draw_complex(4, 2), draw(4, 2)),
    "bincount": (lambda np, w: np.bincount(BINS, w), draw(5)),
    "bincount options": (lambda np, w: np.bincount([0, 2, 2, 1, 5], weights=w, minlength=8), draw(5)),
    "histogram": (lambda np, w: np.histogram(DATA, 4, weights=w)[0], draw(6)),
    "histogram range": (lambda np, w: np.histogram(DATA, 4, (0, 1), weights=w)[0], draw(6)),
    "histogram density": (lambda np, w: np.histogram(DATA, UNEVEN, density=True, weights=w)[0], draw(6)),
    "histogram complex": (lambda np, w: np.histogram(DATA, UNEVEN, weights=w)[0], draw_complex(6)),
    "histogram of a matrix": (
        lambda np, w: np.histogram(DATA.reshape(2, 3), UNEVEN, weights=w)[0],
        draw(2, 3),
    ),
    "histogram2d": (lambda np, w: np.histogram2d(DATA, -DATA, (3, 4), weights=w)[0], draw(6)),
    "histogram2d density": (
        lambda np, w: np.histogram2d(DATA, DATA**2, [3, UNEVEN], density=True, weights=w)[0],
        draw(6) + 3,
    ),
    "histogramdd": (
        lambda np, w: np.histogramdd(onp.stack([DATA, DATA, -DATA], 1), (2, 3, 2), weights=w)[0],
        draw(6),
    ),
    "polyval": (lambda np, p, x: np.polyval(p, x), draw(4), draw(2, 3)),
    "polyval at a number": (lambda np, p, x: np.polyval(p, x), draw(3), 0.4),
    "polyval complex": (lambda np, p, x: np.polyval(p, x), draw_complex(3), draw_complex(2)),
    "polyval of real": (lambda np, p, x: np.polyval(p, x), draw(3), draw_complex(2)),
    "polyval constant": (lambda np, p, x: np.polyval(p, x) * x, draw(1), draw(2)),
    "polyval of rows": (lambda np, p, x: np.polyval(p, x), draw(4, 3), draw(2, 3)),
    "polyval of no rows": (lambda np, x: np.polyval(onp.zeros((0, 3)), x) * x, draw(3)),
    "polyadd": (lambda np, a, b: np.polyadd(a, b), draw(2), draw(4)),
    "polysub": (lambda np, a, b: np.polysub(a, b), draw(4), draw_complex(2)),
    "polymul": (lambda np, a, b: np.polymul(a, b), draw(4), draw(2)),
    "polymul zeros": (lambda np, a: np.polymul(onp.array([0.0, 0.0, 1.0, 2.0]), a), draw(2)),
    "polydiv": (lambda np, u, v: np.concatenate(np.polydiv(u, v)), draw(6), 2 + draw(3)),
    "polydiv short": (lambda np, u, v: np.concatenate(np.polydiv(u, v))[-1] * v, draw(2), draw(3)),
    "polydiv long": (lambda np, u, v: np.polydiv(u, v)[0], draw_complex(4), 2 + draw(2)),
    "polyder": (lambda np, p: np.polyder(p), draw(5)),
    "polyder m": (lambda np, p: np.polyder(p, m=3), draw(5)),
    "polyder 0": (lambda np, p: np.polyder(p, 0), draw(3)),
    "polyint": (lambda np, p: np.polyint(p), draw(3)),
    "polyint k": (lambda np, p, k: np.polyint(p, 2, k), draw(3), draw(2)),
    "polyint one k": (lambda np, p, k: np.polyint(p, m=3, k=k), draw(3), 0.4),
    "poly": (lambda np, r: np.poly(r), draw(3)),
    "poly complex": (lambda np, r: np.poly(r), draw_complex(3)),
    "poly conjugate": (lambda np, x: np.poly(np.array([1 + 2j, 1 - 2j, 0.3]) * x), 0.7),
    "poly of a matrix": (lambda np, a: np.poly(a), draw(3, 3)),
    "roots real": (lambda np, p: np.roots(p), onp.poly([1.0, -2.0, 0.4])),
    "roots complex": (lambda np, p: np.roots(p), onp.array([1.0, 0.3, 2.0, -1.0])),
    "roots of complex": (lambda np, p: np.roots(p), draw_complex(4)),
    "roots monic": (lambda np, b: np.roots(np.array([1.0, b, -2.0])), 0.3),
    "polyfit": (lambda np, x, y: np.polyfit(x, y, 2), draw(6), draw(6)),
    "polyfit w": (lambda np, x, y, w: np.polyfit(x, y, 1, w=w), draw(6), draw(6, 2), 2 + draw(6)),
    "polyfit cov": (lambda np, x, y: np.polyfit(x, y, 1, cov=True)[1], draw(6), draw(6)),
    "polyfit cov of two": (lambda np, x, y: np.polyfit(x, y, 1, cov=True)[1], draw(6), draw(6, 2)),
    "polyfit unscaled": (lambda np, x: np.polyfit(x, UNEVEN, 1, cov="unscaled")[1], draw(5)),
    "polyfit full": (lambda np, x, y: np.polyfit(x, y, 1, full=True)[1], draw(6), draw(6)),
    "kaiser": (lambda np, beta: np.kaiser(7, beta), 2.3),
    "kaiser even": (lambda np, beta: np.kaiser(4, beta), 8.0),
    "kaiser of one": (lambda np, beta: np.kaiser(1, beta) * beta, 8.0),
}
CASES_32_BY_64 = {"interp in its period", "interp period"}


@pytest.mark.parametrize("name", CASES)
def test_numerical(name):
    f, *args = CASES[name]
    check_both_modes(f, *args, float32=name not in CASES_32_BY_64)


EMATH = {
    "sqrt": (lambda f, x: f(x), -(draw(3) ** 2)),
    "log": (lambda f, x: f(x), draw(3)),
    "log2": (lambda f, x: f(x), draw(3)),
    "log10": (lambda f, x: f(x), draw(3)),
    "logn": (lambda f, x: f(-2.0, x), draw(3)),
    "power": (lambda f, x: f(x, -1.5) + f(2.0, x), draw(3)),
    "arccos": (lambda f, x: f(x), 1.2 + draw(3) ** 2),
    "arcsin": (lambda f, x: f(x), -1.2 - draw(3) ** 2),
    "arctanh": (lambda f, x: f(x), 1.2 + draw(3) ** 2),
}


@pytest.mark.parametrize("name", EMATH)
def test_emath(name):
    f, x = EMATH[name]

    def call(np, v):
        return f(getattr(onp.emath if np is onp else emath, name), v)

    check_both_modes(call, x)
    check_both_modes(call, onp.array([0.4, 0.8]))
    check_both_modes(call, x + 0.3j)


def test_polyval_of_rising_powers():
    def f(np, x, c, tensor=True):
        polyval = onp.polynomial.polynomial.polyval if np is onp else polynomial.polynomial.polyval
        return polyval(x, c, tensor)

    check_both_modes(f, draw(2, 3), draw(4))
    check_both_modes(f, 0.3, draw(4))
    check_both_modes(f, draw(2), draw(4, 3))
    check_both_modes(lambda np, x, c: f(np, x, c, False), draw(3), draw(4, 3))


@pytest.mark.parametrize("lengths", [(5, 3), (3, 5), (4, 4), (6, 4), (4, 6), (3, 1), (1, 4), (2, 2)])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolutions(name, mode, lengths):
    def f(np, a, v):
        return getattr(np, name)(a, v, mode=mode)

    n, m = lengths
    check_both_modes(f, draw(n), draw(m))
    check_both_modes(f, draw_complex(n), draw_complex(m), float32=False)
    check_both_modes(f, draw(n), draw_complex(m), float32=False, order=1)


def test_convolution_of_numbers_and_defaults():
    check_both_modes(lambda np, a, v: np.convolve(a, v), draw(4), 2.0)
    check_both_modes(lambda np, a, v: np.correlate(a, v), draw(4), draw(3))


def test_lists_of_traced_numbers():
    check_both_modes(lambda np, x: np.convolve([x, 1.0], [x, 2.0, x]), 0.7)
    check_both_modes(lambda np, x: np.diff([x, x * x, 3.0]), 0.7)
    check_both_modes(lambda np, x: np.interp(1.3, KNOTS, [x, x * x, 1, x]), 0.7)


def test_precision_of_the_data_is_kept():
    x = onp.array([0.5, 2.0, 3.0, 3.5], "f")
    for f in (
        lambda np, x: np.gradient(x, 0.5, edge_order=2),
        lambda np, x: np.gradient(x, [0, 1.0, 3.0, 4.0]),
        lambda np, x: np.gradient(np.outer(onp.ones(2, "f"), x), 2.0, 0.5)[1],
        lambda np, x: np.ediff1d(x, [1.0, 2.0], 3),
        lambda np, x: np.polynomial.polynomial.polyval(0.3, x),
        lambda np, x: np.polynomial.legendre.legval(2, x),
        lambda np, x: np.r_[x, 1.0],
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            value, tangent = ag.make_jvp(lambda v: f(anp, v))(x)(x)  # noqa: B023
        assert value.dtype == tangent.dtype == f(onp, x).dtype


def test_histograms_are_constant_in_the_data():
    x = onp.array([0.1, 0.5, 0.9])
    for call in (
        lambda v: anp.histogram(v, 2),
        lambda v: anp.histogram2d(v, v, 2),
        lambda v: anp.histogramdd([v, v], 2),
        lambda v: [anp.digitize(v, [0.3])],
    ):
        seen = []
        ag.grad(lambda v: seen.append(call(v)) or anp.sum(v))(x)  # noqa: B023
        assert isinstance(seen[0][0], onp.ndarray)


def test_bad_calls_are_reported_as_numpy_does():
    for error, call in [
        (ValueError, lambda np, x: np.gradient(x[:1])),
        (ValueError, lambda np, x: np.gradient(x, edge_order=3)),
        (ValueError, lambda np, x: np.gradient(x, onp.arange(3.0))),
        (TypeError, lambda np, x: np.gradient(x, 1.0, 2.0)),
        (ValueError, lambda np, x: np.gradient(x, axis=1)),
        (ValueError, lambda np, x: np.interp(x, KNOTS, HEIGHTS, period=0)),
        (ValueError, lambda np, x: np.interp(x, KNOTS, HEIGHTS[:-1])),
        (ValueError, lambda np, x: np.interp(x, [], [])),
        (TypeError, lambda np, x: np.interp(1j * x, KNOTS, HEIGHTS)),
        (ValueError, lambda np, x: np.diff(x[0])),
        (ValueError, lambda np, x: np.convolve(x, x, "xyz")),
        (ValueError, lambda np, x: np.polyfit(x, x, -1)),
        (TypeError, lambda np, x: np.polyfit(x, x[:2], 1)),
    ]:
        with pytest.raises(error):
            call(onp, UNEVEN)
        with pytest.raises(error):
            ag.grad(lambda v: anp.sum(call(anp, v)))(UNEVEN)  # noqa: B023


def test_a_polynomial_without_roots():
    check_both_modes(lambda np, x: x * np.poly(x[:0]), draw(2))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_precision_beyond_the_real_line(dtype):
    x = -onp.ones(2, dtype)
    value, tangent = ag.make_jvp(emath.sqrt)(x)(x)
    assert value.dtype == tangent.dtype == onp.emath.sqrt(x).dtype
