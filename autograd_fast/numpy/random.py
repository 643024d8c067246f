"""numpy.random, traced: every name of NumPy's module; `rules.sampling` differentiates the draws.

``default_rng`` and the other classes are NumPy's own: a Generator accepts plain numbers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as onp

from .rules import random_namespace, sampling  # noqa: F401

_names = [name for name in vars(onp.random) if not name.startswith("__") and hasattr(random_namespace, name)]
globals().update({name: getattr(random_namespace, name) for name in _names})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
