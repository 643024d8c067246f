"""Derivatives of the error function's family, of the normal distribution, and of the logistic functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as onp
import scipy.special

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import elementwise
from autograd_fast.scipy.rules import special_namespace as sp

ROOT_PI = math.sqrt(math.pi)
ROOT_TWO_PI = math.sqrt(2 * math.pi)

# (2k-1)!! (2k+1), highest k first: the coefficients of the asymptotic series of _tail.
_TAIL = [float(onp.prod(onp.arange(1, 2 * k, 2)) * (2 * k + 1)) for k in range(7, -1, -1)]


def normal_density(x: Any) -> Any:
    return anp.exp(-x * x / 2) / ROOT_TWO_PI


@primitive
def inverse_mills(x: Any) -> Any:
    """The normal density over the normal distribution function: the derivative of ``log_ndtr``.

    On the left, where both vanish, erfcx keeps their ratio.
    """
    x = onp.asarray(x)
    left = math.sqrt(2 / math.pi) / scipy.special.erfcx(-onp.minimum(x, 0) / math.sqrt(2))
    y = onp.maximum(x, 0)
    right = onp.exp(-y * y / 2) / ROOT_TWO_PI / scipy.special.ndtr(y)
    return onp.where(x < 0, left, right).astype(left.dtype)[()]


def _tail(x: Any, sign: int) -> Any:
    """v times the sum of (2k-1)!! (2k+1) (sign v)^k at v = 1/(2 x^2), for large x."""
    v = 1 / (2 * x * x)
    total = _TAIL[0]
    for coefficient in _TAIL[1:]:
        total = coefficient + sign * v * total
    return v * total


def _erfcx_slope(x: Any, ans: Any) -> Any:
    """2 x erfcx(x) - 2/sqrt(pi), or its asymptotic series where the two terms cancel."""
    near = 2 * x * ans - 2 / ROOT_PI
    if anp.iscomplexobj(x):
        return near
    far = x > 50
    return anp.where(far, -2 / ROOT_PI * _tail(anp.where(far, x, 50.0), -1), near)


def _dawsn_slope(x: Any, ans: Any) -> Any:
    """1 - 2 x dawsn(x), or its asymptotic series where the two terms cancel."""
    near = 1 - 2 * x * ans
    if anp.iscomplexobj(x):
        return near
    far = anp.abs(x) > 50
    return anp.where(far, -_tail(anp.where(far, x, 50.0), 1), near)


elementwise(sp.erf, lambda g, x: g * (2 / ROOT_PI) * anp.exp(-x * x))
elementwise(sp.erfc, lambda g, x: -g * (2 / ROOT_PI) * anp.exp(-x * x))
elementwise(sp.erfi, lambda g, x: g * (2 / ROOT_PI) * anp.exp(x * x))
elementwise(sp.erfinv, lambda g, ans: g * (ROOT_PI / 2) * anp.exp(ans * ans))
elementwise(sp.erfcinv, lambda g, ans: -g * (ROOT_PI / 2) * anp.exp(ans * ans))
elementwise(sp.erfcx, lambda g, x, ans: g * _erfcx_slope(x, ans))
elementwise(sp.dawsn, lambda g, x, ans: g * _dawsn_slope(x, ans))
elementwise(sp.wofz, lambda g, x, ans: g * (2j / ROOT_PI - 2 * x * ans))

elementwise(sp.ndtr, lambda g, x: g * normal_density(x))
elementwise(sp.log_ndtr, lambda g, x: g * inverse_mills(x))
elementwise(sp.ndtri, lambda g, ans: g / normal_density(ans))
elementwise(inverse_mills, lambda g, ans, x: -g * ans * (x + ans))
if hasattr(sp, "ndtri_exp"):
    elementwise(sp.ndtri_exp, lambda g, ans: g / inverse_mills(ans))

elementwise(sp.expit, lambda g, ans, x: g * ans * sp.expit(-x))
elementwise(sp.log_expit, lambda g, x: g * sp.expit(-x))
elementwise(sp.logit, lambda g, x: g / (x * (1 - x)))
