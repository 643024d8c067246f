"""The primitives that the compiled core calls itself, in derivatives of its short ways."""

from __future__ import annotations

from ..._einsum import set_einsum
from ..._joins import set_joins
from ..._linear import set_linear_primitives
from ..._pulls import set_pull_namespace
from .. import numpy_wrapper as anp
from ..numpy_boxes import ArrayBox
from . import joining
from .piecewise import _where
from .reductions import spread_over
from .shape import reshape_array
from .subscripts import scatter

set_pull_namespace(anp)
set_linear_primitives(
    ArrayBox.__getitem__,
    scatter,
    reshape_array,
    anp.transpose,
    spread_over,
    anp.sum,
    anp.divide,
    anp.multiply,
    _where,
)
set_joins(
    anp.concatenate_args,
    anp.array_from_args,
    joining._concatenate,
    joining._stack,
    joining._hstack,
    joining._vstack,
    joining._column_stack,
    joining._append,
)
set_einsum(anp.einsum)
