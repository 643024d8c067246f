"""Derivatives of the gamma function and its relatives.

``psi``, the logarithmic derivative of gamma, and its own derivatives ``polygamma(n, x)`` carry most of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as onp
import scipy.special

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import elementwise, zero_derivative
from autograd_fast.scipy.rules import special_namespace as sp
from autograd_fast.scipy.rules.special_namespace import refuse

_INTEGER = "it is a whole number; keep it out of the traced values"


@primitive
def polygamma_complex(n: int, z: Any) -> Any:
    """The nth derivative of psi at complex z, for which SciPy has no function.

    The recurrence (DLMF 5.15.5) moves z to the right, where the asymptotic series (DLMF 5.15.8) holds.
    """
    z = onp.asarray(z)
    sign = (-1) ** (n + 1)
    shifts = onp.maximum(0, onp.ceil(16 + n - z.real)).astype(int)
    total = onp.zeros(z.shape, complex)
    for k in range(int(shifts.max(initial=0))):
        reach = k < shifts
        total[reach] += sign * math.factorial(n) / (z[reach] + k) ** (n + 1)
    z = z + shifts
    total += sign * (math.factorial(n - 1) / z**n + math.factorial(n) / (2 * z ** (n + 1)))
    for k, b in enumerate(scipy.special.bernoulli(24)[2::2], start=1):
        total += sign * b * math.factorial(2 * k + n - 1) / math.factorial(2 * k) / z ** (2 * k + n)
    return total[()]


def _polygamma(n: int, x: Any) -> Any:
    return polygamma_complex(n, x) if anp.iscomplexobj(x) else sp.polygamma(n, x)


def _inverse_gamma_slope(g: Any, ans: Any, x: Any) -> Any:
    """The slope of 1/gamma: left of 1/2 from sin(pi x) gamma(1 - x) / pi, which is smooth at the poles."""
    if anp.iscomplexobj(x):
        return -g * ans * sp.psi(x)
    left = x < 0.5
    u = anp.where(left, x, 0.0)
    reflected = sp.gamma(1 - u) * (anp.cos(onp.pi * u) - anp.sin(onp.pi * u) * sp.psi(1 - u) / onp.pi)
    return g * anp.where(left, reflected, -ans * sp.psi(anp.where(left, 1.0, x)))


def _multigammaln_slope(g: Any, x: Any, y: Any) -> Any:
    return g * anp.sum(sp.psi(anp.expand_dims(x, -1) - onp.arange(y) / 2), axis=-1)


elementwise(sp.gamma, lambda g, ans, x: g * ans * sp.psi(x))
elementwise(sp.gammaln, lambda g, x: g * sp.psi(x))
elementwise(sp.loggamma, lambda g, x: g * sp.psi(x))
elementwise(sp.rgamma, _inverse_gamma_slope)
elementwise(sp.multigammaln, _multigammaln_slope, refuse("multigammaln", "d", _INTEGER))

elementwise(sp.psi, lambda g, x: g * _polygamma(1, x))
elementwise(
    sp.polygamma,
    refuse("polygamma", "n", _INTEGER),
    lambda g, x, y: g * sp.polygamma(x + 1, y),
)
elementwise(
    polygamma_complex,
    refuse("polygamma", "n", _INTEGER),
    lambda g, x, y: g * polygamma_complex(x + 1, y),
)

elementwise(
    sp.beta,
    lambda g, ans, x, y: g * ans * (sp.psi(x) - sp.psi(x + y)),
    lambda g, ans, x, y: g * ans * (sp.psi(y) - sp.psi(x + y)),
)
elementwise(
    sp.betaln,
    lambda g, x, y: g * (sp.psi(x) - sp.psi(x + y)),
    lambda g, x, y: g * (sp.psi(y) - sp.psi(x + y)),
)
elementwise(
    sp.poch,
    lambda g, ans, x, y: g * ans * (sp.psi(x + y) - sp.psi(x)),
    lambda g, ans, x, y: g * ans * sp.psi(x + y),
)
elementwise(
    sp.binom,
    lambda g, ans, x, y: g * ans * (sp.psi(x + 1) - sp.psi(x - y + 1)),
    lambda g, ans, x, y: g * ans * (sp.psi(x - y + 1) - sp.psi(y + 1)),
)
elementwise(
    sp.zeta,
    refuse("zeta", "x", "only the derivative in q has a closed form"),
    lambda g, x, y: -g * x * sp.zeta(x + 1, y),
)

zero_derivative([sp.gammasgn])
