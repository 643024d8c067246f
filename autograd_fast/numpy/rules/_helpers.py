"""What the chapters of rules share: alias names, axes, and moving entries from place to place."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as onp

from ... import builtins
from ...rules import elementwise, linear
from ...tracer import getval, primitive
from .. import numpy_wrapper as anp


def present(*names: str) -> list[Any]:
    """The functions of the traced namespace under those of `names` that this NumPy has."""
    return [getattr(anp, name) for name in names if hasattr(anp, name)]


def container_like(example: Any, items: Any) -> Any:
    """A traced tuple or list, whichever `example` is, which a function can have for its result.

    A plain one, where integers or truth values among the items have no derivative.
    """
    if any(is_constant(onp.result_type(getval(item))) for item in items):
        return type(example)(items)
    return builtins.tuple(items) if isinstance(example, tuple) else builtins.list(items)


def refuse_out(name: str, out: Any) -> None:
    """Composites compute new arrays; they don't write into one."""
    if out is not None:
        raise NotImplementedError(
            f"np.{name} of traced arrays can't write into out=<{type(out).__name__}>: "
            f"leave out= away and use the result"
        )


# older NumPy has it in the main namespace
_AXIS_ERROR = vars(onp.exceptions if hasattr(onp, "exceptions") else onp)["AxisError"]


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes meant by None, an integer or a tuple, each between 0 and `ndim`."""
    if axis is None or ndim == 0:
        return tuple(range(ndim))
    given = [operator.index(a) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    for a in given:
        if not -ndim <= a < ndim:
            raise _AXIS_ERROR(a, ndim)
    axes = tuple(a % ndim for a in given)
    if len(set(axes)) < len(axes):
        raise ValueError(f"duplicate value in axis={axis}")
    return axes


def kept_shape(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The shape of a reduction over `axis` with ``keepdims=True``."""
    axes = axes_of(axis, len(shape))
    return tuple(1 if a in axes else n for a, n in enumerate(shape))


def keep(g: Any, shape: tuple[int, ...], axis: Any, keepdims: Any = False) -> Any:
    """Put back the axes that a reduction of `shape` dropped, if it did, with length one."""
    return g if keepdims is True or anp.ndim(g) == len(shape) else anp.reshape(g, kept_shape(shape, axis))


def spread(g: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Give each entry of an operand of `shape` the entry of `g` that it was reduced to."""
    if anp.shape(g) == shape:
        return g
    return anp.broadcast_to(g if axis is None else keep(g, shape, axis), shape)


def is_constant(kind: Any) -> bool:
    """Whether results of this dtype, integers or booleans, have derivative zero."""
    return onp.dtype(kind).kind in "biu"


@primitive
def direction(x: Any, size: Any) -> Any:
    """x / size, and 0 where the size is 0 (a nan stays).

    So norms have the subgradient 0 at the origin.  They have no second derivative there; it is nan, which
    can't be taken for that of a function of the norm, such as its square.
    """
    zero = size == 0
    return onp.divide(onp.where(zero & (x == x), 0, x), size + zero)


elementwise(direction, lambda g, y: direction(g, y), lambda g, ans, y: -g * anp.divide(ans, y))


@primitive
def safe_sqrt(x: Any) -> Any:
    """The square root, with derivative zero at zero."""
    return onp.sqrt(x)


elementwise(safe_sqrt, lambda g, ans: 0.5 * direction(g, ans))


def as_reduced(x: Any) -> Any:
    """A result of no dimensions as the number that NumPy's reductions return."""
    return x if anp.ndim(x) else x[()]


def rows_of(x: Any, axis: Any) -> Any:
    """`x` with the axes of a reduction made into one, the last."""
    axes = axes_of(axis, anp.ndim(x))
    moved = anp.moveaxis(x, axes, range(-len(axes), 0)) if axes else x
    length = math.prod(anp.shape(x)[a] for a in axes)
    return anp.reshape(moved, anp.shape(moved)[: anp.ndim(x) - len(axes)] + (length,))


def positions(shape: tuple[int, ...]) -> Any:
    """An array of `shape` in which each entry is its own place in the flat array."""
    return onp.arange(onp.prod(shape, dtype=int)).reshape(shape)


@primitive
def gather(x: Any, places: Any) -> Any:
    """Entries of `x` by their places in the flat array, in the shape of `places`."""
    return onp.reshape(x, -1)[places]


@primitive
def scatter_add(g: Any, places: Any, shape: tuple[int, ...]) -> Any:
    """The adjoint of `gather`: an array of `shape` in which entries of `g` for the same place are summed."""
    g, places = onp.asarray(g), onp.asarray(places)
    size = int(onp.prod(shape, dtype=int))
    if g.dtype == onp.float64 and size <= 4 * g.size:
        return onp.bincount(places.ravel(), g.ravel(), size).reshape(shape)
    out = onp.zeros(size, g.dtype)
    onp.add.at(out, places.ravel(), g.ravel())
    return out.reshape(shape)


linear(gather, lambda g, ans, x, places: scatter_add(g, places, x.shape))
linear(scatter_add, lambda g, ans, x, places, shape: gather(g, places))


@primitive
def embed(x: Any, part: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` in which the basic index `part` selects `x`."""
    out = onp.zeros(shape, onp.result_type(x))
    out[part] = x
    return out


linear(embed, lambda g, ans, x, part, shape: g[part])


def moves_entries(fun: Any, raw: Any, argnum: int = 0) -> None:
    """Declare a function that picks entries of operand `argnum`, by applying `raw` to their places."""

    def adjoint(g: Any, ans: Any, *args: Any, **kwargs: Any) -> Any:
        x = args[argnum]
        places = raw(*args[:argnum], positions(x.shape), *args[argnum + 1 :], **kwargs)
        return scatter_add(g, places, x.shape)

    linear(fun, adjoint, argnum)
