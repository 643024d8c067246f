"""Part 2: the two products that automatic differentiation computes.

The derivative of f: R^n -> R^m at x is the m x n matrix J of partial derivatives.  It is hardly ever
built.  Forward mode computes J v, how the result moves when x moves along v (Jacobian-vector product,
JVP).  Reverse mode computes u J, how the weighted sum u . f moves with every entry of x (VJP).
"""

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np

runs_of_f = []


def f(x):
    """(x0 x1, sin x0 + x1^2), and a note that it was run."""
    runs_of_f.append("f")
    return np.array([x[0] * x[1], np.sin(x[0]) + x[1] ** 2])


def calls():
    """How often f has run since the last question."""
    count = len(runs_of_f)
    runs_of_f.clear()
    return count


def main():
    """Both products at [2, 3], against the matrix worked out by hand."""
    x = onp.array([2.0, 3.0])
    matrix = onp.array([[3.0, 2.0], [onp.cos(2.0), 6.0]])
    print("J by hand =", matrix.tolist())

    jvp = ag.make_jvp(f)(x)
    print("\nrunning f to make the JVP closure:", calls())
    v = onp.array([1.0, -1.0])
    value, moved = jvp(v)
    print("f(x) =", value, "  J v =", moved, "  runs of f:", calls())
    onp.testing.assert_allclose(moved, [1.0, -6.41614684], rtol=1e-8)
    onp.testing.assert_allclose(moved, matrix @ v, rtol=1e-14)
    # The columns of J are the images of the unit vectors.  Each is one more forward run of f.
    columns = [jvp(unit)[1] for unit in onp.eye(2)]
    runs = calls()
    print("J by columns =", onp.stack(columns, axis=1).tolist(), "  runs of f:", runs)
    assert runs == 2
    onp.testing.assert_allclose(onp.stack(columns, axis=1), matrix, rtol=1e-14)

    vjp, value = ag.make_vjp(f)(x)
    print("\nrunning f to make the VJP closure:", runs := calls())
    assert runs == 1
    u = onp.array([2.0, -0.5])
    weighted = vjp(u)
    print("u J =", weighted, "  runs of f:", calls())
    onp.testing.assert_allclose(weighted, [6.20807342, 1.0], rtol=1e-8)
    onp.testing.assert_allclose(weighted, u @ matrix, rtol=1e-14)
    # The rows of J come from the same recorded pass, as many as wanted.
    rows = [vjp(unit) for unit in onp.eye(2)]
    runs = calls()
    print("J by rows =", onp.stack(rows).tolist(), "  runs of f:", runs)
    assert runs == 0
    onp.testing.assert_allclose(onp.stack(rows), matrix, rtol=1e-14)
    onp.testing.assert_array_equal(vjp(u), weighted)


if __name__ == "__main__":
    main()
