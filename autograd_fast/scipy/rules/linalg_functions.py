"""Derivatives of functions of a matrix: powers, exponentials, logarithms and their kin.

The derivative of f at a in the direction e is the upper right block of f([[a, e], [0, a]]); its transpose, as
a linear map of e, is the same at a^T (Higham, Functions of Matrices, 3.2).
"""

from __future__ import annotations

from typing import Any

import numpy as onp
import scipy.linalg

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, derivative
from autograd_fast.scipy.rules import linalg_namespace as sl
from autograd_fast.scipy.rules.linalg_solve import as_array, transpose
from autograd_fast.tracer import getval


def _declare(fun: Any) -> None:
    def along(a: Any, e: Any) -> Any:
        # A direction of the size of a keeps the block matrix well scaled.
        size = onp.max(onp.abs(getval(e)), initial=0.0) or 1.0
        top = anp.concatenate([a, e / size], axis=-1)
        bottom = anp.concatenate([onp.zeros(anp.shape(a)), a], axis=-1)
        n = anp.shape(a)[-1]
        return size * fun(anp.concatenate([top, bottom], axis=-2))[..., :n, n:]

    derivative(
        fun,
        vjp=lambda g, ans, a: along(transpose(a), g),
        jvp=lambda t, ans, a: along(a, t),
        saves="x",
    )


for _name in ("expm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"):
    _declare(getattr(sl, _name))


@primitive
def _logm(a: Any) -> Any:
    return scipy.linalg.logm(a)


@primitive
def _sqrtm(a: Any) -> Any:
    return scipy.linalg.sqrtm(a)


_declare(_logm)
# x x = a gives x dx + dx x = da.
derivative(
    _sqrtm,
    vjp=lambda g, ans, a: sl.solve_sylvester(transpose(ans), transpose(ans), g),
    jvp=lambda t, ans, a: sl.solve_sylvester(ans, ans, t),
    saves="ans",
)


def _refuse_estimate(name: str, disp: bool) -> None:
    if not disp:
        raise NotImplementedError(
            f"{name} has no derivative with disp=False: the error estimate is not traced"
        )


@composite(scipy.linalg.sqrtm, sl)
def sqrtm(A: Any, disp: bool = True, blocksize: int = 64) -> Any:
    _refuse_estimate("sqrtm", disp)
    return _sqrtm(as_array(A))


@composite(scipy.linalg.logm, sl)
def logm(A: Any, disp: bool = True) -> Any:
    _refuse_estimate("logm", disp)
    return _logm(as_array(A))
