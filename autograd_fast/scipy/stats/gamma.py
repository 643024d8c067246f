"""The gamma distribution, its functions differentiable in every operand."""

from __future__ import annotations

import math
from typing import Any

import scipy.stats

from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.scipy.rules.special_elementary import ratio
from autograd_fast.scipy.rules.special_incomplete import gammainc_jet
from autograd_fast.scipy.special import gamma, psi  # noqa: F401
from autograd_fast.scipy.stats._family import Family

_gamma = Family(
    scipy.stats.gamma,
    log_slopes=[
        lambda x, a: ratio(a - 1, x) - 1,
        lambda x, a: anp.log(x) - psi(a),
    ],
    cdf_slopes=[lambda x, a: gammainc_jet(a, x, 1)],
    support=(0, math.inf),
)


def logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("logpdf", x, a, loc=loc, scale=scale)


def pdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("pdf", x, a, loc=loc, scale=scale)


def cdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("cdf", x, a, loc=loc, scale=scale)


def logcdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("logcdf", x, a, loc=loc, scale=scale)


def sf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("sf", x, a, loc=loc, scale=scale)


def logsf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("logsf", x, a, loc=loc, scale=scale)


def ppf(q: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("ppf", q, a, loc=loc, scale=scale)


def isf(q: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _gamma("isf", q, a, loc=loc, scale=scale)
