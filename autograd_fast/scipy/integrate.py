"""``scipy.integrate.odeint``, differentiable in the initial values, the times and the arguments.

Forward mode integrates the linearised equations beside the equations themselves.  Reverse mode integrates
the adjoint equations backwards along the solution, which is computed once more between any two times of
output, forwards: that is stable wherever the solution was.  Derivatives of what the reverse mode gives are
taken of another form of it, the product with the matrix of all tangents, which costs more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp
import scipy.integrate

from autograd_fast.core import make_jvp, make_vjp
from autograd_fast.differential_operators import jacobian
from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, derivative
from autograd_fast.tracer import getval, isbox

_TOLERANCE = 1.49012e-8  # odeint's own default


@composite(scipy.integrate.odeint)
def odeint(
    func: Callable[..., Any],
    y0: Any,
    t: Any,
    args: Any = (),
    Dfun: Any = None,
    col_deriv: bool = False,
    full_output: bool = False,
    ml: Any = None,
    mu: Any = None,
    rtol: Any = None,
    atol: Any = None,
    tcrit: Any = None,
    h0: float = 0.0,
    hmax: float = 0.0,
    hmin: float = 0.0,
    ixpr: bool = False,
    mxstep: int = 0,
    mxhnil: int = 0,
    mxordn: int = 12,
    mxords: int = 5,
    printmessg: bool = False,
    tfirst: bool = False,
) -> Any:
    if full_output:
        raise NotImplementedError("odeint has no derivative with full_output=True: leave it out")
    options = {
        name: value
        for name, value in locals().items()
        if name not in ("func", "y0", "t", "args", "Dfun", "col_deriv", "full_output", "tfirst")
    }
    traced, rebuild = _take_apart(args)
    theta = anp.concatenate([onp.zeros(0), *map(anp.ravel, traced)])
    y0, t = anp.ravel(y0), anp.ravel(t)
    shapes = [anp.shape(part) for part in traced]

    def rhs(y: Any, s: Any, theta: Any) -> Any:
        parts, start = [], 0
        for shape in shapes:
            stop = start + int(onp.prod(shape, dtype=int))
            parts.append(anp.reshape(theta[start:stop], shape))
            start = stop
        rest = rebuild(iter(parts))
        slope = func(s, y, *rest) if tfirst else func(y, s, *rest)
        return anp.ravel(anp.array(slope) if isinstance(slope, (list, tuple)) else slope)

    return _solution(anp.concatenate([y0, t, theta]), anp.shape(y0)[0], anp.shape(t)[0], rhs, options)


def _take_apart(value: Any) -> tuple[list[Any], Callable[[Any], Any]]:
    """The traced arrays in nested tuples, lists and dicts, and a function that puts others in their place."""
    kind = type(getval(value))
    if kind in (tuple, list):
        items = [_take_apart(value[k]) for k in range(len(value))]
        return sum((found for found, _ in items), []), lambda new: kind(put(new) for _, put in items)
    if kind is dict:
        entries = {key: _take_apart(value[key]) for key in value}
        found = sum((found for found, _ in entries.values()), [])
        return found, lambda new: {key: put(new) for key, (_, put) in entries.items()}
    if isbox(value):
        return [value], next
    return [], lambda new: value


@primitive
def _solution(z: Any, d: int, n: int, rhs: Any, options: dict[str, Any]) -> Any:
    """The solution at n times, for z of the d initial values, the times, and the parameters theta."""
    y0, t, theta = z[:d], z[d : d + n], z[d + n :]
    return scipy.integrate.odeint(lambda y, s: rhs(y, s, theta), y0, t, **options)


def _tolerances(options: dict[str, Any]) -> dict[str, float]:
    """Tolerances for all components of the other equations: the strictest of those given for each."""
    given = {name: options[name] for name in ("rtol", "atol")}
    return {name: _TOLERANCE if v is None else float(onp.min(v)) for name, v in given.items()}


def _slopes(ys: Any, t: Any, theta: Any, rhs: Any) -> Any:
    """The derivative of the solution at each of the times."""
    return anp.array([rhs(ys[i], t[i], theta) for i in range(anp.shape(t)[0])])


def _jvp(tangent: Any, ans: Any, z: Any, d: int, n: int, rhs: Any, options: dict[str, Any]) -> Any:
    y0, t, theta = z[:d], z[d : d + n], z[d + n :]
    y0_t, t_t, theta_t = tangent[:d], tangent[d : d + n], tangent[d + n :]
    slopes = _slopes(ans, t, theta, rhs)

    def both(w: Any, s: Any, theta: Any, theta_t: Any) -> Any:
        along = make_jvp(lambda x: rhs(x[:d], s, x[d:]), anp.concatenate([w[:d], theta]))
        slope, change = along(anp.concatenate([w[d:], theta_t]))
        return anp.concatenate([slope, change])

    # A later start is a start from another point.
    start = anp.concatenate([y0, y0_t - slopes[0] * t_t[0]])
    w = odeint(both, start, t, (theta, theta_t), mxstep=10_000, **_tolerances(options))
    return w[:, d:] + slopes * anp.expand_dims(t_t, 1)


def _vjp(g: Any, ans: Any, z: Any, d: int, n: int, rhs: Any, options: dict[str, Any]) -> Any:
    y0, t, theta = z[:d], z[d : d + n], z[d + n :]
    method = _by_tangents if any(map(isbox, (g, ans, z))) else _by_adjoint
    start, parameters = method(g, ans, y0, t, theta, rhs, _tolerances(options))
    slopes = _slopes(ans, t, theta, rhs)
    first = anp.concatenate([anp.reshape(anp.dot(start, slopes[0]), (1,)), onp.zeros(n - 1)])
    times = anp.sum(g * slopes, axis=1) - first
    return anp.concatenate([start, times, parameters])


def _by_adjoint(
    g: Any, ys: Any, y0: Any, t: Any, theta: Any, rhs: Any, tolerances: dict[str, float]
) -> tuple[Any, Any]:
    """The cotangents of y0 and theta from the adjoint equations; for plain values."""
    d = y0.shape[0]
    w = onp.zeros(d + theta.shape[0])

    def solve(slope: Any, start: float, stop: float, value: Any, **more: Any) -> Any:
        result = scipy.integrate.solve_ivp(slope, (start, stop), value, "LSODA", **more, **tolerances)
        if not result.success:
            raise RuntimeError(f"odeint's adjoint equations could not be solved: {result.message}")
        return result

    for i in range(t.shape[0] - 1, 0, -1):
        w[:d] += g[i]
        if t[i] != t[i - 1]:
            path = solve(lambda s, y: rhs(y, s, theta), t[i - 1], t[i], ys[i - 1], dense_output=True).sol

            def adjoint(s: Any, w: Any, path: Any = path) -> Any:
                point = onp.concatenate([path(s), theta])
                return -make_vjp(lambda x: rhs(x[:d], s, x[d:]), point)[0](w[:d])

            w = solve(adjoint, t[i], t[i - 1], w).y[:, -1]
    return w[:d] + g[0], w[d:]


def _by_tangents(
    g: Any, ys: Any, y0: Any, t: Any, theta: Any, rhs: Any, tolerances: dict[str, float]
) -> tuple[Any, Any]:
    """The same from the tangents in all of y0 and theta at once, traced for derivatives of it."""
    d, n = anp.shape(y0)[0], anp.shape(t)[0]
    m = d + anp.shape(theta)[0]

    def all_tangents(w: Any, s: Any, theta: Any) -> Any:
        y, matrix = w[:d], anp.reshape(w[d:], (d, m))
        slopes = jacobian(lambda x: rhs(x[:d], s, x[d:]))(anp.concatenate([y, theta]))
        change = anp.dot(slopes[:, :d], matrix) + slopes * onp.repeat([0, 1], [d, m - d])
        return anp.concatenate([rhs(y, s, theta), anp.ravel(change)])

    start = anp.concatenate([y0, onp.eye(d, m).ravel()])
    tangents = odeint(all_tangents, start, t, (theta,), mxstep=10_000, **tolerances)[:, d:]
    total = anp.dot(anp.ravel(g), anp.reshape(tangents, (n * d, m)))
    return total[:d], total[d:]


derivative(_solution, vjp=_vjp, jvp=_jvp, saves="ans x")
