"""The numbers inside values of any kind: boxes, containers, arrays of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core import JVPNode
from ..tracer import isbox


def layers(x: Any) -> Iterator[Any]:
    """What is inside of boxes: the plain value, and the tangents that its boxes carry in forward mode."""
    while isbox(x):
        if isinstance(x._node, JVPNode):
            yield from layers(x._node.g)
        x = x._value
    yield x


def arrays(x: Any) -> Iterator[Any]:
    """The arrays of numbers and the numbers in a value, those of tangents included."""
    for layer in layers(x):
        if isinstance(layer, np.ndarray):
            if layer.dtype.names:
                for name in layer.dtype.names:
                    yield from arrays(layer[name])
            elif layer.dtype == object:
                for item in layer.flat:
                    yield from arrays(item)
            else:
                yield layer
        elif isinstance(layer, (float, complex, int, np.generic)):
            yield layer
        elif isinstance(layer, (list, tuple)):
            for item in layer:
                yield from arrays(item)
        elif isinstance(layer, dict):
            yield from arrays(list(layer.values()))
        elif not isinstance(layer, type) and hasattr(type(layer), "__array__"):
            yield np.asarray(layer)


def map_arrays(f: Callable[..., Any], x: Any, *others: Any) -> Any:
    """`f` of each array, number or box in a container and of those at its place in containers like it."""
    if isinstance(x, dict):
        return type(x)({key: map_arrays(f, x[key], *(other[key] for other in others)) for key in x})
    if isinstance(x, (list, tuple)):
        items = [map_arrays(f, *at) for at in zip(x, *others, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return f(x, *others)


def is_numeric(x: Any) -> bool:
    """Whether `x` is an array or a number, but for Python's integers, which are options as often."""
    return isinstance(x, (float, complex, np.generic, np.ndarray))


def inexact(x: Any) -> bool:
    """Whether `x` is an array or number that can be NaN or infinite."""
    return is_numeric(x) and np.result_type(x).kind in "fc"
