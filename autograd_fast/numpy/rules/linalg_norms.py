"""Derivatives of norms and condition numbers.

A norm has no derivative at zero, nor where a maximum is shared: there the zero vector takes 0, and entries or
columns that share share evenly, as in ``max``.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import composite, derivative, zero_derivative
from ...tracer import getval
from .. import linalg
from .. import numpy_wrapper as anp
from ._helpers import as_reduced, axes_of, direction, keep, kept_shape, rows_of
from .matrices import conj

# ----- the p-norms, of which the Euclidean is one


def _direction(ans: Any, x: Any, p: Any, axis: Any, keepdims: bool) -> Any:
    """The gradient of the norm: (|x| / ans)^(p-1) conj(x) / |x|, and 0 where x or the norm is 0."""
    ans = _in_range(keep(ans, x.shape, axis, keepdims), x, p, axis)
    if p == 2:
        return direction(conj(x), ans)
    nonzero = getval(ans) != 0
    size = anp.abs(x)
    entries = nonzero & (getval(size) != 0)
    size = size + ~entries
    return entries * (direction(size, ans) + ~nonzero) ** (p - 1) * (conj(x) / size)


def _in_range(ans: Any, x: Any, p: Any, axis: Any) -> Any:
    """The norm, where the powers of the entries overflow or vanish by those of x divided by its largest."""
    lost = (getval(ans) == 0) | onp.isinf(getval(ans))
    if not onp.any(lost):
        return ans
    largest = onp.abs(getval(x)).max(axis=axis, keepdims=True, initial=0)
    largest = onp.where((largest > 0) & onp.isfinite(largest), largest, 1).astype(largest.dtype)
    return anp.where(lost, largest * _norm(x / largest, None if p == 2 else p, axis, True), ans)


def _norm_vjp(g: Any, ans: Any, x: Any, p: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    p = 2 if p is None else p
    return keep(g, x.shape, axis, keepdims) * _direction(ans, x, p, axis, keepdims)


def _norm_jvp(t: Any, ans: Any, x: Any, p: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    p = 2 if p is None else p
    change = anp.real(_direction(ans, x, p, axis, keepdims) * t)
    return anp.sum(change, axis=axis, keepdims=keepdims)


_norm: Any = linalg.norm
derivative(_norm, vjp=_norm_vjp, jvp=_norm_jvp, saves="x ans")


# ----- norm of vectors and matrices


def _array(x: Any) -> Any:
    return anp.array(x) if isinstance(getval(x), (list, tuple)) else x


@composite(onp.linalg.norm, linalg)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = _array(x)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if x.ndim == 0 and ord is None and axis is None:
        return anp.abs(x)
    if ord is None or (len(axes) == 2 and ord in ("fro", "f")):
        return _norm(x, None, axis, keepdims)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def _vector_norm(x: Any, ord: Any, axis: int, keepdims: bool) -> Any:
    if ord == 0:
        return onp.linalg.norm(getval(x), 0, axis, keepdims)
    if ord == onp.inf:
        return anp.max(anp.abs(x), axis=axis, keepdims=keepdims)
    if ord == -onp.inf:
        return anp.min(anp.abs(x), axis=axis, keepdims=keepdims)
    if ord == 1:
        return anp.sum(anp.abs(x), axis=axis, keepdims=keepdims)
    return _norm(x, ord, axis, keepdims)


def _largest(sizes: Any, axis: int, keepdims: bool = False) -> Any:
    """The maximum, 0 of no sizes."""
    empty = {"initial": 0} if sizes.shape[axis] == 0 else {}
    return anp.max(sizes, axis=axis, keepdims=keepdims, **empty)


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    if len({axis % x.ndim for axis in axes}) == 1:
        raise ValueError("Duplicate axes given.")
    row, column = axes_of(axes, x.ndim)
    if ord in (1, -1, onp.inf, -onp.inf):
        summed, kept = (row, column) if ord in (1, -1) else (column, row)
        sums = anp.sum(anp.abs(x), axis=summed, keepdims=True)
        result = (_largest if ord > 0 else anp.min)(sums, axis=kept, keepdims=True)
    elif ord in (2, -2, "nuc"):
        s = linalg.svd(anp.moveaxis(x, (row, column), (-2, -1)), compute_uv=False)
        result = {2: _largest, -2: anp.min, "nuc": anp.sum}[ord](s, axis=-1)
        result = anp.expand_dims(result, tuple(sorted((row, column))))
    else:
        raise ValueError("Invalid norm order for matrices.")
    return result if keepdims else as_reduced(anp.squeeze(result, (row, column)))


if hasattr(onp.linalg, "vector_norm"):

    @composite(onp.linalg.vector_norm, linalg)
    def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
        x = _array(x)
        result = _vector_norm(rows_of(x, axis), 2 if ord is None else ord, -1, False)
        return anp.reshape(result, kept_shape(x.shape, axis)) if keepdims else result

    @composite(onp.linalg.matrix_norm, linalg)
    def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
        return norm(x, ord, (-2, -1), keepdims)


@composite(onp.linalg.cond, linalg)
def cond(x: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        s = linalg.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(linalg.inv(x), p, (-2, -1))


zero_derivative([linalg.matrix_rank])
