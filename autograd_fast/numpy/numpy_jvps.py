"""Helpers for writing JVPs, under the names that HIPS gives them; the rules themselves are in ``rules``."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..core import def_linear, defjvp, defjvp_argnum, func
from . import numpy_wrapper as anp

__all__ = ["broadcast", "def_linear", "defjvp", "defjvp_argnum", "func"]


def broadcast(x: Any, target: Any) -> Any:
    """A tangent broadcast to the shape, and made complex if the kind, of `target`."""
    shape = anp.shape(target)
    if anp.shape(x) != shape:
        x = anp.broadcast_to(x, shape)
    if anp.iscomplexobj(target) and not anp.iscomplexobj(x):
        x = x + 0j
    return x + onp.zeros(()) if anp.ndim(x) == 0 else x
