"""Derivatives of NumPy's numerical functions of data: interpolation, differences, integrals, histograms,
convolutions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as onp

from ...rules import composite, derivative, linear
from ...tracer import getval
from .. import numpy_wrapper as anp
from ._helpers import container_like
from .operands import along, as_array, as_double, dtype_of

_ABSENT = object()


# Interpolation and phases


@composite(onp.interp, anp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """The slope at a knot is that to its right, at the last knot that to its left; outside it is zero."""
    x, xp, fp = as_double(x), as_double(xp), as_double(fp)
    if "c" in (dtype_of(x).kind, dtype_of(xp).kind):
        raise TypeError("interp: the points x and xp are real numbers, got complex ones")
    if anp.shape(xp) != anp.shape(fp) or anp.ndim(xp) != 1 or anp.size(xp) == 0:
        raise ValueError(
            f"interp: xp and fp are vectors of one length, at least 1; got the shapes {anp.shape(xp)} and "
            f"{anp.shape(fp)}"
        )
    if period is not None:
        x, xp, fp = _unrolled(x, xp, fp, period)
        left = right = None
    at, knots = getval(x), getval(xp)
    below, above = at < knots[0], at > knots[-1]
    last = len(knots) - 1
    i = onp.clip(onp.searchsorted(knots, at, "right") - 1, 0, max(last - 1, 0))
    j = onp.minimum(i + 1, last)
    gap = xp[j] - xp[i]
    closed = getval(gap) == 0
    weight = (anp.where(below | above, knots[i], x) - xp[i]) / anp.where(closed, 1.0, gap)
    result = fp[i] + anp.where(closed, 1.0, weight) * (fp[j] - fp[i])
    result = anp.where(below, fp[0] if left is None else left, result)
    return anp.where(above, fp[-1] if right is None else right, result)[()]


def _unrolled(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """One period of the knots in order, with a neighbour on either side."""
    if getval(period) == 0:
        raise ValueError("period must be a non-zero value")
    period = anp.abs(period)
    x, xp = anp.mod(x, period), anp.mod(xp, period)
    order = onp.argsort(getval(xp))
    xp, fp = xp[order], fp[order]
    xp = anp.concatenate((xp[-1:] - period, xp, xp[:1] + period))
    return x, xp, anp.concatenate((fp[-1:], fp, fp[:1]))


@composite(onp.unwrap, anp)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Any:
    """Whole periods are added, whose numbers are constant."""
    p = as_array(p)
    phase, length = getval(p), getval(period)
    moved = onp.unwrap(phase, getval(discont), axis, period=length)
    return p + period * onp.rint((moved - phase) / length)


# Differences

_diff: Any = anp.diff


def _diff_adjoint(g: Any, ans: Any, a: Any, n: int = 1, axis: int = -1) -> Any:
    """The same difference of g between zeros, with alternating sign."""
    if a.shape[axis] <= n:
        return onp.zeros(a.shape, a.dtype)
    shape = list(a.shape)
    shape[axis] = n
    edge = onp.zeros(shape, a.dtype)
    return (-1) ** n * _diff(anp.concatenate((edge, g, edge), axis), n, axis)


linear(_diff, _diff_adjoint)


@composite(onp.diff, anp)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _ABSENT, append: Any = _ABSENT) -> Any:
    a = as_array(a)
    shape = list(anp.shape(a))
    if not shape:
        raise ValueError("diff requires input that is at least one dimensional")
    shape[axis] = 1
    parts = [part if part is a else as_array(part) for part in (prepend, a, append) if part is not _ABSENT]
    if len(parts) > 1 and n != 0:
        a = anp.concatenate(
            [part if anp.ndim(part) else anp.broadcast_to(part, shape) for part in parts], axis
        )
    return _diff(a, n, axis)


@composite(onp.ediff1d, anp)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    middle = _diff(anp.ravel(as_array(ary)))
    parts = [to_begin, middle, to_end]
    return anp.concatenate(
        [p if p is middle else anp.ravel(as_array(p)) for p in parts if p is not None], dtype=dtype_of(middle)
    )


@composite(onp.gradient, anp)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = as_array(f)
    ndim = anp.ndim(f)
    axes = list(range(ndim) if axis is None else onp.atleast_1d(axis))
    spacings = [as_array(s) for s in varargs] or [1.0]
    if len(spacings) == 1 and anp.ndim(spacings[0]) == 0:
        spacings = spacings * len(axes)
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    dtype = dtype_of(f) if dtype_of(f).kind in "fc" else onp.float64
    slopes = [
        anp.asarray(_slope(f, spacing, a, edge_order), dtype)
        for spacing, a in zip(spacings, axes, strict=True)
    ]
    if len(slopes) == 1:
        return slopes[0]
    return container_like(onp.gradient(onp.zeros((2, 2))), slopes)


def _slope(f: Any, spacing: Any, axis: int, edge_order: int) -> Any:
    """The derivative along an axis of the parabola through three neighbours, at the ends also of a line.

    Fornberg, Generation of finite difference formulas on arbitrarily spaced grids, 1988.
    """
    f = anp.moveaxis(f, axis, -1)
    n = anp.shape(f)[-1]
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if n < edge_order + 1:
        raise ValueError(f"gradient: axis {axis} has {n} elements, at least {edge_order + 1} are needed")
    left, centre, right = f[..., :-2], f[..., 1:-1], f[..., 2:]
    if anp.ndim(spacing) == 0:
        middle = (right - left) / (2 * spacing)
        h = [spacing] * 4
    else:
        if anp.shape(spacing) != (n,):
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        steps = _diff(spacing)
        a, b = steps[:-1], steps[1:]
        middle = (b * (centre - left) / a + a * (right - centre) / b) / (a + b)
        h = [steps[0], steps[min(1, n - 2)], steps[max(-2, 1 - n)], steps[-1]]
    first = (f[..., 1:2] - f[..., :1]) / h[0]
    last = (f[..., -1:] - f[..., -2:-1]) / h[3]
    if edge_order == 2:
        first = first - h[0] / (h[0] + h[1]) * ((f[..., 2:3] - f[..., 1:2]) / h[1] - first)
        last = last + h[3] / (h[2] + h[3]) * (last - (f[..., -2:-1] - f[..., -3:-2]) / h[2])
    return anp.moveaxis(anp.concatenate((first, middle, last), -1), -1, axis)


# Integrals


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = as_array(y)
    step = dx
    if x is not None:
        x = as_array(x)
        step = _diff(x, 1, -1 if anp.ndim(x) == 1 else axis)
        if anp.ndim(x) == 1:
            step = anp.reshape(step, along(axis, anp.ndim(y), -1, fill=1))
    ndim = anp.ndim(y)
    heights = y[along(axis, ndim, slice(1, None))] + y[along(axis, ndim, slice(None, -1))]
    return anp.sum(step * heights / 2.0, axis)


for _name in ("trapezoid", "trapz"):
    if hasattr(onp, _name):
        composite(getattr(onp, _name), anp)(trapezoid)


# Counts, which are linear in the weights

_bincount: Any = anp.bincount
linear(_bincount, lambda g, ans, x, weights, minlength: g[x], argnum=1)


@composite(onp.bincount, anp)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    x = onp.asarray(getval(x))
    if weights is None or x.size == 0:
        return onp.bincount(x, None, minlength)
    return _bincount(x, as_array(weights), minlength)


@composite(onp.histogram, anp)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    a, bins = getval(as_array(a)).ravel(), getval(bins)
    if weights is None:
        return onp.histogram(a, bins, range, density)
    weights = anp.ravel(as_array(weights))
    edges = onp.histogram_bin_edges(a, bins, range, getval(weights))
    return _histogram_of_weights([a], [edges], weights, density), edges


@composite(onp.histogramdd, anp)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    sample = [getval(as_array(s)) for s in sample] if isinstance(sample, (list, tuple)) else getval(sample).T
    columns = [onp.ravel(column) for column in onp.atleast_2d(sample)]
    counts, edges = onp.histogramdd(columns, bins, range, density)
    if weights is None:
        return counts, edges
    return _histogram_of_weights(columns, edges, as_double(weights), density), edges


@composite(onp.histogram2d, anp)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    x, y = getval(as_array(x)), getval(as_array(y))
    counts, *edges = onp.histogram2d(x, y, bins, range, density)
    if weights is None:
        return counts, *edges
    return _histogram_of_weights([x, y], edges, as_double(weights), density), *edges


def _histogram_of_weights(columns: list[Any], edges: Sequence[Any], weights: Any, density: Any) -> Any:
    """The sums of the weights in the cells; a cell has its left edge, the last one also its right."""
    shape = tuple(len(e) - 1 for e in edges)
    cells, inside = [], onp.ones(len(columns[0]), bool)
    for column, edge in zip(columns, edges, strict=True):
        cells.append(onp.searchsorted(edge, column, "right") - 1 - (column == edge[-1]))
        inside &= (column >= edge[0]) & (column <= edge[-1])
    index = onp.ravel_multi_index([cell[inside] for cell in cells], shape)
    dtype, weights = dtype_of(weights), weights[inside]
    size = math.prod(shape)
    if dtype.kind == "c":
        counts = _bincount(index, anp.real(weights), size) + 1j * _bincount(index, anp.imag(weights), size)
    else:
        counts = _bincount(index, weights, size)
    counts = anp.reshape(counts, shape)
    if density:
        for k, edge in enumerate(edges):
            counts = counts / onp.diff(edge).reshape(along(k, len(shape), -1, fill=1))
        return counts / anp.sum(weights)
    return counts if dtype_of(counts) == dtype else anp._astype(counts, dtype)


# Convolution, linear in each operand

_convolve: Any = anp.convolve


def _convolve_vjp(g: Any, kernel: Any, operand: Any, mode: Any) -> Any:
    """Put g into its place in the full convolution, and correlate it with the other operand."""
    n, m = operand.size, len(kernel)
    short = min(n, m)
    start = {"full": 0, "same": (short - 1) // 2, "valid": short - 1}[mode]
    before = onp.zeros(start, g.dtype)
    after = onp.zeros(n + m - 1 - start - len(g), g.dtype)
    return _convolve(anp.concatenate((before, g, after)), kernel[::-1], "valid")


derivative(
    _convolve,
    0,
    vjp=lambda g, ans, a, v, mode: _convolve_vjp(g, v, a, mode),
    jvp=lambda t, ans, a, v, mode: _convolve(t, v, mode),
    saves="y",
)
derivative(
    _convolve,
    1,
    vjp=lambda g, ans, a, v, mode: _convolve_vjp(g, a, v, mode),
    jvp=lambda t, ans, a, v, mode: _convolve(a, t, mode),
    saves="x",
)


def _mode(mode: Any) -> str:
    """NumPy also takes the first letters and the numbers of the modes."""
    modes = ["valid", "same", "full"]
    if not isinstance(mode, str):
        return modes[mode]
    for name in modes:
        if mode.lower() in (name, name[0]):
            return name
    raise ValueError(f"mode must be 'valid', 'same' or 'full', got {mode!r}")


@composite(onp.convolve, anp)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    return _convolve(_row(a), _row(v), _mode(mode))


@composite(onp.correlate, anp)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """A convolution with the second operand conjugated and backwards; swapping the two reverses it."""
    a, v, mode = _row(a), _row(v), _mode(mode)
    if anp.size(v) > anp.size(a):
        return anp.conj(_convolve(v, anp.conj(a[::-1]), mode)[::-1])
    return _convolve(a, anp.conj(v[::-1]), mode)


def _row(x: Any) -> Any:
    x = as_array(x)
    return anp.reshape(x, (1,)) if anp.ndim(x) == 0 else x


# Windows


@composite(onp.kaiser, anp)
def kaiser(M: Any, beta: Any) -> Any:
    if M <= 1:
        return onp.kaiser(M, getval(beta))
    half = (M - 1) / 2.0
    shape = onp.sqrt(1 - ((onp.arange(M) - half) / half) ** 2)
    return anp.i0(beta * shape) / anp.i0(beta)
