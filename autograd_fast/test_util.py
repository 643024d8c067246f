"""Checking derivatives against finite differences, in random directions.

A check compares <w, J v> by a rule with <w, (f(x + h v) - f(x - h v)) / 2h>, with random v and w.  The
differences are taken with several steps: small ones stay clear of kinks and borders, large ones are exact
to more digits.  A right derivative agrees with one of them, a wrong one, or NaN, with none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as onp

from .core import make_jvp, make_vjp
from .extend import vspace
from .wrap_util import get_name, unary_to_nary

TOL = 1e-6
RTOL = 1e-6
EPS = 1e-6

# steps and tolerances for double precision and for single precision, in which a difference keeps few digits
_STEPS = {True: (EPS / 2, 1e-4, 1e-3), False: (1e-2, 4e-2, 1e-1)}
_LOOSER = {True: 1.0, False: 1e3}


def scalar_close(a: Any, b: Any, loosen: float = 1.0) -> bool:
    """Whether two numbers agree, to `TOL` absolutely or to `RTOL` relatively; NaN agrees with nothing."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return bool(a == b)
    return bool(abs(a - b) <= loosen * max(TOL, RTOL * abs(a + b)))


def make_numerical_jvp(f: Callable[[Any], Any], x: Any, step: float | None = None) -> Callable[[Any], Any]:
    """The directional derivative of `f` at `x` by a central difference of fourth order.

    Parameters
    ----------
    f : callable
    x : value
        Of any type that has a vector space.
    step : float, optional

    Returns
    -------
    callable
        Takes a direction, in the vector space of `x`.
    """
    x_space, y_space = vspace(x), vspace(f(x))
    h = _STEPS[_is_double(x, f(x))][0] if step is None else step

    def numerical_jvp(v: Any) -> Any:
        def difference(h: float) -> Any:
            ahead = f(x_space.add(x, x_space.scalar_mul(v, h)))
            behind = f(x_space.add(x, x_space.scalar_mul(v, -h)))
            rise = y_space.add(ahead, y_space.scalar_mul(behind, -1.0))
            return y_space.scalar_mul(rise, 0.5 / h)

        near, far = difference(h), difference(2 * h)
        return y_space.add(y_space.scalar_mul(near, 4 / 3), y_space.scalar_mul(far, -1 / 3))

    return numerical_jvp


def check_vjp(f: Callable[[Any], Any], x: Any) -> None:
    """Check the reverse-mode derivative of `f` at `x`.

    Raises
    ------
    AssertionError
        If it disagrees with finite differences, or is not in the vector space of `x`.
    """
    vjp, y = make_vjp(f, x)
    plain_y = f(x)
    check_equivalent(y, plain_y)
    x_space, y_space = vspace(x), vspace(y)
    x_v, y_v = x_space.randn(), y_space.randn()
    pulled = x_space.covector(vjp(y_space.covector(y_v)))
    assert vspace(pulled) == x_space, (
        f"Derivative (VJP) of {get_name(f)} is in another space than the argument:\n"
        f"gradient: {vspace(pulled)}\nargument: {x_space}"
    )
    _compare(
        f"Derivative (VJP) check of {get_name(f)} failed with arg {x}",
        x_space.inner_prod(x_v, pulled),
        lambda step: y_space.inner_prod(y_v, make_numerical_jvp(f, x, step)(x_v)),
        _is_double(x, plain_y),
    )


def check_jvp(f: Callable[[Any], Any], x: Any) -> None:
    """Check the forward-mode derivative of `f` at `x`.

    Raises
    ------
    AssertionError
        If it disagrees with finite differences, or is not in the vector space of the result.
    """
    x_v = vspace(x).randn()
    y, tangent = make_jvp(f, x)(x_v)
    plain_y = f(x)
    check_equivalent(y, plain_y)
    y_space = vspace(y)
    assert vspace(tangent) == y_space, (
        f"Derivative (JVP) of {get_name(f)} is in another space than the result: VSpace mismatch:\n"
        f"tangent: {vspace(tangent)}\nresult: {y_space}"
    )
    w = y_space.randn()
    _compare(
        f"Derivative (JVP) check of {get_name(f)} failed with arg {x}",
        y_space.inner_prod(w, tangent),
        lambda step: y_space.inner_prod(w, make_numerical_jvp(f, x, step)(x_v)),
        _is_double(x, plain_y),
    )


def check_equivalent(x: Any, y: Any) -> None:
    """Check that two values agree, in their vector space and along a random direction.

    Raises
    ------
    AssertionError
        If they do not.
    """
    x_space, y_space = vspace(x), vspace(y)
    assert x_space == y_space, f"VSpace mismatch:\nx: {x_space}\ny: {y_space}"
    v = x_space.randn()
    a, b = x_space.inner_prod(x, v), x_space.inner_prod(y, v)
    assert scalar_close(a, b, _LOOSER[_is_double(x)]), f"Value mismatch:\nx: {x}\ny: {y}"


@unary_to_nary
def check_grads(
    f: Callable[[Any], Any], x: Any, modes: Sequence[str] = ("fwd", "rev"), order: int = 2
) -> None:
    """Check the derivatives of `f` at `x` up to some order, in every sequence of modes.

    Parameters
    ----------
    f : callable
    x : value
    modes : sequence of str
        ``"fwd"``, ``"rev"`` or both.
    order : int

    Raises
    ------
    AssertionError
        If a derivative disagrees with finite differences.

    Examples
    --------
    >>> check_grads(lambda x, y: x * y, (0, 1), modes=["rev"], order=3)(2.0, 3.0)
    """
    if isinstance(modes, str) or not modes or any(mode not in ("fwd", "rev") for mode in modes):
        raise AssertionError(f"modes is a list of 'fwd' and 'rev', got {modes!r}")

    def next_order(mode: str, derivative: Callable[[Any, Any], Any], direction: Any) -> None:
        derivative.__name__ = f"{mode}_{get_name(f)}"
        check_grads(derivative, (0, 1), modes, order=order - 1)(x, direction)

    if "fwd" in modes:
        check_jvp(f, x)
        if order > 1:
            next_order("jvp", lambda x, v: make_jvp(f, x)(v)[1], vspace(x).randn())
    if "rev" in modes:
        check_vjp(f, x)
        if order > 1:
            next_order("vjp", lambda x, w: make_vjp(f, x)[0](w), vspace(f(x)).randn())


def combo_check(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., None]:
    """Check the derivatives of a function at every combination of some arguments.

    Parameters
    ----------
    fun : callable
    *args, **kwargs
        Further arguments of `check_grads`: argnum, modes, order.

    Returns
    -------
    callable
        Takes, for each positional and keyword argument of `fun`, a list of values.

    Examples
    --------
    >>> combo_check(np.sum, 0, modes=["rev"])([x], axis=[None, 0], keepdims=[True, False])  # doctest: +SKIP
    """

    def check_combinations(*fun_args: Any, **fun_kwargs: Any) -> None:
        for values in product(*fun_args):
            for named in product(*fun_kwargs.values()):
                keywords = dict(zip(fun_kwargs, named, strict=True))
                check_grads(fun, *args, **kwargs)(*values, **keywords)

    return check_combinations


def _is_double(*values: Any) -> bool:
    """Whether all numbers in `values` have double precision."""
    for value in values:
        if isinstance(value, dict):
            value = tuple(value.values())
        if isinstance(value, (list, tuple)):
            if not _is_double(*value):
                return False
        elif onp.result_type(value) in (onp.float16, onp.float32, onp.complex64):
            return False
    return True


def _compare(failure: str, analytic: Any, numeric: Callable[[float], Any], double: bool) -> None:
    found = []
    for step in _STEPS[double]:
        found.append(numeric(step))
        if scalar_close(analytic, found[-1], _LOOSER[double]):
            return
    numbers = ", ".join(str(number) for number in found)
    raise AssertionError(f"{failure}:\nanalytic: {analytic}\nnumeric:  {numbers} (by several steps)")
