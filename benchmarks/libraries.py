"""The libraries that benchmarks run on, each behind the same few functions.

A library has a namespace ``np`` that looks like NumPy (with ``logsumexp`` and ``convolve_images`` added) and
turns a `Program` into a function without arguments that computes its gradient once.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as onp

from .programs import Program

OURS = "autograd_fast"
HIPS = "autograd"
HAND = "hand"
PEERS = (HIPS, HAND, "torch", "jax")


class NumpyLike:
    """autograd_fast or HIPS autograd: one interface, two implementations."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ag = importlib.import_module(name)
        self.core = importlib.import_module(name + ".core")
        self.tracer = importlib.import_module(name + ".tracer")
        self.np = SimpleNamespace(**vars(importlib.import_module(name + ".numpy")))
        try:
            self.np.logsumexp = importlib.import_module(name + ".scipy.special").logsumexp
            convolve = importlib.import_module(name + ".scipy.signal").convolve
        except ImportError:  # no SciPy
            return
        axes = ([1, 2], [1, 2])
        self.np.convolve_images = lambda images, filters: convolve(images, filters, axes=axes, mode="valid")

    def gradient(self, program: Program) -> Callable[[], Any]:
        return functools.partial(self.ag.grad(program.loss(self.np, *program.data)), program.x)


class Hand:
    """The gradient that a person would write in NumPy."""

    name = HAND

    def gradient(self, program: Program) -> Callable[[], Any] | None:
        return program.by_hand and functools.partial(program.by_hand, program.x, *program.data)


class Torch:
    """PyTorch, eager."""

    name = "torch"

    def __init__(self) -> None:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        self.torch = torch
        names = (
            "exp",
            "log",
            "log1p",
            "sin",
            "tanh",
            "sqrt",
            "sum",
            "mean",
            "zeros",
            "diag",
            "linalg",
            "logsumexp",
        )
        self.np = SimpleNamespace(**{name: getattr(torch, name) for name in names})
        self.np.dot = torch.matmul
        self.np.reshape = lambda x, shape: x.reshape(shape)
        self.np.convolve_images = lambda images, filters: torch.nn.functional.conv2d(
            images[:, None], filters.flip(1, 2)[:, None]
        )

    def gradient(self, program: Program) -> Callable[[], Any]:
        loss = program.loss(self.np, *[self.torch.as_tensor(d) for d in program.data])
        many = isinstance(program.x, list)
        leaves = [self.torch.tensor(v, requires_grad=True) for v in (program.x if many else [program.x])]

        def gradient() -> Any:
            found = self.torch.autograd.grad(loss(leaves if many else leaves[0]), leaves)
            return list(found) if many else found[0]

        return gradient


class Jax:
    """JAX, compiled; the compilation is not timed."""

    name = "jax"

    def __init__(self) -> None:
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        self.jax = jax
        self.np = SimpleNamespace(**vars(importlib.import_module("jax.numpy")))
        self.np.logsumexp = importlib.import_module("jax.scipy.special").logsumexp
        self.np.convolve_images = lambda images, filters: jax.lax.conv_general_dilated(
            images[:, None], filters[:, None, ::-1, ::-1], (1, 1), "VALID"
        )

    def gradient(self, program: Program) -> Callable[[], Any]:
        point = self.jax.tree_util.tree_map(self.np.asarray, program.x)
        data = [self.np.asarray(d) for d in program.data]
        gradient = self.jax.jit(self.jax.grad(program.loss(self.np, *data)))
        return lambda: self.jax.block_until_ready(gradient(point))


@functools.cache
def load(name: str) -> Any:
    """The library of that name; None if it isn't installed."""
    if name == HAND:
        return Hand()
    if importlib.util.find_spec(name) is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"torch": Torch, "jax": Jax}.get(name, functools.partial(NumpyLike, name))()


def installed(names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name == HAND or importlib.util.find_spec(name)]


def flat(value: Any) -> onp.ndarray:
    """All numbers of a result, nested as it may be, in one vector."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return onp.concatenate([flat(item) for item in value]) if len(value) else onp.zeros(0)
    return onp.ravel(onp.asarray(value)).astype(float)


def assert_same(calls: dict[str, Callable[[], Any]], rtol: float = 1e-6, atol: float = 1e-8) -> None:
    """Every call gives the value that the first one gives."""
    reference_name = reference = None
    for name, call in calls.items():
        value = flat(call())
        if reference is None:
            reference_name, reference = name, value
        message = f"{name} and {reference_name} disagree"
        onp.testing.assert_allclose(value, reference, rtol=rtol, atol=atol, err_msg=message)
