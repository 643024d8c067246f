"""Derivatives of logsumexp, softmax and log_softmax."""

from __future__ import annotations

from typing import Any

import numpy as onp
import scipy.special

from autograd_fast._linear import set_log_sum_exp
from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, derivative
from autograd_fast.scipy.rules import special_namespace as sp
from autograd_fast.tracer import getval


@primitive
def log_sum_exp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(a)))"""
    if isinstance(a, onp.ndarray) and a.dtype in (onp.float64, onp.float32) and a.size and a.ndim:
        return _log_sum_of_reals(a, axis, keepdims)
    return scipy.special.logsumexp(a, axis=axis, keepdims=keepdims)


@primitive
def log_sum(a: Any, b: Any, axis: Any, keepdims: bool, absolute: bool) -> Any:
    """log(sum(b exp(a))), or the logarithm of the absolute value of that sum."""
    result = scipy.special.logsumexp(a, axis=axis, b=b, keepdims=keepdims, return_sign=absolute)
    return result[0] if absolute else result


def _log_sum_of_reals(a: Any, axis: Any, keepdims: bool) -> Any:
    """SciPy's algorithm, without the time it takes to prepare: the largest terms are counted, not added."""
    top = onp.max(a, axis=axis, keepdims=True)
    with onp.errstate(all="ignore"):
        terms = onp.exp(a - onp.where(onp.isfinite(top), top, 0))
        at_top = a == top
        terms[at_top] = 0
        count = onp.sum(at_top, axis=axis, keepdims=keepdims, dtype=a.dtype)
        rest = onp.sum(terms, axis=axis, keepdims=keepdims)
        return onp.log1p(rest / count) + onp.log(count) + onp.reshape(top, onp.shape(rest))


def _kept(reduced: Any, a: Any, b: Any, axis: Any) -> Any:
    """A result of `log_sum`, or its cotangent, with the summed axes as axes of length one."""
    shape = onp.broadcast_shapes(anp.shape(a), () if b is None else anp.shape(b))
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    summed = {i % len(shape) for i in axes}
    return anp.reshape(reduced, tuple(1 if i in summed else n for i, n in enumerate(shape)))


def _slopes(ans: Any, a: Any, b: Any, axis: Any, absolute: bool) -> tuple[Any, Any]:
    """The derivatives in a and b, b exp(a) / sum and exp(a) / sum; zero where all of a is -inf."""
    ans = _kept(ans, a, b, axis)
    finite = onp.isfinite(getval(ans))
    if onp.all(finite):
        slope = anp.exp(anp.subtract(a, ans))
    else:
        of_infinite = onp.where(onp.logical_and(getval(a) == onp.inf, getval(ans) == onp.inf), 0.0, -onp.inf)
        of_infinite = onp.where(onp.isnan(getval(ans)), onp.nan, of_infinite)
        slope = anp.exp(anp.where(finite, anp.subtract(a, anp.where(finite, ans, 0.0)), of_infinite))
    if b is None:
        return slope, None
    if absolute:
        slope = (
            slope * scipy.special.logsumexp(getval(a), axis, getval(b), keepdims=True, return_sign=True)[1]
        )
    return anp.where(anp.equal(b, 0), 0.0, anp.multiply(slope, b)), slope


def _vjp_a(g: Any, ans: Any, a: Any, b: Any, axis: Any, keepdims: bool, absolute: bool) -> Any:
    return _kept(g, a, b, axis) * _slopes(ans, a, b, axis, absolute)[0]


def _jvp_a(t: Any, ans: Any, a: Any, b: Any, axis: Any, keepdims: bool, absolute: bool) -> Any:
    return anp.sum(t * _slopes(ans, a, b, axis, absolute)[0], axis=axis, keepdims=keepdims)


def _vjp_b(g: Any, ans: Any, a: Any, b: Any, axis: Any, keepdims: bool, absolute: bool) -> Any:
    return _kept(g, a, b, axis) * _slopes(ans, a, b, axis, absolute)[1]


def _jvp_b(t: Any, ans: Any, a: Any, b: Any, axis: Any, keepdims: bool, absolute: bool) -> Any:
    return anp.sum(t * _slopes(ans, a, b, axis, absolute)[1], axis=axis, keepdims=keepdims)


derivative(
    log_sum_exp,
    vjp=lambda g, ans, a, axis=None, keepdims=False: _vjp_a(g, ans, a, None, axis, keepdims, False),
    jvp=lambda t, ans, a, axis=None, keepdims=False: _jvp_a(t, ans, a, None, axis, keepdims, False),
    saves="ans x",
)
set_log_sum_exp(log_sum_exp)
derivative(log_sum, 0, vjp=_vjp_a, jvp=_jvp_a, saves="ans x y", broadcasts=True)
derivative(log_sum, 1, vjp=_vjp_b, jvp=_jvp_b, saves="ans x y", broadcasts=True)


@composite(scipy.special.logsumexp, sp)
def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    a = anp.array(a) if isinstance(a, (list, tuple)) else a
    b = anp.array(b) if isinstance(b, (list, tuple)) else b
    axis = tuple(axis) if isinstance(axis, list) else axis
    if not return_sign:
        if b is None:
            if axis is not None and anp.ndim(a) == 0:
                a = anp.reshape(a, (1,))  # as SciPy takes it
            return log_sum_exp(a, axis=axis, keepdims=keepdims)
        return log_sum(a, b, axis, keepdims, False)
    plain, sign = scipy.special.logsumexp(getval(a), axis, getval(b), keepdims=keepdims, return_sign=True)
    if not (anp.iscomplexobj(a) or anp.iscomplexobj(b)):
        return log_sum(a, b, axis, keepdims, True), sign
    if onp.iscomplexobj(plain):
        raise NotImplementedError(
            "complex logsumexp has no derivative with return_sign=True before SciPy 1.15"
        )
    log = log_sum(a, b, axis, keepdims, False)
    return anp.real(log), anp.exp(1j * anp.imag(log))


@primitive
def _softmax(x: Any, axis: Any) -> Any:
    return scipy.special.softmax(x, axis=axis)


def _softmax_slope(g: Any, ans: Any, x: Any, axis: Any) -> Any:
    return ans * (g - anp.sum(g * ans, axis=axis, keepdims=True))


derivative(_softmax, 0, vjp=_softmax_slope, jvp=_softmax_slope, saves="ans")


@composite(scipy.special.softmax, sp)
def softmax(x: Any, axis: Any = None) -> Any:
    return _softmax(anp.array(x) if isinstance(x, (list, tuple)) else x, axis)


@primitive
def _log_softmax(x: Any, axis: Any) -> Any:
    return scipy.special.log_softmax(x, axis=axis)


derivative(
    _log_softmax,
    0,
    vjp=lambda g, ans, x, axis: g - anp.exp(ans) * anp.sum(g, axis=axis, keepdims=True),
    jvp=lambda t, ans, x, axis: t - anp.sum(t * anp.exp(ans), axis=axis, keepdims=True),
    saves="ans",
)


@composite(scipy.special.log_softmax, sp)
def log_softmax(x: Any, axis: Any = None) -> Any:
    return _log_softmax(anp.array(x) if isinstance(x, (list, tuple)) else x, axis)
