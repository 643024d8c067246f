"""The derivatives, of any order, of sinc and of the Bessel function i0, evaluated without cancellation."""

from __future__ import annotations

import math
from typing import Any

import numpy as onp

from ...extend import primitive
from ...rules import elementwise


@primitive
def sinc_derivative(x: Any, order: int) -> Any:
    """The derivative of sin(pi x) / (pi x), of an order from 1 on.

    With u = pi x, the n-th derivative in u is the integral of t**n cos(u t + n pi/2) over t from 0 to 1.
    Up to an absolute u of n + 1 its Taylor series serves; beyond, the recurrence
    u f_n + n f_(n-1) = sin(u + n pi/2), which integration by parts gives, is stable.
    """
    x = onp.asarray(x)
    u = onp.pi * x.astype("D" if x.dtype.kind == "c" else "d")
    near = abs(u) < order + 1
    series = _sinc_series(onp.where(near, u, 0), order)
    recurrence = _sinc_recurrence(onp.where(near, order + 1, u), order)
    return _like(x, onp.pi**order * onp.where(near, series, recurrence))


def _sinc_series(u: Any, n: int) -> Any:
    total, term = onp.zeros_like(u), onp.ones_like(u)
    for m in range(45 + 4 * n):
        cosine = (1, 0, -1, 0)[(m + n) % 4]
        if cosine:
            total = total + cosine * term / (m + n + 1)
        term = term * u / (m + 1)
    return total


def _sinc_recurrence(u: Any, n: int) -> Any:
    sines = (onp.sin(u), onp.cos(u), -onp.sin(u), -onp.cos(u))
    f = sines[0] / u
    for k in range(1, n + 1):
        f = (sines[k % 4] - k * f) / u
    return f


elementwise(sinc_derivative, lambda g, x, y: g * sinc_derivative(x, y + 1))


@primitive
def i0_derivative(x: Any, order: int) -> Any:
    """The derivative of the modified Bessel function i0, of an order from 1 on.

    It is the mean of cos(a)**n exp(x cos(a)) over the circle.  The mean over equidistant points converges
    faster than any power; by symmetry a quarter of the circle does, with cosh or sinh for exp, whose terms
    have one sign.
    """
    x = onp.asarray(x)
    z = x.astype("d")
    largest = min(float(abs(z[onp.isfinite(z)]).max(initial=0.0)), 750.0)
    points = 10 + order + math.ceil(2.5 * math.sqrt(largest))
    part = onp.cosh if order % 2 == 0 else onp.sinh
    total = 0.5 * part(z)
    for k in range(1, points):
        c = math.cos(0.5 * math.pi * k / points)
        total = total + c**order * part(z * c)
    return _like(x, total / points)


elementwise(i0_derivative, lambda g, x, y: g * i0_derivative(x, y + 1))


def _like(x: Any, value: Any) -> Any:
    """`value` as a ufunc would return it for `x`: a scalar for no dimensions, in the floating type of `x`."""
    return value.astype(onp.result_type(x.dtype, onp.float16))[()]
