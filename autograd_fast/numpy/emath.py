"""numpy.emath, traced: functions that leave the real line where an operand lies outside of their domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from ..rules import composite
from ..tracer import getval
from . import numpy_wrapper as anp
from .rules.operands import as_array, dtype_of

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]


_SHORT = "bBhHf"  # the types of which NumPy makes single precision


def _complex_where(x: Any, outside: Callable[[Any], Any]) -> Any:
    """`x`, made complex if it is real and any entry is outside of the domain."""
    x = as_array(x)
    if dtype_of(x).kind == "c" or not onp.any(outside(getval(x))):
        return x
    return anp._astype(x, onp.complex64 if dtype_of(x).char in _SHORT else onp.complex128)


def _complex_if_negative(x: Any) -> Any:
    return _complex_where(x, lambda value: value < 0)


def _complex_beyond_one(x: Any) -> Any:
    return _complex_where(x, lambda value: abs(value) > 1)


@composite(onp.emath.sqrt)
def sqrt(x: Any) -> Any:
    return anp.sqrt(_complex_if_negative(x))


@composite(onp.emath.log)
def log(x: Any) -> Any:
    return anp.log(_complex_if_negative(x))


@composite(onp.emath.log10)
def log10(x: Any) -> Any:
    return anp.log10(_complex_if_negative(x))


@composite(onp.emath.log2)
def log2(x: Any) -> Any:
    return anp.log2(_complex_if_negative(x))


@composite(onp.emath.logn)
def logn(n: Any, x: Any) -> Any:
    return log(x) / log(n)


@composite(onp.emath.power)
def power(x: Any, p: Any) -> Any:
    p = as_array(p)
    return anp.power(_complex_if_negative(x), p * 1.0 if onp.any(getval(p) < 0) else p)


@composite(onp.emath.arccos)
def arccos(x: Any) -> Any:
    return anp.arccos(_complex_beyond_one(x))


@composite(onp.emath.arcsin)
def arcsin(x: Any) -> Any:
    return anp.arcsin(_complex_beyond_one(x))


@composite(onp.emath.arctanh)
def arctanh(x: Any) -> Any:
    return anp.arctanh(_complex_beyond_one(x))
