"""Jacobians by rows, in reverse mode, and by columns, in forward mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

import autograd_fast.numpy as np

from .core import make_jvp, make_vjp, vspace
from .tracer import getval, isbox

# how many numbers of the input and the output a pullback of many rows takes at once
_CHUNK = 1 << 17

# a column costs a run of the function and its tangents, a row a part of one backward pass
_ROWS_PER_COLUMN = 4


def jacobian_of(fun: Callable[..., Any], x: Any, mode: str) -> Any:
    """The Jacobian of `fun` at `x`; see `differential_operators.jacobian`."""
    if mode not in ("reverse", "forward", "auto"):
        raise ValueError(f"the mode of a Jacobian is 'reverse', 'forward' or 'auto'; got {mode!r}")
    _refuse_containers(x, "input")
    if mode == "forward":
        return _by_columns(fun, x)
    vjp, ans = make_vjp(fun, x)
    _refuse_containers(ans, "output")
    if mode == "auto" and np.size(ans) > _ROWS_PER_COLUMN * np.size(x):
        return _by_columns(fun, x)
    return _by_rows(vjp, vspace(ans), x)


def _refuse_containers(value: Any, what: str) -> None:
    if isinstance(getval(value), (tuple, list, dict)):
        raise TypeError(
            f"jacobian and hessian take arrays to arrays; the {what} is a {type(getval(value)).__name__}. "
            "Make one array of it (np.array, np.concatenate, misc.flatten_func), or take one Jacobian "
            "for each part"
        )


def _by_rows(vjp: Any, space: Any, x: Any) -> Any:
    shape = space.shape + np.shape(x)
    if space.size == 1 and not space.iscomplex:
        row = vjp(space.ones())
        return row if np.shape(row) == shape else np.reshape(row, shape)
    stacked = None
    if space.size and not space.iscomplex and not isbox(x):
        stacked = _rows_at_once(vjp, space, max(np.size(x), space.size))
    if stacked is None:
        rows = [vjp(row) for row in space.standard_basis()]
        if not rows:
            return np.zeros(shape)
        stacked = np.stack(rows)
    if not space.iscomplex:
        return np.reshape(stacked, shape)
    if not vspace(x).iscomplex:
        return np.reshape(stacked[0::2] - 1j * stacked[1::2], shape)
    if not np.allclose(getval(stacked[1::2]), 1j * getval(stacked[0::2])):
        raise _not_holomorphic()
    return np.reshape(stacked[0::2], shape)


def _rows_at_once(vjp: Any, space: Any, width: int) -> Any:
    """The rows of a Jacobian of plain arrays by few pullbacks of many cotangents; None if that can't be."""
    step = max(1, _CHUNK // width)
    chunks = []
    for start in range(0, space.size, step):
        count = min(step, space.size - start)
        basis = onp.eye(count, space.size, start, dtype=space.dtype)
        chunk = vjp.rows(basis.reshape((count, *space.shape)))
        if chunk is None:
            return None
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else onp.concatenate(chunks)


def _by_columns(fun: Callable[..., Any], x: Any) -> Any:
    if isinstance(x, (int, onp.integer, onp.bool_)):
        x = float(x)
    space = vspace(x)
    jvp = make_jvp(fun, x)
    columns = []
    for tangent in space.standard_basis():
        ans, column = jvp(tangent)
        _refuse_containers(ans, "output")
        columns.append(column)
    if not columns:
        return np.zeros(np.shape(fun(x)) + space.shape)
    stacked = np.stack(columns, axis=-1)
    if space.iscomplex:
        along_real, along_imaginary = stacked[..., 0::2], stacked[..., 1::2]
        if not np.iscomplexobj(stacked):
            stacked = along_real - 1j * along_imaginary
        elif np.allclose(getval(along_imaginary), 1j * getval(along_real)):
            stacked = along_real
        else:
            raise _not_holomorphic()
    return np.reshape(stacked, np.shape(columns[0]) + space.shape)


def _not_holomorphic() -> ValueError:
    return ValueError(
        "a function of complex numbers to complex numbers has a complex Jacobian only where it is "
        "holomorphic, and this one is not: differentiate its real and imaginary part apart"
    )
