"""What `detect_nans` checks: results, tangents, cotangents and their sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracer import getval
from .parts import arrays, inexact, is_numeric
from .places import Operation, caller, latest, name_of

# Their results are not computed from their arguments.
_NOT_COMPUTED = {np.empty, np.empty_like, np.frombuffer, np.ndarray}


def has_nan(x: Any) -> bool:
    """Whether there is a NaN among the numbers in a value, or in the tangents that it carries."""
    return any(inexact(part) and bool(np.isnan(part).any()) for part in arrays(x))


def _nan_entries(x: Any) -> Any:
    """Which entries are NaN, for a value as a ufunc takes it."""
    x = np.asarray(getval(x))
    if x.dtype == object:
        return np.asarray(np.frompyfunc(has_nan, 1, 1)(x), bool)
    return np.isnan(x) if inexact(x) else np.False_


def _made(ans: Any, operands: tuple[Any, ...]) -> Any:
    """Which entries of a result are NaN where no operand, broadcast, is."""
    made = _nan_entries(ans)
    for operand in operands:
        if np.any(made) and operand is not None:
            made = made & ~_nan_entries(operand)
    return made


def _first(made: Any, operands: tuple[Any, ...]) -> str:
    """The operands that made the first NaN, and its place."""
    index = np.unravel_index(int(np.argmax(made)), made.shape)
    values = [np.broadcast_to(np.asarray(getval(x)), made.shape)[index] for x in operands]
    at = f" at entry {tuple(map(int, index))}" if index else ""
    return f" from {' and '.join(map(str, values))}{at}"


def is_entrywise(fun: Any) -> bool:
    """Whether `fun`, a function or primitive, is a ufunc that acts entry by entry."""
    raw = getattr(fun, "fun", fun)
    return isinstance(raw, np.ufunc) and raw.signature is None


def check_result(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ans: Any) -> None:
    """Raise if a function made a NaN of operands that have none."""
    if not has_nan(ans) or any(fun is unset for unset in _NOT_COMPUTED):
        return
    detail = ""
    given = (*args, *kwargs.values())
    if is_entrywise(fun) and not isinstance(ans, tuple) and np.any(_nan_entries(ans)):
        made = _made(ans, args[: fun.nin]) & np.asarray(getval(kwargs.get("where", True)), bool)
        if not made.any():
            return
        detail = _first(made, args[: fun.nin])
    elif has_nan(given) or not any(True for _ in _numbers(given)):
        return
    raise FloatingPointError(f"{name_of(fun)} made a NaN{detail}; it was called at {caller()}")


def _numbers(given: Any) -> Any:
    return (part for part in arrays(given) if is_numeric(part))


def check_map(operation: Operation, argnum: int, g: Any, args: tuple[Any, ...], pulled: Any) -> None:
    """Raise if the derivative of a function that acts entry by entry made a NaN."""
    made = _made(pulled, (g, *(x for x in args if is_numeric(getval(x)))))
    if not np.any(made):
        return
    made = np.asarray(made)
    hint = ""
    if np.shape(getval(g)) in ((), made.shape) and np.any(made & (np.asarray(getval(g)) == 0)):
        hint = ": a zero met an infinite or NaN derivative, which strong_zeros() would keep at zero"
    raise FloatingPointError(_derivative_message(operation, argnum) + hint + operation.where())


def check_derivative(operation: Operation, argnum: int, computed: Any, given: Any) -> None:
    """Raise if the derivative of any function made a NaN of operands and cotangents that have none."""
    if has_nan(computed) and not has_nan(given):
        raise FloatingPointError(_derivative_message(operation, argnum) + operation.where())


def _derivative_message(operation: Operation, argnum: int) -> str:
    argnum = operation.argnum if argnum < 0 else argnum
    argument = f" in argument {argnum}" if argnum >= 0 else ""
    return f"the derivative of {operation.name}{argument} made a NaN in {operation.pass_}"


def check_sum(total: Any, operation: Operation | None) -> None:
    """Raise if a sum of cotangents or tangents, none of which has a NaN, has one."""
    if not has_nan(total):
        return
    operation = operation or latest()
    end = "" if operation is None else f"; the last one added came from {operation.name}" + operation.where()
    raise FloatingPointError(
        "the cotangents or tangents of a value that is used several times have a sum with a NaN, though none "
        f"of them has one: infinities of opposite sign{end}"
    )
