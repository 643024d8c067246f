"""Finite differences of plain NumPy functions, and the checks of a derivative against them.

A function under test takes the namespace first, ``f(np, x, y)``, so that the same text runs on plain NumPy
and traced.  Results may be arrays, numbers, or tuples of them; operands real or complex.
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast import _kernels

STEP = 1e-3


def without_kernels(call):
    """What a call gives while no kernel is used."""
    was = _kernels.set_enabled(False)
    try:
        return call()
    finally:
        _kernels.set_enabled(was)


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def directional(f, args, i, v, h=STEP):
    """The derivative of f's leaves at args along v in operand i, by a fourth-order central difference."""

    def at(s):
        moved = list(args)
        moved[i] = args[i] + s * v
        return [onp.asarray(leaf) for leaf in leaves(f(onp, *moved))]

    p2, p1, m1, m2 = at(2 * h), at(h), at(-h), at(-2 * h)
    return [(8 * (b - c) - (a - d)) / (12 * h) for a, b, c, d in zip(p2, p1, m1, m2, strict=True)]


def direction(rng, like):
    """A random direction of the kind of `like`."""
    like = onp.asarray(like)
    v = rng.standard_normal(like.shape)
    if onp.iscomplexobj(like):
        v = v + 1j * rng.standard_normal(like.shape)
    return v.astype(like.dtype)[()] if like.ndim == 0 else v.astype(like.dtype)


def close(got, want, rtol, atol):
    got, want = onp.asarray(got), onp.asarray(want)
    assert got.dtype != object, "an object array came back"
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    onp.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


def check_jvp(f, args, i, rng, rtol=1e-6, atol=1e-8):
    """Forward mode in operand i against finite differences."""
    v = direction(rng, args[i])
    want = directional(f, args, i, v)
    value, tangent = ag.make_jvp(lambda *a: f(anp, *a), i)(*args)(v)
    for got, plain in zip(leaves(value), leaves(f(onp, *args)), strict=True):
        close(got, plain, 1e-12, 1e-12)
    for got, w in zip(leaves(tangent), want, strict=True):
        close(got, w, rtol, atol)


def scalar_of(f, weights):
    """A real, nonlinear scalar of every leaf of f's result, traced or plain."""

    def loss(np, *args):
        total = 0.0
        for leaf, w in zip(leaves_of(f(np, *args), len(weights)), weights, strict=True):
            total = total + np.sum(np.real(leaf * w)) + 0.5 * np.sum(np.real(leaf * np.conj(leaf)))
        return total

    return loss


def leaves_of(value, count):
    """Leaves of a result that may be a traced container; nested ones are not taken apart when traced."""
    if count == 1 and not isinstance(value, (tuple, list)):
        shape = getattr(value, "shape", ())
        if isinstance(shape, tuple):
            return [value] if not hasattr(type(value), "index") or hasattr(value, "dtype") else [value[0]]
    return [value[k] for k in range(count)]


def check_vjp(f, args, i, rng, rtol=1e-6, atol=1e-8):
    """Reverse mode in operand i, through a nonlinear scalar, against finite differences."""
    weights = [direction(rng, leaf) for leaf in leaves(f(onp, *args))]
    loss = scalar_of(f, weights)
    v = direction(rng, args[i])
    want = directional(loss, args, i, v)[0]
    g = ag.grad(lambda *a: loss(anp, *a), i)(*args)
    like = onp.asarray(args[i])
    assert onp.shape(g) == like.shape, (
        f"gradient of shape {onp.shape(g)} for an operand of shape {like.shape}"
    )
    assert onp.asarray(g).dtype == like.dtype, f"gradient {onp.asarray(g).dtype} for {like.dtype}"
    close(onp.real(onp.sum(g * v)), want, rtol, atol)


def check_second(f, args, i, rng, rtol=1e-5, atol=1e-7):
    """Second order in operand i, both modes over reverse, against differences of grad."""
    weights = [direction(rng, leaf) for leaf in leaves(f(onp, *args))]
    loss = scalar_of(f, weights)
    gradient = ag.grad(lambda *a: loss(anp, *a), i)
    u, v = direction(rng, args[i]), direction(rng, args[i])

    def slope(np, *a):
        return onp.real(onp.sum(gradient(*a) * u))

    want = directional(slope, args, i, v)[0]
    reverse = ag.grad(lambda *a: anp.sum(anp.real(gradient(*a) * u)), i)(*args)
    close(onp.real(onp.sum(reverse * v)), want, rtol, atol)
    forward = ag.make_jvp(gradient, i)(*args)(v)[1]
    close(onp.real(onp.sum(forward * u)), want, rtol, atol)


def check_float32(f, args, i):
    """A float32 operand gets a float32 gradient, and a float32 result a float32 tangent."""
    args32 = [onp.asarray(a, dtype="F" if onp.iscomplexobj(a) else "f") for a in args]
    plain = leaves(f(onp, *args32))
    weights = [onp.ones(onp.shape(leaf), onp.asarray(leaf).dtype) for leaf in plain]
    g = ag.grad(lambda *a: scalar_of(f, weights)(anp, *a), i)(*args32)
    assert g.dtype == args32[i].dtype, f"gradient {g.dtype} for {args32[i].dtype}"
    tangent = ag.make_jvp(lambda *a: f(anp, *a), i)(*args32)(onp.ones_like(args32[i]))[1]
    for t, leaf in zip(leaves(tangent), plain, strict=True):
        assert onp.asarray(t).dtype == onp.asarray(leaf).dtype, f"tangent {t.dtype} for {leaf.dtype}"


def check_both_modes(f, *args, wrt=None, order=2, float32=True, seed=0, rtol=1e-6, atol=1e-8):
    """Every check of this module, in each floating operand (or those in `wrt`)."""
    rng = onp.random.default_rng(seed)
    for i in range(len(args)) if wrt is None else wrt:
        check_jvp(f, args, i, rng, rtol, atol)
        check_vjp(f, args, i, rng, rtol, atol)
        if order > 1:
            check_second(f, args, i, rng, max(rtol, 1e-5), max(atol, 1e-6))
        if float32:
            check_float32(f, args, i)
