"""numpy.polynomial, with its functions traced; the classes are NumPy's own."""

from __future__ import annotations

import numpy as onp

from . import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

globals().update(
    {name: getattr(onp.polynomial, name) for name in onp.polynomial.__all__ if name not in globals()}
)

__all__ = list(onp.polynomial.__all__)
