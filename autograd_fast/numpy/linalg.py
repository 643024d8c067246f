"""numpy.linalg, traced: every name of NumPy's module, from which `rules.linalg_*` take their derivatives."""

from __future__ import annotations

import numpy as onp

from .numpy_wrapper import wrap_namespace

wrap_namespace(onp.linalg.__dict__, globals())
