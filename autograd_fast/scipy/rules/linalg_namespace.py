"""The traced names of ``scipy.linalg``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scipy.linalg

from autograd_fast.numpy.numpy_wrapper import wrap_namespace

wrap_namespace(scipy.linalg.__dict__, globals())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
