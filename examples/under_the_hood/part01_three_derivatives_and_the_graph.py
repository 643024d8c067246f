"""Part 1: three ways to a derivative, and the graph that the third one records.

A derivative can be had by algebra on formulas (symbolic), from differences of values (numerical), or by
running the program once while writing down its elementary steps (automatic).  The last is exact like the
first and needs only the program like the second.
"""

import math

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.tracer import Node, trace


def f(x):
    """The function of this part, sin(x) x + 2: three elementary steps."""
    return np.sin(x) * x + 2.0


def symbolic(x):
    """Its derivative, worked out by hand with the product rule."""
    return math.cos(x) * x + math.sin(x)


def numerical(x, step):
    """A central difference: wrong by O(step^2), and by the rounding error of f divided by step."""
    return (f(x + step) - f(x - step)) / (2.0 * step)


class RecordingNode(Node):
    """A node that writes down everything it is told about its step.

    `trace` runs a function on a box.  Each primitive that meets the box makes a node of the class of the
    start node, so the kind of node alone decides what tracing is for: reverse mode and forward mode are
    two kinds, and this is a third.
    """

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        self.name = fun.__name__
        self.value = value
        self.args = args
        self.parents = tuple(parents)

    def initialize_root(self, value):
        """The node of the input: it has a value and no history."""
        self.name, self.value, self.args, self.parents = "input", value, (), ()


def history(node):
    """The nodes behind `node`, each after its parents."""
    ordered, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for parent in node.parents:
                visit(parent)
            ordered.append(node)

    visit(node)
    return ordered


def main():
    """Print the three derivatives beside each other, then the recorded graph."""
    x = 3.0
    exact = symbolic(x)
    automatic = ag.grad(f)(x)
    print(f"symbolic    {exact:.15f}")
    print(f"automatic   {automatic:.15f}   error {abs(automatic - exact):.1e}")
    assert abs(automatic - exact) < 1e-14
    errors = {}
    for step in (1e-1, 1e-5, 1e-12):
        estimate = numerical(x, step)
        errors[step] = abs(estimate - exact)
        print(f"numerical   {estimate:.15f}   error {errors[step]:.1e} with step {step:.0e}")
    # A long step misses the curvature, a short one drowns in rounding; even the best is far from exact.
    assert errors[1e-5] < errors[1e-1] and errors[1e-5] < errors[1e-12]
    assert errors[1e-5] > abs(automatic - exact)

    value, end = trace(RecordingNode.new_root(x), f, x)
    nodes = history(end)
    number = {node: i for i, node in enumerate(nodes)}
    print("\nnode  step      value      parents")
    for node in nodes:
        parents = [number[parent] for parent in node.parents]
        print(f"{number[node]:4d}  {node.name:8s}  {float(node.value):9.6f}  {parents}")
    # The constant 2.0 is an argument of the addition, but no node: nothing flows back to a constant.
    assert [node.name for node in nodes] == ["input", "sin", "multiply", "add"]
    assert [[number[parent] for parent in node.parents] for node in nodes] == [[], [0], [1, 0], [2]]
    assert value == nodes[-1].value == f(x)


if __name__ == "__main__":
    main()
