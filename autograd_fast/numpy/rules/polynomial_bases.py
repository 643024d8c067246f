"""Derivatives of numpy.polynomial: series in powers, Chebyshev, Legendre, Laguerre and Hermite polynomials.

One text serves the six bases.  What a function does to coefficients is linear in them, or in those of each
operand: the matrices are NumPy's own results for unit vectors.  Values come from the recurrences of the
bases.  Series lose their trailing zeros as in NumPy.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as onp

from ...extend import primitive
from ...rules import composite, derivative
from ...tracer import getval
from .. import linalg
from .. import numpy_wrapper as anp
from .operands import as_array, as_double, dtype_of
from .polynomials import scaled_least_squares


class Basis(NamedTuple):
    """NumPy's module, the prefix of its names, and how its polynomials follow from one another."""

    module: ModuleType
    prefix: str
    first: Callable[[Any], Any]
    next: Callable[[int, Any, Any, Any], Any]
    weight: Callable[[Any], Any] | None

    def raw(self, name: str) -> Any:
        return getattr(self.module, self.prefix + name)


_P = onp.polynomial
BASES = {
    "polynomial": Basis(_P.polynomial, "poly", lambda x: x, lambda k, x, p, q: x * p, None),
    "chebyshev": Basis(
        _P.chebyshev,
        "cheb",
        lambda x: x,
        lambda k, x, p, q: 2 * x * p - q,
        lambda x: 1.0 / (anp.sqrt(1.0 + x) * anp.sqrt(1.0 - x)),
    ),
    "legendre": Basis(
        _P.legendre,
        "leg",
        lambda x: x,
        lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1),
        lambda x: x * 0.0 + 1.0,
    ),
    "laguerre": Basis(
        _P.laguerre,
        "lag",
        lambda x: 1 - x,
        lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1),
        lambda x: anp.exp(-x),
    ),
    "hermite": Basis(
        _P.hermite,
        "herm",
        lambda x: 2 * x,
        lambda k, x, p, q: 2 * (x * p - k * q),
        lambda x: anp.exp(-(x * x)),
    ),
    "hermite_e": Basis(
        _P.hermite_e,
        "herme",
        lambda x: x,
        lambda k, x, p, q: x * p - k * q,
        lambda x: anp.exp(-0.5 * (x * x)),
    ),
}


# ----- coefficients


def _floating(x: Any) -> Any:
    x = as_array(x)
    return x * 1.0 if dtype_of(x).kind in "biu" else x


def _series(c: Any) -> Any:
    """A vector of coefficients without trailing zeros, of one entry at least."""
    c = anp.atleast_1d(_floating(c))
    used = onp.flatnonzero(getval(c))
    return c[: max(int(used[-1]) + 1 if used.size else 0, 1)]


def _matrix(function: Callable[[Any], Any], n: int) -> onp.ndarray:
    """The matrix of a linear map of n coefficients, from its values at the unit vectors."""
    columns = [onp.atleast_1d(function(unit)) for unit in onp.eye(n)]
    matrix = onp.zeros((max(map(len, columns)), n))
    for k, column in enumerate(columns):
        matrix[: len(column), k] = column
    return matrix


@functools.lru_cache(maxsize=256)
def _products(basis: Basis, n: int, m: int) -> onp.ndarray:
    """The coefficients of the product of polynomials i and j of the basis, at [k, i, j]."""
    product = basis.raw("mul")
    table = onp.zeros((n + m - 1, n, m))
    for i, unit in enumerate(onp.eye(n)):
        part = _matrix(functools.partial(product, unit), m)
        table[: len(part), i] = part
    return table


def _apply(matrix: onp.ndarray, c: Any, axis: int) -> Any:
    return anp.moveaxis(anp.tensordot(matrix.astype(dtype_of(c)), c, (1, axis)), 0, axis)


def _arithmetic(basis: Basis) -> dict[str, Any]:
    def padded(c: Any, n: int) -> Any:
        short = n - len(c)
        return anp.concatenate((c, onp.zeros(short, dtype_of(c)))) if short else c

    def products(c1: Any, c2: Any, n: int, m: int) -> onp.ndarray:
        return _products(basis, n, m).astype(onp.result_type(dtype_of(c1), dtype_of(c2)))

    def add(c1: Any, c2: Any) -> Any:
        c1, c2 = _series(c1), _series(c2)
        n = max(len(c1), len(c2))
        return _series(padded(c1, n) + padded(c2, n))

    def sub(c1: Any, c2: Any) -> Any:
        return add(c1, -_floating(c2))

    def mul(c1: Any, c2: Any) -> Any:
        c1, c2 = _series(c1), _series(c2)
        return _series(anp.einsum("kij,i,j->k", products(c1, c2, len(c1), len(c2)), c1, c2))

    def mulx(c: Any) -> Any:
        c = _series(c)
        return _series(_apply(_matrix(basis.raw("mulx"), len(c)), c, 0))

    def div(c1: Any, c2: Any) -> tuple[Any, Any]:
        """The quotient solves the equations of the leading coefficients of quotient times divisor."""
        quotient, remainder = basis.raw("div")(getval(as_array(c1)), getval(as_array(c2)))
        c1, c2 = _series(c1), _series(c2)
        n, m = len(c1), len(c2)
        if n < m:
            return quotient, c1
        system = anp.einsum("kij,j->ki", products(c1, c2, n - m + 1, m), c2)
        solved = linalg.solve(system[m - 1 :], c1[m - 1 :])
        rest = c1 - anp.dot(system, solved)
        rest = rest[: len(remainder)] if m > 1 else remainder
        return anp.asarray(solved, quotient.dtype), anp.asarray(rest, remainder.dtype)

    def pow(c: Any, pow: Any, maxpower: Any = 16) -> Any:
        basis.raw("pow")(onp.ones(1), pow, maxpower)
        c = _series(c)
        result: Any = onp.ones(1, dtype_of(c))
        for _ in range(int(pow)):
            result = mul(result, c)
        return result

    def fromroots(roots: Any) -> Any:
        roots = anp.atleast_1d(as_double(roots))
        result: Any = onp.ones(1)
        for k in range(len(roots)):
            result = mul(result, line(-roots[k], 1.0))
        return result

    def line(off: Any, scl: Any) -> Any:
        constant, slope = basis.raw("line")(1.0, 0.0), basis.raw("line")(0.0, 1.0)
        dtype = onp.result_type(basis.raw("line")(getval(off), getval(scl)), onp.float16)
        return _series(off * onp.append(constant, 0.0).astype(dtype) + scl * slope.astype(dtype))

    def trim(c: Any, tol: float = 0) -> Any:
        kept = onp.polynomial.polyutils.trimcoef(getval(as_array(c)), tol)
        c = anp.atleast_1d(_floating(c))
        return c[: len(kept)] if onp.any(kept) else c[:1] * 0

    def companion(c: Any) -> Any:
        """Affine in the ratios of the coefficients to the last one."""
        c = _series(c)
        raw, n = basis.raw("companion"), len(c) - 1
        if n < 1:
            return raw(getval(c))
        leading = onp.eye(n + 1)[-1]
        constant = raw(leading)
        parts = onp.array([raw(unit + leading) - constant for unit in onp.eye(n + 1)[:-1]])
        dtype = dtype_of(c)
        return constant.astype(dtype) + anp.tensordot(c[:-1] / c[-1], parts.astype(dtype), 1)

    return {
        "add": add,
        "sub": sub,
        "mul": mul,
        "mulx": mulx,
        "div": div,
        "pow": pow,
        "fromroots": fromroots,
        "line": line,
        "trim": trim,
        "companion": companion,
    }


def _calculus(basis: Basis, val: Any) -> dict[str, Any]:
    def der(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
        c = anp.atleast_1d(_floating(c))
        if m == 0:
            return c
        matrix = basis.raw("der")(onp.eye(anp.shape(c)[axis]), m)
        return _apply(matrix, c, axis) * scl**m

    def integ(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
        c = anp.moveaxis(anp.atleast_1d(_floating(c)), axis, 0)
        dtype = dtype_of(c)
        constants = anp.atleast_1d(as_array(k)) if onp.iterable(k) else anp.reshape(k, (1,))
        basis.raw("int")(onp.ones(1), m, getval(constants), getval(lbnd), getval(scl))
        for step in range(m):
            c = _apply(basis.raw("int")(onp.eye(anp.shape(c)[0])), c * scl, 0)
            constant = (constants[step] if step < len(constants) else 0) - val(lbnd, c)
            first = onp.reshape(onp.arange(anp.shape(c)[0]) == 0, (-1,) + (1,) * (anp.ndim(c) - 1))
            c = anp.asarray(c + first * constant, dtype)
        return anp.moveaxis(c, 0, axis)

    return {"der": der, "int": integ}


# ----- values


def _values(basis: Basis) -> dict[str, Any]:
    def polynomials(x: Any, count: int) -> list[Any]:
        made = [x * 0 + 1, basis.first(x)][:count]
        for k in range(1, count - 1):
            made.append(basis.next(k, x, made[-1], made[-2]))
        return made

    def val(x: Any, c: Any, tensor: bool = True) -> Any:
        x = x if isinstance(x, (int, float, complex)) else as_array(x)
        c = anp.atleast_1d(_floating(c))
        if isinstance(x, onp.ndarray) and x.dtype.kind in "biu":  # where their polynomials would overflow
            x = x.astype(onp.result_type(x.dtype, dtype_of(c)))
        if tensor:
            c = anp.reshape(c, anp.shape(c) + (1,) * anp.ndim(x))
        terms = [c[k] * p for k, p in enumerate(polynomials(x, anp.shape(c)[0]))]
        return sum(terms[1:], terms[0])

    def val_at(c: Any, *points: Any) -> Any:
        points = tuple(map(as_array, points))
        if len(set(map(anp.shape, points))) > 1:
            names = {2: "x, y", 3: "x, y, z"}.get(len(points), "ordinates")
            raise ValueError(f"{names} are incompatible")
        c = val(points[0], c)
        for point in points[1:]:
            c = val(point, c, tensor=False)
        return c

    def val_on_grid(c: Any, *points: Any) -> Any:
        for point in points:
            c = val(point, c)
        return c

    def vander(x: Any, deg: Any) -> Any:
        deg = operator.index(deg)
        if deg < 0:
            raise ValueError("deg must be non-negative")
        return anp.stack(polynomials(anp.atleast_1d(_floating(x)), deg + 1), -1)

    def vander_of(points: Any, degrees: Any) -> Any:
        first, *others = map(vander, points, degrees)
        result = first
        for other in others:
            result = anp.expand_dims(result, -1) * anp.expand_dims(other, -2)
            result = anp.reshape(result, anp.shape(result)[:-2] + (-1,))
        return result

    def fit(x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None) -> Any:
        x, y = as_array(x), as_array(y)
        degrees = onp.arange(int(deg) + 1) if onp.ndim(deg) == 0 else onp.sort(deg)
        count = int(degrees[-1]) + 1
        left = vander(x, count - 1)[:, degrees]
        c, residuals, rank, s, rcond = scaled_least_squares(left, y, w, rcond, full)
        if len(degrees) < count:
            c = _apply(onp.eye(count)[:, degrees], c, 0)
        if full:
            return c, [residuals, rank, s, rcond]
        return c

    made = {
        "val": val,
        "val2d": lambda x, y, c: val_at(c, x, y),
        "val3d": lambda x, y, z, c: val_at(c, x, y, z),
        "valnd": lambda pts, c: val_at(c, *pts),
        "grid2d": lambda x, y, c: val_on_grid(c, x, y),
        "grid3d": lambda x, y, z, c: val_on_grid(c, x, y, z),
        "vander": vander,
        "vander2d": lambda x, y, deg: vander_of((x, y), deg),
        "vander3d": lambda x, y, z, deg: vander_of((x, y, z), deg),
        "fit": fit,
    }
    if basis.weight is not None:
        made["weight"] = lambda x: basis.weight(as_array(x))  # type: ignore[misc]
    return made


# ----- roots


def _roots(basis: Basis, val: Any, vander: Any, der: Any) -> Any:
    """A root moves by -dp(root) / p'(root)."""

    @primitive
    def roots(c: Any) -> Any:
        return basis.raw("roots")(c)

    derivative(
        roots,
        vjp=lambda g, ans, c: anp.dot(-g / val(ans, der(c)), vander(ans, len(c) - 1)),
        jvp=lambda t, ans, c: -val(ans, t) / val(ans, der(c)),
        saves="x ans",
    )
    return lambda c: roots(_series(c))


def _valfromroots(x: Any, r: Any, tensor: bool = True) -> Any:
    x, r = as_array(x), anp.atleast_1d(_floating(r))
    if tensor:
        r = anp.reshape(r, anp.shape(r) + (1,) * anp.ndim(x))
    return anp.prod(x - r, axis=0)


# ----- all of them


def _conversions(basis: Basis) -> dict[str, Any]:
    """``poly2cheb`` and ``cheb2poly``, which are linear."""

    def converted(name: str) -> Any:
        raw = getattr(basis.module, name)

        def convert(pol: Any = None, *, c: Any = None) -> Any:
            pol = _series(c if pol is None else pol)
            dtype = raw(onp.ones(3, dtype_of(pol))).dtype
            return _series(anp.dot(_matrix(raw, len(pol)).astype(dtype), pol))

        return convert

    names = [f"poly2{basis.prefix}", f"{basis.prefix}2poly"]
    return {name: converted(name) for name in names if hasattr(basis.module, name)}


def _interpolate(func: Any, deg: Any, args: Any = ()) -> Any:
    """``chebinterpolate``, for functions whose values are traced too."""
    count = operator.index(deg) + 1
    points = onp.polynomial.chebyshev.chebpts1(count)
    values = func(points, *args)
    matrix = onp.polynomial.chebyshev.chebvander(points, deg).T * (2.0 / count)
    matrix[0] /= 2
    return anp.dot(matrix, values)


def traced(name: str) -> dict[str, Any]:
    """The traced functions of numpy.polynomial's module of this name."""
    basis = BASES[name]
    values = _values(basis)
    calculus = _calculus(basis, values["val"])
    made = {**values, **calculus, **_arithmetic(basis)}
    made["roots"] = _roots(basis, values["val"], values["vander"], calculus["der"])
    if name == "polynomial":
        made["valfromroots"] = _valfromroots
    named = {basis.prefix + key: function for key, function in made.items()}
    if not hasattr(basis.module, basis.prefix + "valnd"):  # new in NumPy 2.5
        del named[basis.prefix + "valnd"]
    named.update(_conversions(basis))
    result = {key: composite(getattr(basis.module, key))(function) for key, function in named.items()}
    if name == "chebyshev":
        result["chebinterpolate"] = _interpolate
    return result
