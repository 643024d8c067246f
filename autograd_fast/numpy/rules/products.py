"""Derivatives of products of vectors, matrices and tensors.

Every product is linear in each operand, so that each operand's rule is one adjoint.  Sums over batch axes
are contracted by the matrix product itself where that is possible; otherwise the engine adds them up.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import composite, derivative, linear
from ...tracer import primitive
from .. import numpy_wrapper as anp


def _transposed(x: Any) -> Any:
    return anp.swapaxes(x, -1, -2)


def _bilinear(fun: Any, adjoint_x: Any, adjoint_y: Any) -> None:
    """Declare a product whose operands broadcast: ``adjoint_x(g, x, y)`` sees x as a `Like`, and so on."""
    derivative(
        fun,
        0,
        vjp=lambda g, ans, x, y, **kwargs: adjoint_x(g, x, y),
        jvp=lambda t, ans, x, y, **kwargs: fun(t, y, **kwargs),
        saves="y",
        broadcasts=True,
    )
    derivative(
        fun,
        1,
        vjp=lambda g, ans, x, y, **kwargs: adjoint_y(g, x, y),
        jvp=lambda t, ans, x, y, **kwargs: fun(x, t, **kwargs),
        saves="x",
        broadcasts=True,
    )


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
linear(anp.outer, lambda g, ans, x, y, out=None: anp.reshape(anp.dot(g, anp.ravel(y)), x.shape), 0, "y")
linear(anp.outer, lambda g, ans, x, y, out=None: anp.reshape(anp.dot(anp.ravel(x), g), y.shape), 1, "x")


def _tensordot_axes(x_ndim: int, y_ndim: int, axes: Any) -> tuple[list[int], list[int]]:
    """The contracted axes of both operands, as lists of axes counted from the front."""
    if onp.ndim(axes) == 0 and not isinstance(axes, (tuple, list)):
        return list(range(x_ndim - int(axes), x_ndim)), list(range(int(axes)))
    x_axes, y_axes = axes
    return (
        [int(a) % x_ndim for a in onp.atleast_1d(x_axes)],
        [int(a) % y_ndim for a in onp.atleast_1d(y_axes)],
    )


def _tensordot_x(g, ans, x, y, axes=2):
    x_axes, y_axes = _tensordot_axes(x.ndim, anp.ndim(y), axes)
    x_free = [a for a in range(x.ndim) if a not in x_axes]
    y_free = [a for a in range(anp.ndim(y)) if a not in y_axes]
    product = anp.tensordot(g, y, (list(range(len(x_free), anp.ndim(g))), y_free))
    # the contracted axes come out in the order that they have in y
    order = x_free + [x_axes[k] for k in onp.argsort(y_axes, kind="stable")]
    return anp.transpose(product, tuple(onp.argsort(order)))


def _tensordot_y(g, ans, x, y, axes=2):
    x_axes, y_axes = _tensordot_axes(anp.ndim(x), y.ndim, axes)
    x_free = [a for a in range(anp.ndim(x)) if a not in x_axes]
    y_free = [a for a in range(y.ndim) if a not in y_axes]
    product = anp.tensordot(x, g, (x_free, list(range(len(x_free)))))
    order = [y_axes[k] for k in onp.argsort(x_axes, kind="stable")] + y_free
    return anp.transpose(product, tuple(onp.argsort(order)))


linear(anp.tensordot, _tensordot_x, 0, "y")
linear(anp.tensordot, _tensordot_y, 1, "x")


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

if hasattr(onp, "vecdot"):

    @composite(onp.vecdot, anp)
    def _vecdot(x1, x2, /, *, axis=-1):
        return anp.sum(anp.conj(anp.moveaxis(x1, axis, -1)) * anp.moveaxis(x2, axis, -1), axis=-1)


if hasattr(onp, "matvec"):

    @composite(onp.matvec, anp)
    def _matvec(x1, x2, /):
        return anp.matmul(x1, anp.expand_dims(x2, -1))[..., 0]

    @composite(onp.vecmat, anp)
    def _vecmat(x1, x2, /):
        return anp.matmul(anp.expand_dims(anp.conj(x1), -2), x2)[..., 0, :]


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
