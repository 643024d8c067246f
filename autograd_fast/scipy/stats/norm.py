"""The normal distribution, its functions differentiable in every operand.

The primitives are SciPy's formulas without the time that SciPy takes to prepare the operands.  They always
have three operands, so that a rule sees all of them whatever was left to its default.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as onp
from scipy.special import log_ndtr, ndtr, ndtri

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import elementwise
from autograd_fast.scipy.rules.special_error import ROOT_TWO_PI, inverse_mills, normal_density
from autograd_fast.scipy.stats._operands import as_arrays


def _of_z(formula: Callable[[Any, Any], Any]) -> Any:
    """The primitive of x, loc and scale for a formula in z = (x - loc) / scale; nan for scale <= 0."""

    def raw(x: Any, loc: Any, scale: Any) -> Any:
        with onp.errstate(all="ignore"):
            scale = onp.where(onp.greater(scale, 0), onp.asarray(scale, float), onp.nan)
            return formula((onp.asarray(x, float) - loc) / scale, scale)

    return primitive(raw)


_logpdf = _of_z(lambda z, scale: -(z * z) / 2 - math.log(ROOT_TWO_PI) - onp.log(scale))
_pdf = _of_z(lambda z, scale: onp.exp(-(z * z) / 2) / ROOT_TWO_PI / scale)
_cdf = _of_z(lambda z, scale: ndtr(z))
_logcdf = _of_z(lambda z, scale: log_ndtr(z))
_sf = _of_z(lambda z, scale: ndtr(-z))
_logsf = _of_z(lambda z, scale: log_ndtr(-z))


@primitive
def _ppf(q: Any, loc: Any, scale: Any) -> Any:
    return ndtri(onp.asarray(q, float)) * onp.where(onp.greater(scale, 0), scale, onp.nan) + loc


@primitive
def _isf(q: Any, loc: Any, scale: Any) -> Any:
    return -ndtri(onp.asarray(q, float)) * onp.where(onp.greater(scale, 0), scale, onp.nan) + loc


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _logpdf(*as_arrays(x, loc, scale))


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _pdf(*as_arrays(x, loc, scale))


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _cdf(*as_arrays(x, loc, scale))


def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _logcdf(*as_arrays(x, loc, scale))


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _sf(*as_arrays(x, loc, scale))


def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _logsf(*as_arrays(x, loc, scale))


def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _ppf(*as_arrays(q, loc, scale))


def isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return _isf(*as_arrays(q, loc, scale))


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
