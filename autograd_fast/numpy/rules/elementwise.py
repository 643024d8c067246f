"""Derivatives of NumPy's smooth functions that act entry by entry.

Here are arithmetic, powers and roots, exponentials and logarithms, trigonometry, and the parts of complex
numbers; the functions made of pieces (maximum, abs, mod, where, ...) are in `piecewise`.

Divisions by a bare operand are written ``anp.divide``: Python's own division of two floats would raise
ZeroDivisionError where the derivative is infinite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as onp

from ...rules import derivative, elementwise
from ...tracer import getval
from .. import numpy_wrapper as anp
from ._helpers import direction
from .series import i0_derivative, sinc_derivative

LN2, LN10 = math.log(2), math.log(10)
RADIANS_PER_DEGREE = math.pi / 180


def _nonzero(x: Any) -> Any:
    """`x` with its zeros replaced by ones, to be divided by."""
    return anp.where(x == 0, 1.0, x)


# Arithmetic

elementwise(anp.positive, "same")
elementwise(anp.negative, lambda g: -g)
elementwise(anp.add, "same", "same")
elementwise(anp.subtract, "same", lambda g: -g)
elementwise(anp.multiply, lambda g, y: g * y, lambda g, x: g * x)
elementwise(anp.divide, lambda g, y: anp.divide(g, y), lambda g, ans, y: -g * anp.divide(ans, y))
elementwise(anp.reciprocal, lambda g, ans: -g * ans * ans)
elementwise(anp.square, lambda g, x: g * (2 * x))


# Powers and roots


def _power_base(g: Any, x: Any, y: Any) -> Any:
    """y x**(y-1), and 0 for the constant 0**0."""
    if onp.all(getval(y) != 0):
        return g * (y * anp.power(x, y - 1.0))
    constant = (x == 0) & (y == 0)
    return g * (y * anp.power(x, anp.where(constant, 1.0, y - 1.0)))


def _power_exponent(g: Any, ans: Any, x: Any) -> Any:
    """x**y log(x), and 0 for 0**y."""
    return g * (ans * anp.log(_nonzero(x)))


elementwise(anp.power, _power_base, _power_exponent)
elementwise(anp.float_power, _power_base, _power_exponent)
elementwise(anp.sqrt, lambda g, ans: 0.5 * g / (ans + 0.0))  # + 0.0: the root of -0.0 is -0.0
elementwise(anp.cbrt, lambda g, ans: g / (3 * ans * ans))
elementwise(anp.hypot, lambda g, ans, x: g * direction(x, ans), lambda g, ans, y: g * direction(y, ans))


# Exponentials and logarithms


def share_of_sum(exp: Any, x: Any, ans: Any) -> Any:
    """The share of `x` in ``ans = log(exp(x) + exp(y))``, in ``exp``'s base: exp(x - ans).

    Where the sum is 0 or infinite the difference is not defined; the share is 0 there, or 1 for an infinite
    operand.
    """
    infinite = onp.isinf(getval(ans))
    if not infinite.any():
        return exp(x - ans)
    finite = x - anp.where(infinite, 0.0, ans)
    return exp(anp.where(infinite, onp.where(getval(x) == onp.inf, 0.0, -onp.inf), finite))


elementwise(anp.exp, lambda g, ans: g * ans)
elementwise(anp.exp2, lambda g, ans: g * (LN2 * ans))
elementwise(anp.expm1, lambda g, ans: g * (ans + 1))
elementwise(anp.log, lambda g, x: anp.divide(g, x))
elementwise(anp.log2, lambda g, x: anp.divide(g, LN2 * x))
elementwise(anp.log10, lambda g, x: anp.divide(g, LN10 * x))
elementwise(anp.log1p, lambda g, x: anp.divide(g, 1 + x))
elementwise(
    anp.logaddexp,
    lambda g, ans, x: g * share_of_sum(anp.exp, x, ans),
    lambda g, ans, y: g * share_of_sum(anp.exp, y, ans),
)
elementwise(
    anp.logaddexp2,
    lambda g, ans, x: g * share_of_sum(anp.exp2, x, ans),
    lambda g, ans, y: g * share_of_sum(anp.exp2, y, ans),
)


# Trigonometric and hyperbolic functions


def _root_of_one_minus_square(x: Any) -> Any:
    """sqrt(1 - x**2); of a complex x on the cut, -(x - 1) keeps the sign of the zero, 1 - x does not."""
    return anp.sqrt((1 + x) * (-(x - 1) if anp.iscomplexobj(x) else 1 - x))


def _root_of_one_plus_square(x: Any) -> Any:
    """sqrt(1 + x**2), without overflow for real x."""
    return anp.sqrt(1 + x * x) if anp.iscomplexobj(x) else anp.hypot(x, 1.0)


elementwise(anp.sin, lambda g, x: g * anp.cos(x))
elementwise(anp.cos, lambda g, x: -g * anp.sin(x))
elementwise(anp.tan, lambda g, ans: g * (1 + ans * ans))
elementwise(anp.arcsin, lambda g, x: g / _root_of_one_minus_square(x))
elementwise(anp.arccos, lambda g, x: -g / _root_of_one_minus_square(x))
elementwise(anp.arctan, lambda g, x: anp.divide(g, 1 + x * x))

elementwise(anp.sinh, lambda g, x: g * anp.cosh(x))
elementwise(anp.cosh, lambda g, x: g * anp.sinh(x))
elementwise(anp.tanh, lambda g, ans: g * (1 - ans * ans))
elementwise(anp.arcsinh, lambda g, x: g / _root_of_one_plus_square(x))
elementwise(anp.arccosh, lambda g, x: g / (anp.sqrt(x - 1) * anp.sqrt(x + 1)))
elementwise(anp.arctanh, lambda g, x: anp.divide(g, (1 - x) * (1 + x)))


def _over_square(x: Any, y: Any) -> Any:
    """x / (x**2 + y**2), without overflow; nan at the origin."""
    r = anp.hypot(x, y)
    return x / r / r


elementwise(anp.arctan2, lambda g, x, y: g * _over_square(y, x), lambda g, x, y: -g * _over_square(x, y))

for _to_radians in (anp.deg2rad, anp.radians):
    elementwise(_to_radians, lambda g: g * RADIANS_PER_DEGREE)
for _to_degrees in (anp.rad2deg, anp.degrees):
    elementwise(_to_degrees, lambda g: g / RADIANS_PER_DEGREE)


# Functions whose derivatives of every order are one family

elementwise(anp.sinc, lambda g, x: g * sinc_derivative(x, 1))
elementwise(anp.i0, lambda g, x: g * i0_derivative(x, 1))


# Parts of complex numbers


def _angle_vjp(g: Any, ans: Any, z: Any, deg: bool = False) -> Any:
    """The angle is Im log z, so dz goes to Re(-1j dz / z); the angle of a real number is constant."""
    if not anp.iscomplexobj(z):
        return anp.zeros_like(g)
    turn = -1j * anp.divide(g, z)
    return turn / RADIANS_PER_DEGREE if deg else turn


def _angle_jvp(t: Any, ans: Any, z: Any, deg: bool = False) -> Any:
    if not anp.iscomplexobj(z):
        return anp.zeros_like(t)
    turn = anp.imag(anp.divide(t, z))
    return turn / RADIANS_PER_DEGREE if deg else turn


for _conj in (anp.conj, anp.conjugate):
    elementwise(_conj, lambda g: anp.conj(g))
elementwise(anp.real, ("same", lambda g: anp.real(g)))
elementwise(anp.imag, (lambda g: -1j * g, lambda g: anp.imag(g)))
elementwise(anp.real_if_close, "same")
derivative(anp.angle, vjp=_angle_vjp, jvp=_angle_jvp, saves="x", entrywise=True)
