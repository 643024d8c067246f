"""numpy.linalg, traced: every name of NumPy's module, from which `rules.linalg_*` take their derivatives.

Results with several parts keep NumPy's names: ``eigh(a).eigenvalues`` is ``eigh(a)[0]``, traced or not.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..builtins import SequenceBox
from ..tracer import getval
from .numpy_wrapper import wrap_namespace

wrap_namespace(onp.linalg.__dict__, globals())


class ResultBox(SequenceBox):
    """A traced named tuple: its parts by position or by name."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        kind = type(getval(self))
        fields = getattr(kind, "_fields", ())
        if name not in fields:
            raise AttributeError(f"a traced {kind.__name__} has no attribute {name!r}")
        return self[fields.index(name)]


for _call in (onp.linalg.eig, onp.linalg.eigh, onp.linalg.qr, onp.linalg.slogdet, onp.linalg.svd):
    ResultBox.register(type(_call(onp.eye(1))))
