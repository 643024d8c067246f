"""NumPy's functions whose derivative is zero by mathematics: a traced operand gives a plain result.

``sign`` is in `piecewise` (it is not constant for complex operands), the histograms, which are constant in
the data but not in the weights, in `numerical`.
"""

from __future__ import annotations

from ...rules import zero_derivative
from .. import numpy_wrapper as anp

ROUNDING = "floor ceil trunc rint fix round around round_ floor_divide signbit spacing"
COMPARISONS = """
    greater greater_equal less less_equal equal not_equal isclose allclose array_equal array_equiv
    logical_and logical_or logical_xor logical_not all any isin in1d
"""
KINDS_OF_NUMBERS = """
    isfinite isinf isnan isneginf isposinf iscomplex isreal iscomplexobj isrealobj isscalar
"""
POSITIONS = """
    argmax argmin nanargmax nanargmin argsort argpartition lexsort searchsorted digitize
    nonzero flatnonzero argwhere count_nonzero histogram_bin_edges
"""
SHAPES_AND_TYPES = """
    shape size ndim zeros_like ones_like empty_like result_type can_cast common_type min_scalar_type
    isfortran iterable einsum_path triu_indices_from tril_indices_from diag_indices_from may_share_memory
    shares_memory array_repr array_str array2string
"""

_names = " ".join([ROUNDING, COMPARISONS, KINDS_OF_NUMBERS, POSITIONS, SHAPES_AND_TYPES]).split()
zero_derivative(getattr(anp, name) for name in _names if hasattr(anp, name))
