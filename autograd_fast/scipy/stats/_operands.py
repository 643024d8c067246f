"""Operands of distributions, as arrays."""

from __future__ import annotations

from typing import Any

from autograd_fast.numpy import numpy_wrapper as anp


def as_arrays(*values: Any) -> list[Any]:
    """The values, lists and tuples of numbers, plain or traced, made arrays."""
    return [anp.array(v) if isinstance(v, (list, tuple)) else v for v in values]
