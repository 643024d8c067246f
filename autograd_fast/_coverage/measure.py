"""Derivatives of a probe, measured against finite differences of plain NumPy."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as onp

from .. import numpy as anp
from ..differential_operators import grad, make_jvp
from ..tracer import isbox

_STEP = 1e-3

OPERANDS = {
    "x": onp.array(0.73)[()],
    "y": onp.array(1.37)[()],
    "a": onp.array([0.81, -1.27, 0.36, -0.42]),
    "b": onp.array([-0.55, 0.24, 1.13, -0.98]),
    "p": onp.array([1.21, 0.64, 0.87, 1.52]),
    "q": onp.array([0.93, 1.44, 0.58, 0.71]),
    "u": onp.array([-0.62, 0.17, 0.49, -0.31]),
    "o": onp.array([1.46, 2.12, 1.83, 1.27]),
    "m": onp.array([[0.61, -0.34, 1.22], [-1.07, 0.85, 0.43]]),
    "n": onp.array([[-0.72, 0.38], [1.16, 0.57], [0.29, -0.94]]),
    "s": onp.array([[2.71, -0.43, 0.62], [0.35, 1.94, -0.58], [-0.66, 0.27, 3.13]]),
    "t": onp.array([[1.83, 0.41, -0.37], [-0.52, 2.45, 0.69], [0.74, -0.28, 1.57]]),
}


def _positive_definite(np: Any, s: Any) -> Any:
    return np.matmul(s, np.conj(np.transpose(s))) + onp.eye(3)


def _seeded(np: Any) -> Any:
    np.random.seed(0)
    return np.random


_WORDS = {"positive_definite": _positive_definite, "seeded": _seeded}


class Result(NamedTuple):
    """The outcome of a probe by columns: ``"yes"``, ``"-"`` where it has no meaning, else what is wrong."""

    vjp: str
    jvp: str
    second: str
    complex: str
    float32: str

    @property
    def right(self) -> bool:
        return set(self) <= {"yes", "-"}


def measured(expression: str, *, real_only: bool = False, double_only: bool = False) -> Result:
    """Compare the derivatives of an expression in NumPy with finite differences, in each of its operands."""
    code = compile(expression, expression, "eval")
    names = [n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name)]
    operands = [name for name in OPERANDS if name in names]

    def f(np: Any, *values: Any) -> Any:
        return eval(code, {"np": np, **_WORDS, **dict(zip(operands, values, strict=True))})

    real = [OPERANDS[name] for name in operands]
    turned = [(v + 0.3j * onp.cos(3 * v + 1))[()] for v in real]
    with warnings.catch_warnings(), onp.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return Result(
            vjp=_outcome(_reverse, f, real),
            jvp=_outcome(_forward, f, real),
            second=_outcome(_second, f, real),
            complex="-" if real_only else _outcome(_both, f, turned),
            float32="-" if double_only else _outcome(_precision, f, real),
        )


def is_zero(expression: str) -> str:
    """Whether an expression gives plain values in both modes: ``"yes"``, else what is wrong."""
    code = compile(expression, expression, "eval")
    names = {n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name)}
    seen: list[Any] = []

    def f(operands: Any) -> Any:
        seen.append(eval(code, {"np": anp, **operands}))
        return sum(anp.sum(v) for v in operands.values())

    used = {name: OPERANDS[name] for name in names & set(OPERANDS)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of functions that are going to leave NumPy
        try:
            grad(f)(used)
            make_jvp(f)(used)(used)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return "yes" if seen and not any(map(_holds_box, seen)) else "a traced value"


def _holds_box(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_box, value))
    return isbox(value)


def _outcome(check: Callable[..., None], f: Any, values: list[Any]) -> str:
    try:
        for k in range(len(values)):
            check(f, values, k)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
    return "yes"


# ----- finite differences, of fourth order


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


def _direction(like: Any) -> Any:
    like = onp.asarray(like)
    v = onp.cos(onp.arange(like.size) + 0.4).reshape(like.shape)
    return (v * (1 - 0.6j) if like.dtype.kind == "c" else v).astype(like.dtype)[()]


def _difference(f: Callable[..., Any], values: list[Any], k: int) -> list[Any]:
    v = _direction(values[k])

    def at(s: float) -> list[Any]:
        moved = [value + s * v if i == k else value for i, value in enumerate(values)]
        leaves = [onp.asarray(leaf) for leaf in _leaves(f(*moved))]
        return [leaf.astype(complex) if leaf.dtype.kind == "O" else leaf for leaf in leaves]

    points = [at(s * _STEP) for s in (2, 1, -1, -2)]
    return [(8 * (b - c) - (a - d)) / (12 * _STEP) for a, b, c, d in zip(*points, strict=True)]


def _agree(got: Any, wanted: Any, rtol: float = 1e-6) -> None:
    got, wanted = onp.asarray(got), onp.asarray(wanted)
    if got.shape != wanted.shape:
        raise AssertionError(f"shape {got.shape}, expected {wanted.shape}")
    onp.testing.assert_allclose(got, wanted, rtol, rtol * max(1.0, onp.abs(wanted).max(initial=0)))


def _loss(f: Any, np: Any, *values: Any) -> Any:
    """A real, nonlinear scalar of every leaf of the result."""
    total = 0.0
    for leaf in _leaves(f(np, *values)):
        if np is onp and onp.asarray(leaf).dtype.kind == "O":
            leaf = np.array(leaf.tolist())
        weights = onp.cos(onp.arange(onp.size(leaf)) + 0.2).reshape(np.shape(leaf))
        total = total + np.sum(np.real(leaf) * weights) + 0.5 * np.sum(np.real(leaf * np.conj(leaf)))
    return total


def _spread_leaves(f: Any) -> Any:
    """`f` with a result that is a traced container taken apart."""

    def g(np: Any, *values: Any) -> Any:
        result = f(np, *values)
        if isbox(result) and not hasattr(result, "dtype"):
            return [result[i] for i in range(len(result))]
        return result

    return g


def _reverse(f: Any, values: list[Any], k: int) -> None:
    f = _spread_leaves(f)
    gradient = grad(lambda *v: _loss(f, anp, *v), k)(*values)
    if onp.shape(gradient) != onp.shape(values[k]):
        raise AssertionError(f"a gradient of shape {onp.shape(gradient)} for {onp.shape(values[k])}")
    slope = onp.real(onp.sum(gradient * _direction(values[k])))
    _agree(slope, _difference(lambda *v: _loss(f, onp, *v), values, k)[0])


def _forward(f: Any, values: list[Any], k: int) -> None:
    f = _spread_leaves(f)
    tangent = make_jvp(lambda *v: f(anp, *v), k)(*values)(_direction(values[k]))[1]
    for got, wanted in zip(_leaves(tangent), _difference(lambda *v: f(onp, *v), values, k), strict=True):
        _agree(got, wanted)


def _both(f: Any, values: list[Any], k: int) -> None:
    _reverse(f, values, k)
    _forward(f, values, k)


def _second(f: Any, values: list[Any], k: int) -> None:
    """Reverse over reverse and forward over reverse, against differences of the gradient."""
    f = _spread_leaves(f)
    gradient = grad(lambda *v: _loss(f, anp, *v), k)
    w = onp.sin(onp.arange(onp.size(values[k])) + 0.9).reshape(onp.shape(values[k]))
    wanted = _difference(lambda *v: onp.sum(gradient(*v) * w), values, k)[0]
    reverse = grad(lambda *v: anp.sum(gradient(*v) * w), k)(*values)
    _agree(onp.sum(reverse * _direction(values[k])), wanted, 1e-5)
    forward = make_jvp(gradient, k)(*values)(_direction(values[k]))[1]
    _agree(onp.sum(forward * w), wanted, 1e-5)


def _precision(f: Any, values: list[Any], k: int) -> None:
    """A float32 operand gets a float32 gradient, a float32 result a float32 tangent."""
    f = _spread_leaves(f)
    single = [onp.float32(v) if onp.ndim(v) == 0 else v.astype("f") for v in values]
    gradient = grad(lambda *v: _loss(f, anp, *v), k)(*single)
    if gradient.dtype != onp.float32:
        raise AssertionError(f"a gradient of {gradient.dtype}")
    tangent = make_jvp(lambda *v: f(anp, *v), k)(*single)(_direction(single[k]))[1]
    for got, plain in zip(_leaves(tangent), _leaves(f(onp, *single)), strict=True):
        if onp.asarray(got).dtype != onp.asarray(plain).dtype:
            raise AssertionError(f"a tangent of {onp.asarray(got).dtype} for {onp.asarray(plain).dtype}")
