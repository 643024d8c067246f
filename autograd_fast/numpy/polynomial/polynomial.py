"""numpy.polynomial.polynomial, with `polyval` traced; the other functions are NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy as onp
from numpy.polynomial.polynomial import *  # noqa: F403

from ...rules import composite
from .. import numpy_wrapper as anp
from ..rules.operands import as_array, dtype_of


@composite(onp.polynomial.polynomial.polyval)  # type: ignore[no-redef]
def polyval(x: Any, c: Any, tensor: bool = True) -> Any:
    """By Horner's rule, along the first axis of the coefficients, which are of rising powers."""
    x, c = as_array(x), anp.atleast_1d(as_array(c))
    if dtype_of(c).kind in "biu":
        c = c * 1.0
    if tensor and anp.ndim(x):
        c = anp.reshape(c, anp.shape(c) + (1,) * anp.ndim(x))
    value = c[-1] + 0 * x
    for k in range(anp.shape(c)[0] - 2, -1, -1):
        value = c[k] + value * x
    return value
