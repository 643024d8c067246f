"""The derivative of subscription: ``x[index]`` gathers, its adjoint scatters and adds."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...core import SparseObject, defjvp, defvjp, vspace
from ...rules import linear
from ...tracer import primitive
from .. import numpy_wrapper as anp
from ..numpy_boxes import ArrayBox

_BASIC = (int, slice, type(Ellipsis), type(None), onp.integer)


def is_basic(index: Any) -> bool:
    """Whether `index` selects each entry at most once."""
    if isinstance(index, tuple):
        return all(isinstance(i, _BASIC) and not isinstance(i, bool) for i in index)
    if isinstance(index, onp.ndarray):
        return index.dtype == bool
    return isinstance(index, _BASIC) and not isinstance(index, bool)


@primitive
def untake(x: Any, idx: Any, vs: Any) -> Any:
    """The cotangent of an array of which only ``array[idx]`` was used, with cotangent `x`."""
    if is_basic(idx):

        def mut_add(A: Any) -> Any:
            if onp.ndim(A) == 0:
                return A + onp.sum(x)
            A[idx] += x
            return A

    else:

        def mut_add(A: Any) -> Any:
            if onp.ndim(A) == 0:
                return A + onp.sum(x)
            onp.add.at(A, idx, x)
            return A

    return SparseObject(vs, mut_add)


@primitive
def scatter(g: Any, index: Any, like: Any) -> Any:
    """Zeros of the shape of `like`, with `g` added at `index`: the adjoint of a subscript, as an array."""
    out = onp.zeros(like.shape, onp.result_type(g))
    if is_basic(index):
        out[index] += g
    else:
        onp.add.at(out, index, g)
    return out


linear(scatter, lambda g, ans, x, index, like: g[index])
defvjp(untake, lambda ans, x, idx, vs: lambda g: g[idx], None, None)
defjvp(untake, lambda t, ans, x, idx, vs: untake(t, idx, vs))
linear(ArrayBox.__getitem__, lambda g, ans, A, idx: untake(g, idx, vspace(A)))
anp.untake = untake  # type: ignore[attr-defined]
