"""Derivatives of the functions of ``scipy.special`` that are made of powers, exponentials and logarithms."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as onp
import scipy.special

from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import composite, elementwise
from autograd_fast.scipy.rules import special_namespace as sp
from autograd_fast.scipy.rules.special_namespace import refuse

_DEGREE = float(onp.pi / 180)


def _expn_before(n: Any, x: Any) -> Any:
    """expn of the order before n; SciPy has none of order -1, which is elementary, as is order 0."""
    low = anp.exp(-x) / x * anp.where(anp.equal(n, 0), 1 + 1 / x, 1.0)
    return anp.where(anp.greater(n, 1), sp.expn(anp.maximum(n - 1, 0), x), low)


def _spence_slope(x: Any) -> Any:
    """log(x) / (1 - x), by its series next to 1."""
    d = 1 - x
    near = anp.abs(d) < 1e-3
    series = 1 + d * (1 / 2 + d * (1 / 3 + d * (1 / 4 + d / 5)))
    return anp.where(near, -series, anp.log(anp.where(near, 2.0, x)) / anp.where(near, 1.0, d))


def ratio(x: Any, y: Any) -> Any:
    """x / y, and 0 for 0 / 0."""
    both = anp.logical_and(anp.equal(x, 0), anp.equal(y, 0))
    return anp.divide(x, anp.where(both, 1.0, y))


elementwise(
    sp.xlogy,
    lambda g, y: g * anp.log(y),
    lambda g, x, y: g * ratio(x, y),
)
elementwise(
    sp.xlog1py,
    lambda g, y: g * anp.log1p(y),
    lambda g, x, y: g * ratio(x, 1 + y),
)
elementwise(sp.entr, lambda g, x: -g * (anp.log(x) + 1))
elementwise(
    sp.rel_entr,
    lambda g, x, y: g * (anp.log(x) - anp.log(y) + 1),
    lambda g, x, y: -g * ratio(x, y),
)
elementwise(
    sp.kl_div,
    lambda g, x, y: g * (anp.log(x) - anp.log(y)),
    lambda g, x, y: g * (1 - ratio(x, y)),
)
elementwise(
    sp.huber,
    lambda g, x, y: g * anp.where(anp.abs(y) > x, anp.abs(y) - x, 0.0),
    lambda g, x, y: g * anp.where(anp.abs(y) > x, x * anp.sign(y), y),
)


@composite(scipy.special.pseudo_huber, sp)
def pseudo_huber(delta: Any, r: Any) -> Any:
    # delta^2 (sqrt(1 + u^2) - 1) at u = r/delta, without the cancellation for small u.
    u = anp.divide(r, delta)
    return delta * r * u / (1 + anp.sqrt(1 + u * u))


elementwise(sp.expm1, lambda g, ans: g * (ans + 1))
elementwise(sp.log1p, lambda g, x: g / (1 + x))
elementwise(sp.exp2, lambda g, ans: g * ans * math.log(2))
elementwise(sp.exp10, lambda g, ans: g * ans * math.log(10))
elementwise(sp.cbrt, lambda g, ans: g / (3 * ans * ans))
elementwise(sp.cosm1, lambda g, x: -g * anp.sin(x))
elementwise(sp.sindg, lambda g, x: g * _DEGREE * sp.cosdg(x))
elementwise(sp.cosdg, lambda g, x: -g * _DEGREE * sp.sindg(x))
elementwise(sp.tandg, lambda g, ans: g * _DEGREE * (1 + ans * ans))
elementwise(sp.cotdg, lambda g, ans: -g * _DEGREE * (1 + ans * ans))

elementwise(sp.exp1, lambda g, x: -g * anp.exp(-x) / x)
elementwise(sp.expi, lambda g, x: g * anp.exp(x) / x)
elementwise(
    sp.expn,
    refuse("expn", "n", "it is a whole number; keep it out of the traced values"),
    lambda g, x, y: -g * _expn_before(x, y),
)
elementwise(sp.spence, lambda g, x: g * _spence_slope(x))

# exprel(x) is the mean of exp(s x) over s in (0, 1), and its nth derivative that of s^n exp(s x), which is
# hyp1f1(n + 1, n + 2, x) / (n + 1) (DLMF 13.4.1).
_HYPER = "only the derivative in the last argument is known"
elementwise(sp.exprel, lambda g, x: g * sp.hyp1f1(2, 3, x) / 2)
elementwise(
    sp.hyp1f1,
    refuse("hyp1f1", "a", _HYPER),
    refuse("hyp1f1", "b", _HYPER),
    lambda g, x, y, z: g * x / y * sp.hyp1f1(x + 1, y + 1, z),
)
elementwise(
    sp.hyp0f1,
    refuse("hyp0f1", "v", _HYPER),
    lambda g, x, y: g / x * sp.hyp0f1(x + 1, y),
)


def _boxcox_slope(log: Any, power: Any) -> Any:
    """The derivative in the power of (exp(power log) - 1) / power, which is log exprel(power log)."""
    return log * log * sp.hyp1f1(2, 3, power * log) / 2


def _inv_boxcox_slope(y: Any, power: Any, ans: Any) -> Any:
    """The derivative in the power of exp(log1p(power y) / power): by its series for a small product u."""
    u = y * power
    near = anp.abs(u) < 1e-2
    series = -1 / 2 + u * (2 / 3 - u * (3 / 4 - u * (4 / 5 - u * (5 / 6 - u * (6 / 7 - u * 7 / 8)))))
    v = anp.where(near, 1.0, u)
    return ans * y * y * anp.where(near, series, (v / (1 + v) - anp.log1p(v)) / (v * v))


elementwise(
    sp.boxcox,
    lambda g, x, y: g * anp.exp(sp.xlogy(y - 1, x)),
    lambda g, x, y: g * _boxcox_slope(anp.log(x), y),
)
elementwise(
    sp.boxcox1p,
    lambda g, x, y: g * anp.exp(sp.xlog1py(y - 1, x)),
    lambda g, x, y: g * _boxcox_slope(anp.log1p(x), y),
)
elementwise(
    sp.inv_boxcox,
    lambda g, x, y, ans: g * ans / (1 + x * y),
    lambda g, x, y, ans: g * _inv_boxcox_slope(x, y, ans),
)
elementwise(
    sp.inv_boxcox1p,
    lambda g, x, y, ans: g * (ans + 1) / (1 + x * y),
    lambda g, x, y, ans: g * _inv_boxcox_slope(x, y, ans + 1),
)

# Complete elliptic integrals of parameter m, DLMF 19.4.1 and 19.4.2; next to m = 0 their power series,
# DLMF 19.5.1 and 19.5.2.
_POWERS = onp.arange(1.0, 17)
_K_SERIES = onp.pi / 2 * _POWERS * onp.cumprod((2 * _POWERS - 1) / (2 * _POWERS)) ** 2


def _polynomial(coefficients: Any, x: Any) -> Any:
    return functools.reduce(lambda total, c: c + x * total, coefficients[::-1].tolist(), 0.0)


def _ellipk_slope(m: Any) -> Any:
    near = anp.abs(m) < 0.1
    u = anp.where(near, 0.5, m)
    far = (sp.ellipe(u) / (1 - u) - sp.ellipk(u)) / (2 * u)
    return anp.where(near, _polynomial(_K_SERIES, anp.where(near, m, 0.0)), far)


def _ellipe_slope(m: Any) -> Any:
    near = anp.abs(m) < 0.1
    u = anp.where(near, 0.5, m)
    series = _polynomial(-_K_SERIES / (2 * _POWERS - 1), anp.where(near, m, 0.0))
    return anp.where(near, series, (sp.ellipe(u) - sp.ellipk(u)) / (2 * u))


elementwise(sp.ellipk, lambda g, x: g * _ellipk_slope(x))
elementwise(sp.ellipkm1, lambda g, x: -g * _ellipk_slope(1 - x))
elementwise(sp.ellipe, lambda g, x: g * _ellipe_slope(x))

elementwise(
    sp.owens_t,
    lambda g, x, y: -g * anp.exp(-x * x / 2) * sp.erf(x * y / math.sqrt(2)) / (2 * math.sqrt(2 * math.pi)),
    lambda g, x, y: g * anp.exp(-x * x * (1 + y * y) / 2) / (2 * onp.pi * (1 + y * y)),
)
