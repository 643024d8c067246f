"""How primitives are pickled: by module and name, as functions are.

`cloudpickle`, which joblib, dask and others use, sends functions of the main module and local ones by value.
It does so with primitives too, and their rules go with them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from ._core import primitive_jvps, primitive_vjps
from ._primitive import Primitive, set_reduce, trace_primitives_map

reference_modules: list[str] = []  # where to look for the primitives of other modules' functions


def reduce_primitive(prim: Any) -> tuple[Any, ...]:
    """What ``prim.__reduce__()`` returns."""
    pickler = sys._getframe(1)
    by_value = pickler.f_globals.get("__name__", "").endswith("cloudpickle")
    place = _place_of(prim)
    if place is not None and not (by_value and place[0] == "__main__"):
        return by_reference, place
    if not by_value:
        raise TypeError(
            f"can't pickle primitive {prim.__name__}: it is not found under that name in its module"
        )
    rules = [(mode, registry.get(prim)) for mode, registry in _REGISTRIES.items()]
    state = prim.fun, vars(prim), prim.stacks_lists, [pair for pair in rules if pair[1] is not None]
    return _blank, (), state, None, None, _fill


def _place_of(prim: Any) -> tuple[str, str] | None:
    """The module and the name by which a primitive is found, if it is."""
    for name in (getattr(prim, "__qualname__", ""), prim.__name__):
        for module in (getattr(prim, "__module__", None), *reference_modules):
            if module is not None and _find(sys.modules.get(module), name) is prim:
                return module, name
    return None


def by_reference(module: str, name: str) -> Any:
    """Find a function by module and name, as pickle does."""
    return _find(importlib.import_module(module), name)


def _find(root: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        root = getattr(root, part, None)
    return root


_REGISTRIES: dict[str, Any] = {"vjp": primitive_vjps, "jvp": primitive_jvps}


def _blank() -> Any:
    return Primitive.__new__(Primitive)  # its rules may refer to it, so they come later


def _fill(prim: Any, state: tuple[Callable[..., Any], dict[str, Any], bool, list[tuple[str, Any]]]) -> None:
    function, attributes, prim.stacks_lists, rules = state
    prim.__init__(function)
    vars(prim).update(attributes)
    trace_primitives_map[function] = prim
    for mode, rule in rules:
        _REGISTRIES[mode][prim] = rule


set_reduce(reduce_primitive)
