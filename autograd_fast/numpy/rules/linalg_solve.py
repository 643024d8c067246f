"""Derivatives of inverses, solutions of linear systems, determinants and the Cholesky factor."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..._forward import make_jvp
from ..._pullback import make_vjp
from ...extend import primitive
from ...rules import composite, derivative, linear
from ...tracer import getval
from .. import linalg
from .. import numpy_wrapper as anp
from .matrices import (
    H,
    T,
    conj,
    fold_triangle,
    hermitian_part,
    is_complex,
    named_like,
    read_triangle,
    real_dtype,
    triangle,
)
from .operands import as_array

# ----- inv: d(X^-1) = -X^-1 dX X^-1

derivative(
    linalg.inv,
    vjp=lambda g, ans, a: -anp.matmul(T(ans), anp.matmul(g, T(ans))),
    jvp=lambda t, ans, a: -anp.matmul(ans, anp.matmul(t, ans)),
    saves="ans",
)

# ----- pinv: Golub and Pereyra (1973), for constant rank


def _pinv_vjp(g: Any, ans: Any, a: Any, *args: Any, hermitian: bool = False, **kwargs: Any) -> Any:
    a, hermitian = _pinv_operand(a, *args, hermitian=hermitian)
    P, G = ans, conj(g)
    X = anp.matmul(H(G), anp.matmul(P, H(P)))
    Y = anp.matmul(anp.matmul(H(P), P), H(G))
    both = X - anp.matmul(a, anp.matmul(P, X)) + Y - anp.matmul(anp.matmul(Y, P), a)
    full = both - anp.matmul(H(P), anp.matmul(G, H(P)))
    return conj(fold_triangle(full, "L") if hermitian else full)


def _pinv_jvp(t: Any, ans: Any, a: Any, *args: Any, hermitian: bool = False, **kwargs: Any) -> Any:
    a, hermitian = _pinv_operand(a, *args, hermitian=hermitian)
    P, t = ans, read_triangle(t, "L") if hermitian else t
    X = anp.matmul(anp.matmul(P, H(P)), H(t))
    Y = anp.matmul(H(t), anp.matmul(H(P), P))
    both = X - anp.matmul(anp.matmul(X, a), P) + Y - anp.matmul(P, anp.matmul(a, Y))
    return both - anp.matmul(P, anp.matmul(t, P))


def _pinv_operand(a: Any, rcond: Any = None, positional: bool = False, *, hermitian: bool) -> Any:
    """The matrix that pinv sees: of a Hermitian one it reads the lower triangle only."""
    hermitian = hermitian or positional
    return (read_triangle(a, "L") if hermitian else a), hermitian


derivative(linalg.pinv, vjp=_pinv_vjp, jvp=_pinv_jvp, saves="x ans")

# ----- solve: the adjoint system


def _is_vector(a: Any, b: Any) -> bool:
    """Whether solve takes `b` as vectors: a stack of them only in NumPy 1."""
    return b.ndim == 1 or (onp.lib.NumpyVersion(onp.__version__) < "2.0.0" and b.ndim == a.ndim - 1)


def _solve(a: Any, b: Any, vector: bool) -> Any:
    return linalg.solve(a, b[..., None])[..., 0] if vector else linalg.solve(a, b)


def _solve_vjp_a(g: Any, ans: Any, a: Any, b: Any) -> Any:
    vector = _is_vector(a, b)
    gb = _solve(T(a), g, vector)
    return -(gb[..., :, None] * ans[..., None, :] if vector else anp.matmul(gb, T(ans)))


def _solve_jvp_a(t: Any, ans: Any, a: Any, b: Any) -> Any:
    vector = _is_vector(a, b)
    return -_solve(a, anp.matmul(t, ans[..., None])[..., 0] if vector else anp.matmul(t, ans), vector)


def _solve_jvp_b(t: Any, ans: Any, a: Any, b: Any) -> Any:
    return linalg.solve(a, t)


derivative(linalg.solve, 0, vjp=_solve_vjp_a, jvp=_solve_jvp_a, saves="x ans", broadcasts=True)
derivative(
    linalg.solve,
    1,
    vjp=lambda g, ans, a, b: _solve(T(a), g, _is_vector(a, b)),
    jvp=_solve_jvp_b,
    saves="x",
    broadcasts=True,
)


@composite(onp.linalg.tensorsolve, linalg)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    if axes is not None:
        moved = [axis % anp.ndim(a) for axis in axes]
        a = anp.transpose(a, [axis for axis in range(anp.ndim(a)) if axis not in moved] + moved)
    shape = anp.shape(a)[anp.ndim(b) :]
    x = linalg.solve(anp.reshape(a, (-1, onp.prod(shape, dtype=int))), anp.ravel(b))
    return anp.reshape(x, shape)


@composite(onp.linalg.tensorinv, linalg)
def tensorinv(a: Any, ind: int = 2) -> Any:
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = anp.shape(a)
    square = anp.reshape(a, (onp.prod(shape[:ind], dtype=int), -1))
    return anp.reshape(linalg.inv(square), shape[ind:] + shape[:ind])


@composite(onp.linalg.lstsq, linalg)
def lstsq(a: Any, b: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any, int, Any]:
    """The solution of least norm by the pseudoinverse, with as many singular values as NumPy keeps."""
    a, b = as_array(a), as_array(b)
    _, _, rank, s = onp.linalg.lstsq(getval(a), getval(b), *args, **kwargs)
    m, n = anp.shape(a)
    kept = s[rank - 1] / s[0] if rank else 1.0
    dropped = s[rank] / s[0] if 0 < rank < len(s) else 0.0
    x = anp.matmul(linalg.pinv(a, float(kept + dropped) / 2), b)
    squares = anp.reshape(anp.abs(b - anp.matmul(a, x)) ** 2, (m, -1))
    residuals = anp.sum(squares, 0) if rank == n < m else onp.zeros(0, s.dtype)
    return x, residuals, rank, linalg.svd(a, compute_uv=False)


# ----- determinants


def _cofactors(det: Any, a: Any) -> Any:
    """The gradient of det: det(a) a^-T, or by minors where that would lose accuracy."""
    if onp.all(getval(det)):
        inverse = linalg.inv(a)
        largest, of_inverse = (onp.abs(getval(x)).max((-2, -1), initial=0) for x in (a, inverse))
        if onp.all(a.shape[-1] * largest * of_inverse < onp.finfo(a.dtype).eps ** (-1 / 3)):
            return _scale(det, T(inverse))
    return _minors(a)


def _scale(factor: Any, matrix: Any) -> Any:
    return anp.reshape(factor, anp.shape(factor) + (1, 1)) * matrix


derivative(
    linalg.det,
    vjp=lambda g, ans, a: _scale(g, _cofactors(ans, a)),
    jvp=lambda t, ans, a: anp.sum(_cofactors(ans, a) * t, (-2, -1)),
    saves="x ans",
)


@primitive
def _minors(a: Any) -> Any:
    """In the basis of the singular vectors a minor is a product of singular values."""
    U, s, Vh = onp.linalg.svd(a)
    before, after = _products_around(s)
    phase = onp.linalg.det(U) * onp.linalg.det(Vh)
    return phase[..., None, None] * (U.conj() * (before * after)[..., None, :]) @ Vh.conj()


@primitive
def _minors_slope(a: Any, t: Any) -> Any:
    """The derivative of the cofactors of `a` along `t`, from the minors without two rows and columns."""
    U, s, Vh = onp.linalg.svd(a)
    n = s.shape[-1]
    before, after = _products_around(s)
    factors = onp.where(onp.triu(onp.ones((n, n), bool), 1), s[..., None, :], 1)
    between = onp.cumprod(factors, -1)
    between = onp.concatenate([onp.ones(between.shape[:-1] + (1,)), between[..., :-1]], -1)
    pairs = onp.triu(before[..., :, None] * between * after[..., None, :], 1)
    pairs = pairs + onp.swapaxes(pairs, -1, -2)
    t = U.conj().swapaxes(-1, -2) @ t @ Vh.conj().swapaxes(-1, -2)
    slope = -onp.swapaxes(t, -1, -2) * pairs
    slope = slope + (pairs @ onp.diagonal(t, 0, -2, -1)[..., None]) * onp.eye(n)
    phase = onp.linalg.det(U) * onp.linalg.det(Vh)
    return (phase[..., None, None] * (U.conj() @ slope @ Vh.conj())).astype(onp.result_type(a, t))


def _products_around(s: Any) -> tuple[Any, Any]:
    """The products of all entries before, and of all after, each entry."""
    one = onp.ones(s.shape[:-1] + (1,), s.dtype)
    before = onp.cumprod(onp.concatenate([one, s[..., :-1]], -1), -1)
    after = onp.cumprod(onp.concatenate([one, s[..., :0:-1]], -1), -1)[..., ::-1]
    return before, after


def _traced_minors(a: Any) -> Any:
    """The minors by the recursion of Faddeev and LeVerrier, a polynomial: less accurate, but of any order."""
    n = a.shape[-1]
    size = onp.abs(getval(a)).max(initial=0.0) or 1.0
    a, one = a / size, onp.eye(n, dtype=a.dtype)
    # each derivative is to depend on `a`, also where it is constant: no warning of that is wanted
    adjugate = one + 0 * anp.exp(a)
    for k in range(1, n):
        product = anp.matmul(a, adjugate)
        adjugate = product - _scale(anp.trace(product, 0, -2, -1) / k, one)
    return T(adjugate) * (-size) ** (n - 1)


def _traced_slope(t: Any) -> Any:
    return lambda a: make_jvp(_traced_minors, a)(t)[1]


derivative(
    _minors,
    vjp=lambda g, ans, a: _minors_slope(a, g),
    jvp=lambda t, ans, a: _minors_slope(a, t),
    saves="x",
)
derivative(
    _minors_slope,
    0,
    vjp=lambda g, ans, a, t: make_vjp(_traced_slope(t), a)[0](g),
    jvp=lambda s, ans, a, t: make_jvp(_traced_slope(t), a)(s)[1],
    saves="x 1",
)
linear(_minors_slope, lambda g, ans, a, t: _minors_slope(a, g), 1, saves="x")


def _slogdet_vjp(g: Any, ans: Any, a: Any) -> Any:
    """d log|det| = Re tr(a^-1 da), d sign = i sign Im tr(a^-1 da)."""
    weight = g[1]
    if is_complex(a):
        weight = weight + 1j * anp.imag(g[0] * ans[0])
    return _scale(weight, T(linalg.inv(a)))


def _slogdet_jvp(t: Any, ans: Any, a: Any) -> Any:
    trace = anp.sum(T(linalg.inv(a)) * t, (-2, -1))
    if is_complex(a):
        return named_like(ans, ans[0] * (trace - anp.real(trace)), anp.real(trace))
    return named_like(ans, anp.zeros_like(trace), trace)


derivative(linalg.slogdet, vjp=_slogdet_vjp, jvp=_slogdet_jvp, saves="x ans")

# ----- cholesky: Murray (2016), and the cotangent made Hermitian.  H(L) is inverted, not L: the pivots of an
# upper triangle are its diagonal, so that its inverse is as right as a solution by substitution.


def _lower_half(x: Any) -> Any:
    return x * triangle(x.shape[-1], 0.5, real_dtype(x))


def _cholesky_vjp(g: Any, ans: Any, a: Any, *, upper: bool = False) -> Any:
    L, G = (H(ans), T(g)) if upper else (ans, conj(g))
    inverse = linalg.inv(H(L))
    slope = anp.matmul(anp.matmul(inverse, _lower_half(anp.matmul(H(L), G))), H(inverse))
    return conj(hermitian_part(slope))


def _cholesky_jvp(t: Any, ans: Any, a: Any, *, upper: bool = False) -> Any:
    L = H(ans) if upper else ans
    inverse = linalg.inv(H(L))
    inner = anp.matmul(anp.matmul(H(inverse), hermitian_part(t)), inverse)
    slope = anp.matmul(L, _lower_half(inner))
    return H(slope) if upper else slope


derivative(linalg.cholesky, vjp=_cholesky_vjp, jvp=_cholesky_jvp, saves="ans")
