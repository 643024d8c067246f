"""Derivatives of Bessel functions in their argument, from the recurrences between neighbouring orders.

The recurrences are in DLMF 10.6 and 10.29.  In the order itself no derivative is known here: a traced
order raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import elementwise
from autograd_fast.scipy.rules import special_namespace as sp
from autograd_fast.scipy.rules.special_namespace import refuse


def _in_argument(name: str, slope: Callable[[Any, Any, Any, Any], Any]) -> None:
    """Declare ``f(order, x)`` by its slope in x, a function of (f, order, x, f(order, x))."""
    fun = getattr(sp, name)
    order = refuse(
        name, "order", "differentiate in the argument, and keep the order out of the traced values"
    )
    elementwise(fun, order, lambda g, ans, x, y: g * slope(fun, x, y, ans))


def _scale_sign(x: Any) -> Any:
    """The slope of the |x| in a scale exp(-|x|), which is not holomorphic."""
    if anp.iscomplexobj(x):
        raise NotImplementedError(
            "i0e, i1e, ive, jve and yve have derivatives for real arguments only: use iv, jv, yv"
        )
    return anp.sign(x)


elementwise(sp.j0, lambda g, x: -g * sp.j1(x))
elementwise(sp.j1, lambda g, x: g * (sp.j0(x) - sp.jv(2, x)) / 2)
elementwise(sp.y0, lambda g, x: -g * sp.y1(x))
elementwise(sp.y1, lambda g, x: g * (sp.y0(x) - sp.yn(2, x)) / 2)
elementwise(sp.i0, lambda g, x: g * sp.i1(x))
elementwise(sp.i1, lambda g, x: g * (sp.i0(x) + sp.iv(2, x)) / 2)
elementwise(sp.k0, lambda g, x: -g * sp.k1(x))
elementwise(sp.k1, lambda g, x: -g * (sp.k0(x) + sp.kn(2, x)) / 2)

for _name in ("jv", "yv", "yn", "hankel1", "hankel2"):
    _in_argument(_name, lambda f, n, x, ans: (f(n - 1, x) - f(n + 1, x)) / 2)
_in_argument("iv", lambda f, n, x, ans: (f(n - 1, x) + f(n + 1, x)) / 2)
for _name in ("kv", "kn"):
    _in_argument(_name, lambda f, n, x, ans: -(f(n - 1, x) + f(n + 1, x)) / 2)

# Scaled by exp(-|x|), exp(x), exp(-ix) or exp(ix).  For real x the scale of jve and yve is one.
elementwise(sp.i0e, lambda g, ans, x: g * (sp.i1e(x) - _scale_sign(x) * ans))
elementwise(sp.i1e, lambda g, ans, x: g * ((sp.i0e(x) + sp.ive(2, x)) / 2 - _scale_sign(x) * ans))
elementwise(sp.k0e, lambda g, ans, x: g * (ans - sp.k1e(x)))
elementwise(sp.k1e, lambda g, ans, x: g * (ans - (sp.k0e(x) + sp.kve(2, x)) / 2))
_in_argument("ive", lambda f, n, x, ans: (f(n - 1, x) + f(n + 1, x)) / 2 - _scale_sign(x) * ans)
_in_argument("kve", lambda f, n, x, ans: ans - (f(n - 1, x) + f(n + 1, x)) / 2)
_in_argument("hankel1e", lambda f, n, x, ans: (f(n - 1, x) - f(n + 1, x)) / 2 - 1j * ans)
_in_argument("hankel2e", lambda f, n, x, ans: (f(n - 1, x) - f(n + 1, x)) / 2 + 1j * ans)
for _name in ("jve", "yve"):
    _in_argument(_name, lambda f, n, x, ans: (f(n - 1, x) - f(n + 1, x)) / 2 * _scale_sign(x) ** 2)
