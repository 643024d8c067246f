"""Small words that the rules of linear algebra are written in.

A cotangent g of X stands for dX -> Re sum(g * dX).  Formulas from the literature are written for the inner
product Re tr(G^H dX) instead, so for G = conj(g): rules that are not holomorphic conjugate at both ends.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as onp

from ...builtins import make_sequence
from ...tracer import getval, isbox
from .. import numpy_wrapper as anp


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c"


def conj(x: Any) -> Any:
    return anp.conj(x) if is_complex(x) else x


def T(x: Any) -> Any:
    return anp.swapaxes(x, -1, -2)


def H(x: Any) -> Any:
    return conj(T(x))


def real_dtype(x: Any) -> onp.dtype:
    return onp.zeros(0, x.dtype).real.dtype


def eye_of(x: Any) -> onp.ndarray:
    """The identity that fits matrices of as many columns as `x` has, in the real dtype of `x`."""
    return onp.eye(x.shape[-1], dtype=real_dtype(x))


def diagonal(x: Any) -> Any:
    return anp.diagonal(x, 0, -2, -1)


def as_diagonal(v: Any) -> Any:
    return v[..., None] * eye_of(v)


def triangle(n: int, diagonal: float, dtype: Any, uplo: str = "L") -> onp.ndarray:
    """Weights 1 below the diagonal (above it for "U"), `diagonal` on it, 0 elsewhere."""
    lower = onp.tri(n, dtype=dtype)
    lower.flat[:: n + 1] = diagonal
    return lower if uplo == "L" else lower.T


def hermitian_part(x: Any) -> Any:
    return 0.5 * (x + H(x))


def read_triangle(x: Any, uplo: str) -> Any:
    """The Hermitian matrix that a routine sees which reads one triangle of `x` only."""
    half = x * triangle(x.shape[-1], 0.5, real_dtype(x), uplo)
    return half + H(half)


def fold_triangle(x: Any, uplo: str) -> Any:
    """The adjoint of `read_triangle`: all of the cotangent goes to the triangle that is read."""
    return (x + H(x)) * triangle(x.shape[-1], 0.5, real_dtype(x), uplo)


def over_gaps(w: Any, x: Any, warn: str = "") -> Any:
    """The matrix x_ij / (w_j - w_i), zero where the two are equal within rounding.

    `warn` names the values, for functions where such an entry of `x` means that something is left out.
    """
    gaps = w[..., None, :] - w[..., :, None]
    size = onp.abs(getval(w)).max(-1, initial=0)[..., None, None]
    tolerance = w.shape[-1] * onp.finfo(w.dtype).eps * size
    apart = onp.abs(getval(gaps)) > tolerance
    if warn and onp.count_nonzero(apart) < apart.size - w.size:
        left_out = onp.abs(getval(x)) * ~(apart | onp.eye(w.shape[-1], dtype=bool))
        if left_out.max() > onp.sqrt(onp.finfo(w.dtype).eps) * onp.abs(getval(x)).max():
            warnings.warn(
                f"repeated {warn}: their vectors have no derivative, its terms are left out",
                RuntimeWarning,
                stacklevel=2,
            )
    kept = apart.astype(real_dtype(w))
    return x * (kept / (gaps + (1 - kept)))


def reciprocal(x: Any) -> Any:
    """1 / x, and 0 at 0."""
    nonzero = (getval(x) != 0).astype(real_dtype(x))
    return nonzero / (x + (1 - nonzero))


def named_like(ans: Any, *parts: Any) -> Any:
    """Traced parts as the named tuple that `ans` is."""
    return make_sequence(type(getval(ans)), *parts)


def is_zero(g: Any) -> bool:
    """Whether a cotangent is zero and stays so: a traced one may vary at a higher order of derivative."""
    return not isbox(g) and not onp.any(g)
