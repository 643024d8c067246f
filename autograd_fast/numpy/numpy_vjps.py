"""Helpers for writing VJPs, under the names that HIPS gives them; the rules themselves are in ``rules``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from .. import _fit
from ..core import func, vspace
from . import numpy_wrapper as anp
from .rules.subscripts import untake

__all__ = [
    "func",
    "match_complex",
    "repeat_to_match_shape",
    "unbroadcast",
    "unbroadcast_f",
    "untake",
    "vspace",
    "wrapped_reshape",
]


def unbroadcast(x: Any, target_meta: Any, broadcast_idx: int = 0) -> Any:
    """Sum a cotangent over the axes along which an operand was broadcast.

    Parameters
    ----------
    x : array
    target_meta : tuple
        Shape, ndim, dtype of the operand and whether it is complex, as `numpy_wrapper.metadata` gives it.
    broadcast_idx : int
        The axis at which new axes were put.
    """
    target_shape, target_ndim, dtype, target_iscomplex = target_meta
    while anp.ndim(x) > target_ndim:
        x = anp.sum(x, axis=broadcast_idx)
    for axis, size in enumerate(target_shape):
        if size == 1:
            x = anp.sum(x, axis=axis, keepdims=True)
    if anp.iscomplexobj(x) and not target_iscomplex:
        x = anp.real(x)
    return x


def unbroadcast_f(target: Any, f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function `f` of a cotangent, followed by `unbroadcast` to the shape of `target`."""
    target_meta = anp.metadata(target)
    return lambda g: unbroadcast(f(g), target_meta)


def match_complex(target: Any, x: Any) -> Any:
    """`x`, made real or complex as `target` is."""
    target_iscomplex, x_iscomplex = anp.iscomplexobj(target), anp.iscomplexobj(x)
    if x_iscomplex and not target_iscomplex:
        return anp.real(x)
    if not x_iscomplex and target_iscomplex:
        return x + 0j
    return x


def repeat_to_match_shape(g: Any, shape: Any, dtype: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    """The cotangent of a reduction over `axis`, repeated to the operand's shape; and how often each was."""
    if shape == ():
        return g, 1
    axes = range(len(shape)) if axis is None else [axis] if isinstance(axis, int) else axis
    kept = onp.array(shape)
    kept[list(axes)] = 1
    repeats = int(onp.prod(onp.array(shape)[list(axes)]))
    g = anp.reshape(g, tuple(int(n) for n in kept))
    return anp.broadcast_to(g, shape) + onp.zeros(shape, dtype=dtype), repeats


def wrapped_reshape(x: Any, *args: Any, **kwargs: Any) -> Any:
    """`reshape` of a box or an array."""
    return anp.reshape(x, *args, **kwargs)


_fit.set_numpy_functions(anp)
