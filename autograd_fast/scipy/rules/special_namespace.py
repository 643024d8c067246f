"""The traced names of ``scipy.special``: one primitive for each function of SciPy, whatever it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scipy.special

from autograd_fast.numpy.numpy_wrapper import wrap_namespace

wrap_namespace(scipy.special.__dict__, globals())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


def refuse(fun: str, operand: str, way_out: str) -> Any:
    """A map for an operand in which the derivative is not known: it raises, where zero would be a lie."""

    def refusal(g: Any) -> Any:
        raise NotImplementedError(f"{fun} has no derivative in its operand {operand}: {way_out}")

    return refusal
