"""The normal distribution, its functions differentiable in every operand.

SciPy's methods take ``*args, **kwds``; these have signatures of their own and pass every operand on, so that
keywords may be traced and a rule always sees all three.
"""

from __future__ import annotations

from typing import Any

import scipy.stats

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import elementwise
from autograd_fast.scipy.rules.special_error import inverse_mills, normal_density

_logpdf = primitive(scipy.stats.norm.logpdf)
_pdf = primitive(scipy.stats.norm.pdf)
_cdf = primitive(scipy.stats.norm.cdf)
_logcdf = primitive(scipy.stats.norm.logcdf)
_sf = primitive(scipy.stats.norm.sf)
_logsf = primitive(scipy.stats.norm.logsf)
_ppf = primitive(scipy.stats.norm.ppf)
_isf = primitive(scipy.stats.norm.isf)


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _logpdf(x, loc, scale)


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _pdf(x, loc, scale)


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _cdf(x, loc, scale)


def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _logcdf(x, loc, scale)


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _sf(x, loc, scale)


def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _logsf(x, loc, scale)


def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _ppf(q, loc, scale)


def isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _isf(q, loc, scale)


def _z(x: Any, loc: Any, scale: Any) -> Any:
    return anp.divide(anp.subtract(x, loc), scale)


def _scaled(density: Any, x: Any, loc: Any, scale: Any) -> Any:
    """A density in z, or what takes its place for a logarithm, as the derivative in x."""
    return density(_z(x, loc, scale)) / scale


# In x, loc and scale, the operands x, y and z of the maps.
elementwise(
    _logpdf,
    lambda g, x, y, z: -g * _z(x, y, z) / z,
    lambda g, x, y, z: g * _z(x, y, z) / z,
    lambda g, x, y, z: g * (_z(x, y, z) ** 2 - 1) / z,
)
elementwise(
    _pdf,
    lambda g, ans, x, y, z: -g * ans * _z(x, y, z) / z,
    lambda g, ans, x, y, z: g * ans * _z(x, y, z) / z,
    lambda g, ans, x, y, z: g * ans * (_z(x, y, z) ** 2 - 1) / z,
)
elementwise(
    _cdf,
    lambda g, x, y, z: g * _scaled(normal_density, x, y, z),
    lambda g, x, y, z: -g * _scaled(normal_density, x, y, z),
    lambda g, x, y, z: -g * _scaled(normal_density, x, y, z) * _z(x, y, z),
)
elementwise(
    _sf,
    lambda g, x, y, z: -g * _scaled(normal_density, x, y, z),
    lambda g, x, y, z: g * _scaled(normal_density, x, y, z),
    lambda g, x, y, z: g * _scaled(normal_density, x, y, z) * _z(x, y, z),
)
elementwise(
    _logcdf,
    lambda g, x, y, z: g * _scaled(inverse_mills, x, y, z),
    lambda g, x, y, z: -g * _scaled(inverse_mills, x, y, z),
    lambda g, x, y, z: -g * _scaled(inverse_mills, x, y, z) * _z(x, y, z),
)
elementwise(
    _logsf,
    lambda g, x, y, z: -g * _scaled(inverse_mills, -x, -y, z),
    lambda g, x, y, z: g * _scaled(inverse_mills, -x, -y, z),
    lambda g, x, y, z: g * _scaled(inverse_mills, -x, -y, z) * _z(x, y, z),
)
elementwise(
    _ppf,
    lambda g, ans, y, z: g * z / normal_density(_z(ans, y, z)),
    "same",
    lambda g, ans, y, z: g * _z(ans, y, z),
)
elementwise(
    _isf,
    lambda g, ans, y, z: -g * z / normal_density(_z(ans, y, z)),
    "same",
    lambda g, ans, y, z: g * _z(ans, y, z),
)
