"""Derivatives of functions that make an array from numbers: fills and spaced values."""

from __future__ import annotations

import operator
from typing import Any

import numpy as onp

from ... import builtins
from ...rules import composite, derivative
from ...tracer import getval
from .. import numpy_wrapper as anp
from ._helpers import is_constant
from .operands import along, as_array, dtype_of

# ----- fills


def _full_vjp(g, ans, shape, fill_value, *args, **kwargs):
    return 0 * g if is_constant(ans.dtype) else g


def _full_jvp(t, ans, shape, fill_value, *args, **kwargs):
    return anp.broadcast_to(0 * t if is_constant(dtype_of(ans)) else t, anp.shape(ans))


derivative(anp.full, 1, vjp=_full_vjp, jvp=_full_jvp, broadcasts=True)


@composite(onp.full_like, anp)
def _full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, **kwargs):
    model = onp.asarray(getval(a))
    return anp.full(model.shape if shape is None else shape, fill_value, dtype or model.dtype)


# ----- equally spaced: weights 1 - s of the start and s of the stop


def _fractions(num: Any, endpoint: bool) -> Any:
    num = operator.index(num)
    return onp.arange(num) / max(num - 1 if endpoint else num, 1)


def _weights(argnum: int, num: Any, endpoint: bool) -> tuple[Any, float]:
    """The derivatives of the samples and of the step in the start (0) or the stop (1)."""
    s, sign = _fractions(num, endpoint), 2 * argnum - 1
    intervals = len(s) - 1 if endpoint else len(s)
    return (s if argnum else 1 - s), sign / intervals if intervals > 0 else onp.nan


def _linspace_rule(argnum: int) -> None:
    def vjp(g, ans, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, **kwargs):
        g, g_step = g if retstep else (g, None)
        if dtype is not None and is_constant(dtype):
            g = 0 * g
        weights, step = _weights(argnum, num, endpoint)
        total = anp.tensordot(weights, anp.moveaxis(g, axis, 0), 1)
        return total if g_step is None else total + g_step * step

    def jvp(t, ans, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, **kwargs):
        weights, step = _weights(argnum, num, endpoint)
        shape = onp.broadcast_shapes(anp.shape(start), anp.shape(stop))
        t = anp.broadcast_to(t, shape)
        samples = anp.moveaxis(anp.reshape(weights, (-1,) + (1,) * len(shape)) * t, 0, axis)
        if dtype is not None and is_constant(dtype):
            samples = 0 * samples
        if not retstep:
            return samples
        kind = onp.result_type(getval(ans)[0])
        return builtins.tuple([anp._astype(samples, kind), anp._astype(t * step, kind)])

    derivative(anp.linspace, argnum, vjp=vjp, jvp=jvp, broadcasts=True)


_linspace_rule(0)
_linspace_rule(1)


@composite(onp.logspace, anp)
def _logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if anp.ndim(base):
        start, stop, base = anp.broadcast_arrays(start, stop, base)
        base = anp.expand_dims(base, axis)
    y = anp.power(base, anp.linspace(start, stop, num, endpoint=endpoint, axis=axis))
    return y if dtype is None else anp._astype(y, dtype)


@composite(onp.geomspace, anp)
def _geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    start, stop = anp.broadcast_arrays(start, stop)
    if onp.any(getval(start) == 0) or onp.any(getval(stop) == 0):
        raise ValueError("Geometric sequence cannot include zero")
    ratio = anp.expand_dims(stop / start, axis)
    s = onp.reshape(_fractions(num, endpoint), along(axis, anp.ndim(ratio), -1, 1))
    y = anp.expand_dims(start, axis) * ratio**s
    ends: Any = [onp.ones(anp.shape(v), dtype_of(v)) for v in (start, stop)]
    return anp.asarray(y, onp.geomspace(ends[0], ends[1], 2, dtype=dtype).dtype)


@composite(onp.arange, anp)
def _arange(start, stop=None, step=1, dtype=None, **kwargs):
    if stop is None:
        start, stop = 0, start
    count = len(onp.arange(getval(start), getval(stop), getval(step)))
    y = start + step * onp.arange(count)
    return y if dtype is None else anp._astype(as_array(y), dtype)


@composite(onp.ix_, anp)
def _ix(*args):
    if any(anp.ndim(x) != 1 for x in args):
        raise ValueError("Cross index must be 1 dimensional")
    shapes = [along(k, len(args), -1, 1) for k in range(len(args))]
    return tuple(anp.reshape(x, shape) for x, shape in zip(args, shapes, strict=True))


@composite(onp.vander, anp)
def _vander(x, N=None, increasing=False):
    x = as_array(x)
    if anp.ndim(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    powers = onp.arange(anp.shape(x)[0] if N is None else N)
    return anp.expand_dims(x, -1) ** (powers if increasing else powers[::-1])
