"""Derivatives of sums, products, extrema, spreads and running sums and products.

Cotangents of a reduction are spread back over the axes that it summed.  At ties, extrema share their
cotangent evenly; the standard deviation of equal numbers has derivative zero.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as onp

from ...rules import composite, derivative, linear
from ...tracer import getval, isbox, primitive
from .. import numpy_wrapper as anp
from ._helpers import (
    axes_of,
    direction,
    gather,
    keep,
    kept_shape,
    positions,
    present,
    refuse_out,
    rows_of,
    safe_sqrt,
    spread,
)
from .operands import as_array, dtype_of


def _masked(g: Any, where: Any) -> Any:
    return g if where is True else anp.where(where, g, 0)


def _count(shape: tuple[int, ...], axis: Any, where: Any) -> Any:
    """How many entries a reduction takes together: a number, or an array with the axes kept."""
    if where is True:
        return math.prod(shape if axis is None else [shape[a] for a in axes_of(axis, len(shape))])
    return onp.sum(onp.broadcast_to(where, shape), axis=axis if shape else None, keepdims=True)


# ----- sum, mean


def _sum_vjp(g, ans, x, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return _masked(spread(g, x.shape, axis), where)


def _sum_jvp(t, ans, x, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return anp.sum(t, axis=axis, keepdims=keepdims, where=where)


def _mean_vjp(g, ans, x, axis=None, dtype=None, out=None, keepdims=False, where=True):
    if where is True:
        return spread(g / _count(x.shape, axis, True), x.shape, axis)
    g = keep(g, x.shape, axis) / _count(x.shape, axis, where)
    return _masked(spread(g, x.shape, axis), where)


def _mean_jvp(t, ans, x, axis=None, dtype=None, out=None, keepdims=False, where=True):
    return anp.mean(t, axis=axis, keepdims=keepdims, where=where)


@primitive
def spread_over(g: Any, axis: Any, like: Any) -> Any:
    """Give each entry of an array of the shape of `like` the entry of `g` that it was summed to."""
    return onp.broadcast_to(keep(g, like.shape, axis), like.shape)


linear(
    spread_over,
    lambda g, ans, x, axis, like: anp.sum(g, axis=axis, keepdims=x.ndim == len(like.shape)),
)


def _to_initial(g, ans, *args, **kwargs):
    return g


derivative(anp.sum, vjp=_sum_vjp, jvp=_sum_jvp)
derivative(anp.sum, 5, vjp=_to_initial, jvp=_to_initial, broadcasts=True)
derivative(anp.mean, vjp=_mean_vjp, jvp=_mean_jvp)


# ----- max, min: ties share evenly


def _attains(x: Any, ans: Any) -> Any:
    return (x == ans) | ((x != x) & (ans != ans))


def _ties(x: Any, ans: Any, axis: Any, initial: Any, where: Any) -> tuple[Any, Any]:
    """Which entries attain the extremum (a nan does), and how many do in each slice, `initial` among them."""
    x, ans = onp.asarray(getval(x)), keep(getval(ans), onp.shape(x), axis)
    mask = _attains(x, ans)
    if where is not True:
        mask = mask & where
    count = onp.sum(mask, axis=axis if x.ndim else None, keepdims=True)
    if initial is not None:
        count = count + _attains(getval(initial), ans)
    return mask, onp.maximum(count, 1)


def _extremum_vjp(g, ans, x, axis=None, out=None, keepdims=False, initial=None, where=True):
    mask, count = _ties(x, ans, axis, initial, where)
    return anp.where(mask, spread(keep(g, mask.shape, axis) / count, mask.shape, axis), 0)


def _extremum_jvp(t, ans, x, axis=None, out=None, keepdims=False, initial=None, where=True):
    mask, count = _ties(x, ans, axis, initial, where)
    return anp.sum(anp.where(mask, t / count, 0), axis=axis, keepdims=keepdims)


def _initial_of_extremum(g, ans, x, axis=None, out=None, keepdims=False, initial=None, where=True):
    count = _ties(x, ans, axis, initial, where)[1]
    chosen = _attains(getval(initial), getval(ans))
    return anp.where(chosen, g / onp.reshape(count, onp.shape(chosen)), 0)


for _fun in present("max", "min", "amax", "amin"):
    derivative(_fun, vjp=_extremum_vjp, jvp=_extremum_jvp, saves="x ans 4")
    derivative(_fun, 4, vjp=_initial_of_extremum, jvp=_initial_of_extremum, saves="x ans 4", broadcasts=True)


@composite(onp.ptp, anp)
def _ptp(a, axis=None, out=None, keepdims=False):
    refuse_out("ptp", out)
    a = as_array(a)
    return anp.max(a, axis=axis, keepdims=keepdims) - anp.min(a, axis=axis, keepdims=keepdims)


# ----- var, std


def _centred(x: Any, axis: Any, where: Any, mean: Any) -> Any:
    if mean is None:
        mean = anp.mean(x, axis=axis, keepdims=True, where=where)
    return x - mean


def _conj(x: Any) -> Any:
    return anp.conj(x) if anp.iscomplexobj(x) else x


def _freedom(shape: tuple[int, ...], axis: Any, where: Any, ddof: Any, correction: Any) -> Any:
    """The divisor of a variance, never negative as in NumPy."""
    freedom = _count(shape, axis, where) - (ddof if correction is None else correction)
    return max(freedom, 0) if where is True else onp.maximum(freedom, 0)


def _var_vjp(
    g,
    ans,
    x,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=True,
    mean=None,
    correction=None,
):
    shape = anp.shape(x)
    scale = 2 * keep(g, shape, axis) / _freedom(shape, axis, where, ddof, correction)
    return _masked(scale * _conj(_centred(x, axis, where, mean)), where)


def _var_jvp(
    t,
    ans,
    x,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=True,
    mean=None,
    correction=None,
):
    shape = anp.shape(x)
    products = anp.real(_conj(_centred(x, axis, where, mean)) * t)
    freedom = _freedom(shape, axis, where, ddof, correction)
    return 2 * anp.sum(products / freedom, axis=axis, keepdims=keepdims, where=where)


def _per_std(g: Any, ans: Any, x: Any, axis: Any = None, *args: Any, where: Any = True, **kwargs: Any) -> Any:
    """g / (2 ans), and zero where the standard deviation is zero; for good where it is of one number."""
    flat = getval(ans) == 0
    if onp.any(flat):
        single = _count(anp.shape(x), axis, where) <= 1
        ans = anp.where(flat & (onp.reshape(single, flat.shape) if onp.ndim(single) else single), 1, ans)
    return 0.5 * direction(g, ans)


derivative(anp.var, vjp=_var_vjp, jvp=_var_jvp, saves="x")
derivative(
    anp.std,
    vjp=lambda g, ans, *args, **kwargs: _var_vjp(_per_std(g, ans, *args, **kwargs), ans, *args, **kwargs),
    jvp=lambda t, ans, *args, **kwargs: _per_std(_var_jvp(t, ans, *args, **kwargs), ans, *args, **kwargs),
    saves="x ans",
)


def _about_a_traced_mean(name: str) -> None:
    """Let `mean`, which can be passed by keyword only, be traced."""
    untraced = getattr(anp, name)

    @composite(getattr(onp, name), anp)
    def traced(*args, **kwargs):
        if isbox(kwargs.get("mean")):
            return _second_moment(name, *args, **kwargs)
        return untraced(*args, **kwargs)


def _second_moment(
    name,
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=True,
    mean=None,
    correction=None,
):
    refuse_out(name, out)
    deviation = as_array(a) - mean
    squares = anp.real(deviation * _conj(deviation))
    freedom = onp.asarray(_freedom(anp.shape(a), axis, where, ddof, correction), dtype_of(squares))
    variance = anp.sum(squares / freedom, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    return variance if name == "var" else safe_sqrt(variance)


if onp.lib.NumpyVersion(onp.__version__) >= "2.0.0":
    _about_a_traced_mean("var")
    _about_a_traced_mean("std")


# ----- cumsum


def _reversed_cumsum(g: Any, axis: int) -> Any:
    return anp.flip(anp.cumsum(anp.flip(g, axis), axis), axis)


def _cumsum_vjp(g, ans, x, axis=None, dtype=None, out=None):
    if axis is None or x.ndim == 0:
        return anp.reshape(_reversed_cumsum(g, 0), x.shape)
    return _reversed_cumsum(g, axis)


linear(anp.cumsum, _cumsum_vjp)


# ----- prod, cumprod: no division when there is a zero


def _shifted(x: Any, first: Any) -> Any:
    """`x` moved on by one along its last axis, `first` entering."""
    head = getval(x)[..., :1]
    return anp.concatenate([onp.full(head.shape, first, head.dtype), x[..., :-1]], axis=-1)


def _reverse(x: Any) -> Any:
    return x[..., ::-1]


@primitive
def linear_recurrence(a: Any, b: Any) -> Any:
    """s[k] = a[k] s[k-1] + b[k] along the last axis, from zero."""
    s = onp.empty(b.shape, onp.result_type(a, b))
    carry: Any = onp.zeros(b.shape[:-1], s.dtype)
    for k in range(b.shape[-1]):
        carry = a[..., k] * carry + b[..., k]
        s[..., k] = carry
    return s


def _recurrence_adjoint(g: Any, a: Any) -> Any:
    """r[k] = g[k] + a[k+1] r[k+1]: the same recurrence from the other end."""
    return _reverse(linear_recurrence(_shifted(_reverse(a), 0), _reverse(g)))


derivative(
    linear_recurrence,
    0,
    vjp=lambda g, ans, a, b: _recurrence_adjoint(g, a) * _shifted(ans, 0),
    jvp=lambda t, ans, a, b: linear_recurrence(a, t * _shifted(ans, 0)),
    saves="x ans",
)
linear(linear_recurrence, lambda g, ans, a, b: _recurrence_adjoint(g, a), 1, saves="x")


def _divisible(ans: Any) -> bool:
    """Whether each product can be divided by its factors again."""
    ans = getval(ans)
    return bool(onp.all((ans != 0) & onp.isfinite(ans)))


def _other_factors(x: Any, axis: Any, where: Any, initial: Any) -> Any:
    """For each entry the product of all the others in its slice: a prefix times a suffix."""
    shape = anp.shape(x)
    if where is not True:
        x = anp.where(where, x, 1)
    if 0 in shape:
        return onp.ones(shape)
    factors = rows_of(x, axis)
    before = _shifted(anp.cumprod(factors, -1), 1)
    after = _reverse(_shifted(anp.cumprod(_reverse(factors), -1), 1))
    places = rows_of(positions(shape), axis)
    back = onp.argsort(places, axis=None).reshape(shape)
    return initial * gather(before * after, back)


def _prod_vjp(g, ans, x, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    shape = anp.shape(x)
    g = keep(g, shape, axis)
    if _divisible(ans) and where is True:
        return g * keep(ans, shape, axis) / x
    return _masked(g * _other_factors(x, axis, where, initial), where)


def _prod_jvp(t, ans, x, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    if _divisible(ans) and where is True:
        return ans * anp.sum(t / x, axis=axis, keepdims=keepdims)
    terms = _masked(t * _other_factors(x, axis, where, initial), where)
    return anp.sum(terms, axis=axis, keepdims=keepdims)


def _initial_of_prod(g, ans, x, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    return g * anp.prod(x, axis=axis, keepdims=keepdims, where=where)


derivative(anp.prod, vjp=_prod_vjp, jvp=_prod_jvp, saves="x ans 5")
derivative(anp.prod, 5, vjp=_initial_of_prod, jvp=_initial_of_prod, saves="x", broadcasts=True)


def _rows(x: Any, axis: Any) -> Any:
    """`x` with the axis of a running product last; flat where there is only one way."""
    return anp.reshape(x, -1) if axis is None or anp.ndim(x) < 2 else anp.moveaxis(x, axis, -1)


def _cumprod_vjp(g, ans, x, axis=None, dtype=None, out=None):
    shape = anp.shape(x)
    g, ans, x = _rows(g, axis), _rows(ans, axis), _rows(x, axis)
    if _divisible(ans):
        y = _reversed_cumsum(g * ans, -1) / x
    else:
        y = _recurrence_adjoint(g, x) * _shifted(ans, 1)
    return anp.reshape(y, shape) if axis is None or len(shape) < 2 else anp.moveaxis(y, -1, axis)


def _cumprod_jvp(t, ans, x, axis=None, dtype=None, out=None):
    t, ans, x = _rows(t, axis), _rows(ans, axis), _rows(x, axis)
    if _divisible(ans):
        y = ans * anp.cumsum(t / x, -1)
    else:
        y = linear_recurrence(x, t * _shifted(ans, 1))
    return y if anp.ndim(y) < 2 else anp.moveaxis(y, -1, axis)


derivative(anp.cumprod, vjp=_cumprod_vjp, jvp=_cumprod_jvp, saves="x ans")


# ----- the array API's names


def _cumulative(cumulate: str, start: int) -> Any:
    def traced(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        refuse_out(f"cumulative_{cumulate[3:]}", out)
        x = anp.atleast_1d(as_array(x))
        if axis is None:
            if x.ndim > 1:
                raise ValueError("axis is needed for an array of more than one dimension")
            axis = 0
        y = getattr(anp, cumulate)(x, axis=axis, dtype=dtype)
        if include_initial:
            first = onp.full_like(getval(y), start, shape=kept_shape(y.shape, axis))
            y = anp.concatenate([first, y], axis=axis)
        return y

    return traced


if hasattr(onp, "cumulative_sum"):
    composite(onp.cumulative_sum, anp)(_cumulative("cumsum", 0))
    composite(onp.cumulative_prod, anp)(_cumulative("cumprod", 1))
