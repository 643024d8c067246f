"""The beta distribution, its functions differentiable in every operand."""

from __future__ import annotations

from typing import Any

import scipy.stats

from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.scipy.rules.special_elementary import ratio
from autograd_fast.scipy.rules.special_incomplete import betainc_jet
from autograd_fast.scipy.special import beta, psi  # noqa: F401
from autograd_fast.scipy.stats._family import Family

_beta = Family(
    scipy.stats.beta,
    log_slopes=[
        lambda x, a, b: ratio(a - 1, x) - ratio(b - 1, 1 - x),
        lambda x, a, b: anp.log(x) - psi(a) + psi(a + b),
        lambda x, a, b: anp.log1p(-x) - psi(b) + psi(a + b),
    ],
    cdf_slopes=[
        lambda x, a, b: betainc_jet(a, b, x, 1, 0),
        lambda x, a, b: betainc_jet(a, b, x, 0, 1),
    ],
    support=(0, 1),
)


def logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("logpdf", x, a, b, loc=loc, scale=scale)


def pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("pdf", x, a, b, loc=loc, scale=scale)


def cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("cdf", x, a, b, loc=loc, scale=scale)


def logcdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("logcdf", x, a, b, loc=loc, scale=scale)


def sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("sf", x, a, b, loc=loc, scale=scale)


def logsf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("logsf", x, a, b, loc=loc, scale=scale)


def ppf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("ppf", q, a, b, loc=loc, scale=scale)


def isf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _beta("isf", q, a, b, loc=loc, scale=scale)
