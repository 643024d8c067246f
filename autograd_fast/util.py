"""Small helpers: replacing elements of a tuple, ordering a graph, an old gradient check."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

deprecation_msg = """
The quick_grad_check function is deprecated. See the update guide:
https://github.com/HIPS/autograd/blob/master/docs/updateguide.md"""


def subvals(x: Sequence[Any], ivs: Iterable[tuple[int, Any]]) -> tuple[Any, ...]:
    """A copy of `x`, as a tuple, with other values at some positions.

    Parameters
    ----------
    x : sequence
    ivs : iterable of (int, value)
        Position and new value.
    """
    changed = list(x)
    for i, v in ivs:
        changed[i] = v
    return tuple(changed)


def subval(x: Sequence[Any], i: int, v: Any) -> tuple[Any, ...]:
    """A copy of `x`, as a tuple, with `v` at position `i`."""
    changed = list(x)
    changed[i] = v
    return tuple(changed)


def shallow_copy(x: Any) -> Any:
    """As `copy.copy`, whose module few programs need: it is imported here."""
    import copy

    return copy.copy(x)


def func(f: Any) -> Any:
    """`f` itself: a method is a function when it is looked up on its class."""
    return f


def toposort(
    end_node: Any, parents: Callable[[Any], Iterable[Any]] = operator.attrgetter("parents")
) -> Iterator[Any]:
    """Every node that `end_node` depends on, each after all the nodes that depend on it.

    Parameters
    ----------
    end_node : node
        Comes first.
    parents : callable
        The nodes that a node depends on; one may occur several times.

    Yields
    ------
    node
        Time and memory are linear in the number of edges; the depth of the graph is not limited.
    """
    uses: dict[int, int] = {}
    pending = [end_node]
    while pending:
        node = pending.pop()
        seen = uses.get(id(node), 0)
        uses[id(node)] = seen + 1
        if not seen:
            pending.extend(parents(node))

    ready = [end_node]
    while ready:
        node = ready.pop()
        yield node
        for parent in parents(node):
            uses[id(parent)] -= 1
            if not uses[id(parent)]:
                ready.append(parent)


def quick_grad_check(
    fun: Callable[..., Any],
    arg0: Any,
    extra_args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] = {},
    verbose: bool = True,
    eps: float = 1e-4,
    rtol: float = 1e-4,
    atol: float = 1e-6,
    rs: Any = None,
) -> None:
    """Check the reverse-mode derivative in the first argument; `test_util.check_grads` has replaced it.

    Parameters
    ----------
    fun : callable
    arg0 : value
        The argument to differentiate in.
    extra_args, kwargs
        The other arguments of `fun`.
    verbose, eps, rtol, atol, rs
        Accepted and not used.

    Warns
    -----
    UserWarning
        Always: the function is deprecated.
    """
    from .test_util import check_grads

    warnings.warn(deprecation_msg, stacklevel=2)

    def of_first(arg: Any) -> Any:
        return fun(arg, *extra_args, **kwargs)

    check_grads(of_first, modes=["rev"], order=1)(arg0)
