"""Part 4: boxes, and what a primitive does with them.

A box stands for a value while a function is being traced.  It holds the value, the number of the trace
that it belongs to, and its node in that trace's graph.  A primitive that meets boxes takes one layer off,
runs on what was inside, and puts the result into a new box with a new node.
"""

import numpy as onp

import autograd_fast.numpy as np
from autograd_fast.core import VJPNode
from autograd_fast.extend import defvjp, primitive
from autograd_fast.numpy.numpy_boxes import ArrayBox
from autograd_fast.tracer import getval, isbox, trace, trace_stack
from autograd_fast.util import toposort

seen = []


@primitive
def double(x):
    """Twice its argument; writes down what kind of argument the inside of a primitive sees."""
    seen.append(type(x))
    return 2.0 * x


defvjp(double, lambda ans, x: lambda g: 2.0 * g)


def main():
    """Look into a box, follow one primitive, and see which operations leave no node."""
    x = onp.array([1.0, -2.0, 3.0])

    def look(x):
        print("a box:", type(x).__name__, " trace", x._trace, " value", x._value)
        assert type(x) is ArrayBox and isinstance(x._node, VJPNode)
        assert x._trace == trace_stack.top == 0
        y = double(x)
        print("double saw:", seen[-1].__name__, " and its result is:", type(y).__name__)
        assert seen == [onp.ndarray]
        assert isbox(y) and y._trace == x._trace and y._node is not x._node
        onp.testing.assert_array_equal(y._value, [2.0, -4.0, 6.0])
        # The edge from the result to the argument is kept by the nodes, not by the boxes.
        assert [parent is x._node for parent in y._node.parents] == [True]
        assert getval(y) is y._value
        return np.sum(y)

    value, end = trace(VJPNode.new_root(), look, x)
    print("outside again:", type(value).__name__, float(value), " end node:", type(end).__name__)
    assert not isbox(value) and value == 4.0

    def questions(x):
        answers = [x.shape, x.ndim, x.dtype, len(x), x > 0.0, np.sign(x), np.argmax(x), np.isfinite(x)]
        # No box, no node: nothing that is done with these answers can lead back to x.
        assert not any(isbox(answer) for answer in answers)
        # A comparison answers with plain numbers, so ordinary `if` and indexing by a mask work; the graph
        # is of the branch that was taken.
        return np.sum(x[x > 0.0])

    _value, end = trace(VJPNode.new_root(), questions, x)
    nodes = list(toposort(end))
    print("nodes for eight questions: 0, for an index and a sum:", len(nodes) - 1)
    assert len(nodes) == 3, "the root, the index and the sum"
    assert trace_stack.top == -1


if __name__ == "__main__":
    main()
