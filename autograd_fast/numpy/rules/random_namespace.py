"""NumPy's random module, wrapped; `sampling` differentiates its draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as onp

from ..numpy_wrapper import wrap_namespace

wrap_namespace(onp.random.__dict__, globals())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
