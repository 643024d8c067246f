"""The multivariate normal distribution, differentiable in x, mean and cov.

The primitives have one layout, to which the public functions bring their operands: x of shape (..., d), mean
(d,), cov (d, d).  The derivative in cov is that of a symmetric matrix: it is symmetric itself.
"""

from __future__ import annotations

from typing import Any

import numpy as onp
import scipy.stats

from autograd_fast.extend import primitive
from autograd_fast.numpy import linalg
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import derivative
from autograd_fast.scipy.stats._operands import as_arrays
from autograd_fast.tracer import getval, isbox

_raw = scipy.stats.multivariate_normal


def logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    x, mean, cov = as_arrays(x, mean, cov)
    if not any(map(isbox, (x, mean, cov))):
        return _raw.logpdf(x, mean, cov, allow_singular)
    mean, cov = _layout(mean, cov)
    d = anp.shape(cov)[0]
    if anp.ndim(x) < 2:
        x = anp.reshape(x, (-1, d))
    return _squeeze(_logpdf(x, mean, cov, allow_singular))


def pdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    x, mean, cov = as_arrays(x, mean, cov)
    if not any(map(isbox, (x, mean, cov))):
        return _raw.pdf(x, mean, cov, allow_singular)
    return anp.exp(logpdf(x, mean, cov, allow_singular))


def entropy(mean: Any = None, cov: Any = 1) -> Any:
    (cov,) = as_arrays(cov)
    return _entropy(_layout(mean, cov)[1]) if isbox(cov) else _raw.entropy(getval(mean), cov)


def _layout(mean: Any, cov: Any) -> tuple[Any, Any]:
    """mean as a vector and cov as a matrix: a number or a vector in place of cov stands for a diagonal."""
    cov = getattr(cov, "covariance", 1.0 if cov is None else cov)
    d = anp.size(mean) if mean is not None else anp.shape(cov)[0] if anp.ndim(cov) == 2 else 1
    mean = onp.zeros(d) if mean is None else anp.reshape(mean, (d,))
    return mean, cov if anp.ndim(cov) == 2 else anp.reshape(cov, (-1, 1)) * onp.eye(d)


def _squeeze(value: Any) -> Any:
    return anp.reshape(value, tuple(n for n in anp.shape(value) if n != 1))


@primitive
def _logpdf(x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    return onp.reshape(_raw.logpdf(x, mean, cov, allow_singular), onp.shape(x)[:-1])


def _precision(cov: Any, allow_singular: bool) -> Any:
    return linalg.pinv(cov) if allow_singular else linalg.inv(cov)


def _weighted(x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    """The derivative of logpdf in mean, (x - mean) / cov."""
    return anp.matmul(anp.subtract(x, mean), _precision(cov, allow_singular))


def _refuse_singular(cov: Any, allow_singular: bool) -> None:
    if allow_singular and onp.linalg.matrix_rank(getval(cov)) < anp.shape(cov)[0]:
        raise NotImplementedError(
            "multivariate_normal has no derivative in a singular cov (allow_singular=True): next to it the"
            " density is zero; differentiate in x and mean, or add a small multiple of the identity to cov"
        )


def _vjp_x(g: Any, ans: Any, x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    return -anp.expand_dims(g, -1) * _weighted(x, mean, cov, allow_singular)


def _jvp_x(t: Any, ans: Any, x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    return -anp.sum(t * _weighted(x, mean, cov, allow_singular), axis=-1)


def _vjp_mean(g: Any, ans: Any, x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    return anp.expand_dims(g, -1) * _weighted(x, mean, cov, allow_singular)


def _jvp_mean(t: Any, ans: Any, x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    return anp.sum(t * _weighted(x, mean, cov, allow_singular), axis=-1)


def _vjp_cov(g: Any, ans: Any, x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    _refuse_singular(cov, allow_singular)
    w = anp.reshape(_weighted(x, mean, cov, allow_singular), (-1, anp.shape(cov)[0]))
    g = anp.reshape(g, (-1, 1))
    return (anp.matmul(anp.transpose(w), g * w) - anp.sum(g) * _precision(cov, allow_singular)) / 2


def _jvp_cov(t: Any, ans: Any, x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    _refuse_singular(cov, allow_singular)
    w = _weighted(x, mean, cov, allow_singular)
    trace = anp.sum(anp.transpose(t) * _precision(cov, allow_singular))
    return (anp.sum(anp.matmul(w, t) * w, axis=-1) - trace) / 2


derivative(_logpdf, 0, vjp=_vjp_x, jvp=_jvp_x, saves="x y z")
derivative(_logpdf, 1, vjp=_vjp_mean, jvp=_jvp_mean, saves="x y z", broadcasts=True)
derivative(_logpdf, 2, vjp=_vjp_cov, jvp=_jvp_cov, saves="x y z")


@primitive
def _entropy(cov: Any) -> Any:
    return _raw.entropy(None, cov)


derivative(
    _entropy,
    vjp=lambda g, ans, cov: g * anp.transpose(linalg.inv(cov)) / 2,
    jvp=lambda t, ans, cov: anp.sum(t * anp.transpose(linalg.inv(cov))) / 2,
    saves="x",
)
