"""``scipy.special``, traced: every function of SciPy's, those with a known derivative differentiable.

The derivatives are in ``autograd_fast.scipy.rules``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_fast.scipy.rules import (  # noqa: F401
    special_bessel,
    special_elementary,
    special_error,
    special_gamma,
    special_incomplete,
    special_sums,
)
from autograd_fast.scipy.rules.special_namespace import *  # noqa: F403

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
