"""Derivatives of functions that build an array out of several: joins, nested lists, insertions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as onp

from ...rules import Like, composite, derivative, joint
from ...tracer import getval
from .. import numpy_wrapper as anp
from ._helpers import gather, positions, refuse_out
from .operands import along, as_array, dtype_of

# ----- concatenate_args(axis, *arrays), to which concatenate and its kin lead


def _shape(operand: Any) -> tuple[int, ...]:
    return operand.shape if isinstance(operand, Like) else anp.shape(operand)


def _parts(axis: Any, arrays: tuple[Any, ...]) -> Any:
    """For each of the arrays, the index of what comes from it in their join along `axis`."""
    if axis is None:
        ndim, axis, sizes = 1, 0, [math.prod(_shape(a)) for a in arrays]
    else:
        ndim, sizes = len(_shape(arrays[0])), [_shape(a)[axis] for a in arrays]
    stops = list(itertools.accumulate(sizes))
    return [along(axis, ndim, slice(stop - size, stop)) for size, stop in zip(sizes, stops, strict=True)]


def _filled(argnums: Any, tangents: Any, first: int, operands: tuple[Any, ...]) -> list[Any]:
    """The tangent of each operand, zero for the constant ones."""
    filled: list[Any] = [None] * len(operands)
    for argnum, t in zip(argnums, tangents, strict=True):
        filled[argnum - first] = t
    pairs = zip(filled, operands, strict=True)
    return [onp.zeros(anp.shape(x), dtype_of(x)) if t is None else t for t, x in pairs]


def _concatenate_vjp(argnums, g, ans, axis, *arrays):
    parts = _parts(axis, arrays)
    pieces = [g[parts[i - 1]] for i in argnums]
    if axis is not None:
        return pieces
    return [anp.reshape(piece, _shape(arrays[i - 1])) for piece, i in zip(pieces, argnums, strict=True)]


def _concatenate_jvp(argnums, tangents, ans, axis, *arrays):
    return anp.concatenate_args(axis, *_filled(argnums, tangents, 1, arrays))


joint(anp.concatenate_args, 1, vjp=_concatenate_vjp, jvp=_concatenate_jvp)


# ----- array(nested lists), which leads to these two


def _items_vjp(argnums, g, ans, array_args, array_kwargs, *items):
    g = anp.reshape(g, (len(items), *_shape(items[argnums[0] - 2])))
    return [g[i - 2] for i in argnums]


def _items_jvp(argnums, tangents, ans, array_args, array_kwargs, *items):
    stacked = anp.array_from_args((), {}, *_filled(argnums, tangents, 2, items))
    return anp.reshape(stacked, anp.shape(ans))


joint(anp.array_from_args, 2, vjp=_items_vjp, jvp=_items_jvp)
derivative(
    anp._array_from_scalar_or_array,
    2,
    vjp=lambda g, ans, array_args, array_kwargs, x: anp.reshape(g, x.shape),
    jvp=lambda t, ans, array_args, array_kwargs, x: anp.reshape(t, anp.shape(ans)),
)


# ----- joins made of concatenate


def _arrays(items: Any) -> list[Any]:
    return [as_array(item) for item in items]


def _join(arrays: Any, axis: Any, dtype: Any = None, casting: Any = "same_kind") -> Any:
    joined = anp.concatenate_args(axis, *arrays)
    if dtype is None:
        return joined
    kind = onp.result_type(*map(dtype_of, arrays))
    if not onp.can_cast(kind, dtype, casting):
        raise TypeError(f"cannot cast from {kind} to {onp.dtype(dtype)} by the rule {casting!r}")
    return anp._astype(joined, dtype)


@composite(onp.concatenate, anp)
def _concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    refuse_out("concatenate", out)
    if axis is None:  # Python's numbers take the dtype of the others
        parts = [item if isinstance(item, (int, float, complex)) else as_array(item) for item in arrays]
        return _join(parts, axis, dtype, casting)
    return _join(_arrays(arrays), axis, dtype, casting)


@composite(onp.stack, anp)
def _stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    refuse_out("stack", out)
    return _join([anp.expand_dims(a, axis) for a in _arrays(arrays)], axis, dtype, casting)


@composite(onp.vstack, anp)
def _vstack(tup, *, dtype=None, casting="same_kind"):
    return _join([anp.atleast_2d(a) for a in _arrays(tup)], 0, dtype, casting)


@composite(onp.hstack, anp)
def _hstack(tup, *, dtype=None, casting="same_kind"):
    arrays = [anp.atleast_1d(a) for a in _arrays(tup)]
    return _join(arrays, 0 if anp.ndim(arrays[0]) == 1 else 1, dtype, casting)


@composite(onp.dstack, anp)
def _dstack(tup):
    return _join([anp.atleast_3d(a) for a in _arrays(tup)], 2)


@composite(onp.column_stack, anp)
def _column_stack(tup):
    return _join([a if anp.ndim(a) > 1 else anp.reshape(a, (-1, 1)) for a in _arrays(tup)], 1)


@composite(onp.append, anp)
def _append(arr, values, axis=None):
    arrays = _arrays([arr, values])
    if axis is None:
        return _join([anp.ravel(a) for a in arrays], 0)
    return _join(arrays, axis)


@composite(onp.block, anp)
def _block(arrays):
    def depth(item):
        return 1 + depth(item[0]) if isinstance(item, list) else 0

    def leaves(item):
        return [leaf for part in item for leaf in leaves(part)] if isinstance(item, list) else [item]

    nesting = depth(arrays)
    ndim = max([nesting] + [anp.ndim(leaf) for leaf in leaves(arrays)])

    def build(item, level):
        if not isinstance(item, list):
            return anp.reshape(item, (1,) * (ndim - anp.ndim(item)) + anp.shape(item))
        return _join([build(part, level - 1) for part in item], -level)

    return build(arrays, nesting)


# these take the place of functions of the traced namespace that know neither dtype nor casting
anp.concatenate, anp.append = _concatenate, _append
anp.stack, anp.vstack, anp.hstack, anp.column_stack = _stack, _vstack, _hstack, _column_stack
anp.row_stack = _vstack


# ----- entries put in, left out, or used again: the places are computed by NumPy, the entries gathered


@composite(onp.insert, anp)
def _insert(arr, obj, values, axis=None):
    arr, values = _arrays([arr, values])
    if axis is None:
        arr, axis = anp.reshape(arr, -1), 0
    shape, ndim = anp.shape(arr), anp.ndim(arr)
    axis %= ndim
    values = anp.reshape(values, (1,) * (ndim - anp.ndim(values)) + anp.shape(values))
    if onp.ndim(obj) == 0 and not isinstance(obj, slice):
        values = anp.moveaxis(values, 0, axis)
    n = shape[axis]
    count = onp.insert(onp.empty(n), obj, onp.zeros(values.shape[axis])).size - n
    values = anp.broadcast_to(values, shape[:axis] + (count,) + shape[axis + 1 :])
    order = onp.insert(onp.arange(n), obj, n + onp.arange(count))
    return anp.take(_join([arr, anp._astype(values, dtype_of(arr))], axis), order, axis)


@composite(onp.delete, anp)
def _delete(arr, obj, axis=None):
    arr = as_array(arr)
    return gather(arr, onp.delete(positions(anp.shape(arr)), obj, axis))


@composite(onp.resize, anp)
def _resize(a, new_shape):
    a = as_array(a)
    places = positions(anp.shape(a))
    if places.size == 0:
        return onp.resize(getval(a), new_shape)
    return gather(a, onp.resize(places, new_shape))
