"""Derivatives of eigenvalues and eigenvectors, singular values and vectors, and QR.

Where values coincide, their vectors have no derivative.  The terms of such a pair are left out: functions
of the values alone have their right gradient, as have functions of the other vectors.  What depends on the
vectors of a repeated value, such as V f(w) V^H or a second derivative, lacks these terms, and the reverse
mode warns of it.

Functions that depend on the arbitrary phase of a vector (its sign, for real ones) or on the basis of a null
space have no derivative; eig and qr fix the phase themselves, and so do their rules.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...builtins import make_sequence
from ...rules import composite, derivative
from ...tracer import getval
from .. import linalg
from .. import numpy_wrapper as anp
from ..numpy_vspaces import QRResultVSpace, SVDResultVSpace
from .matrices import (
    H,
    T,
    as_diagonal,
    conj,
    diagonal,
    fold_triangle,
    is_complex,
    is_zero,
    named_like,
    over_gaps,
    read_triangle,
    real_dtype,
    reciprocal,
    triangle,
)

SVDResult, QRResult = SVDResultVSpace.seq_type, QRResultVSpace.seq_type

# ----- eigh: dw = diag(V^H da V), dV = V (F * V^H da V) with F = 1 / (w_j - w_i)


def _eigh_vjp(g: Any, ans: Any, a: Any, UPLO: str = "L") -> Any:
    w, V = ans[0], ans[1]
    gw, gV = g[0], g[1]
    if is_zero(gV):
        inner = gw[..., None, :] * V
    else:
        rotation = over_gaps(w, anp.matmul(H(V), conj(gV)), "eigenvalues")
        inner = anp.matmul(V, as_diagonal(gw) + rotation)
    return conj(fold_triangle(anp.matmul(inner, H(V)), UPLO.upper()))


def _eigh_jvp(t: Any, ans: Any, a: Any, UPLO: str = "L") -> Any:
    w, V = ans[0], ans[1]
    S = anp.matmul(H(V), anp.matmul(read_triangle(t, UPLO.upper()), V))
    return named_like(ans, anp.real(diagonal(S)), anp.matmul(V, over_gaps(w, S)))


derivative(linalg.eigh, vjp=_eigh_vjp, jvp=_eigh_jvp, saves="ans")


@composite(onp.linalg.eigvalsh, linalg)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return linalg.eigh(a, UPLO)[0]


# ----- eig: the same with V^-1 for V^H, then V kept of unit length and its largest entries real


def _largest_entries(V: Any) -> Any:
    """A mask of each column's largest entry, which LAPACK makes real."""
    plain = onp.abs(getval(V))
    return onp.arange(plain.shape[-2])[:, None] == plain.argmax(-2)[..., None, :]


def _eig_vjp(g: Any, ans: Any, a: Any) -> Any:
    w, V = ans[0], ans[1]
    S = as_diagonal(conj(g[0]))
    if not is_zero(g[1]):
        G = conj(g[1])
        along = anp.sum(conj(V) * G, -2, keepdims=True)
        if is_complex(V):
            largest = _largest_entries(V)
            G = G - 1j * largest * (anp.imag(along) / anp.sum(largest * anp.real(V), -2, keepdims=True))
        S = S + over_gaps(conj(w), anp.matmul(H(V), G - V * anp.real(along)), "eigenvalues")
    return conj(linalg.solve(H(V), anp.matmul(S, H(V))))


def _eig_jvp(t: Any, ans: Any, a: Any) -> Any:
    w, V = ans[0], ans[1]
    S = linalg.solve(V, anp.matmul(t, V))
    dV = anp.matmul(V, over_gaps(w, S))
    dV = dV - V * anp.real(anp.sum(conj(V) * dV, -2, keepdims=True))
    if is_complex(V):
        largest = _largest_entries(V)
        turn = anp.imag(anp.sum(largest * dV, -2, keepdims=True))
        dV = dV - 1j * V * (turn / anp.sum(largest * anp.real(V), -2, keepdims=True))
    return named_like(ans, diagonal(S), dV)


derivative(linalg.eig, vjp=_eig_vjp, jvp=_eig_jvp, saves="ans")


@composite(onp.linalg.eigvals, linalg)
def eigvals(a: Any) -> Any:
    return linalg.eig(a)[0]


# ----- svd
#
# With S = U^H da V the antisymmetric rotations of U and V are, E = 1 / (s_j - s_i) and P = 1 / (s_i + s_j),
#     (E * (S + S^H) + P * (S - S^H)) / 2   and   (E * (S + S^H) - P * (S - S^H)) / 2,
# the form of Townsend (2016) with 1 / (s_j^2 - s_i^2) split, so that only E is singular at repeated values.
# Directions outside of the leading columns come on top; null-space columns only follow.


def _svd_parts(ans: Any) -> Any:
    """U, s and V in their leading columns, and the null-space columns of U and of V."""
    U, s, V = ans[0], ans[1], H(ans[2])
    k = s.shape[-1]
    return U[..., :, :k], s, V[..., :, :k], U[..., :, k:], V[..., :, k:]


def _sums(s: Any) -> Any:
    return reciprocal(s[..., None, :] + s[..., :, None])


def _svd_vjp(g: Any, ans: Any, a: Any, full_matrices: bool = True) -> Any:
    U, s, V, U0, V0 = _svd_parts(ans)
    gU, gs, gV = g[0], g[1], g[2]
    if is_zero(gU) and is_zero(gV):
        return conj(anp.matmul(U * gs[..., None, :], H(V)))
    k = s.shape[-1]
    GU, GV = conj(gU), T(gV)
    GU, GU0, GV, GV0 = GU[..., :, :k], GU[..., :, k:], GV[..., :, :k], GV[..., :, k:]
    if U0.shape[-1]:
        GU = GU - anp.matmul(U0, anp.matmul(H(GU0), U))
    if V0.shape[-1]:
        GV = GV - anp.matmul(V0, anp.matmul(H(GV0), V))
    X, Y = anp.matmul(H(U), GU), anp.matmul(H(V), GV)
    M, N = over_gaps(s, X + Y, "singular values"), _sums(s) * (X - Y)
    full = anp.matmul(anp.matmul(U, as_diagonal(gs) + 0.5 * (M + H(M) + N - H(N))), H(V))
    inverse = reciprocal(s)[..., None, :]
    if a.shape[-2] > k:
        full = full + anp.matmul((GU - anp.matmul(U, X)) * inverse, H(V))
    if a.shape[-1] > k:
        full = full + anp.matmul(U, H((GV - anp.matmul(V, Y)) * inverse))
    return conj(full)


def _svd_jvp(t: Any, ans: Any, a: Any, full_matrices: bool = True) -> Any:
    U, s, V, U0, V0 = _svd_parts(ans)
    tV, tU = anp.matmul(t, V), anp.matmul(H(t), U)
    S = anp.matmul(H(U), tV)
    even, odd = over_gaps(s, S + H(S)), _sums(s) * (S - H(S))
    dU, dV = 0.5 * anp.matmul(U, even + odd), 0.5 * anp.matmul(V, even - odd)
    k, inverse = s.shape[-1], reciprocal(s)[..., None, :]
    if a.shape[-2] > k:
        dU = dU + (tV - anp.matmul(U, S)) * inverse
    if a.shape[-1] > k:
        dV = dV + (tU - anp.matmul(V, H(S))) * inverse
    if U0.shape[-1]:
        dU = anp.concatenate((dU, -anp.matmul(U, anp.matmul(H(dU), U0))), -1)
    if V0.shape[-1]:
        dV = anp.concatenate((dV, -anp.matmul(V, anp.matmul(H(dV), V0))), -1)
    return named_like(ans, dU, anp.real(diagonal(S)), H(dV))


_svd: Any = linalg.svd
derivative(_svd, vjp=_svd_vjp, jvp=_svd_jvp, saves="ans")


@composite(onp.linalg.svd, linalg)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    return _svd(a, full_matrices) if compute_uv else _svd(a, False)[1]


def _hermitian_svd(a: Any, compute_uv: bool) -> Any:
    """From the eigenvectors of the lower triangle, by falling size of the eigenvalues."""
    w, V = linalg.eigh(a)
    order = onp.argsort(onp.abs(getval(w)))[..., ::-1]
    w = anp.take_along_axis(w, order, -1)
    if not compute_uv:
        return anp.abs(w)
    V = anp.take_along_axis(V, order[..., None, :], -1)
    return make_sequence(SVDResult, V, anp.abs(w), H(V * onp.sign(getval(w))[..., None, :]))


if hasattr(onp.linalg, "svdvals"):

    @composite(onp.linalg.svdvals, linalg)
    def svdvals(x: Any, /) -> Any:
        return _svd(x, False)[1]


# ----- qr: of a = QR with as many rows as columns or more; R has a real diagonal


def _qr_vjp(g: Any, ans: Any, a: Any) -> Any:
    Q, R, GQ, GR = ans[0], ans[1], conj(g[0]), conj(g[1])
    M = anp.matmul(R, H(GR)) - anp.matmul(H(GQ), Q)
    half = M * triangle(M.shape[-1], 0.5, real_dtype(M))
    full = GQ + anp.matmul(Q, half + H(half))
    return conj(H(linalg.solve(R, H(full))))


def _qr_jvp(t: Any, ans: Any, a: Any) -> Any:
    Q, R = ans[0], ans[1]
    tR = H(linalg.solve(H(R), H(t)))
    C = anp.matmul(H(Q), tR)
    upper = triangle(C.shape[-1], 0.5, real_dtype(C), "U") * (C + H(C))
    return named_like(ans, tR - anp.matmul(Q, upper), anp.matmul(upper, R))


_qr: Any = linalg.qr
derivative(_qr, vjp=_qr_vjp, jvp=_qr_jvp, saves="ans")


@composite(onp.linalg.qr, linalg)
def qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "r", "complete"):
        raise NotImplementedError(
            f"numpy.linalg.qr: no derivative in a with mode={mode!r}; use 'reduced', 'complete' or 'r'"
        )
    m, n = anp.shape(a)[-2:]
    if m < n:
        Q, R = _qr(a[..., :, :m])
        R = anp.concatenate((R, anp.matmul(H(Q), a[..., :, m:])), -1)
    else:
        Q, R = _qr(a)
    if mode == "complete" and m > n:
        Q = anp.concatenate((Q, _completion(Q, a)), -1)
        R = anp.concatenate((R, onp.zeros(R.shape[:-2] + (m - n, n), R.dtype)), -2)
    return R if mode == "r" else make_sequence(QRResult, Q, R)


def _completion(Q: Any, a: Any) -> Any:
    """The columns that LAPACK's reflectors add to Q.

    Their product is I - V T V^H with V = [V1; V2], so Q - [I; 0] = -V T V1^H = [B1; B2] holds all of it, and
    the columns are [0; I] - V T V2^H = [0; I] + (Q - [I; 0]) (B2 B1^-1)^H.  Where a column needs no reflector
    they jump; there they follow Q without a rotation of their own.
    """
    m, n = Q.shape[-2:]
    B = Q - onp.eye(m, n, dtype=Q.dtype)
    try:
        ratio = linalg.solve(T(B[..., :n, :]), T(B[..., n:, :]))
    except onp.linalg.LinAlgError:
        columns = onp.linalg.qr(getval(a), "complete")[0][..., n:]
        outside = columns - anp.matmul(Q, anp.matmul(H(Q), columns))
        return 1.5 * outside - 0.5 * anp.matmul(outside, anp.matmul(H(outside), outside))
    return onp.eye(m, m - n, -n, dtype=Q.dtype) + anp.matmul(B, conj(ratio))
