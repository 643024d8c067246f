"""Derivatives of order statistics, weighted averages and covariances, written in functions that have rules.

A quantile of sorted data interpolates between two neighbours; NumPy's own quantile of 0, 1, 2, ... tells
which and in what proportion, for each of its methods.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as onp

from ...rules import composite
from ...tracer import getval, isbox
from .. import numpy_wrapper as anp
from ._helpers import as_reduced, axes_of, container_like, kept_shape, refuse_out, rows_of
from .operands import as_array, dtype_of
from .sorting import stable_argsort

# how fast the place among n sorted entries moves with q: n + 1 - alpha - beta in the terms of Hyndman and Fan
# (Sample quantiles in statistical packages, 1996); the other methods move by jumps
_SPEEDS = {
    "linear": -1.0,
    "interpolated_inverted_cdf": 0.0,
    "hazen": 0.0,
    "weibull": 1.0,
    "median_unbiased": 1 / 3,
    "normal_unbiased": 1 / 4,
}


def _places(count: int, q: Any, method: Any) -> Any:
    """Where the quantiles stand among `count` sorted entries; a fraction is a mixture of neighbours."""
    place = onp.quantile(onp.arange(count, dtype=float), getval(q), method=method)
    if not isbox(q):
        return place
    moving = (place > 0) & (place < count - 1) | (method == "linear")
    speed = (count + _SPEEDS[method]) * moving if method in _SPEEDS else 0.0
    return place + speed * (q - getval(q))


def _order_statistics(rows: Any, counts: Any, q: Any, method: str) -> Any:
    """Quantiles of the `counts` least entries of each row; those for each of the vector `q` stand last."""
    counts = onp.maximum(counts, 1)
    places: Any = 0.0
    for count in onp.unique(counts):
        places = anp.where(counts == count, _places(int(count), q, method), places)
    lower = onp.clip(onp.floor(getval(places)).astype(int), 0, onp.maximum(counts - 2, 0))
    upper = onp.minimum(lower + 1, counts - 1)
    order = stable_argsort(getval(rows), -1)
    low, high = (anp.take_along_axis(rows, onp.take_along_axis(order, k, -1), -1) for k in (lower, upper))
    fraction = places - lower
    if isbox(places):
        return low + (high - low) * fraction
    # an infinite neighbour may not enter with weight zero
    return anp.where(fraction < 1, low, 0) * (1 - fraction) + anp.where(fraction > 0, high, 0) * fraction


def _quantile(a: Any, q: Any, axis: Any, method: str, keepdims: Any, skip_nan: bool, dtype: Any) -> Any:
    shape = anp.shape(a)
    rows = rows_of(a, axis)
    valid = ~onp.isnan(getval(rows))
    counts = onp.sum(valid, axis=-1, keepdims=True)
    undefined = counts == 0
    if not skip_nan:
        n = anp.shape(rows)[-1]
        undefined, counts = counts < n, onp.full_like(counts, n)
    result = _order_statistics(rows, counts, anp.reshape(q, -1), method)
    if onp.any(undefined):
        result = anp.where(undefined, onp.nan, result)
    outer = kept_shape(shape, axis) if keepdims else anp.shape(result)[:-1]
    result = anp.reshape(anp.moveaxis(result, -1, 0), anp.shape(q) + outer)
    return as_reduced(anp.asarray(result, dtype))


def _weighted_quantile(raw: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any, weights: Any) -> Any:
    """With weights a quantile is one of the entries: find it."""
    a = as_array(a)
    result = raw(getval(a), getval(q), axis, method=method, keepdims=True, weights=getval(weights))
    heads = onp.reshape(result, (-1,) + kept_shape(anp.shape(a), axis))
    value = getval(a)
    found = [(value == head) | ((value != value) & (head != head)) for head in heads]
    places = [onp.argmax(rows_of(equal, axis), axis=-1, keepdims=True) for equal in found]
    entries = [anp.take_along_axis(rows_of(a, axis), place, axis=-1)[..., 0] for place in places]
    shape = onp.shape(result)
    if not keepdims:
        shape = anp.shape(q) + anp.shape(entries[0])
    return as_reduced(anp.reshape(anp.stack(entries), shape))


def _declare_quantile(raw: Any, scale: float, skip_nan: bool) -> None:
    @composite(raw, anp)
    def traced(
        a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
    ):
        refuse_out(raw.__name__, out)
        if weights is not None:
            return _weighted_quantile(raw, a, q, axis, method, keepdims, weights)
        a, places = as_array(a), as_array(q)
        # NumPy's promotion, in which a Python number leaves the precision of `a` as it is
        plain = q if isinstance(q, (int, float)) else getval(places)
        dtype = onp.result_type(raw(onp.zeros(1, dtype_of(a)), plain, method=method))
        return _quantile(a, places / scale, axis, method, keepdims, skip_nan, dtype)


def _declare_median(raw: Any, skip_nan: bool) -> None:
    @composite(raw, anp)
    def traced(a, axis=None, out=None, overwrite_input=False, keepdims=False):
        refuse_out(raw.__name__, out)
        a = as_array(a)
        if onp.size(getval(a)) == 0:
            return raw(getval(a), axis, keepdims=keepdims)
        dtype = onp.result_type(raw(onp.zeros(1, dtype_of(a))))
        return _quantile(a, 0.5, axis, "linear", keepdims, skip_nan, dtype)


_declare_quantile(onp.quantile, 1, False)
_declare_quantile(onp.percentile, 100, False)
_declare_quantile(onp.nanquantile, 1, True)
_declare_quantile(onp.nanpercentile, 100, True)
_declare_median(onp.median, False)
_declare_median(onp.nanmedian, True)


# ----- averages and covariances


def _aligned_weights(weights: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Weights of the averaged axes alone, placed so that they broadcast against the array."""
    if anp.shape(weights) == shape:
        return weights
    if axis is None:
        raise TypeError("axis is needed where the shapes of the array and its weights differ")
    axes = axes_of(axis, len(shape))
    if anp.shape(weights) != tuple(shape[a] for a in axes):
        raise ValueError("the shape of the weights is neither the array's nor that of the averaged axes")
    weights = anp.transpose(weights, tuple(onp.argsort(axes)))
    return anp.reshape(weights, [n if a in axes else 1 for a, n in enumerate(shape)])


@composite(onp.average, anp)
def _average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    a = as_array(a)
    shape = anp.shape(a)
    if weights is None:
        mean = anp.mean(a, axis=axis, keepdims=keepdims)
        count = a.size / max(onp.size(getval(mean)), 1)
        total = onp.full(anp.shape(mean), count, dtype_of(mean))[()]
    else:
        weights = _aligned_weights(as_array(weights), shape, axis)
        total = anp.sum(anp.broadcast_to(weights, shape), axis=axis, keepdims=keepdims)
        if onp.any(getval(total) == 0):
            raise ZeroDivisionError("the weights sum to zero, so there is no average")
        mean = anp.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return container_like((), [mean, total]) if returned else mean


def _variables_first(m: Any, rowvar: bool) -> Any:
    """Observations as a matrix with a row for each variable."""
    m = as_array(m)
    if anp.ndim(m) > 2:
        raise ValueError("observations have one or two dimensions")
    return anp.atleast_2d(m) if rowvar or anp.ndim(m) < 2 else anp.transpose(m)


@composite(onp.cov, anp)
def _cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    x = _variables_first(m, rowvar)
    if y is not None:
        x = anp.concatenate([x, _variables_first(y, rowvar)], axis=0)
    if anp.shape(x)[0] == 0:
        return onp.zeros((0, 0))
    x = anp.asarray(x, dtype or onp.result_type(dtype_of(x), onp.float64))
    if ddof is None:
        ddof = 0 if bias else 1
    if ddof != int(ddof):
        raise ValueError(f"ddof must be integer, got {ddof}")
    if fweights is not None and onp.any(onp.asarray(getval(fweights)) % 1 != 0):
        raise TypeError("fweights must be integer")
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None and onp.any(getval(as_array(given)) < 0):
            raise ValueError(f"{name} cannot be negative")
    count = anp.shape(x)[1]
    weights = [as_array(w) for w in (fweights, aweights) if w is not None]
    w: Any = weights[0] * weights[-1] if len(weights) == 2 else weights[0] if weights else onp.ones(count)
    if not weights:
        w = w.astype(dtype_of(x))
    total = anp.sum(w) if weights else count
    loss = anp.sum(w * aweights) / total if aweights is not None and ddof else 1
    divisor = total - ddof * loss
    if getval(divisor) <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        divisor = 0.0
    centred = x - anp.sum(x * w, axis=1, keepdims=True) / total
    product = anp.dot(centred, anp.conj(anp.transpose(centred * w)))
    return anp.squeeze(product / divisor)


@composite(onp.corrcoef, anp)
def _corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c = anp.cov(x, y, rowvar, dtype=dtype)
    if anp.ndim(c) == 0:
        return c / c
    deviations = anp.sqrt(anp.real(anp.diag(c)))
    c = c / deviations[:, None] / deviations[None, :]
    # rounding may lead out of [-1, 1]
    real, imaginary = (part - onp.clip(part, -1, 1) for part in (onp.real(getval(c)), onp.imag(getval(c))))
    return c - (real + 1j * imaginary if anp.iscomplexobj(c) else real)
