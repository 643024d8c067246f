"""The chi-squared distribution, its functions differentiable in every operand."""

from __future__ import annotations

import math
from typing import Any

import scipy.stats

from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.scipy.rules.special_elementary import ratio
from autograd_fast.scipy.rules.special_incomplete import gammainc_jet
from autograd_fast.scipy.special import gamma, psi  # noqa: F401
from autograd_fast.scipy.stats._family import Family

_chi2 = Family(
    scipy.stats.chi2,
    log_slopes=[
        lambda x, df: ratio(df / 2 - 1, x) - 0.5,
        lambda x, df: (anp.log(x / 2) - psi(df / 2)) / 2,
    ],
    cdf_slopes=[lambda x, df: gammainc_jet(df / 2, x / 2, 1) / 2],
    support=(0, math.inf),
)


def logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("logpdf", x, df, loc=loc, scale=scale)


def pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("pdf", x, df, loc=loc, scale=scale)


def cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("cdf", x, df, loc=loc, scale=scale)


def logcdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("logcdf", x, df, loc=loc, scale=scale)


def sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("sf", x, df, loc=loc, scale=scale)


def logsf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("logsf", x, df, loc=loc, scale=scale)


def ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("ppf", q, df, loc=loc, scale=scale)


def isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _chi2("isf", q, df, loc=loc, scale=scale)
