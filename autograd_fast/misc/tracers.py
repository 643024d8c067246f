"""Tracers other than those of differentiation: recording a program, to run it again or to look at it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any

from ..tracer import Node, trace
from ..util import subvals, toposort
from ..wrap_util import wraps


class ConstGraphNode(Node):
    """A recorded operation with its plain arguments filled in; ``partial_fun`` takes the traced ones."""

    __slots__ = ("parents", "partial_fun")

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        args = subvals(args, zip(parent_argnums, repeat(None)))

        def partial_fun(partial_args):
            return fun(*subvals(args, zip(parent_argnums, partial_args, strict=True)), **kwargs)

        self.parents = parents
        self.partial_fun = partial_fun

    def initialize_root(self):
        self.parents = []


def const_graph_unary(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A version of `fun` that runs it once, and from then on repeats the operations that were recorded.

    Parameters
    ----------
    fun : callable
        A function of one argument whose operations, and their other operands, are always the same.
    """
    recorded: list[tuple[Any, list[Any]]] = []

    def maybe_cached_fun(x: Any) -> Any:
        if not recorded:
            start_node = ConstGraphNode.new_root()
            end_value, end_node = trace(start_node, fun, x)
            if end_node is None:
                raise Exception("Output is independent of input")
            recorded.append((start_node, list(toposort(end_node))[::-1]))
            return end_value
        start_node, nodes = recorded[0]
        values = {start_node: x}
        for node in nodes:
            if node is not start_node:
                values[node] = node.partial_fun([values[parent] for parent in node.parents])
        return values[nodes[-1]]

    return maybe_cached_fun


def const_graph(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """A version of `fun` that runs it once, and from then on repeats the operations that were recorded.

    Parameters
    ----------
    fun : callable
        A function whose operations, and their plain operands, are always the same.
    *args, **kwargs
        Its first positional and its keyword arguments, fixed for good.

    Returns
    -------
    callable
        Takes the other positional arguments.
    """
    partial_fun = partial(fun, *args, **kwargs)
    cached = const_graph_unary(lambda args: partial_fun(*args))

    @wraps(fun)
    def fun_of_the_rest(*args: Any) -> Any:
        return cached(args)

    return fun_of_the_rest


class FullGraphNode(Node):
    """A recorded operation: its ``value``, and ``recipe``, how it was made.

    A recipe is (function, arguments, keyword arguments, [(position, parent node), ...]).
    """

    __slots__ = ("recipe", "value")

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        self.value = value
        self.recipe = (fun, args, kwargs, list(zip(parent_argnums, parents, strict=True)))

    def initialize_root(self):
        self.value = None
        self.recipe = (lambda x: x, (), {}, [])


def full_graph(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> FullGraphNode | None:
    """Run ``fun(*args, **kwargs)`` and return the last node of its recorded graph.

    Returns
    -------
    FullGraphNode or None
        None, and a warning is given, if the result does not depend on `args`.  The root of the graph
        stands for the tuple of the positional arguments.
    """
    return trace(FullGraphNode.new_root(), lambda args: fun(*args, **kwargs), args)[1]
