"""``scipy.linalg``, traced: every function of SciPy's, those with a known derivative differentiable.

The derivatives are in ``autograd_fast.scipy.rules``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_fast.scipy.rules import linalg_factors, linalg_functions, linalg_solve  # noqa: F401
from autograd_fast.scipy.rules.linalg_namespace import *  # noqa: F403

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
