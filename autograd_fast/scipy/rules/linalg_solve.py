"""Derivatives of solutions of linear equations: triangular, banded, Sylvester's.

For x = a^-1 b the cotangent of b is s = a^-T g, that of a is -s x^T; the tangent is a^-1 (tb - ta x).  A
matrix of which only a part is stored or read has that part of -s x^T.  Options to overwrite operands are
ignored when something is traced: the operands may be needed again.
"""

from __future__ import annotations

from typing import Any

import numpy as onp
import scipy.linalg

from autograd_fast.extend import primitive
from autograd_fast.numpy import linalg
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, derivative
from autograd_fast.scipy.rules import linalg_namespace as sl


def as_array(value: Any) -> Any:
    return anp.array(value) if isinstance(value, (list, tuple)) else value


def transpose(a: Any) -> Any:
    return anp.swapaxes(a, -1, -2)


def with_columns(solve: Any, b: Any) -> Any:
    """solve(b) for b with columns; a vector is taken as one column and comes back as a vector."""
    if anp.ndim(b) == 1:
        return solve(anp.reshape(b, (-1, 1)))[..., 0]
    return solve(b)


# ---------------------------------------------------------------- triangular


@primitive
def _triangular(a: Any, b: Any, trans: int, lower: bool, unit_diagonal: bool, check_finite: bool) -> Any:
    return scipy.linalg.solve_triangular(a, b, trans, lower, unit_diagonal, check_finite=check_finite)


def _read(a: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The entries of a that are read."""
    return anp.tril(a, -int(unit_diagonal)) if lower else anp.triu(a, int(unit_diagonal))


def _triangular_vjp_a(
    g: Any, ans: Any, a: Any, b: Any, trans: int, lower: bool, unit: bool, *rest: Any
) -> Any:
    s = _triangular(a, g, 1 - trans, lower, unit, *rest)
    product = anp.matmul(ans, transpose(s)) if trans else anp.matmul(s, transpose(ans))
    return -_read(product, lower, unit)


def _triangular_jvp_a(
    t: Any, ans: Any, a: Any, b: Any, trans: int, lower: bool, unit: bool, *rest: Any
) -> Any:
    t = _read(t, lower, unit)
    return -_triangular(a, anp.matmul(transpose(t) if trans else t, ans), trans, lower, unit, *rest)


derivative(_triangular, 0, vjp=_triangular_vjp_a, jvp=_triangular_jvp_a, saves="ans x", broadcasts=True)
derivative(
    _triangular,
    1,
    vjp=lambda g, ans, a, b, trans, *rest: _triangular(a, g, 1 - trans, *rest),
    jvp=lambda t, ans, a, b, *rest: _triangular(a, t, *rest),
    saves="x",
    broadcasts=True,
)


@composite(scipy.linalg.solve_triangular, sl)
def solve_triangular(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    code = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    a = anp.conj(as_array(a)) if code == 2 else as_array(a)
    return with_columns(
        lambda b: _triangular(a, b, int(code != 0), bool(lower), unit_diagonal, check_finite), as_array(b)
    )


@composite(scipy.linalg.cho_solve, sl)
def cho_solve(
    c_and_lower: tuple[Any, bool], b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    c, lower = c_and_lower
    first, last = ("N", "C") if lower else ("C", "N")
    y = solve_triangular(c, b, trans=first, lower=lower, check_finite=check_finite)
    return solve_triangular(c, y, trans=last, lower=lower, check_finite=check_finite)


# ---------------------------------------------------------------- banded


@primitive
def _banded(ab: Any, b: Any, lower: int, upper: int, check_finite: bool) -> Any:
    return scipy.linalg.solve_banded((lower, upper), ab, b, check_finite=check_finite)


def _band(n: int, lower: int, upper: int) -> tuple[Any, Any, Any]:
    """The row i and the column j of the entry ab[r, j]; and whether i, here cut off, is one of the matrix."""
    r, j = onp.indices((lower + upper + 1, n))
    i = r - upper + j
    return onp.clip(i, 0, n - 1), j, onp.logical_and(i >= 0, i < n)


def _transposed(ab: Any, lower: int, upper: int) -> Any:
    """The transposed matrix in banded form, with `upper` diagonals below and `lower` above its own."""
    i, _, inside = _band(anp.shape(ab)[-1], upper, lower)
    return anp.flip(ab, 0)[onp.arange(lower + upper + 1)[:, None], i] * inside


def _banded_vjp_ab(g: Any, ans: Any, ab: Any, b: Any, lower: int, upper: int, check_finite: bool) -> Any:
    s = _banded(_transposed(ab, lower, upper), g, upper, lower, check_finite)
    i, _, inside = _band(ab.shape[-1], lower, upper)
    return -anp.sum(s[i] * ans, axis=-1) * inside


def _banded_jvp_ab(t: Any, ans: Any, ab: Any, b: Any, lower: int, upper: int, check_finite: bool) -> Any:
    j, _, inside = _band(anp.shape(ab)[-1], upper, lower)
    row = onp.arange(lower + upper, -1, -1)[:, None]
    product = anp.sum(anp.expand_dims(t[row, j] * inside, -1) * ans[j], axis=0)
    return -_banded(ab, product, lower, upper, check_finite)


derivative(_banded, 0, vjp=_banded_vjp_ab, jvp=_banded_jvp_ab, saves="ans x")
derivative(
    _banded,
    1,
    vjp=lambda g, ans, ab, b, lo, up, check: _banded(_transposed(ab, lo, up), g, up, lo, check),
    jvp=lambda t, ans, ab, b, *rest: _banded(ab, t, *rest),
    saves="x",
)


@composite(scipy.linalg.solve_banded, sl)
def solve_banded(
    l_and_u: tuple[int, int],
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    ab, b = as_array(ab), as_array(b)
    if anp.ndim(ab) > 2 or anp.ndim(b) > 2:
        raise NotImplementedError(
            "solve_banded has derivatives for one matrix at a time: loop over the others"
        )
    lower, upper = l_and_u
    return with_columns(lambda b: _banded(ab, b, lower, upper, check_finite), b)


# ---------------------------------------------------------------- full


def mirrored(a: Any, lower: bool, hermitian: bool = True) -> Any:
    """The symmetric or Hermitian matrix of which one triangle is read."""
    half = anp.tril(a, -1) if lower else anp.triu(a, 1)
    diagonal = a * (onp.eye(anp.shape(a)[-1]) != 0)
    if hermitian:
        return half + anp.real(diagonal) + anp.conj(transpose(half))
    return half + diagonal + transpose(half)


@composite(scipy.linalg.solve, sl)
def solve(
    a: Any,
    b: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
) -> Any:
    a, b = as_array(a), as_array(b)
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        a = mirrored(a, lower, hermitian=assume_a[0] != "s")
    elif assume_a in ("upper triangular", "lower triangular"):
        a = anp.triu(a) if assume_a[0] == "u" else anp.tril(a)
    elif assume_a not in (None, "gen", "general"):
        raise NotImplementedError(
            f"solve has no derivative with assume_a={assume_a!r}: leave it out, or use solve_banded"
        )
    return with_columns(lambda b: linalg.solve(transpose(a) if transposed else a, b), b)


# ---------------------------------------------------------------- Sylvester


def _sylvester_adjoint(g: Any, a: Any, b: Any) -> Any:
    """s of a^T s + s b^T = g."""
    return sl.solve_sylvester(transpose(a), transpose(b), g)


derivative(
    sl.solve_sylvester,
    0,
    vjp=lambda g, ans, a, b, q: -anp.matmul(_sylvester_adjoint(g, a, b), transpose(ans)),
    jvp=lambda t, ans, a, b, q: -sl.solve_sylvester(a, b, anp.matmul(t, ans)),
    saves="ans x y",
    broadcasts=True,
)
derivative(
    sl.solve_sylvester,
    1,
    vjp=lambda g, ans, a, b, q: -anp.matmul(transpose(ans), _sylvester_adjoint(g, a, b)),
    jvp=lambda t, ans, a, b, q: -sl.solve_sylvester(a, b, anp.matmul(ans, t)),
    saves="ans x y",
    broadcasts=True,
)
derivative(
    sl.solve_sylvester,
    2,
    vjp=lambda g, ans, a, b, q: _sylvester_adjoint(g, a, b),
    jvp=lambda t, ans, a, b, q: sl.solve_sylvester(a, b, t),
    saves="x y",
    broadcasts=True,
)


@composite(scipy.linalg.solve_continuous_lyapunov, sl)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    return sl.solve_sylvester(a, anp.conj(transpose(a)), q)
