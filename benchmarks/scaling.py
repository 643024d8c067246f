"""How cost grows: with inputs and outputs, with the program, with the order of derivative, with length.

Each function makes, for one library and one size, a call without arguments to time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as onp

from .libraries import NumpyLike


def _rng() -> onp.random.Generator:
    return onp.random.default_rng(7)


# --- forward against reverse ---------------------------------------------------------------------------


def _energy(np):
    return lambda x: np.sum(np.tanh(x) * x)


def gradient_by_vjp(lib: NumpyLike, n: int) -> Callable[[], Any]:
    """The gradient of R^n -> R by one pullback."""
    gradient, x = lib.ag.grad(_energy(lib.np)), _rng().standard_normal(n)
    return lambda: gradient(x)


def gradient_by_jvps(lib: NumpyLike, n: int) -> Callable[[], Any]:
    """The same by n pushforwards, one for each direction."""
    pushforward, x = lib.ag.make_jvp(_energy(lib.np)), _rng().standard_normal(n)

    def gradient() -> onp.ndarray:
        push, e, g = pushforward(x), onp.zeros(n), onp.empty(n)
        for i in range(n):
            e[i] = 1.0
            g[i] = push(e)[1]
            e[i] = 0.0
        return g

    return gradient


def _dense(np, n, m):
    A = _rng().standard_normal((m, n)) / n**0.5
    return lambda x: np.tanh(np.dot(A, x))


def jacobian_by_columns(lib: NumpyLike, n: int, m: int) -> Callable[[], Any]:
    """The Jacobian of R^n -> R^m by n pushforwards."""
    pushforward, x = lib.ag.make_jvp(_dense(lib.np, n, m)), _rng().standard_normal(n)

    def jacobian() -> onp.ndarray:
        push = pushforward(x)
        return onp.stack([push(e)[1] for e in onp.eye(n)], axis=1)

    return jacobian


def jacobian_by_rows(lib: NumpyLike, n: int, m: int) -> Callable[[], Any]:
    """The same by one forward pass and m pullbacks of its graph."""
    f, x = _dense(lib.np, n, m), _rng().standard_normal(n)

    def jacobian() -> onp.ndarray:
        pullback, _ = lib.ag.make_vjp(f)(x)
        return onp.stack([pullback(e) for e in onp.eye(m)])

    return jacobian


# --- the cheap-gradient ratio --------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """A function that grows: `f(np)` of a point `x(n)`, and its gradient by hand where that is not plain."""

    f: Callable[[Any, int], Callable[[Any], Any]]
    x: Callable[[int], Any]
    sizes: tuple[int, ...]
    by_hand: Callable[[Any, int], Any] | None = None
    limit: float | None = 4.0


def _vector(n):
    return _rng().uniform(0.5, 1.5, n)


def _square(n):
    return _rng().standard_normal((n, n)) / n**0.5


def _positive_definite(n):
    a = _square(n)
    return a @ a.T + 2 * onp.eye(n)


def _weights(n):
    return onp.random.default_rng(8).standard_normal((n, n))


def elementwise(np, n):
    return lambda x: np.sum(np.exp(-x * x) * np.sin(x) + np.log(x) / np.sqrt(1.0 + x))


def reductions(np, n):
    def f(x):
        centred = x - np.mean(x)
        return np.sqrt(np.sum(centred * centred)) + np.max(x) + np.log(np.sum(np.exp(x)))

    return f


def products(np, n):
    return lambda x: np.sum(np.dot(np.dot(x, x), x))


def shapes(np, n):
    def f(x):
        a = np.transpose(np.reshape(x, (-1, 10)))
        b = np.concatenate([a[:5], np.tanh(a[5:]), a[::2]])
        return np.sum(b * b)

    return f


def longer(np, n):
    """A program of n operations on a thousand numbers."""

    def f(x):
        y = x
        for _ in range(n // 3):
            y = np.tanh(y * x + x)
        return np.sum(y)

    return f


def cholesky(np, n):
    W = _weights(n)
    return lambda x: np.sum(np.linalg.cholesky(0.5 * (x + x.T)) * W)


def cholesky_by_hand(x, n):
    L = onp.linalg.cholesky(0.5 * (x + x.T))
    W = _weights(n)
    onp.sum(L * W)
    middle = onp.tril(L.T @ onp.tril(W))
    middle[onp.diag_indices(n)] *= 0.5
    half = onp.linalg.solve(L.T, onp.linalg.solve(L.T, middle).T)
    return 0.5 * (half + half.T)


def solve(np, n):
    W = _weights(n)
    return lambda x: np.sum(np.linalg.solve(x, W) * W)


def solve_by_hand(x, n):
    W = _weights(n)
    y = onp.linalg.solve(x, W)
    onp.sum(y * W)
    return -onp.linalg.solve(x.T, W) @ y.T


def inverse(np, n):
    W = _weights(n)
    return lambda x: np.sum(np.linalg.inv(x) * W)


def inverse_by_hand(x, n):
    y, W = onp.linalg.inv(x), _weights(n)
    onp.sum(y * W)
    return -y.T @ W @ y.T


def eigenvalues(np, n):
    c = onp.arange(n) / n
    return lambda x: np.sum(np.linalg.eigh(0.5 * (x + x.T))[0] * c)


def eigenvalues_by_hand(x, n):
    c = onp.arange(n) / n
    values, vectors = onp.linalg.eigh(0.5 * (x + x.T))
    onp.sum(values * c)
    return (vectors * c) @ vectors.T


_ARRAYS, _MATRICES = (10**3, 10**4, 10**5, 10**6), (10, 30, 100, 200)
FAMILIES = {
    "elementwise": Family(elementwise, _vector, _ARRAYS),
    "reductions": Family(reductions, _vector, _ARRAYS),
    "products": Family(products, _square, (32, 100, 200, 400)),
    "shapes": Family(shapes, _vector, _ARRAYS),
    "longer": Family(longer, lambda n: _vector(1000), (30, 100, 300, 1000, 3000)),
    "cholesky": Family(cholesky, _positive_definite, _MATRICES, cholesky_by_hand, None),
    "solve": Family(solve, _positive_definite, _MATRICES, solve_by_hand, None),
    "inverse": Family(inverse, _positive_definite, _MATRICES, inverse_by_hand, None),
    "eigenvalues": Family(eigenvalues, _positive_definite, _MATRICES, eigenvalues_by_hand, None),
}


def family_calls(lib: NumpyLike, family: Family, n: int) -> dict[str, Callable[[], Any]]:
    """The function in plain NumPy, its gradient, and the gradient by hand if there is one."""
    x = family.x(n)
    function, gradient = family.f(onp, n), lib.ag.grad(family.f(lib.np, n))
    calls: dict[str, Callable[[], Any]] = {"function": lambda: function(x), "gradient": lambda: gradient(x)}
    by_hand = family.by_hand
    if by_hand is not None:
        calls["by hand"] = lambda: by_hand(x, n)
    return calls


# --- order and length ----------------------------------------------------------------------------------


def derivative_of_order(lib: NumpyLike, order: int, n: int) -> Callable[[], Any]:
    """The order-th derivative of one function of one number, at n numbers at once (reverse over reverse)."""

    def f(x):
        return lib.np.tanh(x) * lib.np.sin(x)

    for _ in range(order):
        f = lib.ag.elementwise_grad(f)
    x = onp.linspace(0.1, 1.0, n)
    return lambda: f(x)


def chain(lib: NumpyLike, length: int, n: int) -> Callable[[], Any]:
    """The gradient of a chain of `length` operations on n numbers (a plain number for n = 0)."""
    x = onp.linspace(0.1, 1.0, n) if n else 0.5
    sin = lib.np.sin

    def f(x):
        for _ in range(length // 2):
            x = sin(x) * 1.0000001
        return lib.np.sum(x)

    gradient = lib.ag.grad(f)
    return lambda: gradient(x)
