"""Every public name of NumPy, and what the coverage table says of it."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as onp

from .numpy_others import REASONS, ZERO
from .numpy_probes import CHAPTERS

_BASES = ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e")
NAMESPACES: dict[str, Any] = {
    "np": onp,
    "np.linalg": onp.linalg,
    "np.fft": onp.fft,
    "np.emath": onp.emath,
    "np.random": onp.random,
    **{f"np.polynomial.{name}": getattr(onp.polynomial, name) for name in _BASES},
    "ndarray": onp.ndarray,
    "ufunc": onp.ufunc,
}
PROBES = {name: expression for table in CHAPTERS.values() for name, expression in table.items()}


def lookup(name: str) -> Any:
    """What `name` stands for in this NumPy, None if it has no such thing; True for an operator."""
    if name.startswith("op "):
        return True
    place, _, attribute = name.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(NAMESPACES[place], attribute, None)


def reason(name: str, value: Any) -> str | None:
    """Why a name has no derivative, None if it has one or is unknown."""
    if name in REASONS:
        return REASONS[name]
    if isinstance(value, type) and issubclass(value, (onp.generic, BaseException, bool)):
        return "scalar types and exceptions"
    if isinstance(value, type) and name.startswith("np.polynomial."):
        return REASONS["np.poly1d"]
    if isinstance(value, (int, float, str, onp.bool_)):
        return "constants"
    if name.startswith("np.polynomial.") and not callable(value):
        return "constants"
    return None


def public(place: str) -> dict[str, Any]:
    """The public names of one of `NAMESPACES`, submodules left out."""
    space = NAMESPACES[place]
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = () if space is onp else getattr(space, "__all__", ())
        for name in sorted(listed or dir(space)):
            value = getattr(space, name, None)
            if not name.startswith("_") and value is not None and not isinstance(value, ModuleType):
                found[f"{place}.{name}"] = value
    return found


def unclassified() -> list[str]:
    """The public names of this NumPy of which the tables say nothing."""
    names = {name: value for place in NAMESPACES if place != "ufunc" for name, value in public(place).items()}
    return [
        name
        for name, value in names.items()
        if name not in PROBES and name not in ZERO and reason(name, value) is None
    ]
