"""Tools beside the derivatives: flattening containers, optimizers, fixed points, other tracers."""

from .flatten import flatten
from .tracers import const_graph

__all__ = ["const_graph", "flatten"]
