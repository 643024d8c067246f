"""``scipy.signal``: convolution, differentiable in both operands.

``convolve`` has the arguments of HIPS autograd's function of that name, which contracts axes too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as onp
import scipy.signal
from numpy.lib.stride_tricks import as_strided

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, derivative


def convolve(A: Any, B: Any, axes: Any = None, dot_axes: Any = ((), ()), mode: str = "full") -> Any:
    """Convolve over some axes, sum products over others, and take the outer product over the rest.

    Parameters
    ----------
    A, B : array_like
    axes : pair of sequences of int, optional
        The axes of A and those of B that are convolved with each other; all by default.
    dot_axes : pair of sequences of int
        The axes of A and of B that are summed over.
    mode : {"full", "valid", "same"}
        As in ``scipy.signal.convolve``.  With "same" the result has the size of A.

    Returns
    -------
    array
        Its axes are the other ones of A, the other ones of B, then the convolved ones.
    """
    if mode not in ("full", "valid", "same"):
        raise ValueError(f"convolve has the modes 'full', 'valid' and 'same', not {mode!r}")
    A, B = (anp.array(v) if isinstance(v, (list, tuple)) else v for v in (A, B))
    if axes is None:
        axes = (range(anp.ndim(A)), range(anp.ndim(B)))
    if len(axes[0]) != len(axes[1]) or len(dot_axes[0]) != len(dot_axes[1]):
        raise ValueError("convolve wants as many axes of A as of B to be convolved, and to be summed over")
    A, rest_a, size_a = _layout(A, dot_axes[0], axes[0])
    B, rest_b, size_b = _layout(B, dot_axes[1], axes[1])
    if 0 in size_a or 0 in size_b:
        raise ValueError(f"convolve wants entries along all convolved axes, got sizes {size_a} and {size_b}")
    if mode != "valid":
        result = _convolve(A, B, False)
        if mode == "same":
            middle = [slice((m - 1) // 2, (m - 1) // 2 + n) for n, m in zip(size_a, size_b, strict=True)]
            result = result[(slice(None), slice(None), *middle)]
    elif all(n >= m for n, m in zip(size_a, size_b, strict=True)):
        result = _convolve(A, B, True)
    elif all(n <= m for n, m in zip(size_a, size_b, strict=True)):
        result = anp.swapaxes(_convolve(B, A, True), 0, 1)
    else:
        raise ValueError("with mode='valid' one array must be the larger one along all convolved axes")
    return anp.reshape(result, (*rest_a, *rest_b, *anp.shape(result)[2:]))


@composite(scipy.signal.fftconvolve)
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    if axes is not None:
        raise NotImplementedError("fftconvolve has no derivative with axes: use convolve, with its own axes")
    return convolve(in1, in2, mode=mode)


@composite(scipy.signal.correlate)
def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    in2 = anp.array(in2) if isinstance(in2, (list, tuple)) else in2
    return convolve(in1, anp.conj(anp.flip(in2)), mode=mode)


def _layout(array: Any, summed: Sequence[int], convolved: Sequence[int]) -> tuple[Any, Any, Any]:
    """The array with its axes as (others, summed, *convolved); and the sizes of the first and the last."""
    ndim, shape = anp.ndim(array), anp.shape(array)
    summed, convolved = [i % ndim for i in summed], [i % ndim for i in convolved]
    others = [i for i in range(ndim) if i not in summed and i not in convolved]
    rest, size = [shape[i] for i in others], [shape[i] for i in convolved]
    order = (*others, *summed, *convolved)
    array = array if order == tuple(range(ndim)) else anp.transpose(array, order)
    return anp.reshape(array, (_product(rest), _product(shape[i] for i in summed), *size)), rest, size


def _product(sizes: Any) -> int:
    return math.prod(sizes)


@primitive
def _convolve(A: Any, B: Any, valid: bool) -> Any:
    """Of A (I, K, *n) and B (J, K, *m), the array (I, J, *n + m - 1); valid: the part (I, J, *n - m + 1)."""
    n, m = A.shape[2:], B.shape[2:]
    if A.shape[:2] == B.shape[:2] == (1, 1) and A.size and B.size:
        return scipy.signal.convolve(A[0, 0], B[0, 0], "valid" if valid else "full")[None, None]
    if not valid:
        if _product(m) > _product(n):
            return onp.swapaxes(_convolve(B, A, False), 0, 1)
        A = onp.pad(A, [(0, 0), (0, 0), *((k - 1, k - 1) for k in m)])
    out = tuple([size - k + 1 for size, k in zip(A.shape[2:], m, strict=True)])
    windows = as_strided(A, (*A.shape[:2], *m, *out), A.strides + A.strides[2:])
    windows = windows.reshape(A.shape[0], A.shape[1] * _product(m), _product(out))
    kernels = B[_backwards(B)].reshape(B.shape[0], -1)
    return onp.matmul(kernels, windows).reshape(A.shape[0], B.shape[0], *out)


def _backwards(array: Any) -> tuple[slice, ...]:
    return (slice(None), slice(None), *[slice(None, None, -1)] * (anp.ndim(array) - 2))


def _reversed(array: Any) -> Any:
    return array[_backwards(array)]


def _exchanged(array: Any) -> Any:
    return anp.swapaxes(array, 0, 1)


def _vjp_A(g: Any, ans: Any, A: Any, B: Any, valid: bool) -> Any:
    return _convolve(g, _exchanged(_reversed(B)), not valid)


def _vjp_B(g: Any, ans: Any, A: Any, B: Any, valid: bool) -> Any:
    if valid:
        return _reversed(_exchanged(_convolve(_exchanged(A), _exchanged(_reversed(g)), True)))
    return _convolve(_exchanged(g), _exchanged(_reversed(A)), True)


derivative(_convolve, 0, vjp=_vjp_A, jvp=lambda t, ans, A, B, valid: _convolve(t, B, valid), saves="y")
derivative(_convolve, 1, vjp=_vjp_B, jvp=lambda t, ans, A, B, valid: _convolve(A, t, valid), saves="x")
