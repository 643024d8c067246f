"""What the composites do to their operands before they compute."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..._tracer import has_boxes
from ...tracer import getval, isbox
from .. import numpy_wrapper as anp


def as_array(x: Any) -> Any:
    """`x` itself if it is a traced array, else as an array, traced if it is a list with traced numbers."""
    if isbox(x):
        return anp.array(x) if isinstance(getval(x), (list, tuple)) else x
    return anp.array(x) if has_boxes((x,), {}) else onp.asarray(x)


def dtype_of(x: Any) -> Any:
    return onp.asarray(getval(x)).dtype


def as_double(x: Any) -> Any:
    """`x` as an array in double precision, for functions that compute in no other."""
    x = as_array(x)
    dtype = onp.result_type(dtype_of(x), onp.float64)
    return x if dtype_of(x) == dtype else anp._astype(x, dtype)


def along(axis: int, ndim: int, entry: Any, fill: Any = slice(None)) -> tuple[Any, ...]:
    """A subscript or a shape: `entry` for one axis, `fill` for the others."""
    entries = [fill] * ndim
    entries[axis] = entry
    return tuple(entries)
