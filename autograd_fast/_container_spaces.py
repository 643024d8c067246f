"""Vector spaces of tuples, lists, dicts, and named tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .extend import VSpace, vspace
from .tracer import isbox
from .util import shallow_copy, subvals


def add_in_place(space, x, y):
    """`x` plus `y`, in the memory of `x` unless a box takes part: what is traced is never changed."""
    return space._add(x, y) if isbox(y) or isbox(x) else space._mut_add(x, y)


class ContainerVSpace(VSpace):
    """The space of containers like a given one; ``shape`` is that container with spaces for elements."""

    # What each kind of container defines: elements, keys with elements, a map over them, one replaced.
    _values: Callable[..., Any]
    _kv_pairs: Callable[..., Any]
    _map: Callable[..., Any]
    _subval: Callable[..., Any]

    def __init__(self, value):
        self.shape = value
        try:
            self.shape = self._map(vspace)
        except TypeError:
            self._name_culprit(value)
            raise

    @property
    def size(self):
        return sum(space.size for space in self._values(self.shape))

    @property
    def iscomplex(self):  # type: ignore[override]
        return any(space.iscomplex for space in self._values(self.shape))

    def zeros(self):
        return self._map(lambda space: space.zeros())

    def ones(self):
        return self._map(lambda space: space.ones())

    def randn(self):
        return self._map(lambda space: space.randn())

    def standard_basis(self):
        zeros = self.zeros()
        for key, space in self._kv_pairs(self.shape):
            for vector in space.standard_basis():
                yield self._subval(zeros, key, vector)

    def _add(self, xs, ys):
        return self._map(lambda space, x, y: space._add(x, y), xs, ys)

    def _mut_add(self, xs, ys):
        return self._map(add_in_place, xs, ys)

    def _scalar_mul(self, xs, a):
        return self._map(lambda space, x: space._scalar_mul(x, a), xs)

    def _inner_prod(self, xs, ys):
        products = self._map(lambda space, x, y: space._inner_prod(x, y), xs, ys)
        return sum(self._values(products))

    def _covector(self, xs):
        return self._map(lambda space, x: space._covector(x), xs)

    @staticmethod
    def _name_culprit(value):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, element in items:
            try:
                vspace(element)
            except TypeError as error:
                message = f"element {key!r} of a {type(value).__name__}: {error}"
                raise TypeError(message) from None

    def _check_structure(self, *containers):
        for xs in containers:
            if len(xs) != len(self.shape):
                raise ValueError(
                    f"a {type(xs).__name__} of {len(xs)} elements does not belong to the space of a "
                    f"{type(self.shape).__name__} of {len(self.shape)}"
                )


class SequenceVSpace(ContainerVSpace):
    """The space of tuples or lists."""

    seq_type: Any

    def _values(self, x):
        return x

    def _kv_pairs(self, x):
        return enumerate(x)

    def _map(self, f, *args):
        self._check_structure(*args)
        return self._restore(map(f, self.shape, *args))

    def _subval(self, xs, idx, x):
        return self._restore(subvals(xs, [(idx, x)]))

    def _restore(self, elements):
        return self.seq_type(elements)


class ListVSpace(SequenceVSpace):
    """The space of lists."""

    seq_type = list


class TupleVSpace(SequenceVSpace):
    """The space of tuples."""

    seq_type = tuple


class NamedTupleVSpace(SequenceVSpace):
    """The space of named tuples; ``seq_type`` is their class, by default that of the given value."""

    seq_type = None

    def _restore(self, elements):
        return (self.seq_type or type(self.shape))._make(elements)


class DictVSpace(ContainerVSpace):
    """The space of dicts; an instance of a subclass is copied, so that it keeps its other attributes."""

    def _values(self, x):
        return x.values()

    def _kv_pairs(self, x):
        return x.items()

    def _map(self, f, *args):
        self._check_structure(*args)
        shape = self.shape
        changed = {key: f(shape[key], *[arg[key] for arg in args]) for key in shape}
        return changed if type(shape) is dict else self._restore(changed)

    def _restore(self, changed):
        restored = shallow_copy(self.shape)
        for key, value in changed.items():
            restored[key] = value
        return restored

    def _subval(self, xs, key, x):
        changed = shallow_copy(xs)
        changed[key] = x
        return changed
