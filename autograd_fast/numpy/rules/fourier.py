"""Derivatives of the Fourier transforms: all are linear, so that each has only to name its adjoint.

The matrix of a transform is symmetric, and cotangents are paired without conjugation: the adjoint of fft is
fft.  A real transform keeps half of the spectrum; the entries of the other half count through their mirror
images, whence the weights 1, 2, 2, ..., and 1 for the middle of an even length.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...rules import composite, linear
from .. import fft
from .. import numpy_wrapper as anp
from .operands import as_array

_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _swap(norm: str | None) -> str:
    """The norm of the opposite direction that scales by the same factor."""
    if norm not in _SWAPPED:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _SWAPPED[norm]


def _fit(g: Any, shape: tuple[int, ...]) -> Any:
    """The adjoint of padding or cropping an operand of `shape` at the ends of its axes."""
    if any(have > want for have, want in zip(anp.shape(g), shape, strict=True)):
        g = g[tuple(slice(n) for n in shape)]
    missing = [(0, want - have) for have, want in zip(anp.shape(g), shape, strict=True)]
    return anp.pad(g, missing, "constant") if any(after for _, after in missing) else g


def _no_out(name: str, out: Any) -> None:
    if out is not None:
        raise NotImplementedError(f"numpy.fft.{name}: out is not supported for traced arrays; leave it away")


# ----- one axis


def _own_adjoint(name: str) -> None:
    fun = getattr(fft, name)

    def adjoint(
        g: Any, ans: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
    ) -> Any:
        _no_out(name, out)
        return _fit(fun(g, None, axis, norm), a.shape)

    linear(fun, adjoint)


def _half_weights(n: int, inner: float, axis: int, like: Any) -> onp.ndarray:
    """Weights along `axis` of a half spectrum of length `n`: 1 at both ends, `inner` between."""
    weights = onp.full(n // 2 + 1, inner, onp.zeros(0, like.dtype).real.dtype)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights.reshape([-1 if i == axis % like.ndim else 1 for i in range(like.ndim)])


def _rfft_adjoint(
    g: Any, ans: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
) -> Any:
    _no_out("rfft", out)
    n = a.shape[axis] if n is None else n
    return _fit(fft.irfft(anp.conj(g) * _half_weights(n, 0.5, axis, g), n, axis, _swap(norm)), a.shape)


def _irfft_adjoint(
    g: Any, ans: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
) -> Any:
    _no_out("irfft", out)
    weights = _half_weights(ans.shape[axis], 2, axis, g)
    return _fit(anp.conj(fft.rfft(g, None, axis, _swap(norm))) * weights, a.shape)


_own_adjoint("fft")
_own_adjoint("ifft")
linear(fft.rfft, _rfft_adjoint)
linear(fft.irfft, _irfft_adjoint)


@composite(onp.fft.hfft, fft)
def hfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    _no_out("hfft", out)
    return fft.irfft(anp.conj(a), n, axis, _swap(norm))


@composite(onp.fft.ihfft, fft)
def ihfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    _no_out("ihfft", out)
    return anp.conj(fft.rfft(a, n, axis, _swap(norm)))


# ----- several axes


def _axes_of(a: Any, s: Any, axes: Any) -> list[int]:
    if axes is None:
        return list(range(-len(s) if s is not None else -a.ndim, 0))
    return list(axes)


def _own_adjoint_of_many(name: str, default: Any) -> None:
    fun = getattr(fft, name)

    def adjoint(
        g: Any, ans: Any, a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None
    ) -> Any:
        _no_out(name, out)
        axes = _axes_of(a, s, axes)
        if s is not None and len({axis % a.ndim for axis in axes}) < len(axes):
            raise NotImplementedError(
                f"numpy.fft.{name}: s with a repeated axis in axes={tuple(axes)} is not supported; "
                "transform one axis after the other"
            )
        return _fit(fun(g, None, axes, norm), a.shape)

    linear(fun, adjoint)


for _name, _default in (("fft2", (-2, -1)), ("ifft2", (-2, -1)), ("fftn", None), ("ifftn", None)):
    _own_adjoint_of_many(_name, _default)


def _lengths(a: Any, s: Any, axes: list[int]) -> list[int | None]:
    """The length of the transform along each axis; None stands for the transform's own default."""
    shape = anp.shape(a)
    return (
        [shape[axis] for axis in axes]
        if s is None
        else [shape[axis] if n == -1 else n for n, axis in zip(s, axes, strict=True)]
    )


def _one_by_one(transform: Any, a: Any, steps: Any, norm: Any) -> Any:
    for n, axis in steps:
        a = transform(a, n, axis, norm)
    return a


@composite(onp.fft.rfftn, fft)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    _no_out("rfftn", out)
    a = as_array(a)
    axes = _axes_of(a, s, axes)
    *steps, (n, last) = zip(_lengths(a, s, axes), axes, strict=True)
    return _one_by_one(fft.fft, fft.rfft(a, n, last, norm), reversed(steps), norm)


@composite(onp.fft.irfftn, fft)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    _no_out("irfftn", out)
    a = as_array(a)
    axes = _axes_of(a, s, axes)
    *steps, (n, last) = zip(_lengths(a, s, axes), axes, strict=True)
    return fft.irfft(_one_by_one(fft.ifft, a, steps, norm), None if s is None else n, last, norm)


@composite(onp.fft.rfft2, fft)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return fft.rfftn(a, s, axes, norm, out)


@composite(onp.fft.irfft2, fft)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return fft.irfftn(a, s, axes, norm, out)


# ----- helpers

linear(fft.fftshift, lambda g, ans, x, axes=None: fft.ifftshift(g, axes))
linear(fft.ifftshift, lambda g, ans, x, axes=None: fft.fftshift(g, axes))


@composite(onp.fft.fftfreq, fft)
def fftfreq(n: int, d: Any = 1.0) -> Any:
    return onp.fft.fftfreq(n) / d


@composite(onp.fft.rfftfreq, fft)
def rfftfreq(n: int, d: Any = 1.0) -> Any:
    return onp.fft.rfftfreq(n) / d
