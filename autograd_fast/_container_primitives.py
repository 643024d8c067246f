"""The primitives of traced containers: taking elements, making and extending containers.

Note [Taking an element in constant time]: a cotangent that reaches a container by one of its elements is a
`SparseObject` that adds to one place of the container which accumulates.  Two things would make it cost
the size of the container all the same.  Its space is therefore worked out once for each box (`SpaceOf`).
And a tuple can't be added to in place, so elements of a long one are taken from a list of the same
elements, again made once for each box.
"""

from __future__ import annotations

import operator

from ._container_spaces import SequenceVSpace, add_in_place
from .extend import (
    SparseObject,
    defjvp,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    primitive,
    vspace,
)
from .tracer import getval
from .util import subvals


def class_of(x):
    """The class of a value or of what is inside its boxes."""
    return type(getval(x))


class SpaceOf:
    """The space of one container, worked out when it is first asked for."""

    __slots__ = ("_space", "_value")

    def __init__(self, value):
        self._value = value
        self._space = None

    def get(self, value):
        if value is not self._value:  # a recorded call is repeated with another container
            return vspace(value)
        if self._space is None:
            self._space = vspace(value)
        return self._space


@primitive
def container_take(A, idx, space=None):
    """``A[idx]``; `space` may hold the space of `A`, so that it is not worked out again."""
    return A[idx]


def grad_container_take(ans, A, idx, space=None):
    """The VJP of `container_take` in the container."""
    vs = vspace(A) if space is None else space.get(A)
    return lambda g: container_untake(g, idx, vs)


def _vjp_container_take(argnums, ans, args, kwargs):
    vjp = grad_container_take(ans, *args, **kwargs)
    return lambda g: (vjp(g),)


defvjp_argnums(container_take, _vjp_container_take)
defjvp(container_take, lambda t, ans, A, idx, space=None: container_take(t, idx))


@primitive
def container_untake(x, idx, vs):
    """A sparse element of the space `vs`: zero but for `x` at `idx`.

    Its ``mut_add`` takes a container that belongs to the sum, changes it as far as its type allows, and
    returns the sum.
    """
    spaces = vs.shape
    if isinstance(idx, slice):
        places = range(*idx.indices(len(spaces)))
        pairs = list(zip(places, x, strict=True))
    elif isinstance(vs, SequenceVSpace):
        place = operator.index(idx)
        pairs = [(place + len(spaces) if place < 0 else place, x)]
    else:
        pairs = [(idx, x)]

    def mut_add(A):
        if isinstance(A, tuple):
            return vs._restore(subvals(A, [(i, add_in_place(spaces[i], A[i], v)) for i, v in pairs]))
        for i, v in pairs:
            A[i] = add_in_place(spaces[i], A[i], v)
        return A

    return SparseObject(vs, mut_add)


defvjp(container_untake, lambda ans, x, idx, vs: lambda g: container_take(g, idx))
defjvp(container_untake, lambda t, ans, x, idx, vs: container_untake(t, idx, vs))


# ----- primitives: making containers -----


@primitive
def make_sequence(seq_type, *args):
    """A sequence of the type `seq_type` with the elements `args`."""
    return _sequence(seq_type, args)


def _sequence(seq_type, elements):
    if hasattr(seq_type, "_make"):
        return seq_type._make(elements)
    return seq_type(elements)


def _tangent_of_sequence(argnums, ts, ans, args, kwargs):
    """The JVP of `make_sequence` in several elements at once."""
    given = dict(zip(argnums, ts, strict=True))
    elements = [given[i] if i in given else vspace(args[i]).zeros() for i in range(1, len(args))]
    return make_sequence(args[0], *elements)


def fwd_grad_make_sequence(argnum, g, ans, seq_type, *args, **kwargs):
    """The JVP of `make_sequence` in the element at `argnum`."""
    return _tangent_of_sequence((argnum,), (g,), ans, (seq_type, *args), kwargs)


defvjp_argnums(make_sequence, lambda argnums, ans, args, kwargs: lambda g: [g[i - 1] for i in argnums])
defjvp_argnums(make_sequence, _tangent_of_sequence)


@primitive
def sequence_as(seq, seq_type):
    """The elements of a sequence in a sequence of another type."""
    return _sequence(seq_type, seq)


def _vjp_sequence_as(ans, seq, seq_type):
    given_type = class_of(seq)
    return lambda g: sequence_as(g, given_type)


defvjp(sequence_as, _vjp_sequence_as)
defjvp(sequence_as, lambda t, ans, seq, seq_type: sequence_as(t, seq_type))


@primitive
def sequence_extend_right(seq, *elts):
    """`seq` with `elts` after it."""
    return [*seq, *elts] if isinstance(seq, list) else (*seq, *elts)


@primitive
def sequence_extend_left(seq, *elts):
    """`seq` with `elts` before it."""
    return [*elts, *seq] if isinstance(seq, list) else (*elts, *seq)


def grad_sequence_extend_right(argnum, ans, args, kwargs):
    """The VJP of `sequence_extend_right`: the cotangents of `seq`, or of one element."""
    n, seq_type = len(args[0]), class_of(args[0])
    if argnum:
        return lambda g: g[n + argnum - 1]
    return lambda g: sequence_as(g[:n], seq_type)


def grad_sequence_extend_left(argnum, ans, args, kwargs):
    """The VJP of `sequence_extend_left`: the cotangents of `seq`, or of one element."""
    n, seq_type = len(args) - 1, class_of(args[0])
    if argnum:
        return lambda g: g[argnum - 1]
    return lambda g: sequence_as(g[n:], seq_type)


def _tangent_of_extension(extend):
    def tangent(argnums, ts, ans, args, kwargs):
        given = dict(zip(argnums, ts, strict=True))
        return extend(*[given[i] if i in given else vspace(arg).zeros() for i, arg in enumerate(args)])

    return tangent


defvjp_argnum(sequence_extend_right, grad_sequence_extend_right)
defvjp_argnum(sequence_extend_left, grad_sequence_extend_left)
defjvp_argnums(sequence_extend_right, _tangent_of_extension(sequence_extend_right))
defjvp_argnums(sequence_extend_left, _tangent_of_extension(sequence_extend_left))


@primitive
def _make_dict(keys, vals):
    return dict(zip(keys, vals, strict=True))


defvjp(
    _make_dict,
    lambda ans, keys, vals: lambda g: make_sequence(list, *[g[key] for key in keys]),
    argnums=(1,),
)
defjvp(_make_dict, lambda t, ans, keys, vals: _make_dict(keys, t), argnums=(1,))
