"""Part 3: one call of `grad`, from end to end.

`grad(f)` only builds a function.  Calling it does four things: make a root node, run f on a box around
the argument, walk the recorded graph from its end back to the root, and hand out what arrived there.
"""

import autograd_fast as ag
from autograd_fast.core import VJPNode, backward_pass
from autograd_fast.tracer import isbox, trace, trace_stack

events = []


def square(x):
    """x * x, with a note of what kind of argument it got."""
    events.append("boxed" if isbox(x) else "plain")
    return x * x


def by_hand(f, x):
    """What a call of `grad(f)(x)` does, in its steps."""
    root = VJPNode.new_root()
    # `trace` puts x into a start box, whose node is the root, and runs f on it.  What it returns is the
    # result without its box, and the node of that box: the end of the graph.
    value, end = trace(root, f, x)
    # The walk begins with the derivative of the result by itself, 1, and passes it on from each node to
    # its parents by their local rules.
    return backward_pass(1.0, end), value, root, end


def main():
    """Build, then call, then do the same by hand."""
    gradient = ag.grad(square)
    print("events when grad(square) has been built: ", events)
    assert events == []

    result = gradient(3.0)
    print("events when it has been called:          ", events)
    print("grad(square)(3.0) =", float(result))
    assert events == ["boxed"] and result == 6.0

    gradient(4.0)
    print("events when it has been called again:    ", events)
    assert events == ["boxed", "boxed"], "every call records a graph of its own"

    result, value, root, end = by_hand(square, 3.0)
    print("by hand: value", float(value), " gradient", float(result))
    assert (value, result) == (9.0, 6.0)
    # The graph is nothing but the nodes and their references to parents.  It lives as long as somebody
    # holds its end; there is no tape elsewhere that would have to be cleared.
    print("the end node's parents are the root, twice:", [parent is root for parent in end.parents])
    assert [parent is root for parent in end.parents] == [True, True]
    assert len(root.parents) == 0
    assert trace_stack.top == -1, "no trace is open any more"


if __name__ == "__main__":
    main()
