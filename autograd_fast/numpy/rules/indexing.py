"""Derivatives of indexing written as functions: taking, choosing, masks, slices visited one by one."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as onp

from ...rules import composite, linear
from ...tracer import getval
from .. import numpy_wrapper as anp
from ._helpers import axes_of, gather, moves_entries, positions, refuse_out, scatter_add
from .operands import along, as_array, dtype_of

# ----- entries taken by index


def _check_mode(mode: Any) -> None:
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', got {mode!r}")


@composite(onp.take, anp)
def _take(a, indices, axis=None, out=None, mode="raise"):
    refuse_out("take", out)
    _check_mode(mode)
    a, indices = as_array(a), onp.asarray(getval(indices)).astype(onp.intp, casting="same_kind")
    if axis is None or anp.ndim(a) == 0:
        a, axis = anp.reshape(a, -1), 0
    n = anp.shape(a)[axis]
    if n == 0:  # NumPy allows it where the result is empty too
        return anp.reshape(a, onp.take(onp.empty(anp.shape(a)), indices, axis, mode="clip").shape)
    if mode != "raise":
        indices = indices % n if mode == "wrap" else onp.clip(indices, 0, n - 1)
    return a[along(axis, anp.ndim(a), indices)]


def _take_along_axis_vjp(g, ans, arr, indices, axis=-1):
    if axis is None:
        return scatter_add(g, onp.reshape(positions(arr.shape), -1)[indices], arr.shape)
    return scatter_add(g, onp.take_along_axis(positions(arr.shape), indices, axis), arr.shape)


linear(anp.take_along_axis, _take_along_axis_vjp)
moves_entries(anp.compress, onp.compress, argnum=1)
moves_entries(anp.extract, onp.extract, argnum=1)


@composite(onp.trim_zeros, anp)
def _trim_zeros(filt, trim="fb", axis=None):
    x = as_array(filt)
    used, axes = onp.argwhere(getval(x)), axes_of(axis, anp.ndim(x))
    if len(used) == 0:
        return x[tuple(slice(0, 0) if a in axes else slice(None) for a in range(anp.ndim(x)))]
    first = used.min(0) if "f" in trim.lower() else 0 * used[0]
    last = used.max(0) if "b" in trim.lower() else onp.array(anp.shape(x)) - 1
    return x[tuple(slice(first[a], last[a] + 1) if a in axes else slice(None) for a in range(anp.ndim(x)))]


# ----- a choice for each entry


def _chosen(conditions: Any, choices: Any, default: Any) -> Any:
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        default = anp.where(condition, choice, default)
    return default


@composite(onp.select, anp)
def _select(condlist, choicelist, default=0):
    conditions = onp.broadcast_arrays(*[getval(c) for c in condlist])
    return _chosen(conditions, choicelist, default)


anp.select = _select


@composite(onp.choose, anp)
def _choose(a, choices, out=None, mode="raise"):
    refuse_out("choose", out)
    _check_mode(mode)
    a, count = onp.asarray(getval(a)), len(choices)
    if mode == "raise" and onp.any((a < 0) | (a >= count)):
        raise ValueError("invalid entry in choice array")
    index = a % count if mode == "wrap" else onp.clip(a, 0, count - 1)
    return _chosen([index == k for k in range(count - 1)], choices[:-1], choices[-1])


@composite(onp.piecewise, anp)
def _piecewise(x, condlist, funclist, *args, **kw):
    x = as_array(x)
    shape = anp.shape(x)
    conditions = _piecewise_conditions(shape, condlist, len(funclist))
    result = onp.zeros(shape, dtype_of(x))
    claimed = onp.zeros(shape, bool)
    for condition, fun in reversed(list(zip(conditions, funclist, strict=True))):
        own = condition & ~claimed
        claimed = claimed | condition
        if not onp.any(own):
            continue
        places = positions(shape)[own]
        values = fun(gather(x, places), *args, **kw) if callable(fun) else fun
        result = result + scatter_add(anp.broadcast_to(values, places.shape), places, shape)
    return anp.asarray(result, dtype_of(x))


def _piecewise_conditions(shape: tuple[int, ...], condlist: Any, count: int) -> list[Any]:
    """The masks of ``piecewise``, with the one for "otherwise" where there is a function more."""
    condlist = getval(condlist)
    if onp.isscalar(condlist) or (not isinstance(condlist[0], (list, onp.ndarray)) and len(shape) != 0):
        condlist = [condlist]
    masks = [onp.broadcast_to(onp.asarray(getval(c), bool), shape) for c in condlist]
    if len(masks) == count - 1:
        masks.append(~onp.any(masks, axis=0))
    if len(masks) != count:
        raise ValueError(f"{len(masks)} conditions go with as many functions or one more, not with {count}")
    return masks


# ----- a function of each slice


@composite(onp.apply_along_axis, anp)
def _apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = anp.moveaxis(as_array(arr), axis, -1)
    count = math.prod(arr.shape[:-1])
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = anp.reshape(arr, (count, arr.shape[-1]))
    results = anp.array([func1d(rows[k], *args, **kwargs) for k in range(count)])
    outer, inner = arr.shape[:-1], anp.shape(results)[1:]
    axis %= arr.ndim
    order = [*range(axis), *range(len(outer), len(outer) + len(inner)), *range(axis, len(outer))]
    return anp.transpose(anp.reshape(results, outer + inner), order)


@composite(onp.apply_over_axes, anp)
def _apply_over_axes(func, a, axes):
    a = as_array(a)
    ndim = a.ndim
    for axis in onp.atleast_1d(axes):
        axis = int(axis) + (ndim if axis < 0 else 0)
        result = func(a, axis)
        a = result if anp.ndim(result) == ndim else anp.expand_dims(result, axis)
    return a


@composite(onp.lib.stride_tricks.sliding_window_view, anp)
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Windows of `x` as NumPy's ``sliding_window_view`` gives them; of a traced `x` they are copies."""
    x = as_array(x)
    places = onp.lib.stride_tricks.sliding_window_view(positions(anp.shape(x)), window_shape, axis)
    return gather(x, places)


def _with(module: Any, **traced: Any) -> SimpleNamespace:
    """The public names of a NumPy module, some of them traced."""
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return SimpleNamespace(**{**public, **traced})


anp.lib = _with(
    onp.lib,
    stride_tricks=_with(
        onp.lib.stride_tricks,
        sliding_window_view=sliding_window_view,
        broadcast_to=anp.broadcast_to,
        broadcast_arrays=anp.broadcast_arrays,
    ),
)
