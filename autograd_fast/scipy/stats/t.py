"""Student's t distribution, its functions differentiable in every operand."""

from __future__ import annotations

from typing import Any

import scipy.stats

from autograd_fast.scipy.rules.special_incomplete import student_log_slope, student_slope
from autograd_fast.scipy.special import psi  # noqa: F401
from autograd_fast.scipy.stats._family import Family

_student = Family(
    scipy.stats.t,
    log_slopes=[
        lambda x, df: -(1 + 1 / df) * x / (1 + x * x / df),
        lambda x, df: student_log_slope(df, x),
    ],
    cdf_slopes=[lambda x, df: student_slope(df, x)],
)


def logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("logpdf", x, df, loc=loc, scale=scale)


def pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("pdf", x, df, loc=loc, scale=scale)


def cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("cdf", x, df, loc=loc, scale=scale)


def logcdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("logcdf", x, df, loc=loc, scale=scale)


def sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("sf", x, df, loc=loc, scale=scale)


def logsf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("logsf", x, df, loc=loc, scale=scale)


def ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("ppf", q, df, loc=loc, scale=scale)


def isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _student("isf", q, df, loc=loc, scale=scale)
