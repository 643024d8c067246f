"""Derivative of einsum: operand and result, with their subscripts, change places."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as onp

from ...rules import Like, variadic
from .. import numpy_wrapper as anp
from ._helpers import positions, scatter_add

# in the order in which NumPy sorts the labels of an implicit result
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# from this many multiplications on, a contraction in the order of the cheapest path pays for the search
_WORTH_A_PATH = 1 << 14


def _letters(sublist: Any) -> str:
    """An interleaved sublist of integers as subscripts."""
    return "".join("..." if s is Ellipsis else _LETTERS[s] for s in sublist)


def _split_arguments(args: Any) -> tuple[tuple[str, ...], str | None, list[int]]:
    """The operands' subscripts, the result's if given, and the operands' positions in `args`."""
    if isinstance(args[0], str):
        inputs, arrow, result = args[0].replace(" ", "").partition("->")
        return tuple(inputs.split(",")), result if arrow else None, list(range(1, len(args)))
    places = list(range(0, len(args) - 1, 2))
    output = _letters(args[-1]) if len(args) % 2 else None
    return tuple(_letters(args[k + 1]) for k in places), output, places


def _explicit(inputs: Any, output: str | None, shapes: Any) -> tuple[list[str], str]:
    """Subscripts without ellipses and with an explicit result."""
    unused = [c for c in _LETTERS if not any(c in s for s in inputs)]
    hidden = [
        len(shape) - len(s.replace("...", "")) if "..." in s else 0
        for s, shape in zip(inputs, shapes, strict=True)
    ]
    ellipsis = "".join(unused[: max(hidden)])
    full = [s.replace("...", ellipsis[len(ellipsis) - n :]) for s, n in zip(inputs, hidden, strict=True)]
    if output is None:
        every = "".join(inputs).replace(".", "")
        once = "".join(c for c in sorted(set(every)) if every.count(c) == 1)
        output = "..." * any("..." in s for s in inputs) + once
    return full, output.replace("...", ellipsis)


class _Plan:
    """How a cotangent becomes that of an operand: contracted, shaped, spread, put on diagonals."""

    __slots__ = ("diagonal", "optimize", "pattern", "shape", "spread")

    def __init__(
        self,
        pattern: str,
        shape: tuple[int, ...],
        spread: tuple[int, ...],
        diagonal: str | None,
        optimize: bool,
    ) -> None:
        self.pattern, self.shape, self.spread = pattern, shape, spread
        self.diagonal, self.optimize = diagonal, optimize


def _sizes(subscripts: list[str], shapes: list[tuple[int, ...]]) -> dict[str, int]:
    """The length of each index, which an operand of length one does not decide."""
    sizes: dict[str, int] = {}
    for letters, shape in zip(subscripts, shapes, strict=True):
        for letter, n in zip(letters, shape, strict=True):
            sizes[letter] = n if sizes.get(letter, 1) == 1 else sizes[letter]
    return sizes


@functools.lru_cache(maxsize=1024)
def _plan(inputs: tuple[str, ...], output: str | None, shapes: tuple[tuple[int, ...], ...], k: int) -> _Plan:
    subscripts, output = _explicit(inputs, output, shapes)
    sizes = _sizes(subscripts, list(shapes))
    own, others = subscripts[k], subscripts[:k] + subscripts[k + 1 :]
    own_sizes = dict(zip(own, shapes[k], strict=True))
    cotangent_shape = tuple(sizes[c] for c in output)
    elsewhere = _sizes([output, *others], [cotangent_shape, *shapes[:k], *shapes[k + 1 :]])
    # an index along which the operand broadcasts is summed, one that it alone has is spread over
    target = [c for c in own_sizes if c in elsewhere and own_sizes[c] == sizes[c]]
    return _Plan(
        pattern=",".join([output, *others]) + "->" + "".join(target),
        shape=tuple(elsewhere[c] if c in target else 1 for c in own_sizes),
        spread=tuple(own_sizes.values()),
        diagonal=own + "->" + "".join(own_sizes) if len(own_sizes) < len(own) else None,
        optimize=math.prod(sizes.values()) >= _WORTH_A_PATH,
    )


def _einsum_vjp(argnum, g, ans, *args, optimize=None, **kwargs):
    inputs, output, places = _split_arguments(args)
    shapes = tuple(a.shape if isinstance(a := args[k], Like) else anp.shape(a) for k in places)
    shape = shapes[places.index(argnum)]
    plan = _plan(inputs, output, shapes, places.index(argnum))
    others = [args[k] for k in places if k != argnum]
    g = anp.einsum(plan.pattern, g, *others, optimize=plan.optimize if optimize is None else optimize)
    if 0 in anp.shape(g) and 0 not in plan.spread:
        return anp.zeros(shape, g.dtype)
    if anp.shape(g) != plan.shape:
        g = anp.reshape(g, plan.shape)
    if plan.spread != plan.shape:
        g = anp.broadcast_to(g, plan.spread)
    return g if plan.diagonal is None else scatter_add(g, onp.einsum(plan.diagonal, positions(shape)), shape)


def _einsum_jvp(argnum, t, ans, *args, out=None, **kwargs):
    return anp.einsum(*args[:argnum], t, *args[argnum + 1 :], **kwargs)


variadic(anp.einsum, 0, vjp=_einsum_vjp, jvp=_einsum_jvp, saves_operands=True)
