"""Part 7: where broadcasting is undone.

NumPy stretches a small operand over a large one.  Each entry of the small one is then used many times,
and as with every value that is used many times its cotangents are added up: the rule of the operation
sums the cotangent over the stretched axes, back to the operand's own shape.
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np

OPERANDS = {
    "scalar bias": onp.float64(0.5),
    "vector bias": onp.array([1.0, 2.0, 3.0]),
    "column": onp.array([[1.0], [2.0]]),
    "matrix": onp.ones((2, 3)),
}


def by_hand(g, shape):
    """Sum the axes that the operand does not have, then those in which it has length one."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    stretched = tuple(axis for axis, length in enumerate(shape) if length == 1)
    return g.sum(axis=stretched, keepdims=True)


def main():
    """Cotangents of operands of several shapes added to one matrix, and multiplied with it."""
    matrix = onp.arange(6.0).reshape(2, 3)
    g = onp.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    for name, operand in OPERANDS.items():
        vjp, value = ag.make_vjp(lambda b: matrix + b)(operand)
        cotangent = vjp(g)
        print(f"{name:12s} shape {onp.shape(operand)!s:7s} -> {onp.asarray(cotangent).tolist()}")
        assert value.shape == (2, 3)
        assert onp.shape(cotangent) == onp.shape(operand)
        onp.testing.assert_allclose(cotangent, by_hand(g, onp.shape(operand)))

        product, _value = ag.make_vjp(lambda b: matrix * b)(operand)
        assert onp.shape(product(g)) == onp.shape(operand)
        onp.testing.assert_allclose(product(g), by_hand(g * matrix, onp.shape(operand)))

    vjp, _value = ag.make_vjp(lambda b: matrix + b)(OPERANDS["scalar bias"])
    assert onp.shape(vjp(g)) == () and vjp(g) == 66.0
    vjp, _value = ag.make_vjp(lambda b: matrix + b)(OPERANDS["vector bias"])
    onp.testing.assert_array_equal(vjp(g), [11.0, 22.0, 33.0])

    # In a layer of a network the bias serves every row of the batch, and gets the sum over the rows.
    def layer(weights, bias):
        return np.sum(np.tanh(np.dot(matrix, weights) + bias))

    weights, bias = onp.full((3, 4), 0.1), onp.zeros(4)
    slopes = 1.0 - onp.tanh(matrix @ weights) ** 2
    d_weights, d_bias = ag.grad(layer, (0, 1))(weights, bias)
    print("layer: cotangent of the bias", onp.round(d_bias, 6).tolist())
    assert d_weights.shape == (3, 4) and d_bias.shape == (4,)
    onp.testing.assert_allclose(d_bias, slopes.sum(axis=0))
    onp.testing.assert_allclose(d_weights, matrix.T @ slopes)


if __name__ == "__main__":
    main()
