"""Derivatives of functions that give an array another shape or another order of its entries.

All are linear, so that each is declared by its adjoint.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import composite, derivative, linear
from ...tracer import getval, isbox, primitive
from .. import numpy_wrapper as anp
from ._helpers import container_like, is_constant, positions, present, scatter_add
from .operands import as_array, dtype_of


def _back_to_shape(g, ans, x, *args, **kwargs):
    return anp.reshape(g, x.shape)


# ----- the same entries in the same order


def _reshape_vjp(g, ans, x, shape=None, order="C", **kwargs):
    return anp.reshape(g, x.shape, order=order)


def _reshape_jvp(t, ans, x, shape=None, order="C", **kwargs):
    return anp.reshape(t, anp.shape(ans), order=order)


def _ravel_vjp(g, ans, x, order="C"):
    return anp.reshape(g, x.shape, order=order)


def _ravel_jvp(t, ans, x, order="C"):
    return anp.reshape(t, anp.shape(ans), order=order)


reshape_array: Any = anp.reshape  # of an array, by the order "C" or "F"
reshape_array.stacks_lists = False
_ravel: Any = anp.ravel
derivative(reshape_array, vjp=_reshape_vjp, jvp=_reshape_jvp)
derivative(_ravel, vjp=_ravel_vjp, jvp=_ravel_jvp)


def _axes_in_memory(x: Any) -> list[int]:
    """The axes of an array, in the order in which they lie in memory."""
    x = onp.asarray(getval(x))
    if any(stride == 0 and n > 1 for stride, n in zip(x.strides, x.shape, strict=True)):
        raise NotImplementedError(
            "order='K' of a traced array of which several entries share their memory: pass order='C' or 'F'"
        )
    return sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))


def order_in_memory(x: Any, order: Any) -> Any:
    """The order "A", which goes by how the operand lies in memory, as "C" or "F"."""
    return order if order != "A" else "F" if onp.asarray(getval(x)).flags.fnc else "C"


@composite(onp.reshape, anp)
def reshape(a, *args, **kwargs):
    a = as_array(a)
    if len(args) > 1:
        args = (args[0], order_in_memory(a, args[1]), *args[2:])
    elif "order" in kwargs:
        kwargs["order"] = order_in_memory(a, kwargs["order"])
    return reshape_array(a, *args, **kwargs)


@composite(onp.ravel, anp)
def ravel(a, order="C"):
    a = as_array(a)
    if order == "K":
        flags = onp.asarray(getval(a)).flags
        if not flags.forc:
            return _ravel(anp.transpose(a, _axes_in_memory(a)))
        order = "A"
    return _ravel(a, order_in_memory(a, order))


linear(anp.expand_dims, _back_to_shape)
linear(anp.squeeze, _back_to_shape)


def _atleast(raw: Any, shape_of: Any) -> None:
    @composite(raw, anp)
    def atleast(*arys):
        results = [anp.reshape(a, shape_of(anp.shape(a))) for a in map(as_array, arys)]
        return results[0] if len(results) == 1 else container_like(raw(0.0, 0.0), results)


_atleast(onp.atleast_1d, lambda shape: shape or (1,))
_atleast(onp.atleast_2d, lambda shape: (1,) * (2 - len(shape)) + shape)
_atleast(onp.atleast_3d, lambda shape: ((1,) * (len(shape) < 2) + shape + (1, 1))[: max(len(shape), 3)])


# ----- the same entries with the axes in another order


def _transpose_vjp(g, ans, x, axes=None):
    return anp.transpose(g, None if axes is None else tuple(onp.argsort([a % x.ndim for a in axes])))


def _rollaxis_vjp(g, ans, x, axis, start=0):
    axis, start = axis % x.ndim, start + x.ndim if start < 0 else start
    return anp.moveaxis(g, start - 1 if axis < start else start, axis)


for _fun in present("transpose", "permute_dims"):
    linear(_fun, _transpose_vjp)
for _fun in present("matrix_transpose"):
    linear(_fun, lambda g, ans, x: anp.matrix_transpose(g))
linear(anp.swapaxes, lambda g, ans, x, axis1, axis2: anp.swapaxes(g, axis1, axis2))
linear(anp.moveaxis, lambda g, ans, x, source, destination: anp.moveaxis(g, destination, source))
linear(anp.rollaxis, _rollaxis_vjp)


# ----- the same entries in another order


def _roll_vjp(g, ans, x, shift, axis=None):
    return anp.roll(g, -onp.asarray(shift), axis)


linear(anp.flip, lambda g, ans, m, axis=None: anp.flip(g, axis))
linear(anp.fliplr, lambda g, ans, m: anp.fliplr(g))
linear(anp.flipud, lambda g, ans, m: anp.flipud(g))
linear(anp.rot90, lambda g, ans, m, k=1, axes=(0, 1): anp.rot90(g, -k, axes))
linear(anp.roll, _roll_vjp)


# ----- entries repeated; an operand that broadcasts leaves the sum to the engine


def _same_cotangent(g, ans, x, *args, **kwargs):
    return g


def _tile_vjp(g, ans, x, reps):
    reps = tuple(onp.atleast_1d(reps))
    ndim = max(len(reps), x.ndim)
    reps, shape = (1,) * (ndim - len(reps)) + reps, (1,) * (ndim - x.ndim) + x.shape
    pairs = [n for pair in zip(reps, shape, strict=True) for n in pair]
    return anp.reshape(anp.sum(anp.reshape(g, pairs), axis=tuple(range(0, 2 * ndim, 2))), x.shape)


def _repeat_vjp(g, ans, x, repeats, axis=None):
    if onp.size(repeats) > 1:
        return scatter_add(g, onp.repeat(positions(x.shape), repeats, axis), x.shape)
    repeats = int(onp.reshape(repeats, ()))
    shape, axis = ((x.size,), 0) if axis is None or x.ndim == 0 else (x.shape, axis % x.ndim)
    parts = anp.reshape(g, shape[: axis + 1] + (repeats,) + shape[axis + 1 :])
    return anp.reshape(anp.sum(parts, axis=axis + 1), x.shape)


derivative(
    anp.broadcast_to,
    vjp=_same_cotangent,
    jvp=lambda t, ans, x, shape, subok=False: anp.broadcast_to(t, shape),
    broadcasts=True,
)
linear(anp.tile, _tile_vjp)
linear(anp.repeat, _repeat_vjp)


@composite(onp.broadcast_arrays, anp)
def _broadcast_arrays(*args, subok=False):
    arrays = [as_array(a) for a in args]
    shape = onp.broadcast_shapes(*map(anp.shape, arrays))
    return type(onp.broadcast_arrays(0.0))([anp.broadcast_to(a, shape) for a in arrays])


@composite(onp.meshgrid, anp)
def _meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing is 'xy' or 'ij'")
    ndim = len(xi)
    order = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        order[:2] = 1, 0
    grids = [
        anp.reshape(x, [-1 if a == axis else 1 for a in range(ndim)])
        for x, axis in zip(xi, order, strict=True)
    ]
    if not sparse:
        grids = anp.broadcast_arrays(*grids)
    kind: Any = type(onp.meshgrid(0.0))
    return kind(grids)


# ----- triangles and diagonals


@primitive
def embed_diagonal(d: Any, shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Any:
    """The adjoint of ``diagonal``: zeros of `shape`, with `d` (the diagonal's axis last) on a diagonal."""
    out = onp.zeros(shape, onp.result_type(d))
    view = out.diagonal(offset, axis1, axis2)
    view.flags.writeable = True
    view[...] = d
    return out


def _diagonal_vjp(g, ans, x, offset=0, axis1=0, axis2=1):
    return embed_diagonal(g, x.shape, offset, axis1, axis2)


def _diag_vjp(g, ans, v, k=0):
    return anp.diagonal(g, k) if v.ndim == 1 else embed_diagonal(g, v.shape, k, 0, 1)


def _trace_vjp(g, ans, x, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    rows, columns = x.shape[axis1], x.shape[axis2]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    d = anp.broadcast_to(anp.reshape(g, ans.shape + (1,)), ans.shape + (length,))
    return embed_diagonal(d, x.shape, offset, axis1, axis2)


linear(embed_diagonal, lambda g, ans, d, shape, offset, axis1, axis2: anp.diagonal(g, offset, axis1, axis2))
linear(anp.diagonal, _diagonal_vjp)
linear(anp.diag, _diag_vjp)
linear(anp.trace, _trace_vjp)
linear(
    anp.make_diagonal,
    lambda g, ans, d, offset=0, axis1=0, axis2=1: anp.diagonal(g, offset, axis1, axis2),
)
for _fun in (anp.tril, anp.triu):
    derivative(
        _fun,
        vjp=lambda g, ans, m, k=0, fun=_fun: fun(g, k),
        jvp=lambda t, ans, m, k=0, fun=_fun: fun(t, k),
        broadcasts=True,
    )


@composite(onp.diagflat, anp)
def _diagflat(v, k=0):
    return anp.diag(anp.ravel(as_array(v)), k)


# ----- pieces


def _pieces_vjp(axis_of: Any) -> Any:
    """The adjoint of a split: the pieces' cotangents joined, added up where pieces overlap."""

    def adjoint(g, ans, x, indices_or_sections, axis=0):
        axis = axis_of(x.ndim, axis)
        joined = anp.concatenate(list(g), axis=axis)
        if anp.shape(joined) == x.shape:
            return joined
        pieces = onp.array_split(positions(x.shape), indices_or_sections, axis)
        return scatter_add(joined, onp.concatenate(pieces, axis), x.shape)

    return adjoint


linear(anp.split, _pieces_vjp(lambda ndim, axis: axis))
linear(anp.array_split, _pieces_vjp(lambda ndim, axis: axis))
linear(anp.vsplit, _pieces_vjp(lambda ndim, axis: 0))
linear(anp.hsplit, _pieces_vjp(lambda ndim, axis: min(ndim - 1, 1)))
linear(anp.dsplit, _pieces_vjp(lambda ndim, axis: 2))
for _fun in present("unstack"):
    linear(_fun, lambda g, ans, x, axis=0: anp.stack(list(g), axis))


# ----- the same entries under another type, or in memory of their own


def _cast_vjp(g, ans, x, *args, **kwargs):
    g = anp.reshape(g, x.shape)
    return 0 * g if is_constant(ans.dtype) else g


def _copies(fun: Any) -> None:
    """Declare a function that copies or casts; a cast to integers has derivative zero."""

    def tangent(t, ans, x, *args, **kwargs):
        return anp.reshape(t, anp.shape(ans)) * (0 if is_constant(dtype_of(ans)) else 1)

    derivative(fun, vjp=_cast_vjp, jvp=tangent)


for _fun in present(
    "astype", "_astype", "ascontiguousarray", "asfortranarray", "asarray_chkfinite", "require"
):
    _copies(_fun)


def _asarray(a, dtype=None, *args, **kwargs):
    if not isbox(a) or isinstance(getval(a), (list, tuple)):
        a = anp.array(a)
    return a if dtype is None or onp.result_type(getval(a)) == dtype else anp._astype(a, dtype)


composite(onp.asarray, anp)(_asarray)
composite(onp.asanyarray, anp)(_asarray)


@composite(onp.copy, anp)
def _copy(a, order="K", subok=False):
    return anp.array(a, order=order)
