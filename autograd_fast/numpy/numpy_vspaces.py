"""Vector spaces of arrays and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._vspaces import ArrayVSpaceBase, ComplexArrayVSpaceBase, set_array_mapping
from ..builtins import NamedTupleVSpace
from ..core import Like, VSpace


class ArrayVSpace(ArrayVSpaceBase, VSpace):
    """The space of real arrays of one shape and dtype.

    Parameters
    ----------
    value : array or number
        A member.
    """

    __init__ = ArrayVSpaceBase.__init__


class ComplexArrayVSpace(ComplexArrayVSpaceBase, ArrayVSpace):
    """The space of complex arrays of one shape and dtype, as a real space of twice the dimension."""

    __init__ = ArrayVSpaceBase.__init__
    iscomplex = True


def array_vspace(value: Any) -> ArrayVSpace:
    """The space of an array, real or complex."""
    return ComplexArrayVSpace(value) if value.dtype.kind == "c" else ArrayVSpace(value)


def like_vspace(value: Like) -> ArrayVSpace:
    """The space of an operand of which only shape and dtype were kept."""
    return array_vspace(np.empty(value.shape, value.dtype))


VSpace.register(np.ndarray, array_vspace)
set_array_mapping(array_vspace)
VSpace.register(Like, like_vspace)
for _real in (float, np.longdouble, np.float64, np.float32, np.float16):
    ArrayVSpace.register(_real)
for _complex in (complex, np.clongdouble, np.complex64, np.complex128):
    ComplexArrayVSpace.register(_complex)

_linalg = np.linalg._linalg if hasattr(np.linalg, "_linalg") else np.linalg.linalg  # type: ignore[attr-defined]


class EigResultVSpace(NamedTupleVSpace):
    seq_type = _linalg.EigResult


class EighResultVSpace(NamedTupleVSpace):
    seq_type = _linalg.EighResult


class QRResultVSpace(NamedTupleVSpace):
    seq_type = _linalg.QRResult


class SlogdetResultVSpace(NamedTupleVSpace):
    seq_type = _linalg.SlogdetResult


class SVDResultVSpace(NamedTupleVSpace):
    seq_type = _linalg.SVDResult


for _vspace_type in (EigResultVSpace, EighResultVSpace, QRResultVSpace, SlogdetResultVSpace, SVDResultVSpace):
    _vspace_type.register(_vspace_type.seq_type)
