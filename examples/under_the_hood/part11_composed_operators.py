"""Part 11: operators made of the two products.

Everything beyond JVP and VJP is composed.  A Jacobian is as many VJPs of one recorded pass as there are
outputs; a Hessian is the Jacobian of a Jacobian; a Hessian-vector product never builds the Hessian.
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np

runs_of_f = []
MATRIX = onp.array([[1.0, 2.0, 0.0], [0.5, -1.0, 1.0]])


def f(x):
    """sin(A x): R^3 -> R^2, and a note that it was run."""
    runs_of_f.append("f")
    return np.sin(np.dot(MATRIX, x))


def loss(x):
    """Half of |sin(A x)|^2: R^3 -> R."""
    return 0.5 * np.sum(f(x) ** 2)


def jacobian_by_vjps(function, x):
    """One row for each entry of the result, all from one forward pass."""
    vjp, value = ag.make_vjp(function)(x)
    return onp.stack([vjp(unit) for unit in onp.eye(len(value))])


def hvp_forward_over_reverse(function, x, v):
    """How the gradient moves along v: the tangent of the gradient."""
    return ag.make_jvp(ag.grad(function))(x)(v)[1]


def hvp_reverse_over_reverse(function, x, v):
    """The gradient of the directional derivative along v."""
    return ag.grad(lambda x: np.dot(ag.grad(function)(x), v))(x)


def main():
    """Jacobian, Hessian and Hessian-vector products against closed forms."""
    x = onp.array([0.3, -0.2, 0.7])
    v = onp.array([1.0, -2.0, 0.5])
    angles = MATRIX @ x
    closed_jacobian = onp.cos(angles)[:, None] * MATRIX
    closed_hessian = MATRIX.T @ (onp.cos(2.0 * angles)[:, None] * MATRIX)

    runs_of_f.clear()
    rows = jacobian_by_vjps(f, x)
    print("Jacobian by repeated VJPs, forward passes:", len(runs_of_f))
    print(onp.round(rows, 6))
    assert len(runs_of_f) == 1
    onp.testing.assert_allclose(rows, closed_jacobian, rtol=1e-12)
    runs_of_f.clear()
    onp.testing.assert_allclose(ag.jacobian(f)(x), closed_jacobian, rtol=1e-12)
    assert len(runs_of_f) == 1

    hessian = ag.hessian(loss)(x)
    print("\nHessian:")
    print(onp.round(hessian, 6))
    onp.testing.assert_allclose(hessian, closed_hessian, rtol=1e-12, atol=1e-14)
    onp.testing.assert_allclose(hessian, ag.jacobian(ag.jacobian(loss))(x), rtol=1e-12, atol=1e-14)
    onp.testing.assert_allclose(hessian, hessian.T, rtol=1e-12, atol=1e-14)

    products = {
        "forward over reverse": hvp_forward_over_reverse(loss, x, v),
        "reverse over reverse": hvp_reverse_over_reverse(loss, x, v),
        "hessian_vector_product": ag.hessian_vector_product(loss)(x, v),
        "make_hvp": ag.make_hvp(loss)(x)[0](v),
    }
    print("\nHessian-vector products, H v =", onp.round(closed_hessian @ v, 6))
    for name, product in products.items():
        print(f"{name:24s}", onp.round(product, 6))
        onp.testing.assert_allclose(product, closed_hessian @ v, rtol=1e-12, atol=1e-14)


if __name__ == "__main__":
    main()
