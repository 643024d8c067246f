"""Derivatives of the incomplete gamma and beta functions, in their limit and in their parameters.

Both are distribution functions, P = integral of a density f(t; a) up to x.  In x the derivative is f.  In
the parameters it has no closed form, and is integrated numerically: the derivative of f is f times a
polynomial in the derivatives of log f (`bell`).  The integral of a derivative of f over all t is zero,
so it may be taken over either tail; over the smaller one there is no cancellation.  Quadrature is the
trapezoidal rule after t -> log t or logit t and a double exponential change of variable, which converges to
rounding for these analytic integrands (Takahasi and Mori, 1974).

`gammainc_jet` and `betainc_jet` are primitives for the parameter derivatives of any order, so that
derivatives of every order follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as onp
import scipy.special

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, derivative, elementwise
from autograd_fast.scipy.rules import special_namespace as sp

_STEP = 0.06
_NODES = onp.arange(-3.6, 4.3, _STEP)
_S = onp.exp(_NODES - onp.exp(-_NODES))
_WEIGHTS = _STEP * (1 + onp.exp(-_NODES)) * _S
_LEGENDRE = (onp.polynomial.legendre.leggauss(16) + onp.array([[1.0], [0.0]])) / 2


def bell(slopes: Callable[[int, int], Any], m: int, n: int) -> Any:
    """The derivative of order m in a and n in b of f(a, b), over f, where slopes(i, j) are those of log f."""
    table: dict[tuple[int, int], Any] = {(0, 0): 1.0}
    for j in range(n):
        table[0, j + 1] = sum(math.comb(j, q) * slopes(0, q + 1) * table[0, j - q] for q in range(j + 1))
    for j in range(n + 1):
        for i in range(m):
            table[i + 1, j] = sum(
                math.comb(i, p) * math.comb(j, q) * slopes(p + 1, q) * table[i - p, j - q]
                for p in range(i + 1)
                for q in range(j + 1)
            )
    return table[m, n]


def _gamma_slopes(polygamma: Any, a: Any, log_t: Any) -> Callable[[int, int], Any]:
    """The derivatives in a of log(t^a exp(-t) / gamma(a))."""
    return lambda i, j: (log_t if i == 1 else 0.0) - polygamma(i - 1, a)


def _beta_slopes(
    polygamma: Any, a: Any, b: Any, ab: Any, log_t: Any, log_1mt: Any
) -> Callable[[int, int], Any]:
    """The derivatives in a and b of log(t^a (1-t)^b gamma(ab) / (gamma(a) gamma(b))), ab being a + b."""

    def slopes(i: int, j: int) -> Any:
        total = polygamma(i + j - 1, ab)
        if j == 0:
            total = total - polygamma(i - 1, a) + (log_t if i == 1 else 0.0)
        if i == 0:
            total = total - polygamma(j - 1, b) + (log_1mt if j == 1 else 0.0)
        return total

    return slopes


def _tail(rate: Any, curvature: Any, integrand: Callable[[Any], Any]) -> Any:
    """The integral of integrand(s) over s > 0, where it decays as exp(-rate s - curvature s^2 / 2)."""
    scale = 2 / (onp.abs(rate) + onp.sqrt(rate**2 + 2 * curvature))
    return onp.sum(integrand(scale * _S) * _WEIGHTS, axis=-1) * scale[..., 0]


@primitive
def gammainc_jet(a: Any, x: Any, n: int) -> Any:
    """The derivative of order n >= 1 in a of ``gammainc(a, x)``."""
    psi, gammaln = scipy.special.polygamma, scipy.special.gammaln
    a, x = (v[..., None] for v in onp.broadcast_arrays(onp.asarray(a, float), onp.asarray(x, float)))
    with onp.errstate(all="ignore"):
        log_x = onp.log(x)
        # P(a, x) = P(a+1, x) + x^a exp(-x) / gamma(a+1), for a below one, where the density is flat in log t.
        step = onp.exp(a * log_x - x - gammaln(a + 1)) * bell(_gamma_slopes(psi, a + 1, log_x), n, 0)
        shift = a < 1
        a = onp.where(shift, a + 1, a)
        lower = log_x < psi(0, a)

        def integrand(s: Any) -> Any:
            u = onp.where(lower, log_x - s, log_x + s)
            return onp.exp(a * u - onp.exp(u) - gammaln(a)) * bell(_gamma_slopes(psi, a, u), n, 0)

        tail = _tail(a - x, x, integrand)
        total = onp.where(lower[..., 0], tail, -tail) + onp.where(shift, step, 0.0)[..., 0]
        end = onp.logical_or(x == 0, onp.isposinf(x))[..., 0]
    return onp.where(end, 0.0, total)[()]


@primitive
def betainc_jet(a: Any, b: Any, x: Any, m: int, n: int) -> Any:
    """The derivative of order m in a and n in b, m + n >= 1, of ``betainc(a, b, x)``."""
    psi, betaln, log_expit = scipy.special.polygamma, scipy.special.betaln, scipy.special.log_expit
    a, b, x = (v[..., None] for v in onp.broadcast_arrays(*(onp.asarray(v, float) for v in (a, b, x))))
    with onp.errstate(all="ignore"):
        log_x, log_1mx, logit = onp.log(x), onp.log1p(-x), scipy.special.logit(x)
        # I(a, b) = I(a+1, b) + D/a = I(a, b+1) - D/b with D = x^a (1-x)^b / B(a, b), for a or b below one.
        shift = a < 1
        step = onp.exp(a * log_x + b * log_1mx - betaln(a, b)) / a
        step = step * bell(_beta_slopes(psi, a + 1, b, a + b, log_x, log_1mx), m, n)
        total = onp.where(shift, step, 0.0)[..., 0]
        a = onp.where(shift, a + 1, a)
        shift = b < 1
        step = onp.exp(a * log_x + b * log_1mx - betaln(a, b)) / b
        step = step * bell(_beta_slopes(psi, a, b + 1, a + b, log_x, log_1mx), m, n)
        total = total - onp.where(shift, step, 0.0)[..., 0]
        b = onp.where(shift, b + 1, b)
        lower = x < a / (a + b)

        def integrand(s: Any) -> Any:
            u = onp.where(lower, logit - s, logit + s)
            log_t, log_1mt = log_expit(u), log_expit(-u)
            f = onp.exp(a * log_t + b * log_1mt - betaln(a, b))
            return f * bell(_beta_slopes(psi, a, b, a + b, log_t, log_1mt), m, n)

        tail = _tail(a - (a + b) * x, (a + b) * x * (1 - x), integrand)
        total = total + onp.where(lower[..., 0], tail, -tail)
        end = onp.logical_or(x == 0, x == 1)[..., 0]
    return onp.where(end, 0.0, total)[()]


def gamma_density(a: Any, x: Any) -> Any:
    """The derivative of ``gammainc(a, x)`` in x."""
    return anp.exp(sp.xlogy(a - 1, x) - x - sp.gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """The derivative of ``betainc(a, b, x)`` in x."""
    return anp.exp(sp.xlogy(a - 1, x) + sp.xlog1py(b - 1, -x) - sp.betaln(a, b))


def _gamma_density_jet(a: Any, x: Any, n: int) -> Any:
    return gamma_density(a, x) * bell(_gamma_slopes(sp.polygamma, a, anp.log(x)), n, 0)


def _beta_density_jet(a: Any, b: Any, x: Any, m: int, n: int) -> Any:
    return beta_density(a, b, x) * bell(
        _beta_slopes(sp.polygamma, a, b, a + b, anp.log(x), anp.log1p(-x)), m, n
    )


def _in(fun: Any, argnum: int, slope: Callable[..., Any]) -> None:
    """Declare the derivative of a jet in one operand; its orders are arguments of the slope."""

    def product(g: Any, ans: Any, *args: Any) -> Any:
        return g * slope(*args)

    derivative(fun, argnum, vjp=product, jvp=product, saves="x y z", broadcasts=True, entrywise=True)


_in(gammainc_jet, 0, lambda a, x, n: gammainc_jet(a, x, n + 1))
_in(gammainc_jet, 1, _gamma_density_jet)
_in(betainc_jet, 0, lambda a, b, x, m, n: betainc_jet(a, b, x, m + 1, n))
_in(betainc_jet, 1, lambda a, b, x, m, n: betainc_jet(a, b, x, m, n + 1))
_in(betainc_jet, 2, _beta_density_jet)

elementwise(
    sp.gammainc,
    lambda g, x, y: g * gammainc_jet(x, y, 1),
    lambda g, x, y: g * gamma_density(x, y),
)
elementwise(
    sp.gammaincc,
    lambda g, x, y: -g * gammainc_jet(x, y, 1),
    lambda g, x, y: -g * gamma_density(x, y),
)
elementwise(
    sp.gammaincinv,
    lambda g, x, ans: -g * gammainc_jet(x, ans, 1) / gamma_density(x, ans),
    lambda g, x, ans: g / gamma_density(x, ans),
)
elementwise(
    sp.gammainccinv,
    lambda g, x, ans: -g * gammainc_jet(x, ans, 1) / gamma_density(x, ans),
    lambda g, x, ans: -g / gamma_density(x, ans),
)

elementwise(
    sp.betainc,
    lambda g, x, y, z: g * betainc_jet(x, y, z, 1, 0),
    lambda g, x, y, z: g * betainc_jet(x, y, z, 0, 1),
    lambda g, x, y, z: g * beta_density(x, y, z),
)
elementwise(
    sp.betaincinv,
    lambda g, x, y, ans: -g * betainc_jet(x, y, ans, 1, 0) / beta_density(x, y, ans),
    lambda g, x, y, ans: -g * betainc_jet(x, y, ans, 0, 1) / beta_density(x, y, ans),
    lambda g, x, y, ans: g / beta_density(x, y, ans),
)
if hasattr(sp, "betaincc"):
    elementwise(
        sp.betaincc,
        lambda g, x, y, z: -g * betainc_jet(x, y, z, 1, 0),
        lambda g, x, y, z: -g * betainc_jet(x, y, z, 0, 1),
        lambda g, x, y, z: -g * beta_density(x, y, z),
    )
    elementwise(
        sp.betainccinv,
        lambda g, x, y, ans: -g * betainc_jet(x, y, ans, 1, 0) / beta_density(x, y, ans),
        lambda g, x, y, ans: -g * betainc_jet(x, y, ans, 0, 1) / beta_density(x, y, ans),
        lambda g, x, y, ans: -g / beta_density(x, y, ans),
    )


def student_density(df: Any, t: Any) -> Any:
    """The density of Student's t, the derivative of ``stdtr(df, t)`` in t."""
    log = -(df + 1) / 2 * anp.log1p(t * t / df) - sp.betaln(df / 2, 0.5) - anp.log(df) / 2
    return anp.exp(log)


def student_log_slope(df: Any, t: Any) -> Any:
    """The derivative of the logarithm of `student_density` in df."""
    u = t * t / df
    gammas = sp.psi((df + 1) / 2) - sp.psi(df / 2) - 1 / df
    return (gammas - anp.log1p(u) + (1 + 1 / df) * u / (1 + u)) / 2


def student_slope(df: Any, t: Any) -> Any:
    """The derivative of ``stdtr(df, t)`` in df.

    Near the centre, the integral of the density's derivative from 0 to t, by Gauss and Legendre's rule.
    Else from the tail, which is half of betainc(df/2, 1/2, df / (df + t^2)).
    """
    near = t * t < df
    u = anp.expand_dims(anp.where(near, t, 0.0), -1) * _LEGENDRE[0]
    v = anp.expand_dims(df, -1)
    centre = t * anp.sum(_LEGENDRE[1] * student_density(v, u) * student_log_slope(v, u), axis=-1)
    w = anp.where(near, 0.25, df / (df + t * t))
    tail = -anp.sign(t) * betainc_jet(df / 2, 0.5, w, 1, 0) / 4 - student_density(df, t) * t / (2 * df)
    return anp.where(near, centre, tail)


elementwise(
    sp.stdtr,
    lambda g, x, y: g * student_slope(x, y),
    lambda g, x, y: g * student_density(x, y),
)
elementwise(
    sp.stdtrit,
    lambda g, x, ans: -g * student_slope(x, ans) / student_density(x, ans),
    lambda g, x, ans: g / student_density(x, ans),
)


@composite(scipy.special.chdtr, sp)
def chdtr(v: Any, x: Any) -> Any:
    return sp.gammainc(anp.multiply(v, 0.5), anp.multiply(x, 0.5))


@composite(scipy.special.chdtrc, sp)
def chdtrc(v: Any, x: Any) -> Any:
    return sp.gammaincc(anp.multiply(v, 0.5), anp.multiply(x, 0.5))


@composite(scipy.special.gdtr, sp)
def gdtr(a: Any, b: Any, x: Any) -> Any:
    return sp.gammainc(b, anp.multiply(a, x))


@composite(scipy.special.gdtrc, sp)
def gdtrc(a: Any, b: Any, x: Any) -> Any:
    return sp.gammaincc(b, anp.multiply(a, x))


@composite(scipy.special.fdtr, sp)
def fdtr(dfn: Any, dfd: Any, x: Any) -> Any:
    u = anp.multiply(dfn, x)
    return sp.betainc(anp.multiply(dfn, 0.5), anp.multiply(dfd, 0.5), u / (dfd + u))


@composite(scipy.special.fdtrc, sp)
def fdtrc(dfn: Any, dfd: Any, x: Any) -> Any:
    u = anp.multiply(dfn, x)
    return sp.betainc(anp.multiply(dfd, 0.5), anp.multiply(dfn, 0.5), dfd / (dfd + u))
