"""Products of matrices, and the functions of arrays that numpy.linalg offers once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as onp

from ...rules import composite
from .. import linalg
from .. import numpy_wrapper as anp
from .matrices import eye_of


@composite(onp.linalg.matrix_power, linalg)
def matrix_power(a: Any, n: int) -> Any:
    """By repeated squaring, of the inverse for a negative power."""
    if n == 0:
        return anp.zeros(a.shape, a.dtype) + eye_of(a)
    square, n = (a, n) if n > 0 else (linalg.inv(a), -n)
    power = None
    while n:
        if n & 1:
            power = square if power is None else anp.matmul(power, square)
        n >>= 1
        if n:
            square = anp.matmul(square, square)
    return power


@composite(onp.linalg.multi_dot, linalg)
def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Any:
    if out is not None:
        raise NotImplementedError("numpy.linalg.multi_dot: out can't be a traced result; leave it away")
    arrays = list(arrays)
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    first, last = anp.ndim(arrays[0]), anp.ndim(arrays[-1])
    sizes = [1 if first == 1 else anp.shape(arrays[0])[0]]
    sizes += [anp.shape(array)[0] for array in arrays[1:]]
    sizes += [1 if last == 1 else anp.shape(arrays[-1])[1]]
    split = _cheapest_splits(sizes)

    def product(i: int, j: int) -> Any:
        return arrays[i] if i == j else anp.dot(product(i, split[i, j]), product(split[i, j] + 1, j))

    return product(0, len(arrays) - 1)


def _cheapest_splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to split each part of a chain of matrices, matrix i being sizes[i] by sizes[i + 1]."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return split


if hasattr(onp.linalg, "matmul"):

    @composite(onp.linalg.matmul, linalg)
    def matmul(x1: Any, x2: Any, /) -> Any:
        return anp.matmul(x1, x2)

    @composite(onp.linalg.tensordot, linalg)
    def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
        return anp.tensordot(x1, x2, axes)

    @composite(onp.linalg.vecdot, linalg)
    def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
        return anp.vecdot(x1, x2, axis=axis)

    @composite(onp.linalg.outer, linalg)
    def outer(x1: Any, x2: Any, /) -> Any:
        if anp.ndim(x1) != 1 or anp.ndim(x2) != 1:
            raise ValueError(f"Input arrays must be one-dimensional, but they are {x1.ndim=} and {x2.ndim=}.")
        return anp.outer(x1, x2)

    @composite(onp.linalg.cross, linalg)
    def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
        if anp.shape(x1)[axis] != 3 or anp.shape(x2)[axis] != 3:
            raise ValueError("Both input arrays must be arrays of 3-dimensional vectors.")
        return anp.cross(x1, x2, axis=axis)

    @composite(onp.linalg.matrix_transpose, linalg)
    def matrix_transpose(x: Any, /) -> Any:
        return anp.swapaxes(x, -1, -2)

    @composite(onp.linalg.diagonal, linalg)
    def diagonal(x: Any, /, *, offset: int = 0) -> Any:
        return anp.diagonal(x, offset, -2, -1)

    @composite(onp.linalg.trace, linalg)
    def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
        return anp.trace(x, offset, -2, -1, dtype)
