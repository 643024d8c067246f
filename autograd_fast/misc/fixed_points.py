"""Fixed points of iterations, differentiated by the implicit function theorem."""

from __future__ import annotations

from typing import Any

from ..builtins import tuple as traced_tuple
from ..core import make_jvp, make_vjp
from ..extend import defjvp, defvjp, primitive, vspace
from ..tracer import getval


@primitive
def fixed_point(f: Any, a: Any, x0: Any, distance: Any, tol: Any) -> Any:
    """Repeat ``x = f(a)(x)`` from `x0` until `x` changes by no more than `tol`.

    Parameters
    ----------
    f : callable
        ``f(a)`` is a function from `x` to the next `x`.
    a : value
        Parameters; the result can be differentiated in them, in both modes and to any order.
    x0 : value
        The starting point.  The derivative in it is zero.
    distance : callable
        ``distance(x, x_prev)``, a number.
    tol : float

    Returns
    -------
    value
        The fixed point.

    Notes
    -----
    At a fixed point x = F(a, x) the tangents satisfy t = F_a s + F_x t, and the cotangents u = g + F_x' u;
    both equations are again solved by iteration, with the same `distance` and `tol`.
    """
    step = f(a)
    x, x_prev = step(x0), x0
    while distance(x, x_prev) > tol:
        x, x_prev = step(x), x
    return x


def fixed_point_vjp(ans: Any, f: Any, a: Any, x0: Any, distance: Any, tol: Any) -> Any:
    """The VJP of `fixed_point` in `a`."""
    space = vspace(ans)

    def vjp(g: Any) -> Any:
        u = _solve_linear(_adjoint_step, f, a, ans, g, space, distance, tol)
        return make_vjp(lambda a: f(a)(ans), a)[0](u)

    return vjp


def _fixed_point_jvp(t: Any, ans: Any, f: Any, a: Any, x0: Any, distance: Any, tol: Any) -> Any:
    forcing = make_jvp(lambda a: f(a)(ans), a)(t)[1]
    return _solve_linear(_tangent_step, f, a, ans, forcing, vspace(ans), distance, tol)


def _solve_linear(
    step: Any, f: Any, a: Any, x: Any, forcing: Any, space: Any, distance: Any, tol: Any
) -> Any:
    """The solution of a linear equation with the right-hand side `forcing`.

    It is scaled to length 1 first: `tol` was meant for values of the size of `x`.
    """
    plain = getval(forcing)
    length = float(space.inner_prod(plain, plain)) ** 0.5
    if not 0.0 < length < float("inf"):
        length = 1.0
    unit = space.scalar_mul(forcing, 1.0 / length)
    parameters = traced_tuple((a, x, unit))
    solution = fixed_point(step(f, space), parameters, space.zeros(), distance, tol)
    return space.scalar_mul(solution, length)


def _adjoint_step(f: Any, space: Any) -> Any:
    def step(parameters: Any) -> Any:
        a, x, g = parameters
        pull_back = make_vjp(f(a), x)[0]
        return lambda u: space.add(g, pull_back(u))

    return step


def _tangent_step(f: Any, space: Any) -> Any:
    def step(parameters: Any) -> Any:
        a, x, forcing = parameters
        push_forward = make_jvp(f(a), x)
        return lambda t: space.add(forcing, push_forward(t)[1])

    return step


defvjp(fixed_point, None, fixed_point_vjp, None)
defjvp(fixed_point, None, _fixed_point_jvp, None)
