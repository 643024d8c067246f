"""Derivatives of the reductions that leave out nan, written as the plain ones with the nan replaced.

A replaced entry has derivative zero.  Which entries are nan is taken as constant.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import composite
from ...tracer import getval
from .. import numpy_wrapper as anp
from ._helpers import as_reduced, refuse_out, safe_sqrt
from .operands import as_array, dtype_of


def _replaced(a: Any, value: Any) -> tuple[Any, Any]:
    """`a` with `value` in the place of nan, and the mask of the other entries."""
    a = as_array(a)
    valid = ~onp.isnan(getval(a))
    return (a if onp.all(valid) else anp.where(valid, a, onp.asarray(value, dtype_of(a)))), valid


def _count(valid: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    return onp.sum(valid, axis=axis, keepdims=keepdims, where=where)


def _nan_where(condition: Any, value: Any) -> Any:
    return anp.where(condition, onp.asarray(onp.nan, dtype_of(value)), value)


def _fold(name: str, neutral: Any) -> Any:
    """A reduction or accumulation for which nan counts as `neutral`."""

    def traced(a, axis=None, dtype=None, out=None, **kwargs):
        refuse_out(f"nan{name}", out)
        return getattr(anp, name)(_replaced(a, neutral)[0], axis, dtype, **kwargs)

    return traced


composite(onp.nansum, anp)(_fold("sum", 0))
composite(onp.nanprod, anp)(_fold("prod", 1))
composite(onp.nancumsum, anp)(_fold("cumsum", 0))
composite(onp.nancumprod, anp)(_fold("cumprod", 1))


def _extremum(name: str, neutral: float) -> Any:
    """max or min with nan out of the running; nan for a slice of nothing else."""

    def traced(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        refuse_out(f"nan{name}", out)
        a, valid = _replaced(a, neutral)
        initially = {} if initial is None else {"initial": initial}
        # NumPy wants an initial value with a mask
        if where is not True:
            initially.setdefault("initial", neutral)
        result = getattr(anp, name)(a, axis=axis, keepdims=keepdims, where=where, **initially)
        if initial is not None:
            return result
        return as_reduced(_nan_where(_count(valid, axis, keepdims, where) == 0, result))

    return traced


composite(onp.nanmax, anp)(_extremum("max", -onp.inf))
composite(onp.nanmin, anp)(_extremum("min", onp.inf))


@composite(onp.nanmean, anp)
def _nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    refuse_out("nanmean", out)
    a, valid = _replaced(a, 0)
    total = anp.sum(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    return total / _as_kind(_count(valid, axis, keepdims, where), total)


def _as_kind(count: Any, value: Any) -> Any:
    """A count in the precision of `value`."""
    return onp.asarray(count, dtype_of(value))


@composite(onp.nanvar, anp)
def _nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None
):
    refuse_out("nanvar", out)
    a, valid = _replaced(a, 0)
    if dtype is not None:
        a = anp.asarray(a, dtype)
    if mean is None:
        total = anp.sum(a, axis=axis, keepdims=True, where=where)
        mean = total / _as_kind(onp.maximum(_count(valid, axis, True, where), 1), total)
    deviation = anp.asarray(anp.where(valid, a - mean, 0), dtype_of(a))
    squares = anp.sum(anp.real(deviation * anp.conj(deviation)), axis=axis, keepdims=keepdims, where=where)
    freedom = _count(valid, axis, keepdims, where) - (ddof if correction is None else correction)
    return as_reduced(_nan_where(freedom <= 0, squares / _as_kind(onp.maximum(freedom, 1), squares)))


@composite(onp.nanstd, anp)
def _nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, **kwargs):
    refuse_out("nanstd", out)
    variance = anp.nanvar(a, axis, dtype, None, ddof, keepdims, where=where, **kwargs)
    flat = getval(variance) == 0
    if not onp.any(flat):
        return safe_sqrt(variance)
    # the spread of one number is constant
    flat &= _count(_replaced(a, 0)[1], axis, keepdims, where) <= 1
    return as_reduced(anp.where(flat, 0, safe_sqrt(anp.where(flat, 1, variance))))
