"""Derivatives of NumPy's functions made of pieces: extremes, choices, absolute values, remainders.

On each piece the derivative is a constant, so the masks that tell the pieces apart are plain arrays.  A
piece that was not taken contributes 0 even where the cotangent is infinite or nan.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ... import builtins
from ...extend import primitive
from ...rules import composite, elementwise
from ...tracer import getval
from .. import numpy_wrapper as anp


def _keep(mask: Any, g: Any) -> Any:
    """`g` where `mask` holds, else 0."""
    mask = getval(mask)
    if onp.ndim(mask) == 0:
        return g if mask else anp.zeros_like(g)[()]
    return _where(mask, g, 0.0)


# Choices

_where: Any = anp.where
_clip: Any = anp.clip
_nan_to_num: Any = anp.nan_to_num

elementwise(_where, None, lambda g, x: _keep(x, g), lambda g, x: _keep(onp.logical_not(getval(x)), g))


@composite(onp.clip, anp)
def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """Brings the bounds, which have several names, into their places."""
    if out is not None:
        raise NotImplementedError("clip: out= cannot be differentiated; use the returned array instead")
    return _clip(a, kwargs.pop("min", a_min), kwargs.pop("max", a_max), **kwargs)


def _clip_vjp_x(g: Any, ans: Any, y: Any, z: Any) -> Any:
    """Strictly within the bounds; at a bound the bound takes all."""
    free = onp.ones(onp.shape(getval(ans)), bool)
    for bound in (y, z):
        if bound is not None:
            free = free & (getval(ans) != getval(bound))
    return _keep(free, g)


def _clip_vjp_low(g: Any, x: Any, y: Any, z: Any) -> Any:
    x, low, high = getval(x), getval(y), getval(z)
    return _keep(x <= low if high is None else (x <= low) & (low < high), g)


def _clip_vjp_high(g: Any, x: Any, y: Any, z: Any) -> Any:
    x, low, high = getval(x), getval(y), getval(z)
    return _keep(x >= high if low is None else (x >= high) | (low >= high), g)


elementwise(_clip, _clip_vjp_x, _clip_vjp_low, _clip_vjp_high)


@composite(onp.nan_to_num, anp)
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Never in place: the derivative looks at the original."""
    return _nan_to_num(x, True, nan, posinf, neginf)


def _finite_part(g: Any, x: Any) -> Any:
    x = getval(x)
    if not onp.iscomplexobj(x):
        return _keep(onp.isfinite(x), g)
    return _keep(onp.isfinite(x.real), anp.real(g)) + 1j * _keep(onp.isfinite(x.imag), anp.imag(g))


elementwise(_nan_to_num, _finite_part)


# Extremes: at ties each operand takes half


def _winner(g: Any, ans: Any, x: Any, y: Any) -> Any:
    """`g` where the result is `x`, shared where `y` is the same."""
    ties = getval(x) == getval(y)
    if onp.any(ties):
        g = g * onp.where(ties, 0.5, 1.0).astype(onp.result_type(getval(g), onp.float16))
    return _keep(getval(x) == getval(ans), g)


for _extreme in (anp.maximum, anp.minimum, anp.fmax, anp.fmin):
    elementwise(_extreme, _winner, lambda g, ans, x, y: _winner(g, ans, y, x))


# Absolute values and signs


def _phase(x: Any) -> Any:
    """x / abs(x), and 0 at 0."""
    size = anp.abs(x)
    return x / _where(size == 0, 1.0, size)


def _abs_vjp(g: Any, x: Any) -> Any:
    """d abs(z) is Re(conj(phase) dz)."""
    return g * (anp.conj(_phase(x)) if anp.iscomplexobj(x) else onp.sign(getval(x)))


elementwise(anp.abs, (_abs_vjp, lambda g, x: anp.real(_abs_vjp(g, x))))
elementwise(anp.fabs, lambda g, x: g * onp.sign(getval(x)))
elementwise(
    anp.copysign, lambda g, x, y: g * (onp.sign(getval(x)) * onp.copysign(onp.int8(1), getval(y))), None
)
elementwise(anp.nextafter, "same", None)
elementwise(anp.heaviside, None, lambda g, x: _keep(getval(x) == 0, g))


@composite(onp.sign, anp)
def sign(x: Any, **kwargs: Any) -> Any:
    """Constant for real numbers.  Of complex ones NumPy 2 gives the phase, NumPy 1 the sign of a part."""
    if not anp.iscomplexobj(x) or onp.sign(1j) != 1j:
        return onp.sign(getval(x), **kwargs)
    if kwargs:
        raise NotImplementedError(
            f"sign of a complex operand: no derivative with {', '.join(kwargs)}=; use z / abs(z)"
        )
    return _phase(x)


# Remainders and parts of numbers

for _remainder in (anp.mod, anp.remainder):
    elementwise(_remainder, "same", lambda g, x, y: g * -onp.floor_divide(getval(x), getval(y)))
elementwise(
    anp.fmod, "same", lambda g, ans, x, y: g * onp.rint((getval(ans) - getval(x)) / onp.asarray(getval(y)))
)


@composite(onp.divmod, anp)
def divmod(x: Any, y: Any) -> Any:
    return builtins.tuple([onp.floor_divide(getval(x), getval(y)), anp.mod(x, y)])


@primitive
def _fraction(x: Any) -> Any:
    return onp.modf(x)[0]


elementwise(_fraction, "same")


@composite(onp.modf, anp)
def modf(x: Any) -> Any:
    return builtins.tuple([_fraction(x), onp.modf(getval(x))[1]])


elementwise(anp.ldexp, lambda g, y: anp.ldexp(g, y), None)


@composite(onp.frexp, anp)
def frexp(x: Any) -> Any:
    exponent = onp.frexp(getval(x))[1]
    return anp.ldexp(x, -exponent), exponent
