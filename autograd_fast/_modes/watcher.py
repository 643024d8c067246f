"""What the core calls while a mode is on in any thread; in the others each call does the ordinary thing."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _recorded
from .._backward import pairs_of_user_node
from .._core import JVPNode, JVPRule, VJPNode, primitive_jvps
from .._sums import SparseObject
from .._watch import is_on, notes_of_nodes
from ..tracer import getval
from . import nans, zeros
from .mutation import Fingerprint, fingerprint
from .places import CURRENT, LATEST, Operation, caller, current, name_of


class Note:
    """What the modes know of a recorded operation."""

    __slots__ = ("fingerprint", "has_nan", "name", "place")

    def __init__(self, operation: Operation) -> None:
        self.name, self.place = operation.name, operation.place
        self.has_nan = False
        self.fingerprint: Fingerprint | None = None


def call(prim: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """Evaluate a primitive."""
    kwargs = kwargs or {}
    ans = prim.fun(*args, **kwargs)
    if is_on("nans") and current() is None:
        nans.check_result(prim.fun, args, kwargs, ans)
    return ans


def composite(prim: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """Call a function that is written with others: its steps are not the user's."""
    kwargs = kwargs or {}
    if current() is not None or not (is_on("nans") or is_on("debug")):
        return prim.composite(*args, **kwargs)
    operation = Operation(name_of(prim), caller(), "forward mode", within="inside of")
    try:
        CURRENT.set(operation)
        ans = prim.composite(*args, **kwargs)
    finally:
        CURRENT.set(None)
    if is_on("nans"):
        nans.check_result(prim.fun, args, kwargs, ans)
    return ans


def record(
    like: Any,
    prim: Any,
    ans: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    argnums: tuple[int, ...],
    parents: tuple[Any, ...],
) -> Any:
    """Make the node of an operation."""
    checks_nans, notes_arrays = is_on("nans"), is_on("debug")
    if not (checks_nans or notes_arrays):
        return _recorded_node(like, prim, ans, args, kwargs, argnums, parents)
    outer, name = current(), name_of(prim)
    place = caller(until=(pull.__code__, composite.__code__, record.__code__))
    operation = Operation(name, place, "forward mode") if outer is None else outer.step(name, place)
    try:
        CURRENT.set(operation)
        node = _recorded_node(like, prim, ans, args, kwargs, argnums, parents)
    finally:
        CURRENT.set(outer)
    if isinstance(node, JVPNode):
        if checks_nans and not operation.within:
            nans.check_derivative(operation, -1, node.g, [args, kwargs, ans, [p.g for p in parents]])
    elif isinstance(node, VJPNode):
        note = notes_of_nodes()[_recorded.number(node)] = Note(operation)
        if checks_nans and not _recorded.has_table(node):
            note.has_nan = nans.has_nan([args, kwargs, ans])
        if notes_arrays:
            note.fingerprint = Fingerprint(_recorded.saved(node), args, kwargs or {}, ans)
    return node


def _recorded_node(
    like: Any, prim: Any, ans: Any, args: Any, kwargs: Any, argnums: tuple[int, ...], parents: tuple[Any, ...]
) -> Any:
    def of(which: list[int]) -> Any:
        chosen = tuple(argnums[k] for k in which), tuple(parents[k] for k in which)
        return _recorded.record(like, prim, ans, args, kwargs, *chosen)

    by_user = isinstance(like, JVPNode) and not isinstance(primitive_jvps.get(prim), JVPRule)
    if by_user and is_on("zeros"):
        return zeros.pushed(of, [parent.g for parent in parents])
    return _recorded.record(like, prim, ans, args, kwargs, argnums, parents)


def map(map_: Any, entrywise: bool, g: Any, args: tuple[Any, ...], argnum: int) -> Any:
    """Apply the map of a built-in rule to a cotangent or tangent."""
    if is_on("zeros"):
        pulled = zeros.entrywise(map_, g, args) if entrywise else zeros.wholly(map_, g, args)
    else:
        pulled = map_(g, *args)
    operation = current()
    if entrywise and operation is not None and not operation.within and is_on("nans"):
        nans.check_map(operation, argnum, g, args, pulled)
    return pulled


def pull(node: Any, g: Any) -> list[tuple[Any, Any]]:
    """The parents of a node, each with what the node's rule makes of its cotangent `g`."""
    checks_nans, compares_arrays = is_on("nans"), is_on("debug")
    if not (checks_nans or compares_arrays):
        return _pairs(node, g, None)
    outer = current()
    note = notes_of_nodes().get(_recorded.number(node)) if isinstance(node, VJPNode) else None
    if note is None:
        name = name_of(_recorded.function_of(node) or type(node).__name__)
        operation = Operation(name, None if outer is None else outer.place, "the backward pass")
    else:
        operation = Operation(note.name, note.place, "the backward pass")
    if compares_arrays:
        before = _compare(note, operation, g)
    try:
        CURRENT.set(operation)
        pairs = _pairs(node, g, operation)
    finally:
        CURRENT.set(outer)
    LATEST.set(operation)
    if compares_arrays and before.changed():
        raise RuntimeError(
            f"the rule of {operation.name} changed the cotangent that it was given in place, which others "
            f"may share: let it make a new array{operation.where()}"
        )
    if checks_nans and not (note is not None and note.has_nan):
        operation.argnum = -1
        given = [g, _recorded.saved(node)] if _recorded.has_table(node) else g
        for k, (_, contribution) in enumerate(pairs):
            argnum = _recorded.argnums_of(node)[k] if _recorded.has_table(node) else -1
            nans.check_derivative(operation, argnum, contribution, given)
    return pairs


def _compare(note: Note | None, operation: Operation, g: Any) -> Fingerprint:
    changed = None if note is None or note.fingerprint is None else note.fingerprint.changed()
    if changed is not None:
        raise RuntimeError(
            f"{changed} of {operation.name} was changed in place between the forward and the backward pass, "
            f"so the derivative would be that at other values: change a copy{operation.where()}"
        )
    return fingerprint(g)


def _pairs(node: Any, g: Any, operation: Operation | None) -> list[tuple[Any, Any]]:
    if not _recorded.has_table(node):
        return _pairs_of_user(node, g)
    parents = node.parents
    if _recorded.is_joint(node):
        return list(zip(parents, node.vjp(g), strict=True))
    pairs = []
    for k, (argnum, parent) in enumerate(zip(_recorded.argnums_of(node), parents, strict=True)):
        if operation is not None:
            operation.argnum = argnum
        pairs.append((parent, _strong(lambda k=k: _recorded.contribution(node, k, g), g)))
    return pairs


def _strong(compute: Any, g: Any) -> Any:
    if not is_on("zeros") or not zeros.is_zero(g):
        return compute()
    with np.errstate(all="ignore"):
        return zeros.mended(compute(), g)


def _pairs_of_user(node: Any, g: Any) -> list[tuple[Any, Any]]:
    """As `pairs_of_user_node`, with the cotangents brought to the operands where these are known."""
    pairs = pairs_of_user_node(node, g) if not is_on("zeros") else _strong_pairs_of_user(node, g)
    return _recorded.fitted(node, pairs)


def _strong_pairs_of_user(node: Any, g: Any) -> list[tuple[Any, Any]]:
    if zeros.is_zero(g):
        with np.errstate(all="ignore"):
            return [(parent, zeros.mended(c, g)) for parent, c in pairs_of_user_node(node, g)]
    pairs = pairs_of_user_node(node, g)
    if nans.is_entrywise(_recorded.function_of(node)):
        pairs = [(parent, zeros.entrywise(lambda g, c=c: c, g, ())) for parent, c in pairs]
    return pairs


def before_sum(a: Any, b: Any) -> bool:
    """Whether the sum of two cotangents or tangents is to be checked."""
    if not is_on("nans") or isinstance(getval(b), SparseObject):
        return False
    return not nans.has_nan(a) and not nans.has_nan(b)


def after_sum(checked: bool, total: Any) -> None:
    """See a sum of cotangents or tangents."""
    if checked:
        nans.check_sum(total, current())
