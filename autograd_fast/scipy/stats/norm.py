"""The normal distribution, its functions differentiable in all operands."""

from __future__ import annotations

from typing import Any

import scipy.stats

from autograd_fast.extend import primitive
from autograd_fast.numpy import numpy_wrapper as anp
from autograd_fast.rules import elementwise
from autograd_fast.scipy.rules.special_error import inverse_mills, normal_density


# SciPy's methods take *args and **kwds.  With signatures of their own, keywords find their operands; and
# every operand is passed on, so that a rule always sees all three.


@primitive
def _logpdf(x: Any, loc: Any, scale: Any) -> Any:
    return scipy.stats.norm.logpdf(x, loc, scale)
