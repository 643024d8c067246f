"""numpy.random, traced: every name of NumPy's module; `rules.sampling` differentiates the draws.

``default_rng`` and the other classes are NumPy's own: a Generator accepts plain numbers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as onp

from .numpy_wrapper import wrap_namespace

wrap_namespace(onp.random.__dict__, globals())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
