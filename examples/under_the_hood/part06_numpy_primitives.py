"""Part 6: the local rules of NumPy's functions.

A primitive knows one thing only: how to carry a cotangent of its result to a cotangent of an operand.
The chain rule is the walk along the graph; these are its links.
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast.core import VJPNode
from autograd_fast.tracer import trace

X = onp.array([1.0, 2.0, 4.0])
Y = onp.array([0.5, -1.0, 2.0])
G = onp.array([1.0, 10.0, 100.0])
MATRIX = onp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

# (name, function of one operand, its value, cotangent of the result, cotangent of the operand by hand)
RULES = [
    ("add(x, y)", lambda x: np.add(x, Y), X, G, [1.0, 10.0, 100.0]),
    ("multiply(x, y)", lambda x: np.multiply(x, Y), X, G, [0.5, -10.0, 200.0]),
    ("multiply, second operand", lambda y: np.multiply(X, y), Y, G, [1.0, 20.0, 400.0]),
    ("exp(x)", np.exp, onp.log(X), G, [1.0, 20.0, 400.0]),
    ("log(x)", np.log, X, G, [1.0, 5.0, 25.0]),
    ("sin(x)", np.sin, onp.pi * X, G, [-1.0, 10.0, 100.0]),
    ("sum(x)", np.sum, X, 7.0, [7.0, 7.0, 7.0]),
    ("dot(x, y) of vectors", lambda x: np.dot(x, Y), X, 2.0, [1.0, -2.0, 4.0]),
    ("dot(A, x), by the vector", lambda x: np.dot(MATRIX, x), X, onp.array([1.0, 10.0]), [41.0, 52.0, 63.0]),
    (
        "dot(A, x), by the matrix",
        lambda a: np.dot(a, X),
        MATRIX,
        onp.array([1.0, 10.0]),
        [[1.0, 2.0, 4.0], [10.0, 20.0, 40.0]],
    ),
]


def main():
    """Each rule alone, on numbers that can be followed by hand."""
    for name, function, operand, g, by_hand in RULES:
        vjp, value = ag.make_vjp(function)(operand)
        cotangent = vjp(g)
        print(f"{name:26s} {onp.asarray(g).tolist()} -> {onp.round(cotangent, 12).tolist()}")
        onp.testing.assert_allclose(cotangent, by_hand, rtol=1e-12, atol=1e-12)
        # The forward rule is the same linear map read the other way, so <g, J v> = <g J, v>.
        v = onp.cos(onp.arange(operand.size)).reshape(operand.shape)
        value, moved = ag.make_jvp(function)(operand)(v)
        onp.testing.assert_allclose(onp.sum(g * moved), onp.sum(cotangent * v), rtol=1e-12)

    # A graph of one step has one node above the root, and its pull-back is the primitive's rule.
    _value, end = trace(VJPNode.new_root(), np.exp, onp.log(X))
    (cotangent,) = end.vjp(G)
    print("the node of exp, asked directly:", onp.round(cotangent, 12).tolist())
    onp.testing.assert_allclose(cotangent, G * X)


if __name__ == "__main__":
    main()
