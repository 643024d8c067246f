"""Derivatives of products of vectors, matrices and tensors.

Every product is linear in each operand, so that each operand's rule is one adjoint.  Sums over batch axes
are contracted by the matrix product itself where that is possible; otherwise the engine adds them up.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import Like, composite, derivative, linear
from ...tracer import primitive
from .. import numpy_wrapper as anp


def _transposed(x: Any) -> Any:
    return anp.swapaxes(x, -1, -2)


def _bilinear(fun: Any, adjoint_x: Any, adjoint_y: Any) -> None:
    """Declare a product whose operands broadcast: ``adjoint_x(g, x, y)`` sees x as a `Like`, and so on."""

    def vjp(adjoint):
        def cotangent(g, ans, a, b, out=None, axes=None, **kwargs):
            return adjoint(g, a, b) if axes is None else _adjoint_along(axes, adjoint, g, a, b)

        return cotangent

    def jvp_x(t, ans, a, b, out=None, **kwargs):
        return fun(t, b, **kwargs)

    def jvp_y(t, ans, a, b, out=None, **kwargs):
        return fun(a, t, **kwargs)

    derivative(fun, 0, vjp=vjp(adjoint_x), jvp=jvp_x, saves="y", broadcasts=True)
    derivative(fun, 1, vjp=vjp(adjoint_y), jvp=jvp_y, saves="x", broadcasts=True)


# ----- dot: the last axis of x with the last but one of y


def _dot_x(g, x, y):
    ndim = anp.ndim(y)
    if ndim == 0 or x.ndim == 0:
        return g * y if x.ndim or not ndim else anp.sum(g * y)
    if ndim == 1:
        return anp.expand_dims(g, -1) * y if x.ndim > 1 else g * y
    if ndim == 2:
        return anp.dot(g, anp.transpose(y))
    free = tuple(range(ndim - 2)) + (ndim - 1,)
    return anp.tensordot(g, y, (tuple(range(x.ndim - 1, x.ndim + ndim - 2)), free))


def _dot_y(g, x, y):
    ndim = anp.ndim(x)
    if ndim == 0 or y.ndim == 0:
        return g * x if y.ndim or not ndim else anp.sum(g * x)
    if ndim == 1:
        return anp.expand_dims(x, -1) * anp.expand_dims(g, -2) if y.ndim > 1 else g * x
    if ndim == 2 and y.ndim <= 2:
        return anp.dot(anp.transpose(x), g)
    free = tuple(range(ndim - 1))
    return anp.moveaxis(anp.tensordot(x, g, (free, free)), 0, max(y.ndim - 2, 0))


_bilinear(anp.dot, _dot_x, _dot_y)


# ----- matmul: the last two axes, all others broadcasting


def _batch(ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim - 2))


def _matmul_x(g, x, y):
    ndim = anp.ndim(y)
    if ndim == 1:
        return anp.expand_dims(g, -1) * y if x.ndim > 1 else g * y
    if x.ndim == 1:
        if ndim == 2:
            return anp.dot(y, g)
        free = _batch(ndim) + (ndim - 1,)
        return anp.tensordot(y, g, (free, tuple(range(ndim - 1))))
    if x.ndim == 2 and ndim > 2:
        free = _batch(ndim) + (ndim - 1,)
        return anp.tensordot(g, y, (free, free))
    return anp.matmul(g, _transposed(y))


def _matmul_y(g, x, y):
    ndim = anp.ndim(x)
    if ndim == 1:
        return anp.expand_dims(x, -1) * anp.expand_dims(g, -2) if y.ndim > 1 else g * x
    if y.ndim == 1 or (y.ndim == 2 and ndim > 2):
        free = tuple(range(ndim - 1))
        return anp.tensordot(x, g, (free, free))
    return anp.matmul(_transposed(x), g)


_bilinear(anp.matmul, _matmul_x, _matmul_y)


def _to_end(x: Any, axes: Any) -> Any:
    """`x` with the axes that a product works on, given by ``axes=``, moved to the end."""
    axes = (axes,) if onp.ndim(axes) == 0 else tuple(axes)
    return anp.moveaxis(x, axes, range(-len(axes), 0))


def _adjoint_along(axes: Any, adjoint: Any, g: Any, a: Any, b: Any) -> Any:
    """The adjoint of a product whose operands and result have their axes in other places."""
    target, own = (a, axes[0]) if isinstance(a, Like) else (b, axes[1])
    model = onp.broadcast_to(onp.zeros((), target.dtype), target.shape)
    a, b = (_to_end(model if x is target else x, own) for x, own in zip((a, b), axes, strict=False))
    moved = _to_end(model, own)
    back = adjoint(_to_end(g, axes[2] if len(axes) == 3 else ()), a, b)
    back = anp.sum(back, axis=tuple(range(anp.ndim(back) - moved.ndim)))
    stretched = [k for k, n in enumerate(moved.shape) if n == 1 and anp.shape(back)[k] > 1]
    back = anp.sum(back, axis=tuple(stretched), keepdims=True)
    own = (own,) if onp.ndim(own) == 0 else tuple(own)
    return anp.moveaxis(back, range(-len(own), 0), own)


# ----- inner, outer, tensordot


def _inner_x(g, x, y):
    if x.ndim == 0 or anp.ndim(y) == 0:
        return _dot_x(g, x, y)
    free = anp.ndim(y) - 1
    return anp.tensordot(g, y, (tuple(range(x.ndim - 1, x.ndim - 1 + free)), tuple(range(free))))


def _inner_y(g, x, y):
    if anp.ndim(x) == 0 or y.ndim == 0:
        return _dot_y(g, x, y)
    free = tuple(range(anp.ndim(x) - 1))
    return anp.tensordot(g, x, (free, free))


_bilinear(anp.inner, _inner_x, _inner_y)
linear(anp.outer, lambda g, ans, a, b, out=None: anp.reshape(anp.dot(g, anp.ravel(b)), a.shape), 0, "y")
linear(anp.outer, lambda g, ans, a, b, out=None: anp.reshape(anp.dot(anp.ravel(a), g), b.shape), 1, "x")


def _tensordot_axes(a_ndim: int, b_ndim: int, axes: Any) -> tuple[list[int], list[int]]:
    """The contracted axes of both operands, counted from the front."""
    if onp.ndim(axes) == 0:
        return list(range(a_ndim - int(axes), a_ndim)), list(range(int(axes)))
    a_axes, b_axes = (onp.atleast_1d(part).tolist() for part in axes)
    return [k % a_ndim for k in a_axes], [k % b_ndim for k in b_axes]


def _tensordot_a(g, ans, a, b, axes=2):
    a_axes, b_axes = _tensordot_axes(a.ndim, anp.ndim(b), axes)
    a_free = [k for k in range(a.ndim) if k not in a_axes]
    b_free = [k for k in range(anp.ndim(b)) if k not in b_axes]
    product = anp.tensordot(g, b, (list(range(len(a_free), anp.ndim(g))), b_free))
    # the contracted axes come out in the order that they have in b
    return _in_place(product, a_free + [a_axes[k] for k in onp.argsort(b_axes)])


def _tensordot_b(g, ans, a, b, axes=2):
    a_axes, b_axes = _tensordot_axes(anp.ndim(a), b.ndim, axes)
    a_free = [k for k in range(anp.ndim(a)) if k not in a_axes]
    b_free = [k for k in range(b.ndim) if k not in b_axes]
    product = anp.tensordot(a, g, (a_free, list(range(len(a_free)))))
    return _in_place(product, [b_axes[k] for k in onp.argsort(a_axes)] + b_free)


def _in_place(product: Any, order: list[int]) -> Any:
    """Axes that come in `order` put in their places."""
    return product if order == sorted(order) else anp.transpose(product, tuple(onp.argsort(order)))


linear(anp.tensordot, _tensordot_a, 0, "y")
linear(anp.tensordot, _tensordot_b, 1, "x")


# ----- products made of others


@composite(onp.kron, anp)
def _kron(a, b):
    ndim = max(anp.ndim(a), anp.ndim(b))
    a, b = (anp.reshape(v, (1,) * (ndim - anp.ndim(v)) + anp.shape(v)) for v in (a, b))
    shape = [n * m for n, m in zip(anp.shape(a), anp.shape(b), strict=True)]
    a = anp.expand_dims(a, tuple(range(1, 2 * ndim, 2)))
    b = anp.expand_dims(b, tuple(range(0, 2 * ndim, 2)))
    return anp.reshape(a * b, shape)


# vdot and vecdot conjugate their first operand, which is therefore antilinear

derivative(
    anp.vdot,
    0,
    vjp=lambda g, ans, x, y: anp.reshape(anp.conj(g * y), x.shape),
    jvp=lambda t, ans, x, y: anp.vdot(t, y),
    saves="y",
)
linear(anp.vdot, lambda g, ans, x, y: anp.reshape(g * anp.conj(x), y.shape), 1, "x")


def _with_axes(product: Any) -> Any:
    """Let a product of the last axes take ``axes=`` and ``dtype=``."""

    def traced(x1, x2, /, *, axes=None, dtype=None, **kwargs):
        if dtype is not None:
            x1, x2 = anp.asarray(x1, dtype), anp.asarray(x2, dtype)
        if axes is None:
            return product(x1, x2, **kwargs)
        first, second, *last = axes
        y = product(_to_end(x1, first), _to_end(x2, second), **kwargs)
        result = last[0] if last else ()
        result = (result,) if onp.ndim(result) == 0 else tuple(result)
        return anp.moveaxis(y, range(-len(result), 0), result)

    return traced


if hasattr(onp, "vecdot"):

    def _vecdot(x1, x2, axis=-1):
        return anp.sum(anp.conj(anp.moveaxis(x1, axis, -1)) * anp.moveaxis(x2, axis, -1), axis=-1)

    composite(onp.vecdot, anp)(_with_axes(_vecdot))


if hasattr(onp, "matvec"):

    def _matvec(x1, x2):
        return anp.matmul(x1, anp.expand_dims(x2, -1))[..., 0]

    def _vecmat(x1, x2):
        return anp.matmul(anp.expand_dims(anp.conj(x1), -2), x2)[..., 0, :]

    composite(onp.matvec, anp)(_with_axes(_matvec))
    composite(onp.vecmat, anp)(_with_axes(_vecmat))


# ----- cross


@primitive
def cross3(a: Any, b: Any) -> Any:
    """The cross product of vectors of three entries along the last axis, the other axes broadcasting."""
    return onp.cross(a, b)


_bilinear(cross3, lambda g, a, b: cross3(b, g), lambda g, a, b: cross3(g, a))


@composite(onp.cross, anp)
def _cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = anp.moveaxis(a, axisa, -1), anp.moveaxis(b, axisb, -1)
    sizes = anp.shape(a)[-1], anp.shape(b)[-1]
    if sizes == (2, 2):
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (anp.concatenate([v, 0 * v[..., :1]], axis=-1) if anp.shape(v)[-1] == 2 else v for v in (a, b))
    return anp.moveaxis(cross3(a, b), -1, axisc)
