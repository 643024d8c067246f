"""What `strong_zeros` does: a cotangent or tangent that is exactly zero stays zero.

A rule's map is linear in the cotangent g.  Where an entry of g is zero, the result is zero, and it is put
right where it came out infinite or NaN.  Derivatives of higher order see boxes.  If g is none, its zeros are
constants, and so are the results.  If it is one, its derivatives need not be zero: what is put right is then
the map of g with the operands held constant, so that the derivative in g is kept, and that in the operands
is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..extend import defjvp, defvjp, primitive
from ..numpy import numpy_wrapper as anp
from ..tracer import getval, isbox
from .parts import arrays, inexact, layers, map_arrays

Map = Callable[..., Any]


def is_zero(g: Any) -> bool:
    """Whether every number in a cotangent or tangent is zero."""
    found = False
    for part in arrays(getval(g)):
        found = True
        if np.any(part):
            return False
    return found


def _not_finite(x: Any) -> Any:
    """Which entries of a value are infinite or NaN, or have a tangent that is."""
    shape = np.shape(getval(x))
    wrong: Any = np.zeros(shape, bool)
    for part in layers(x):
        if inexact(part) and np.shape(part) == shape:
            wrong = wrong | ~np.isfinite(part)
    return wrong


@primitive
def _put_right(x: Any, wrong: Any) -> Any:
    """`x` with zeros where `wrong` holds; its derivative is the identity."""
    return np.where(wrong, np.zeros((), np.result_type(x)), x)[()]


defvjp(_put_right, lambda ans, x, wrong: lambda g: g)
defjvp(_put_right, lambda t, ans, x, wrong: t)


def _choose(wrong: Any, x: Any, y: Any) -> Any:
    chosen = anp.where(wrong, x, y)
    return chosen[()] if np.ndim(getval(chosen)) == 0 else chosen


def _listening(heard: list[str]) -> np.errstate:
    """Give no warnings and errors of floating-point arithmetic; list what they would have been."""
    loud = {kind: "call" for kind, action in np.geterr().items() if action != "ignore"}
    return np.errstate(call=lambda kind, flag: heard.append(kind), **loud)  # type: ignore[arg-type]


def entrywise(map_: Map, g: Any, args: tuple[Any, ...]) -> Any:
    """``map_(g, *args)`` of a map that acts entry by entry; entries where g is zero are zero."""
    zero = np.asarray(getval(g) == 0)
    if not zero.any():
        return map_(g, *args)
    heard: list[str] = []
    with _listening(heard):
        pulled = map_(g, *args)
    if heard and not zero.all():
        _repeat(map_, g, args, ~zero)
    shape = np.shape(getval(pulled))
    if zero.all():
        zero = np.ones(shape, bool)
    elif np.broadcast_shapes(zero.shape, shape) != shape:  # the map has summed
        return pulled
    return _mended(pulled, zero, g, lambda: map_(g, *map(getval, args)))


def wholly(map_: Map, g: Any, args: tuple[Any, ...]) -> Any:
    """``map_(g, *args)`` of any map; zero if the whole of g is zero."""
    if not is_zero(g):
        return map_(g, *args)
    with np.errstate(all="ignore"):
        return mended(map_(g, *args), g, lambda: map_(g, *map(getval, args)))


def mended(pulled: Any, g: Any, with_constants: Callable[[], Any] | None = None) -> Any:
    """What a map made of a `g` that is wholly zero, put right.

    ``with_constants()`` repeats the map with the operands held constant, where that can be done.
    """
    if not isbox(pulled) and isinstance(pulled, (list, tuple, dict)):
        return map_arrays(lambda x: mended(x, g), pulled)
    if not inexact(getval(pulled)):
        return pulled
    return _mended(pulled, np.ones(np.shape(getval(pulled)), bool), g, with_constants)


def _mended(pulled: Any, zero: Any, g: Any, with_constants: Callable[[], Any] | None) -> Any:
    """See the head of this file; the entries where `zero` holds come of zeros in g."""
    if isbox(pulled) and not isbox(g):
        return _choose(zero, np.zeros((), np.result_type(getval(pulled))), pulled)
    wrong = _not_finite(pulled) & zero
    if not wrong.any():
        return pulled
    if not isbox(g):
        return _choose(wrong, np.zeros((), np.result_type(pulled)), pulled)
    if with_constants is None:
        return _put_right(pulled, wrong & ~np.isfinite(getval(pulled)))
    with np.errstate(all="ignore"):
        constant = with_constants()
        return _choose(wrong, _put_right(constant, wrong & ~np.isfinite(getval(constant))), pulled)


def _repeat(map_: Map, g: Any, args: tuple[Any, ...], keep: Any) -> None:
    """Run a map for the entries that `keep` selects alone, for the warnings and errors that are theirs."""
    values = [getval(x) for x in (g, *args)]
    if not all(x is None or isinstance(x, (np.ndarray, np.generic, float, int, complex)) for x in values):
        return
    shape = np.broadcast_shapes(*(np.shape(x) for x in values if x is not None), keep.shape)
    keep = np.broadcast_to(keep, shape)
    map_(*(np.broadcast_to(x, shape)[keep] if np.ndim(x) else x for x in values))


def pushed(record: Callable[[list[int]], Any], tangents: list[Any]) -> Any:
    """A node of forward mode by a user's rule: ``record(which)`` makes it of the operands `which` alone.

    The part of a tangent that is wholly zero is zero.
    """
    every = list(range(len(tangents)))
    rest = [k for k in every if not is_zero(tangents[k])]
    if len(rest) == len(every):
        return record(every)
    heard: list[str] = []
    with _listening(heard):
        node = record(every)
    if not rest:
        with np.errstate(all="ignore"):
            node.g = mended(node.g, tangents[0])
    elif heard or any(np.any(_not_finite(part)) for part in arrays(node.g)):
        other = record(rest).g
        with np.errstate(all="ignore"):
            node.g = map_arrays(lambda x, y: _choose(_not_finite(x), y, x), node.g, other)
    return node
