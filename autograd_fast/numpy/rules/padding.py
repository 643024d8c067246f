"""Derivatives of pad, mode by mode, one axis after the other as NumPy does it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as onp

from ...rules import composite
from .. import numpy_wrapper as anp
from ._helpers import embed
from .operands import along, as_array, dtype_of

_STATISTICS = {"maximum": "max", "minimum": "min", "mean": "mean", "median": "median"}


def _pairs(value: Any, ndim: int) -> list[tuple[Any, Any]]:
    """A pair for each axis, from a number, a pair, a number or pair for each axis, or a dict of axes."""
    if isinstance(value, dict):
        return [_pairs(value.get(a, value.get(a - ndim, 0)), 1)[0] for a in range(ndim)]
    value = anp.broadcast_to(as_array(value), (ndim, 2))
    return [(value[a, 0], value[a, 1]) for a in range(ndim)]


def _zeros_around(x: Any, widths: Any) -> Any:
    shape = anp.shape(x)
    inner = tuple(slice(before, before + n) for (before, _), n in zip(widths, shape, strict=True))
    return embed(
        x, inner, tuple(before + n + after for (before, after), n in zip(widths, shape, strict=True))
    )


def _strips(x: Any, axis: int, widths: Any, ends: Any) -> list[Any]:
    """Strips of one value along `axis`, before and after `x`."""
    shape = anp.shape(x)
    sizes = [shape[:axis] + (width,) + shape[axis + 1 :] for width in widths]
    return [anp.broadcast_to(end, size) for end, size in zip(ends, sizes, strict=True)]


def _linear_ramp(x, axis, widths, ends):
    column = along(axis, anp.ndim(x), -1, 1)
    rise, fall = (onp.reshape(onp.arange(width) / max(width, 1), column) for width in widths)
    first, last = x[along(axis, anp.ndim(x), slice(0, 1))], x[along(axis, anp.ndim(x), slice(-1, None))]
    return [
        ends[0] + (first - ends[0]) * rise,
        ends[1] + (last - ends[1]) * onp.flip(fall, axis),
    ]


def _statistic(name: str, x: Any, axis: int, widths: Any, lengths: Any) -> list[Any]:
    """Strips of a statistic of the entries next to each edge."""
    n = anp.shape(x)[axis]
    first, last = (n if length is None else min(length, n) for length in lengths)
    parts = [x[along(axis, anp.ndim(x), slice(0, first))], x[along(axis, anp.ndim(x), slice(n - last, None))]]
    return _strips(x, axis, widths, [getattr(anp, name)(part, axis=axis, keepdims=True) for part in parts])


def _odd_reflection(x: Any, axis: int, widths: Any, mode: Any) -> Any:
    """Reflection about the end values is linear: NumPy's padding of the identity is its matrix."""
    matrix = onp.pad(onp.eye(anp.shape(x)[axis]), (widths, (0, 0)), mode=mode, reflect_type="odd")
    return anp.moveaxis(anp.tensordot(matrix, x, (1, axis)), 0, axis)


def _padded_axis(x: Any, axis: int, widths: Any, mode: Any, options: dict[str, Any]) -> Any:
    if anp.shape(x)[axis] == 0 and mode != "constant":
        raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if options["reflect_type"] == "odd" and mode in ("reflect", "symmetric"):
        return _odd_reflection(x, axis, widths, mode)
    if mode == "constant":
        before, after = _strips(x, axis, widths, options["constant_values"][axis])
    elif mode == "linear_ramp":
        before, after = _linear_ramp(x, axis, widths, options["end_values"][axis])
    elif mode in _STATISTICS:
        before, after = _statistic(_STATISTICS[mode], x, axis, widths, options["stat_length"][axis])
    else:
        return anp.take(x, onp.pad(onp.arange(anp.shape(x)[axis]), widths, mode=mode), axis)
    return anp.concatenate([before, x, after], axis=axis)


@composite(onp.pad, anp)
def _pad(
    array,
    pad_width,
    mode="constant",
    **options,
):
    if callable(mode):
        raise NotImplementedError(
            "np.pad with mode=<function>, which writes into the array, has no derivative: "
            "build the padding with np.concatenate"
        )
    x = as_array(array)
    ndim = anp.ndim(x)
    if ndim == 0:
        return x
    onp.pad(onp.zeros((1,) * ndim), 0, mode, **dict.fromkeys(options, 1))  # for NumPy's errors
    widths = [(operator.index(before), operator.index(after)) for before, after in _pairs(pad_width, ndim)]
    filling = options.get("constant_values", 0)
    if mode == "empty" or (mode == "constant" and isinstance(filling, int) and filling == 0):
        return _zeros_around(x, widths)
    length = options.get("stat_length")
    options = {
        "constant_values": _pairs(filling, ndim),
        "end_values": _pairs(options.get("end_values", 0), ndim),
        "stat_length": [(None, None)] * ndim if length is None else _pairs(length, ndim),
        "reflect_type": options.get("reflect_type", "even"),
    }
    padded = x
    for axis, pair in enumerate(widths):
        if any(pair):
            padded = _padded_axis(padded, axis, pair, mode, options)
    return anp.asarray(padded, dtype_of(x))
