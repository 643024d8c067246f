"""Traces, boxes and primitives, under the names that HIPS gives them."""

from __future__ import annotations

import contextlib
from typing import Any

from ._primitive import (
    Node,
    Primitive,
    find_top_boxed_args,
    notrace_primitives,
    primitive,
    register_notrace,
    trace_primitives_map,
)
from ._tracer import (
    BoxBase,
    TraceStack,
    box_types,
    getval,
    isbox,
    new_box,
    trace,
    trace_stack,
    type_fallbacks,
    type_mappings,
)
from .util import subvals, toposort
from .wrap_util import wraps

__all__ = [
    "Box",
    "Node",
    "Primitive",
    "TraceStack",
    "box_type_mappings",
    "box_types",
    "find_top_boxed_args",
    "getval",
    "isbox",
    "new_box",
    "notrace_primitive",
    "notrace_primitives",
    "primitive",
    "register_notrace",
    "subvals",
    "toposort",
    "trace",
    "trace_primitives_map",
    "trace_stack",
    "type_fallbacks",
    "wraps",
]


def notrace_primitive(f_raw: Any) -> Any:
    """Make a function that sees the plain values of boxes among its positional arguments."""

    def f_wrapped(*args: Any, **kwargs: Any) -> Any:
        return f_raw(*map(getval, args), **kwargs)

    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        with contextlib.suppress(AttributeError, TypeError):
            setattr(f_wrapped, attribute, getattr(f_raw, attribute))
    f_wrapped._is_primitive = True  # type: ignore[attr-defined]
    f_wrapped.fun = f_raw  # type: ignore[attr-defined]
    return f_wrapped


class Box(BoxBase):
    """A traced value: what a differentiated function sees in place of its argument.

    Attributes
    ----------
    _value
        The value, itself a box of an outer trace in nested derivatives.
    _trace : int
        Depth of the trace in its thread.
    _node : Node
        The step that made the value.
    """

    __slots__: list[str] = []
    type_mappings = type_mappings
    types = box_types

    def __bool__(self) -> bool:
        return bool(self._value)

    __nonzero__ = __bool__

    def __str__(self) -> str:
        return f"Autograd {type(self).__name__} with value {self._value!s}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of trace {self._trace}: {self._value!r}>"

    @classmethod
    def register(cls, value_type: Any) -> None:
        """Box values of `value_type` in this class."""
        Box.types.add(cls)
        Box.type_mappings[value_type] = cls
        Box.type_mappings[cls] = cls


box_type_mappings = type_mappings
