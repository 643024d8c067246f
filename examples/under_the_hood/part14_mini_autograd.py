"""Part 14: the whole idea again, in under 100 lines of plain Python.

Scalars only, reverse mode only, and no NumPy; but boxes, traces, nodes, primitives and nested derivatives
are all there, under the names that the library gives them.
"""

import inspect
import math

import autograd_fast as ag
import autograd_fast.numpy as np


class Engine:
    """A name for the lines that are counted: everything of the engine is in here."""

    class Node:
        """One step: pairs of a parent and the pull-back that leads to it."""

        def __init__(self, edges):
            self.edges = edges

    class Box:
        """A value while it is traced: it holds the value, the number of its trace, and its node."""

        def __init__(self, value, trace, node):
            self.value, self.trace, self.node = value, trace, node

    top = -1  # the number of the innermost open trace

    @classmethod
    def primitive(cls, function, *rules):
        """Make a traced function.  ``rules[i](ans, *args)`` is the local derivative by operand i."""

        def traced(*args):
            trace = max((a.trace for a in args if isinstance(a, cls.Box)), default=-1)
            if trace == -1:
                return function(*args)
            boxed = [isinstance(a, cls.Box) and a.trace == trace for a in args]
            inner = [a.value if b else a for a, b in zip(args, boxed, strict=True)]
            ans = traced(*inner)  # one layer is off; there may be more
            edges = [
                # The slope is computed when the backward pass asks for it, by traced functions.
                (a.node, lambda g, rule=rule: g * rule(ans, *inner))
                for a, b, rule in zip(args, boxed, rules, strict=True)
                if b
            ]
            return cls.Box(ans, trace, cls.Node(edges))

        return traced

    @classmethod
    def grad(cls, function):
        """The derivative of a function of one number, which may itself be differentiated."""

        def gradient(x):
            cls.top += 1
            try:
                root, trace = cls.Node([]), cls.top
                end = function(cls.Box(x, trace, root))
            finally:
                cls.top -= 1
            if not isinstance(end, cls.Box) or end.trace != trace:
                return 0.0  # no path leads from the result to x
            arrived = {end.node: 1.0}
            for node in cls.order(end.node):
                g = arrived[node]
                for parent, pull_back in node.edges:
                    cotangent = pull_back(g)
                    arrived[parent] = arrived[parent] + cotangent if parent in arrived else cotangent
            return arrived[root]

        return gradient

    @staticmethod
    def order(end):
        """All nodes behind `end`, each before its parents."""
        ordered, seen, stack = [], set(), [(end, False)]
        while stack:
            node, done = stack.pop()
            if done:
                ordered.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.edges)
        return reversed(ordered)


primitive, grad = Engine.primitive, Engine.grad
add = primitive(lambda x, y: x + y, lambda ans, x, y: 1.0, lambda ans, x, y: 1.0)
subtract = primitive(lambda x, y: x - y, lambda ans, x, y: 1.0, lambda ans, x, y: -1.0)
multiply = primitive(lambda x, y: x * y, lambda ans, x, y: y, lambda ans, x, y: x)
divide = primitive(lambda x, y: x / y, lambda ans, x, y: 1.0 / y, lambda ans, x, y: -ans / y)
negative = primitive(lambda x: -x, lambda ans, x: -1.0)
exp = primitive(math.exp, lambda ans, x: ans)
log = primitive(math.log, lambda ans, x: 1.0 / x)
sin = primitive(math.sin, lambda ans, x: cos(x))
cos = primitive(math.cos, lambda ans, x: -sin(x))
tanh = primitive(math.tanh, lambda ans, x: 1.0 - ans * ans)

for _name, _function in (("add", add), ("sub", subtract), ("mul", multiply), ("truediv", divide)):
    setattr(Engine.Box, f"__{_name}__", _function)
    setattr(Engine.Box, f"__r{_name}__", lambda x, y, function=_function: function(y, x))
Engine.Box.__neg__ = negative

PROGRAMS = {
    "x x x": (lambda x: x * x * x, lambda x: x * x * x),
    "x sin(x) + 2": (lambda x: x * sin(x) + 2.0, lambda x: x * np.sin(x) + 2.0),
    "exp(-x x / 2) / x": (lambda x: exp(-x * x / 2.0) / x, lambda x: np.exp(-x * x / 2.0) / x),
    "tanh(log(1 + x)) - cos(3 x)": (
        lambda x: tanh(log(1.0 + x)) - cos(3.0 * x),
        lambda x: np.tanh(np.log(1.0 + x)) - np.cos(3.0 * x),
    ),
    "x d/dy (x y y) at y = x": (
        lambda x: x * grad(lambda y: x * y * y)(x),
        lambda x: x * ag.grad(lambda y: x * y * y)(x),
    ),
}


def main():
    """First, second and third derivatives by both."""
    with open(inspect.getsourcefile(Engine), encoding="utf-8") as file:
        source = file.read()
    lines = len(source[source.index("class Engine") : source.index("PROGRAMS = ")].strip().splitlines())
    print(f"engine and rules: {lines} lines")
    assert lines < 100
    for name, (ours, theirs) in PROGRAMS.items():
        numbers = []
        for _order in range(3):
            ours, theirs = grad(ours), ag.grad(theirs)
            numbers.append((float(ours(0.7)), float(theirs(0.7))))
        print(f"{name:28s}", "  ".join(f"{mini:11.6f}" for mini, _ in numbers))
        for mini, library in numbers:
            assert math.isclose(mini, library, rel_tol=1e-12, abs_tol=1e-12)
    assert Engine.top == -1


if __name__ == "__main__":
    main()
