"""Traced tuples, lists and dicts, and the built-in types to make and recognise them with.

A box around a container gives boxed elements, so differentiated functions may take their parameters in
nested containers and return them; gradients have the structure of the argument.  Named tuples and
subclasses of dict are containers too: a class is registered when a value of it is first met.
"""

from __future__ import annotations

import functools
import operator
import types
from typing import Any

from ._container_primitives import (
    SpaceOf,
    _make_dict,
    container_take,
    container_untake,
    fwd_grad_make_sequence,
    grad_container_take,
    grad_sequence_extend_left,
    grad_sequence_extend_right,
    make_sequence,
    sequence_as,
    sequence_extend_left,
    sequence_extend_right,
)
from ._container_spaces import (
    ContainerVSpace,
    DictVSpace,
    ListVSpace,
    NamedTupleVSpace,
    SequenceVSpace,
    TupleVSpace,
)
from ._containers import ContainerBoxBase, elements, set_container_getitem, set_container_take
from ._core import set_element_cotangent
from ._tracer import set_result_hook, type_fallbacks
from .extend import Box, SparseObject, VSpace, notrace_primitive, vspace
from .tracer import getval, isbox

__all__ = [
    "Box", "ContainerVSpace", "DictBox", "DictVSpace", "ListVSpace", "NamedTupleVSpace",
    "SequenceBox", "SequenceVSpace", "SparseObject", "TupleVSpace", "VSpace", "box_container",
    "container_take", "container_untake", "dict", "fwd_grad_make_sequence", "grad_container_take",
    "grad_sequence_extend_left", "grad_sequence_extend_right", "isinstance", "list", "make_sequence",
    "register_container", "sequence_as", "sequence_extend_left", "sequence_extend_right", "tuple", "type",
    "vspace",
]  # fmt: skip

isinstance_ = isinstance
dict_ = dict
list_ = list
tuple_ = tuple
type_ = type

isinstance = notrace_primitive(isinstance_)
type = notrace_primitive(type_)

# elements of longer tuples are taken from a list: see Note [Taking an element in constant time]
LONG = 32


# ----- boxes -----

_MUTATORS = {
    "append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort",
    "update",
}  # fmt: skip


# what a user's class of containers may define that works on a box as well as on an instance
_IN_CLASSES = (types.FunctionType, property, classmethod, staticmethod)


class _ContainerBox(ContainerBoxBase, Box):
    """What the boxes of sequences and dicts share.  Comparisons are those of the values.

    Methods and properties that the class of the value defines are those of the box, too.
    """

    __slots__ = ("_space",)
    _space: SpaceOf

    def _space_of(self):
        try:
            return self._space
        except AttributeError:
            self._space = SpaceOf(self._value)
            return self._space

    def __getattr__(self, name):
        if name in _MUTATORS:
            kind = type_(getval(self)).__name__
            raise AttributeError(
                f"{name}: a traced {kind} can't be changed in place; make a new one, as in x + [item] or "
                "dict(x, key=value), with list, tuple and dict from autograd_fast.builtins"
            )
        cls = type_(getval(self))
        for base in cls.__mro__:
            attribute: Any = vars(base).get(name)
            if isinstance_(attribute, _IN_CLASSES):
                return attribute.__get__(self, cls)
        raise AttributeError(f"{type_(self).__name__!r} object has no attribute {name!r}")

    def __len__(self):
        return len(self._value)

    def __bool__(self):
        return len(self._value) > 0

    def __eq__(self, other):
        return self._value == getval(other)

    def __ne__(self, other):
        return self._value != getval(other)

    __hash__ = Box.__hash__


class SequenceBox(_ContainerBox):
    """A traced tuple or list; the fields of a named tuple are attributes."""

    __slots__ = ("_list",)
    _list: SequenceBox

    def __getattr__(self, name):
        fields = getattr(type_(getval(self)), "_fields", None)
        if fields is not None:
            if name == "_fields":
                return fields
            if name in fields:
                return self[fields.index(name)]
            if name in _NAMED_TUPLE_METHODS:
                return functools.partial(_NAMED_TUPLE_METHODS[name], self)
        return super().__getattr__(name)

    def __getitem__(self, idx):
        source = self if isinstance_(idx, slice) else self._source()
        return container_take(source, idx, source._space_of())

    def _source(self):
        """The box to take elements from: see Note [Taking an element in constant time]."""
        if len(self._value) <= LONG or not isinstance_(getval(self), tuple_):
            return self
        try:
            return self._list
        except AttributeError:
            self._list = sequence_as(self, list_)
            return self._list

    def __iter__(self):
        return iter(elements(self))

    def __reversed__(self):
        for i in reversed(range(len(self._value))):
            yield self[i]

    def __contains__(self, elt):
        return elt in self._value

    def __add__(self, other):
        return sequence_extend_right(self, *other)

    def __radd__(self, other):
        return sequence_extend_left(self, *other)

    def __mul__(self, n):
        seq_type = list_ if isinstance_(getval(self), list_) else tuple_
        return make_sequence(seq_type, *(list_(self) * operator.index(n)))

    __rmul__ = __mul__

    def __lt__(self, other):
        return self._value < getval(other)

    def __le__(self, other):
        return self._value <= getval(other)

    def __gt__(self, other):
        return self._value > getval(other)

    def __ge__(self, other):
        return self._value >= getval(other)

    def index(self, elt, *bounds):
        return self._value.index(getval(elt), *bounds)

    def count(self, elt):
        return self._value.count(getval(elt))


def _as_dict(box):
    return dict(zip(box._fields, box, strict=True))


def _replace(box, **changes):
    unknown = [name for name in changes if name not in box._fields]
    if unknown:
        raise ValueError(f"Got unexpected field names: {unknown!r}")
    elements = [changes.get(name, element) for name, element in zip(box._fields, box, strict=True)]
    return make_sequence(type(box), *elements)


_NAMED_TUPLE_METHODS = {"_asdict": _as_dict, "_replace": _replace}


class DictBox(_ContainerBox):
    """A traced dict."""

    __slots__ = ()

    def __getitem__(self, key):
        if key not in self._value and hasattr(type_(getval(self)), "__missing__"):
            raise KeyError(
                f"{key!r} is not in the traced {type_(getval(self)).__name__}, which makes no entries for "
                "missing keys, as it can't be changed in place: use get(key, default)"
            )
        return container_take(self, key, self._space_of())

    def __iter__(self):
        return iter(self._value)

    def __reversed__(self):
        return reversed(self._value)

    def __contains__(self, key):
        return key in self._value

    def keys(self):
        return list_(self.iterkeys())

    def values(self):
        return list_(self.itervalues())

    def items(self):
        return list_(self.iteritems())

    def iterkeys(self):
        return iter(self)

    def itervalues(self):
        return (self[key] for key in self)

    def iteritems(self):
        return ((key, self[key]) for key in self)

    def get(self, key, default=None):
        if key in self._value:
            return self[key]
        return default

    def copy(self):
        return self

    def __or__(self, other):
        return dict({**dict_(self.items()), **dict_(other.items())})

    def __ror__(self, other):
        return dict({**dict_(other.items()), **dict_(self.items())})


SequenceBox.register(tuple_)
SequenceBox.register(list_)
DictBox.register(dict_)
set_container_take(container_take)
set_container_getitem(SequenceBox)
set_container_getitem(DictBox)
set_element_cotangent(lambda g, key, skeleton: container_untake(g, key, skeleton.space()))


ListVSpace.register(list_)
TupleVSpace.register(tuple_)
DictVSpace.register(dict_)


def register_container(cls):
    """Register a class of named tuples, or a subclass of dict, as a container.

    Returns
    -------
    bool
        Whether `cls` is one.  The tracer calls this when it meets a value of an unknown class.
    """
    if issubclass(cls, tuple_) and hasattr(cls, "_fields") and hasattr(cls, "_make"):
        SequenceBox.register(cls)
        NamedTupleVSpace.register(cls)
    elif issubclass(cls, dict_):
        DictBox.register(cls)
        DictVSpace.register(cls)
    else:
        return False
    return True


# ----- the built-in types, traced -----


class TupleMeta(type_):
    def __instancecheck__(self, instance):
        return isinstance(instance, tuple_)


class tuple(tuple_, metaclass=TupleMeta):
    """`tuple`, traced if an element is; ``isinstance(x, tuple)`` holds for traced tuples too."""

    def __new__(cls, xs=()):
        if isinstance_(xs, SequenceBox):
            return sequence_as(xs, tuple_)
        return make_sequence(tuple_, *map(box_container, xs))


class ListMeta(type_):
    def __instancecheck__(self, instance):
        return isinstance(instance, list_)


class list(list_, metaclass=ListMeta):
    """`list`, traced if an element is; ``isinstance(x, list)`` holds for traced lists too."""

    def __new__(cls, xs=()):
        if isinstance_(xs, SequenceBox):
            return sequence_as(xs, list_)
        return make_sequence(list_, *map(box_container, xs))


class DictMeta(type_):
    def __instancecheck__(self, instance):
        return isinstance(instance, dict_)


class dict(dict_, metaclass=DictMeta):
    """`dict`, traced if a value is; ``isinstance(x, dict)`` holds for traced dicts too."""

    def __new__(cls, *args, **kwargs):
        result = dict_(*args, **kwargs)
        if result:
            return _make_dict(list_(result), list(result.values()))
        return result


def box_container(value):
    """A container that holds boxes, at any depth, as one traced container; anything else as it is."""
    if isbox(value):
        return value
    if isinstance_(value, dict_):
        boxed = [box_container(element) for element in value.values()]
        if any(map(isbox, boxed)):
            return _make_dict(list_(value), list(boxed))
    elif isinstance_(value, (tuple_, list_)):
        boxed = [box_container(element) for element in value]
        if any(map(isbox, boxed)):
            return make_sequence(type_(value), *boxed)
    return value


type_fallbacks.append(register_container)
set_result_hook(box_container)
