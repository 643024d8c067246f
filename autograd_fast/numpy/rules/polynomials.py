"""Derivatives of NumPy's functions of polynomials, given by coefficients of falling powers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as onp

from ...rules import composite, derivative
from ...tracer import getval
from .. import linalg
from .. import numpy_wrapper as anp
from ._helpers import container_like
from .operands import as_array, dtype_of

# NumPy 1 has it in the main namespace
_RANK_WARNING = vars(onp.exceptions if hasattr(onp.exceptions, "RankWarning") else onp)["RankWarning"]


def _coefficients(p: Any) -> Any:
    """As an array of one dimension, also from a ``poly1d``."""
    return anp.atleast_1d(as_array(p.coeffs if isinstance(p, onp.poly1d) else p))


def _without_leading_zeros(p: Any) -> Any:
    nonzero = onp.flatnonzero(getval(p))
    return p[nonzero[0] :] if nonzero.size else p[:0]


# Values

_polyval: Any = anp.polyval


def _polyval_vjp(g: Any, ans: Any, p: Any, x: Any) -> Any:
    """Each coefficient takes the sum of g times its power of x."""
    return anp.dot(anp.ravel(g), anp.vander(anp.ravel(x), p.size))


def _polyval_slope(g: Any, ans: Any, p: Any, x: Any) -> Any:
    return g * _polyval(anp.polyder(p), x)


derivative(_polyval, 0, vjp=_polyval_vjp, jvp=lambda t, ans, p, x: _polyval(t, x), saves="y")
derivative(_polyval, 1, vjp=_polyval_slope, jvp=_polyval_slope, saves="x y")


@composite(onp.polyval, anp)
def polyval(p: Any, x: Any) -> Any:
    if isinstance(x, onp.poly1d):
        raise NotImplementedError("polyval: x of type poly1d has no derivative; pass the values of x")
    p, x = _coefficients(p), as_array(x)
    if anp.ndim(p) == 1:
        return _polyval(p, x)
    value = anp.zeros_like(x)
    for row in p:
        value = value * x + row
    return value


# Arithmetic


@composite(onp.polyadd, anp)
def polyadd(a1: Any, a2: Any) -> Any:
    a1, a2 = _coefficients(a1), _coefficients(a2)
    length = max(len(a1), len(a2))
    return _padded(a1, length) + _padded(a2, length)


@composite(onp.polysub, anp)
def polysub(a1: Any, a2: Any) -> Any:
    a1, a2 = _coefficients(a1), _coefficients(a2)
    length = max(len(a1), len(a2))
    return _padded(a1, length) - _padded(a2, length)


def _padded(p: Any, length: int) -> Any:
    return p if len(p) == length else anp.concatenate((onp.zeros(length - len(p), dtype_of(p)), p))


@composite(onp.polymul, anp)
def polymul(a1: Any, a2: Any) -> Any:
    factors = [_without_leading_zeros(_coefficients(a)) for a in (a1, a2)]
    return anp.convolve(*[f if len(f) else onp.zeros(1, dtype_of(f)) for f in factors])


@composite(onp.polydiv, anp)
def polydiv(u: Any, v: Any) -> Any:
    """The quotient solves a triangular system, the leading part of the convolution with `v`."""
    u, v = _coefficients(u), _coefficients(v)
    quotient, remainder = onp.polydiv(getval(u), getval(v))
    steps = len(u) - len(v) + 1
    if steps < 1:
        return container_like((), [quotient, u])
    shift = onp.arange(steps)[:, None] - onp.arange(steps)
    inside = (shift >= 0) & (shift < len(v))
    system = anp.where(inside, v[onp.where(inside, shift, 0)], 0.0)
    quotient = linalg.solve(system, u[:steps])
    return container_like((), [quotient, (u - anp.convolve(quotient, v))[-len(remainder) :]])


# Derivatives and integrals


@composite(onp.polyder, anp)
def polyder(p: Any, m: int = 1) -> Any:
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = _coefficients(p)
    for _ in range(m):
        p = p[:-1] * onp.arange(len(p) - 1, 0, -1)
    return p


@composite(onp.polyint, anp)
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    p = _coefficients(p)
    k = onp.zeros(m) if k is None else anp.atleast_1d(as_array(k))
    if len(k) == 1:
        k = k * onp.ones(m)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for constant in range(m):
        p = anp.concatenate((p / onp.arange(len(p), 0, -1), k[constant : constant + 1]))
    return p


# Roots


@composite(onp.poly, anp)
def poly(seq_of_zeros: Any) -> Any:
    """The product of z - root; of a matrix, of its eigenvalues."""
    roots = anp.atleast_1d(as_array(seq_of_zeros))
    if anp.size(roots) == 0:
        return onp.poly(getval(roots))
    real = not onp.iscomplexobj(onp.poly(getval(roots)))
    if anp.ndim(roots) == 2:
        roots = linalg.eigvals(roots)
    product = onp.ones(1, dtype_of(roots))
    for k in range(len(roots)):
        factor = anp.concatenate((onp.ones(1, dtype_of(roots)), -roots[k : k + 1]))
        product = anp.convolve(product, factor)
    return anp.real(product) if real else product


_roots: Any = anp.roots


def _roots_vjp(g: Any, ans: Any, p: Any) -> Any:
    """A root moves by -dp(root) / p'(root)."""
    return anp.dot(-g / _polyval(anp.polyder(p), ans), anp.vander(ans, len(p)))


def _roots_jvp(t: Any, ans: Any, p: Any) -> Any:
    return -_polyval(t, ans) / _polyval(anp.polyder(p), ans)


derivative(_roots, vjp=_roots_vjp, jvp=_roots_jvp, saves="ans x")


@composite(onp.roots, anp)
def roots(p: Any) -> Any:
    return _roots(_coefficients(p))


# Fits


def scaled_least_squares(left: Any, right: Any, w: Any, rcond: float | None, full: bool) -> tuple[Any, ...]:
    """The least squares solution, by columns scaled to length one, and what NumPy's fits report of it."""
    if rcond is None:
        rcond = anp.shape(left)[0] * onp.finfo(onp.result_type(dtype_of(left), onp.float16)).eps
    if w is not None:
        w = as_array(w)
        left = left * w[:, None]
        right = anp.transpose(anp.transpose(right) * w)
    left, scale = _unit_columns(left)
    c, residuals, rank, s = linalg.lstsq(left, right, rcond)
    if rank != anp.shape(left)[1] and not full:
        warnings.warn("The fit may be poorly conditioned", _RANK_WARNING, stacklevel=4)
    return anp.transpose(anp.transpose(c) / scale), residuals, rank, s, rcond


def _unit_columns(left: Any) -> tuple[Any, Any]:
    scale = anp.sqrt(anp.sum(anp.real(left * anp.conj(left)), 0))
    scale = anp.where(getval(scale) == 0, 1.0, scale)
    return left / scale, scale


@composite(onp.polyfit, anp)
def polyfit(
    x: Any, y: Any, deg: int, rcond: float | None = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """The least squares solution in the powers of x, scaled to columns of length one."""
    x, y = as_array(x), as_array(y)
    if deg < 0:
        raise ValueError(f"expected deg >= 0, got {deg}")
    if anp.shape(x) != anp.shape(y)[:1]:
        raise TypeError(
            f"polyfit: x is a vector and y as long; got the shapes {anp.shape(x)} and {anp.shape(y)}"
        )
    order = int(deg) + 1
    left = anp.vander(x, order)
    c, residuals, rank, s, rcond = scaled_least_squares(left, y, w, rcond, full)
    if full:
        return c, residuals, rank, s, rcond
    if not cov:
        return c
    left, scale = _unit_columns(left if w is None else left * as_array(w)[:, None])
    covariance = linalg.inv(anp.dot(anp.transpose(left), left)) / anp.outer(scale, scale)
    if cov == "unscaled":
        factor = onp.ones(())
    elif anp.size(x) <= order:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    else:
        factor = residuals / (anp.size(x) - order)
    return container_like(
        (), [c, covariance * factor if anp.ndim(y) == 1 else covariance[:, :, None] * factor]
    )
