"""Derivatives of factors, inverses and norms that NumPy has too, and of matrices made of given entries."""

from __future__ import annotations

from typing import Any

import numpy as onp
import scipy.linalg

from autograd_fast.numpy import linalg
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import Like, composite, variadic
from autograd_fast.scipy.rules import linalg_namespace as sl
from autograd_fast.scipy.rules.linalg_solve import as_array, mirrored, transpose
from autograd_fast.tracer import getval


@composite(scipy.linalg.inv, sl)
def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True, **options: Any) -> Any:
    if options:
        raise NotImplementedError(f"inv has no derivative with {options}: leave the options out")
    return linalg.inv(as_array(a))


@composite(scipy.linalg.det, sl)
def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return linalg.det(as_array(a))


@composite(scipy.linalg.norm, sl)
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    return linalg.norm(as_array(a), ord=ord, axis=axis, keepdims=keepdims)


@composite(scipy.linalg.svdvals, sl)
def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return linalg.svd(as_array(a), compute_uv=False)


@composite(scipy.linalg.cholesky, sl)
def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    factor = linalg.cholesky(mirrored(as_array(a), lower))
    return factor if lower else anp.conj(transpose(factor))


@composite(scipy.linalg.cho_factor, sl)
def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    return cholesky(a, lower), lower


# ---------------------------------------------------------------- matrices made of given entries


def _block(argnum: int, arrays: tuple[Any, ...]) -> tuple[slice, slice]:
    """Where an operand stands in the last two axes of ``block_diag``'s result."""
    shapes = [
        ((1, 1) + v.shape)[-2:] if isinstance(v, Like) else onp.atleast_2d(v).shape[-2:] for v in arrays
    ]
    row, column = onp.sum(shapes[:argnum], axis=0, dtype=int) if argnum else (0, 0)
    return slice(row, row + shapes[argnum][0]), slice(column, column + shapes[argnum][1])


def _block_diag_vjp(argnum: int, g: Any, ans: Any, *arrays: Any) -> Any:
    rows, columns = _block(argnum, arrays)
    return anp.reshape(g[..., rows, columns], arrays[argnum].shape)


def _block_diag_jvp(argnum: int, t: Any, ans: Any, *arrays: Any) -> Any:
    zeros = [onp.zeros(anp.shape(v)) for v in arrays]
    return sl.block_diag(*zeros[:argnum], t, *zeros[argnum + 1 :])


variadic(sl.block_diag, 0, vjp=_block_diag_vjp, jvp=_block_diag_jvp)


def _indices(rows: int, columns: int) -> Any:
    return onp.indices((rows, columns))


@composite(scipy.linalg.toeplitz, sl)
def toeplitz(c: Any, r: Any = None) -> Any:
    c = as_array(c)
    row = anp.conj(c) if r is None else as_array(r)
    values = anp.concatenate([anp.flip(row[1:], 0), c])
    i, j = _indices(anp.shape(c)[0], anp.shape(row)[0])
    return values[i - j + anp.shape(row)[0] - 1]


@composite(scipy.linalg.hankel, sl)
def hankel(c: Any, r: Any = None) -> Any:
    c = as_array(c)
    last = onp.zeros_like(getval(c)) if r is None else as_array(r)
    values = anp.concatenate([c, last[1:]])
    i, j = _indices(anp.shape(c)[0], anp.shape(last)[0])
    return values[i + j]


@composite(scipy.linalg.circulant, sl)
def circulant(c: Any) -> Any:
    c = as_array(c)
    n = anp.shape(c)[-1]
    i, j = _indices(n, n)
    return c[..., (i - j) % n]
