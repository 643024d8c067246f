"""The methods of ufuncs (reduce, accumulate, outer, reduceat, at) on traced operands, and their masks.

Where the traced namespace has a function for the task, such as ``sum`` for ``add.reduce``, it serves; any
other ufunc is applied pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from ... import builtins
from ..._primitive import refuse_subclasses, set_masked_ufunc, set_ufunc_method
from ..._tracer import has_boxes
from ...extend import primitive
from ...rules import derivative, linear
from ...tracer import getval, isbox
from .. import numpy_wrapper as anp
from ._helpers import axes_of, gather, keep, kept_shape, positions, scatter_add
from .elementwise import share_of_sum
from .operands import along, as_array, dtype_of
from .zero import COMPARISONS, ROUNDING

_ABSENT = onp._NoValue
_CONSTANT = (COMPARISONS + ROUNDING).split()
_REDUCTIONS = {onp.add: "sum", onp.multiply: "prod", onp.maximum: "max", onp.minimum: "min"}
_RUNNING_REDUCTIONS = {onp.add: "cumsum", onp.multiply: "cumprod"}
_RUNNING_EXTREMES = {onp.maximum, onp.minimum, onp.fmax, onp.fmin}


def ufunc_method(ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``getattr(ufunc, method)(*inputs, **kwargs)``, where any argument may be traced."""
    if not has_boxes(inputs, kwargs):
        return getattr(ufunc, method)(*inputs, **kwargs)
    if kwargs.get("out") not in (None, (None,)):
        raise NotImplementedError(f"{ufunc.__name__}.{method}: out= can't be traced; use the returned array")
    refuse_subclasses(f"{ufunc.__name__}.{method}", inputs)
    if ufunc.__name__ in _CONSTANT and method != "at":
        return getattr(ufunc, method)(*map(getval, inputs), **{key: getval(v) for key, v in kwargs.items()})
    return _METHODS[method](ufunc, *inputs, **kwargs)


def _traced(ufunc: Any) -> Callable[..., Any]:
    traced = getattr(anp, ufunc.__name__, None)
    if traced is None:
        raise NotImplementedError(f"{ufunc.__name__}: methods are traced for NumPy's own ufuncs only")
    return traced


def _operand(x: Any, dtype: Any) -> Any:
    x = as_array(x)
    return x if dtype is None or dtype_of(x) == dtype else anp._astype(x, dtype)


# reduce


def reduce(
    ufunc: Any,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = _ABSENT,
    where: Any = True,
) -> Any:
    array = _operand(array, dtype)
    options = {} if initial is _ABSENT else {"initial": initial}
    if where is not True:
        options["where"] = where
    if ufunc in _REDUCTIONS and not isbox(initial):
        return getattr(anp, _REDUCTIONS[ufunc])(array, axis=axis, keepdims=keepdims, **options)
    plain = {key: getval(value) for key, value in options.items()}
    shape = ufunc.reduce(getval(array), axis=axis, keepdims=keepdims, **plain).shape
    if ufunc in (onp.logaddexp, onp.logaddexp2):
        if where is not True:
            array = anp.where(where, array, -onp.inf)
        total = _log_of_sum(array, ufunc, axis)
        if initial is not _ABSENT:
            total = _traced(ufunc)(total, anp.asarray(initial, dtype_of(array)))
    else:
        total = _fold(ufunc, array, axis, initial, where)
    return anp.reshape(total, shape)[()]


def _fold(ufunc: Any, array: Any, axis: Any, initial: Any, where: Any) -> Any:
    """Apply the ufunc to one entry after another."""
    shape = anp.shape(array)
    axes = axes_of(axis, len(shape))
    kept = tuple(n for a, n in enumerate(shape) if a not in axes)

    def in_rows(x: Any) -> Any:
        return anp.reshape(anp.moveaxis(x, axes, range(len(axes))), (-1, *kept))

    rows = in_rows(array)
    masks = None if where is True else in_rows(onp.broadcast_to(where, shape))
    first = 0
    if initial is _ABSENT and masks is None and len(rows):
        total, first = rows[0], 1
    else:
        start = ufunc.identity if initial is _ABSENT else initial
        total = anp.broadcast_to(anp.asarray(start, onp.result_type(dtype_of(array))), kept)
    for k in range(first, len(rows)):
        after = _traced(ufunc)(total, rows[k])
        total = after if masks is None else anp.where(masks[k], after, total)
    return total


@primitive
def _log_of_sum(x: Any, ufunc: Any, axis: Any) -> Any:
    return ufunc.reduce(x, axis=axis)


def _shares(x: Any, ans: Any, ufunc: Any, axis: Any) -> Any:
    exp = anp.exp if ufunc is onp.logaddexp else anp.exp2
    return share_of_sum(exp, x, keep(ans, anp.shape(x), axis, False))


derivative(
    _log_of_sum,
    vjp=lambda g, ans, x, ufunc, axis: keep(g, anp.shape(x), axis, False) * _shares(x, ans, ufunc, axis),
    jvp=lambda t, ans, x, ufunc, axis: anp.sum(t * _shares(x, ans, ufunc, axis), axis),
    saves="x ans",
)


# accumulate


def accumulate(ufunc: Any, array: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Any:
    array = _operand(array, dtype)
    if ufunc in _RUNNING_REDUCTIONS:
        return getattr(anp, _RUNNING_REDUCTIONS[ufunc])(array, axis=axis)
    if ufunc in _RUNNING_EXTREMES and anp.size(array):
        return gather(array, _places_of_running_extremes(ufunc, onp.asarray(getval(array)), axis))
    ndim = anp.ndim(array)
    results: list[Any] = []
    for k in range(anp.shape(array)[axis]):
        entry = array[along(axis, ndim, slice(k, k + 1))]
        results.append(_traced(ufunc)(results[-1], entry) if results else entry)
    return anp.concatenate(results, axis) if results else array


def _places_of_running_extremes(ufunc: Any, x: Any, axis: int) -> Any:
    """For each entry, the flat position of the first entry that has set the running extreme."""
    running = ufunc.accumulate(x, axis)
    before, after = (running[along(axis, x.ndim, s)] for s in (slice(-1), slice(1, None)))
    changes = (before != after) & ~((before != before) & (after != after))
    steps = onp.arange(1, x.shape[axis]).reshape(along(axis, x.ndim, -1, fill=1))
    first = onp.zeros(kept_shape(x.shape, axis), int)
    setters = onp.maximum.accumulate(onp.concatenate([first, onp.where(changes, steps, 0)], axis), axis)
    return onp.take_along_axis(positions(x.shape), setters, axis)


# outer


def outer(ufunc: Any, a: Any, b: Any, /, **kwargs: Any) -> Any:
    a, b = as_array(a), as_array(b)
    return _traced(ufunc)(anp.reshape(a, anp.shape(a) + (1,) * anp.ndim(b)), b, **kwargs)


# reduceat


def reduceat(ufunc: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Any:
    array, indices = _operand(array, dtype), onp.asarray(getval(indices))
    if ufunc is onp.add:
        return _sums_of_segments(array, indices, axis)
    ndim = anp.ndim(array)
    parts = []
    for segment in _segments(indices, anp.shape(array)[axis]):
        part = array[along(axis, ndim, segment)]
        parts.append(reduce(ufunc, part, axis, keepdims=True))
    return anp.concatenate(parts, axis)


def _segments(indices: Any, length: int) -> list[slice]:
    """From each index to the next, or of one entry where the next is not larger."""
    ends = [*indices[1:], length]
    return [slice(start, max(start + 1, end)) for start, end in zip(indices, ends, strict=True)]


@primitive
def _sums_of_segments(x: Any, indices: Any, axis: int) -> Any:
    return onp.add.reduceat(x, indices, axis)


def _sums_of_segments_adjoint(g: Any, ans: Any, x: Any, indices: Any, axis: int) -> Any:
    segments = _segments(indices, x.shape[axis])
    entries = onp.concatenate([onp.arange(s.start, s.stop) for s in segments])
    owners = onp.repeat(onp.arange(len(segments)), [s.stop - s.start for s in segments])
    places = positions(x.shape)[along(axis, x.ndim, entries)]
    return scatter_add(g[along(axis, x.ndim, owners)], places, x.shape)


linear(_sums_of_segments, _sums_of_segments_adjoint)


# at


def at(ufunc: Any, a: Any, indices: Any, *b: Any) -> None:
    if not isbox(a):
        raise NotImplementedError(
            f"{ufunc.__name__}.at: traced values can't be written into a plain array; trace the array too"
        )
    a[...] = written_at(ufunc, a, indices, *b)


def written_at(ufunc: Any, a: Any, indices: Any, *b: Any) -> Any:
    """`a` after ``ufunc.at(a, indices, *b)``, in as many steps as an entry is written to at most."""
    shape = anp.shape(a)
    places = positions(shape)[indices]
    operands = [anp.ravel(anp.broadcast_to(as_array(x), places.shape)) for x in b]
    flat, places = anp.ravel(a), places.ravel()
    for chosen in _rounds(places):
        spots = places[chosen]
        values = _traced(ufunc)(flat[spots], *[x[chosen] for x in operands])
        untouched = onp.ones(flat.shape, bool)
        untouched[spots] = False
        flat = anp.where(untouched, flat, scatter_add(values, spots, flat.shape))
    return anp.reshape(flat, shape)


def _rounds(places: Any) -> list[Any]:
    """Subscripts of `places`: where a place occurs for the first time, for the second time, and so on."""
    order = onp.argsort(places, kind="stable")
    ordered = places[order]
    new = onp.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(places) else onp.zeros(0, bool)
    steps = onp.arange(len(places))
    occurrence = steps - onp.maximum.accumulate(onp.where(new, steps, 0))
    return [order[occurrence == k] for k in range(occurrence.max(initial=-1) + 1)]


# a mask


def masked_ufunc(traced: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with ``where=``: the ufunc of the chosen entries alone, among zeros.

    So nothing that an operand holds elsewhere, out of the ufunc's domain perhaps, enters a derivative.
    """
    options = {key: value for key, value in kwargs.items() if key not in ("where", "out")}
    where = getval(kwargs["where"])
    shape = onp.broadcast_shapes(onp.shape(where), *map(anp.shape, args))
    places = positions(shape)[onp.broadcast_to(onp.asarray(where, bool), shape)]
    chosen = [x if anp.ndim(x) == 0 else gather(anp.broadcast_to(x, shape), places) for x in args]
    results = traced(*chosen, **options)

    def among_zeros(result: Any) -> Any:
        return scatter_add(anp.broadcast_to(result, places.shape), places, shape)[()]

    if traced.fun.nout == 1:
        return among_zeros(results)
    return builtins.tuple([among_zeros(result) for result in results])


def untraced_ufunc(ufunc: Any, *inputs: Any, **kwargs: Any) -> Any:
    """A ufunc without rules: one made of a Python function is called entry by entry, any other is refused."""
    if ufunc.__name__ == "clip":
        return anp.clip(*inputs)
    if any(set(types) - set("O->") for types in ufunc.types):
        return NotImplemented
    results = ufunc(*[_entries(x) for x in inputs], **kwargs)
    if isinstance(results, tuple):
        return tuple(anp.array(result) for result in results)
    return anp.array(results)


def _entries(x: Any) -> Any:
    """The entries of a traced array, as an object array."""
    if not isbox(x):
        return x
    shape = anp.shape(x)
    entries = onp.empty(shape, object)
    for index in onp.ndindex(shape):
        entries[index] = x[index]
    return entries


_METHODS: dict[str, Callable[..., Any]] = {
    "reduce": reduce,
    "accumulate": accumulate,
    "outer": outer,
    "reduceat": reduceat,
    "at": at,
}

anp.ufunc_method = ufunc_method  # type: ignore[attr-defined]
anp.untraced_ufunc = untraced_ufunc  # type: ignore[attr-defined]
set_ufunc_method(ufunc_method)
set_masked_ufunc(masked_ufunc)
