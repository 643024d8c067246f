"""``python -m autograd_fast check``: whether this build, on this machine, computes right derivatives."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast import _kernels
from autograd_fast.extend import defjvp, defvjp, primitive

USAGE = """\
usage: python -m autograd_fast check

Compares some derivatives with finite differences of plain NumPy.
"""

X = onp.array([0.3, -1.2, 2.0, 0.7])
M = onp.array([[2.0, 0.3, -0.1], [0.4, 1.5, 0.2], [0.1, -0.3, 1.0]])

# name: (function of a namespace and a point, point)
PROGRAMS: dict[str, tuple[Callable[[Any, Any], Any], onp.ndarray]] = {
    "elementwise functions": (lambda np, x: np.sum(np.tanh(x) * np.exp(-x) + np.sin(x) / (1 + x * x)), X),
    "broadcasting": (lambda np, x: np.sum((x[:, None] - x[None, :] * 2.0) ** 2 / (1.0 + x**2)), X),
    "indexing": (lambda np, x: x[1] * np.sum(x[[0, 0, 2]] ** 3) + np.sum(x[::-1] * x), X),
    "reductions": (lambda np, x: np.mean(x) * np.max(x) + np.var(x) + np.prod(x), X),
    "joins": (lambda np, x: np.sum(np.concatenate([x, x**2]) * np.arange(8.0)), X),
    "products of matrices": (lambda np, m: np.sum(np.dot(m, m.T) @ m * M), M),
    "linear algebra": (lambda np, m: np.linalg.slogdet(m)[1] + np.sum(np.linalg.inv(m)), M),
    "a loop": (lambda np, x: _loop(np, x), X),
}


def _loop(np: Any, x: Any) -> Any:
    y = x
    for _ in range(200):
        y = y + 0.01 * np.sin(y)
    return np.sum(y)


def main(arguments: list[str]) -> int:
    """Run every check, print one line each; the exit status is 1 if any failed."""
    if arguments:
        print(USAGE, end="")
        return 0 if arguments[0] in ("-h", "--help") else 2
    failed = 0
    for name, check in _checks().items():
        try:
            check()
        except Exception as error:
            failed += 1
            print(f"FAILED  {name}: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            print(f"ok      {name}")
    print(f"{len(_checks()) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _checks() -> dict[str, Callable[[], None]]:
    checks: dict[str, Callable[[], None]] = {
        name: lambda fun=fun, x=x: _check_program(fun, x)  # type: ignore[misc]
        for name, (fun, x) in PROGRAMS.items()
    }
    return checks | {
        "kernels and rules agree": _check_kernels,
        "containers": _check_containers,
        "a rule of one's own": _check_own_rule,
        "threads": _check_threads,
        "pickling": _check_pickling,
    }


def _check_program(fun: Callable[[Any, Any], Any], x: onp.ndarray) -> None:
    """First derivatives in both modes and a product with the Hessian, against differences of plain NumPy."""
    v = onp.cos(onp.arange(x.size)).reshape(x.shape)

    def f(x: Any) -> Any:
        return fun(anp, x)

    value, slope = ag.make_jvp(f)(x)(v)
    gradient = ag.grad(f)(x)
    expected = _difference(lambda t: fun(onp, x + t * v))
    _same("the value", value, fun(onp, x))
    _same("forward mode", slope, expected)
    _same("reverse mode", onp.sum(gradient * v), expected)
    second = ag.hessian_vector_product(f)(x, v)
    _same("second order", second, _difference(lambda t: ag.grad(f)(x + t * v)))


def _difference(f: Callable[[float], Any], h: float = 1e-3) -> Any:
    """The derivative of `f` at 0, from six values of it."""
    return sum(c * (f(i * h) - f(-i * h)) for i, c in ((1, 45), (2, -9), (3, 1))) / (60 * h)


def _same(what: str, got: Any, expected: Any) -> None:
    if not onp.allclose(got, expected, rtol=1e-6, atol=1e-7):
        raise ArithmeticError(f"{what} is {got}, expected {expected}")


def _check_kernels() -> None:
    def gradients() -> list[Any]:
        return [ag.grad(lambda x, fun=fun: fun(anp, x))(x) for fun, x in PROGRAMS.values()]

    was = _kernels.is_enabled()
    try:
        _kernels.set_enabled(True)
        fast = gradients()
        _kernels.set_enabled(False)
        slow = gradients()
    finally:
        _kernels.set_enabled(was)
    for name, a, b in zip(PROGRAMS, fast, slow, strict=True):
        _same(name, a, b)


def _check_containers() -> None:
    def f(p: Any) -> Any:
        return p["a"] * anp.sum(p["b"][0] ** 2)

    g = ag.grad(f)({"a": 2.0, "b": (X,)})
    _same("the number", g["a"], onp.sum(X**2))
    _same("the array", g["b"][0], 4.0 * X)


def _check_own_rule() -> None:
    cube = primitive(lambda x: x**3)
    defvjp(cube, lambda ans, x: lambda g: g * 3 * x**2)
    defjvp(cube, lambda g, ans, x: g * 3 * x**2)
    _same("the gradient", ag.grad(lambda x: anp.sum(cube(x)))(X), 3 * X**2)
    _same("the tangent", ag.make_jvp(cube)(X)(onp.ones(4))[1], 3 * X**2)


def _check_threads() -> None:
    results: dict[int, Any] = {}

    def work(i: int) -> None:
        for _ in range(50):
            results[i] = ag.grad(lambda x: anp.sum(anp.sin(x * i) ** 2))(X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(1, 5):
        _same(f"thread {i}", results[i], i * onp.sin(2 * i * X))


def _check_pickling() -> None:
    _same("a primitive", pickle.loads(pickle.dumps(anp.sin))(X), onp.sin(X))
    _same("a gradient", pickle.loads(pickle.dumps(ag.grad(anp.sin)))(0.5), onp.cos(0.5))
