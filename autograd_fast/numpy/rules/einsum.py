"""Derivative of einsum: the cotangent takes the place of the operand, the operand's subscripts that of the result."""

from __future__ import annotations

import math
import string
from typing import Any

import numpy as onp

from ...rules import variadic
from .. import numpy_wrapper as anp
from ._helpers import positions, scatter_add

# in the order in which NumPy sorts the labels of an implicit result
_LETTERS = string.ascii_uppercase + string.ascii_lowercase

# from this many multiplications on, a contraction in the order of the cheapest path pays for the search
_WORTH_A_PATH = 1 << 14


def _letters(sublist: Any) -> str:
    """An interleaved sublist of integers as subscripts."""
    return "".join("..." if s is Ellipsis else _LETTERS[s] for s in sublist)


def _split_arguments(args: Any) -> tuple[list[str], str | None, list[int]]:
    """The subscripts of each operand, those of the result if given, and where the operands stand in `args`."""
    if isinstance(args[0], str):
        inputs, arrow, output = args[0].replace(" ", "").partition("->")
        return inputs.split(","), output if arrow else None, list(range(1, len(args)))
    places = list(range(0, len(args) - 1, 2))
    output = _letters(args[-1]) if len(args) % 2 else None
    return [_letters(args[k + 1]) for k in places], output, places


def _explicit(inputs: list[str], output: str | None, shapes: list[tuple[int, ...]]) -> tuple[list[str], str]:
    """Subscripts without ellipses and with an explicit result."""
    unused = [c for c in _LETTERS if not any(c in s for s in inputs)]
    hidden = [len(shape) - len(s.replace("...", "")) if "..." in s else 0
              for s, shape in zip(inputs, shapes, strict=True)]
    ellipsis = "".join(unused[: max(hidden)])
    full = [s.replace("...", ellipsis[len(ellipsis) - n :]) for s, n in zip(inputs, hidden, strict=True)]
    if output is None:
        every = "".join(inputs).replace(".", "")
        output = "..." * any("..." in s for s in inputs) + "".join(c for c in sorted(set(every)) if every.count(c) == 1)
    return full, output.replace("...", ellipsis)


def _einsum_vjp(argnum, g, ans, *args, optimize=None, **kwargs):
    inputs, output, places = _split_arguments(args)
    shapes = [anp.shape(args[k]) for k in places]
    inputs, output = _explicit(inputs, output, shapes)
    position = places.index(argnum)
    own, shape = inputs.pop(position), shapes[position]
    others = [args[k] for k in places if k != argnum]

    sizes: dict[str, int] = {}
    for subscripts, dims in zip([own, *inputs], [shape, *(anp.shape(x) for x in others)], strict=True):
        for letter, n in zip(subscripts, dims, strict=True):
            sizes[letter] = n if sizes.get(letter, 1) == 1 else sizes[letter]
    if optimize is None:
        optimize = math.prod(sizes.values()) >= _WORTH_A_PATH

    # an index that the operand broadcasts along is summed; one that it alone has is spread over
    own_sizes = dict(zip(own, shape, strict=True))
    elsewhere = output + "".join(inputs)
    target = [c for c in own_sizes if c in elsewhere and (own_sizes[c] > 1 or sizes[c] <= 1)]
    pattern = ",".join([output, *inputs]) + "->" + "".join(target)
    contracted = anp.einsum(pattern, g, *others, optimize=optimize)
    dims = iter(anp.shape(contracted))
    contracted = anp.reshape(contracted, [next(dims) if c in target else 1 for c in own_sizes])
    spread = anp.broadcast_to(contracted, tuple(own_sizes.values()))
    if len(own_sizes) == len(own):
        return spread
    return scatter_add(spread, onp.einsum(own + "->" + "".join(own_sizes), positions(shape)), shape)


def _einsum_jvp(argnum, t, ans, *args, out=None, **kwargs):
    return anp.einsum(*args[:argnum], t, *args[argnum + 1 :], **kwargs)


variadic(anp.einsum, 0, vjp=_einsum_vjp, jvp=_einsum_jvp, saves_operands=True)
