"""The Dirichlet distribution, differentiable in x and alpha.

SciPy wants x on the simplex; the derivative in x is that of its formula, with every entry free.
"""

from __future__ import annotations

from typing import Any

import scipy.stats

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import derivative
from autograd_fast.scipy.rules.special_elementary import ratio
from autograd_fast.scipy.special import digamma
from autograd_fast.scipy.stats._operands import as_arrays
from autograd_fast.tracer import isbox

_raw = scipy.stats.dirichlet

rvs = primitive(_raw.rvs)


def logpdf(x: Any, alpha: Any) -> Any:
    x, alpha = as_arrays(x, alpha)
    if not (isbox(x) or isbox(alpha)):
        return _raw.logpdf(x, alpha)
    if anp.shape(x)[0] == anp.shape(alpha)[0] - 1:
        x = anp.concatenate([x, 1 - anp.sum(x, axis=0, keepdims=True)])
    value = _logpdf(x, alpha)
    return anp.reshape(value, tuple(n for n in anp.shape(value) if n != 1))


def pdf(x: Any, alpha: Any) -> Any:
    x, alpha = as_arrays(x, alpha)
    if not (isbox(x) or isbox(alpha)):
        return _raw.pdf(x, alpha)
    return anp.exp(logpdf(x, alpha))


@primitive
def _logpdf(x: Any, alpha: Any) -> Any:
    return anp.reshape(_raw.logpdf(x, alpha), anp.shape(x)[1:])


def _in_x(x: Any, alpha: Any) -> Any:
    return ratio(_column(anp.subtract(alpha, 1), x), x)


def _in_alpha(x: Any, alpha: Any) -> Any:
    return anp.log(x) + _column(digamma(anp.sum(alpha)) - digamma(alpha), x)


def _column(alpha: Any, x: Any) -> Any:
    return anp.reshape(alpha, anp.shape(alpha) + (1,) * (anp.ndim(x) - 1))


derivative(
    _logpdf,
    0,
    vjp=lambda g, ans, x, alpha: g * _in_x(x, alpha),
    jvp=lambda t, ans, x, alpha: anp.sum(t * _in_x(x, alpha), axis=0),
    saves="x y",
)
derivative(
    _logpdf,
    1,
    vjp=lambda g, ans, x, alpha: anp.sum(g * _in_alpha(x, alpha), axis=tuple(range(1, anp.ndim(x)))),
    jvp=lambda t, ans, x, alpha: anp.sum(_column(t, x) * _in_alpha(x, alpha), axis=0),
    saves="x y",
)
