"""The Poisson distribution, its functions differentiable in the rate mu."""

from __future__ import annotations

from typing import Any

import numpy as onp
import scipy.stats

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import elementwise
from autograd_fast.scipy.rules.special_elementary import ratio
from autograd_fast.scipy.rules.special_namespace import refuse
from autograd_fast.scipy.stats._operands import as_arrays

_logpmf = primitive(scipy.stats.poisson.logpmf)
_pmf = primitive(scipy.stats.poisson.pmf)
_cdf = primitive(scipy.stats.poisson.cdf)
_logcdf = primitive(scipy.stats.poisson.logcdf)
_sf = primitive(scipy.stats.poisson.sf)
_logsf = primitive(scipy.stats.poisson.logsf)


def logpmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return _logpmf(anp.subtract(k, loc), *as_arrays(mu))


def pmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return _pmf(anp.subtract(k, loc), *as_arrays(mu))


def cdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return _cdf(anp.subtract(k, loc), *as_arrays(mu))


def logcdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return _logcdf(anp.subtract(k, loc), *as_arrays(mu))


def sf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return _sf(anp.subtract(k, loc), *as_arrays(mu))


def logsf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return _logsf(anp.subtract(k, loc), *as_arrays(mu))


def _log_slope(k: Any, mu: Any) -> Any:
    """The derivative of logpmf in mu, zero where k is not one of the possible counts."""
    possible = onp.logical_and(onp.greater_equal(k, 0), onp.equal(onp.mod(k, 1), 0))
    return anp.where(possible, ratio(k, mu) - 1, 0.0)


def _counts_refused(name: str) -> Any:
    return refuse(
        f"poisson.{name}", "k (or loc)", "counts are whole numbers; keep them out of the traced values"
    )


# The derivative of the distribution function in mu is minus the probability of the last count, floor(k).
elementwise(
    _logpmf,
    _counts_refused("logpmf"),
    lambda g, x, y: g * _log_slope(x, y),
)
elementwise(
    _pmf,
    _counts_refused("pmf"),
    lambda g, ans, x, y: g * ans * _log_slope(x, y),
)
elementwise(
    _cdf,
    _counts_refused("cdf"),
    lambda g, x, y: -g * _pmf(onp.floor(x), y),
)
elementwise(
    _sf,
    _counts_refused("sf"),
    lambda g, x, y: g * _pmf(onp.floor(x), y),
)
elementwise(
    _logcdf,
    _counts_refused("logcdf"),
    lambda g, ans, x, y: -g * anp.exp(_logpmf(onp.floor(x), y) - ans),
)
elementwise(
    _logsf,
    _counts_refused("logsf"),
    lambda g, ans, x, y: g * anp.exp(_logpmf(onp.floor(x), y) - ans),
)
