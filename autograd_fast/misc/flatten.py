"""Nested containers of arrays and numbers as one vector, and back.

Optimizers that work on vectors can so be used on parameters in any structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import autograd_fast.numpy as np

from .._tracer import check_stack
from ..builtins import DictBox, SequenceBox, make_sequence
from ..builtins import dict as traced_dict
from ..tracer import getval
from ..wrap_util import wraps


def flatten(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The arrays and numbers in nested lists, tuples and dicts, as one vector.

    Parameters
    ----------
    value : list, tuple, dict, array or number
        Nested to any depth.  Dicts are gone through in the order of their sorted keys.

    Returns
    -------
    vector : array
        One-dimensional.
    unflatten : callable
        Takes such a vector to a value of the structure of the given one, with arrays at its leaves.
        Both directions can be differentiated.

    Examples
    --------
    >>> vector, unflatten = flatten({"w": np.ones((2, 2)), "b": 0.5})
    >>> vector
    array([0.5, 1. , 1. , 1. , 1. ])
    """
    layout = _Layout(value)
    leaves = list(_leaves(value))
    vector = np.concatenate([np.ravel(leaf) for leaf in leaves]) if leaves else np.zeros(0)

    def unflatten(vector: Any) -> Any:
        if np.size(vector) != layout.size:
            raise ValueError(
                f"this structure is made from a vector of {layout.size} numbers, got {np.size(vector)}"
            )
        return layout.fill(np.ravel(vector))

    return vector, unflatten


def flatten_func(func: Callable[..., Any], example: Any) -> tuple[Callable[..., Any], Any, Any]:
    """A function of nested containers as a function from vectors to vectors.

    Parameters
    ----------
    func : callable
    example : value
        An argument of the structure that `func` takes.

    Returns
    -------
    flat_func : callable
        Takes a vector, and the further arguments of `func`, to the result of `func` as a vector.
    unflatten : callable
        Takes a vector to an argument of `func`.
    flat_example : array
        `example` as a vector.
    """
    flat_example, unflatten = flatten(example)

    @wraps(func)
    def flat_func(vector: Any, *args: Any, **kwargs: Any) -> Any:
        return flatten(func(unflatten(vector), *args, **kwargs))[0]

    return flat_func, unflatten, flat_example


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple, SequenceBox))


def _is_dict(value: Any) -> bool:
    return isinstance(value, (dict, DictBox))


def _sorted_keys(value: Any) -> list[Any]:
    try:
        return sorted(value)
    except TypeError:  # keys of several types
        return sorted(value, key=lambda key: (type(key).__name__, key))


def _leaves(value: Any) -> Iterator[Any]:
    if _is_sequence(value):
        for element in value:
            yield from _leaves(element)
    elif _is_dict(value):
        for key in _sorted_keys(value):
            yield from _leaves(value[key])
    else:
        yield value


class _Layout:
    """Where in a vector each leaf of a structure is."""

    def __init__(self, value: Any, start: int = 0) -> None:
        check_stack()
        self.start = start
        self.keys: list[Any] | None = None
        self.parts: list[_Layout] = []
        self.kind = type(getval(value))
        self.size = 0
        if _is_sequence(value):
            self._add_parts(value)
        elif _is_dict(value):
            # keys of the result stay in the order of the given dict
            self.keys = _sorted_keys(value)
            self.order = list(value)
            self._add_parts(value[key] for key in self.keys)
        else:
            leaf = getval(value)
            self.shape = np.shape(leaf)
            self.dtype = np.result_type(leaf)
            self.size = int(np.size(leaf))

    def _add_parts(self, elements: Any) -> None:
        for element in elements:
            self.parts.append(_Layout(element, self.start + self.size))
            self.size += self.parts[-1].size

    def fill(self, vector: Any) -> Any:
        if self.keys is not None:
            filled = dict(zip(self.keys, (part.fill(vector) for part in self.parts), strict=True))
            return traced_dict({key: filled[key] for key in self.order})
        if issubclass(self.kind, (list, tuple)):
            return make_sequence(self.kind, *[part.fill(vector) for part in self.parts])
        leaf = np.reshape(vector[self.start : self.start + self.size], self.shape)
        return self._like_given(leaf)

    def _like_given(self, leaf: Any) -> Any:
        """`leaf` with the kind and the precision that the leaf of the structure had."""
        dtype = getval(leaf).dtype
        if dtype == self.dtype or self.dtype.kind not in "fc":
            return leaf
        if dtype.kind == "c" and self.dtype.kind == "f":
            leaf = np.real(leaf)
        return leaf.astype(self.dtype)
