"""Families of continuous distributions: their functions made differentiable from a few derivatives.

What has to be known of a family is about its standard form, with location 0 and scale 1: the derivatives of
the logarithm of its density in x and in the shape parameters, and those of its distribution function in the
shape parameters.  The rest follows: the density is the derivative of the distribution function, and
x = loc + scale z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as onp

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import derivative
from autograd_fast.scipy.stats._operands import as_arrays
from autograd_fast.tracer import getval, isbox

Slope = Callable[..., Any]

_NAMES = ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
_INVERSES = ("ppf", "isf")


class Family:
    """The functions of one of SciPy's continuous distributions, traced.

    Parameters
    ----------
    dist : scipy.stats.rv_continuous
    log_slopes : sequence of callable
        The derivatives of ``logpdf(x, *shapes)`` in x and in each shape parameter, given x and the shapes.
    cdf_slopes : sequence of callable
        The derivatives of ``cdf(x, *shapes)`` in each shape parameter, likewise.
    support : pair of float
        The ends of the support.  Outside, all derivatives but those of the inverses are zero.

    Examples
    --------
    >>> normal = Family(scipy.stats.norm, [lambda z: -z], [])  # doctest: +SKIP
    >>> normal("logpdf", 0.3, loc=1.0, scale=2.0)  # doctest: +SKIP
    """

    def __init__(
        self,
        dist: Any,
        log_slopes: Sequence[Slope],
        cdf_slopes: Sequence[Slope],
        support: tuple[float, float] = (-math.inf, math.inf),
    ) -> None:
        self.dist = dist
        self.standard = {name: primitive(getattr(dist, name)) for name in _NAMES}
        columns = [self._in_x(log_slopes[0])]
        columns += [self._in_shape(*slopes) for slopes in zip(log_slopes[1:], cdf_slopes, strict=True)]
        for name, fun in self.standard.items():
            ends = None if name in _INVERSES else support
            for argnum, column in enumerate(columns):
                product = _product(column[name], ends)
                saves = "ans x y z"[: 4 + 2 * len(log_slopes)]
                kinds = {"broadcasts": True, "entrywise": True}
                derivative(fun, argnum, vjp=product, jvp=product, saves=saves, **kinds)

    def _in_x(self, log_slope: Slope) -> dict[str, Slope]:
        """The derivative in x, or in the probability, of each function."""
        logpdf, pdf = self.standard["logpdf"], self.standard["pdf"]
        return {
            "logpdf": lambda ans, x, *s: log_slope(x, *s),
            "pdf": lambda ans, x, *s: ans * log_slope(x, *s),
            "cdf": lambda ans, x, *s: pdf(x, *s),
            "sf": lambda ans, x, *s: -pdf(x, *s),
            "logcdf": lambda ans, x, *s: anp.exp(logpdf(x, *s) - ans),
            "logsf": lambda ans, x, *s: -anp.exp(logpdf(x, *s) - ans),
            "ppf": lambda ans, q, *s: 1 / pdf(ans, *s),
            "isf": lambda ans, q, *s: -1 / pdf(ans, *s),
        }

    def _in_shape(self, log_slope: Slope, cdf_slope: Slope) -> dict[str, Slope]:
        """The derivative in one of the shape parameters of each function."""
        pdf = self.standard["pdf"]
        return {
            "logpdf": lambda ans, x, *s: log_slope(x, *s),
            "pdf": lambda ans, x, *s: ans * log_slope(x, *s),
            "cdf": lambda ans, x, *s: cdf_slope(x, *s),
            "sf": lambda ans, x, *s: -cdf_slope(x, *s),
            "logcdf": lambda ans, x, *s: cdf_slope(x, *s) * anp.exp(-ans),
            "logsf": lambda ans, x, *s: -cdf_slope(x, *s) * anp.exp(-ans),
            "ppf": lambda ans, q, *s: -cdf_slope(ans, *s) / pdf(ans, *s),
            "isf": lambda ans, q, *s: -cdf_slope(ans, *s) / pdf(ans, *s),
        }

    def __call__(self, name: str, x: Any, *shapes: Any, loc: Any, scale: Any) -> Any:
        """The function of that name; SciPy's own where nothing is traced."""
        arrays = as_arrays(x, *shapes, loc, scale)
        x, shapes, loc, scale = arrays[0], tuple(arrays[1:-2]), arrays[-2], arrays[-1]
        if not any(map(isbox, arrays)):
            return getattr(self.dist, name)(x, *shapes, loc, scale)
        standard = self.standard[name]
        if isinstance(loc, int) and isinstance(scale, int) and (loc, scale) == (0, 1):
            return standard(x, *shapes)
        scale = anp.where(anp.greater(scale, 0), scale, onp.nan)
        if name in _INVERSES:
            return loc + scale * standard(x, *shapes)
        value = standard((x - loc) / scale, *shapes)
        if name == "logpdf":
            return value - anp.log(scale)
        return value / scale if name == "pdf" else value


def _product(slope: Slope, support: tuple[float, float] | None) -> Callable[..., Any]:
    """The map of a rule, for both modes: the slope times g, and zero outside the support."""

    def product(g: Any, ans: Any, x: Any, *shapes: Any) -> Any:
        if support is None:
            return g * slope(ans, x, *shapes)
        low, high = support
        inside = onp.logical_and(getval(x) >= low, getval(x) <= high)
        if not onp.all(inside):
            # Where the result is not taken the slope is asked at an ordinary point, so that it is finite.
            x = anp.where(inside, x, low + 1.0 if high == math.inf else (low + high) / 2)
            ans = anp.where(inside, ans, 0.0)
        value = g * slope(ans, x, *shapes)
        return value if onp.all(inside) else anp.where(inside, value, 0.0)

    return product
