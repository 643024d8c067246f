"""numpy.linalg, traced: every name of NumPy's module, from which `rules.linalg_*` take their derivatives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as onp

from . import numpy_wrapper as anp
from .numpy_wrapper import wrap_namespace

wrap_namespace(onp.linalg.__dict__, globals())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# HIPS's module has these beside NumPy's names, and programs written for it use them
_dot = partial(anp.einsum, "...ij,...jk->...ik")


def T(x: Any) -> Any:
    """The transposes of the matrices in the last two axes."""
    return anp.swapaxes(x, -1, -2)
