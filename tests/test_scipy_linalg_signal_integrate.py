"""The derivatives of scipy.linalg, scipy.signal and scipy.integrate against finite differences of SciPy."""

import importlib
import subprocess
import sys

import numpy as onp
import pytest

pytest.importorskip("scipy")

import scipy.integrate
import scipy.linalg
import scipy.signal
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp
from autograd_fast.scipy import linalg

RNG = onp.random.default_rng(0)
A = RNG.standard_normal((3, 3)) + 4 * onp.eye(3)
B = RNG.standard_normal((3, 3)) + 2 * onp.eye(3)
Q = RNG.standard_normal((3, 3))
V = RNG.standard_normal(3)
Z = A + 1j * Q
TOLERANCES = {"rtol": 1e-5, "atol": 1e-7}


def traced(name, module="linalg"):
    """The function of that name: SciPy's for plain NumPy, ours for the traced namespace."""

    def call(np, *args, **kwargs):
        package = "scipy." if np is onp else "autograd_fast.scipy."
        return getattr(importlib.import_module(package + module), name)(*args, **kwargs)

    return call


# ---------------------------------------------------------------- linalg


@pytest.mark.parametrize("b", [V, Q], ids=["vector", "matrix"])
@pytest.mark.parametrize("unit_diagonal", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
def test_solve_triangular(trans, lower, unit_diagonal, b):
    options = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}

    def f(np, a, b):
        return traced("solve_triangular")(np, a, b, **options)

    check_both_modes(f, A, b, **TOLERANCES)
    if trans in ("N", 2):
        check_both_modes(f, Z, b + 1j * b[::-1], float32=False, **TOLERANCES)


def test_solve_triangular_with_a_list_and_positional_options():
    x = ag.grad(lambda s: anp.sum(linalg.solve_triangular([[s, 0.0], [1.0, 2.0]], [1.0, 3.0], 0, True)))(2.0)
    assert onp.isclose(x, -1 / 4 + 1 / 8)


@pytest.mark.parametrize("l_and_u", [(1, 1), (2, 1), (0, 2), (1, 0), (0, 0)])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_solve_banded(l_and_u, columns):
    ab = RNG.standard_normal((sum(l_and_u) + 1, 5))
    ab[l_and_u[1]] += 4
    b = RNG.standard_normal((5, *columns))
    check_both_modes(lambda np, ab, b: traced("solve_banded")(np, l_and_u, ab, b), ab, b, **TOLERANCES)


def test_solve_banded_stacks_raise():
    ab = onp.ones((2, 3, 4))
    with pytest.raises(NotImplementedError, match="one matrix"):
        ag.grad(lambda ab: anp.sum(linalg.solve_banded((1, 1), ab, onp.ones((2, 4, 1)))))(ab)


ONE_MATRIX = [
    "sqrtm",
    "expm",
    "cosm",
    "sinm",
    "tanm",
    "coshm",
    "sinhm",
    "tanhm",
    "logm",
    "inv",
    "det",
    "norm",
    "svdvals",
]


@pytest.mark.parametrize("name", ONE_MATRIX)
def test_function_of_a_matrix(name):
    a = A @ A.T / 10 + Q / 10 if name in ("sqrtm", "logm") else A / 4
    check_both_modes(traced(name), a, float32=False, **TOLERANCES)


@pytest.mark.parametrize("name", ["sqrtm", "expm", "logm", "sinm"])
def test_function_of_a_complex_matrix(name):
    check_both_modes(traced(name), Z / 3, float32=False, **TOLERANCES)


def test_sqrtm_of_a_real_matrix_with_complex_root():
    check_both_modes(traced("sqrtm"), onp.diag([-2.0, 3.0]) + Q[:2, :2] / 10, float32=False, **TOLERANCES)


def test_error_estimate_raises():
    with pytest.raises(NotImplementedError, match="disp"):
        ag.grad(lambda a: anp.sum(linalg.sqrtm(a, disp=False)[0]))(A)


def test_solve_sylvester():
    check_both_modes(traced("solve_sylvester"), A, B, Q, float32=False, **TOLERANCES)
    check_both_modes(traced("solve_sylvester"), A, B[:2, :2], Q[:, :2], float32=False, **TOLERANCES)
    check_both_modes(traced("solve_sylvester"), Z, B + 0j, Q + 0j, float32=False, **TOLERANCES)
    check_both_modes(traced("solve_continuous_lyapunov"), A, Q, float32=False, **TOLERANCES)


def test_block_diag():
    parts = Q[:2], V, onp.float64(1.5), Q[:, :1]
    check_both_modes(traced("block_diag"), *parts, **TOLERANCES)
    check_both_modes(lambda np, x: traced("block_diag")(np, 1.0, x, [[2.0], [3.0]]), Q, **TOLERANCES)


@pytest.mark.parametrize("options", [{}, {"assume_a": "gen"}, {"transposed": True}])
def test_solve(options):
    for b in (V, Q):
        check_both_modes(lambda np, a, b: traced("solve")(np, a, b, **options), A, b, **TOLERANCES)


@pytest.mark.parametrize("lower", [False, True])
def test_functions_of_one_triangle(lower):
    a = A + A.T
    check_both_modes(
        lambda np, a, b: traced("solve")(np, a, b, assume_a="pos", lower=lower), a, V, **TOLERANCES
    )
    check_both_modes(lambda np, a: traced("cholesky")(np, a, lower=lower), a, **TOLERANCES)
    check_both_modes(lambda np, c, b: traced("cho_solve")(np, (c, lower), b), B, V, **TOLERANCES)

    def factor_and_solve(np, a, b):
        return traced("cho_solve")(np, traced("cho_factor")(np, a, lower=lower), b)

    check_both_modes(factor_and_solve, a, Q, **TOLERANCES)


@pytest.mark.parametrize("name", ["toeplitz", "hankel", "circulant"])
def test_matrices_of_given_entries(name):
    check_both_modes(traced(name), V, **TOLERANCES)
    if name != "circulant":
        check_both_modes(traced(name), V, Q[:2].ravel(), **TOLERANCES)


# ---------------------------------------------------------------- signal


def convolution(np, A, B, axes=None, dot_axes=((), ()), mode="full"):
    """By its definition on plain arrays; ours on traced ones."""
    if np is anp:
        return traced("convolve", "signal")(np, A, B, axes=axes, dot_axes=dot_axes, mode=mode)
    axes = axes or (range(A.ndim), range(B.ndim))
    others = [
        [i for i in range(v.ndim) if i not in [k % v.ndim for k in (*c, *s)]]
        for v, c, s in ((A, axes[0], dot_axes[0]), (B, axes[1], dot_axes[1]))
    ]
    A = np.transpose(A, (*others[0], *dot_axes[0], *axes[0]))
    B = np.transpose(B, (*others[1], *dot_axes[1], *axes[1]))
    p, q, s = len(others[0]), len(others[1]), len(dot_axes[0])
    rows = []
    for i in np.ndindex(A.shape[:p]):
        for j in np.ndindex(B.shape[:q]):
            pairs = zip(A[i].reshape(-1, *A.shape[p + s :]), B[j].reshape(-1, *B.shape[q + s :]), strict=True)
            rows.append(sum(scipy.signal.convolve(a, b, mode) for a, b in pairs))
    return np.reshape(rows, A.shape[:p] + B.shape[:q] + rows[0].shape)


CONVOLUTIONS = [
    ((5,), (3,), {}),
    ((3,), (5,), {}),
    ((5, 4), (3, 2), {}),
    ((5, 4), (4, 2), {"axes": ((0,), (0,)), "dot_axes": ((1,), (0,))}),
    ((2, 5, 3), (3, 4, 2), {"axes": ((1,), (1,))}),
    ((2, 5, 3), (3, 4, 2), {"axes": ((-2,), (1,)), "dot_axes": ((0,), (-1,))}),
    ((2, 5, 3), (3, 4, 2), {"axes": ((1,), (1,)), "dot_axes": ((0, 2), (2, 0))}),
    ((4, 5, 6, 2), (2, 3, 5), {"axes": ((0, 2), (0, 1)), "dot_axes": ((1,), (2,))}),
]


@pytest.mark.parametrize("mode", ["full", "valid", "same"])
@pytest.mark.parametrize("shape_a, shape_b, options", CONVOLUTIONS)
def test_convolve(shape_a, shape_b, options, mode):
    if options.get("dot_axes") == ((1,), (0,)):
        options = {**options, "dot_axes": ((1,), (0,)), "axes": ((0,), (1,))}
    a, b = RNG.standard_normal(shape_a), RNG.standard_normal(shape_b)
    check_both_modes(lambda np, a, b: convolution(np, a, b, mode=mode, **options), a, b, **TOLERANCES)


def test_convolve_complex():
    a, b = Z[0], Q[0, :2] + 1j
    check_both_modes(convolution, a, b, float32=False, **TOLERANCES)
    check_both_modes(convolution, a, Q[0], float32=False, **TOLERANCES)


def test_convolve_mistakes():
    convolve = traced("convolve", "signal")
    with pytest.raises(ValueError, match="modes"):
        convolve(anp, V, V, mode="wide")
    with pytest.raises(ValueError, match="larger"):
        convolve(anp, onp.ones((3, 7)), onp.ones((5, 2)), mode="valid")
    with pytest.raises(ValueError, match="as many axes"):
        convolve(anp, onp.ones((3, 7)), onp.ones(5))
    for mode in ("full", "valid", "same"):
        with pytest.raises(ValueError, match="entries along all convolved axes"):
            convolve(anp, onp.ones(3), onp.ones(0), mode=mode)


@pytest.mark.parametrize("mode", ["full", "valid", "same"])
@pytest.mark.parametrize("name", ["fftconvolve", "correlate"])
def test_other_convolutions(name, mode):
    a, b = Z[0], Q[0, :2] + 1j
    check_both_modes(
        lambda np, a, b: traced(name, "signal")(np, a, b, mode=mode), a, b, float32=False, **TOLERANCES
    )


# ---------------------------------------------------------------- integrate

TIMES = onp.array([0.1, 0.6, 1.3])


def oscillator(y, t, k, c):
    return anp.array([y[1], -k * y[0] - c * y[1] * y[0] ** 2 + anp.sin(t)])


def integrated(np, y0, t, *args):
    return traced("odeint", "integrate")(np, oscillator, y0, t, args, rtol=1e-10, atol=1e-10)


def test_odeint():
    operands = onp.array([0.7, -0.3]), TIMES, 1.3, 0.4
    check_both_modes(integrated, *operands, order=1, rtol=1e-5, atol=1e-6, float32=False)


@pytest.mark.parametrize("operand", [0, 1, 2])
def test_odeint_second_order(operand):
    operands = onp.array([0.7, -0.3]), TIMES[:2], 1.3

    def f(np, y0, t, k):
        return integrated(np, y0, t, k, 0.4)

    check_both_modes(f, *operands, wrt=[operand], rtol=1e-4, atol=1e-5, float32=False)


def test_odeint_arguments_of_many_kinds():
    def rhs(y, t, pair, options, sign):
        return [sign * pair[0] * y[0] + anp.sum(options["shift"])]

    def f(np, k, s):
        def plain(y, t, *args):
            return rhs(y, t, *args) if np is anp else [float(v) for v in rhs(y, t, *args)]

        return traced("odeint", "integrate")(
            np, plain, 1.0, TIMES, ((k, "name"), {"shift": s}, -1), rtol=1e-10, atol=1e-10
        )

    check_both_modes(f, 0.7, onp.array([0.1, 0.2]), order=1, float32=False, rtol=1e-5, atol=1e-6)


def test_odeint_traced_tuple_and_tfirst():
    def f(k):
        args = ag.builtins.tuple((k, 2.0))
        return anp.sum(
            traced("odeint", "integrate")(
                anp, lambda t, y, k, c: -k * c * y, [1.0], TIMES, args=args, tfirst=True
            )
        )

    want = onp.sum(-2 * (TIMES - 0.1) * onp.exp(-1.4 * (TIMES - 0.1)))
    assert onp.isclose(ag.grad(f)(0.7), want, rtol=1e-6)


def test_odeint_of_a_stiff_decay():
    # Run backwards, this equation magnifies every error by exp(300).
    def f(k):
        return traced("odeint", "integrate")(
            anp, lambda y, t, k: -k * (y - anp.cos(t)), [0.0], [0.0, 1.0], (k,), mxstep=2000
        )[-1, 0]

    def exact(k):
        return (k * k * onp.cos(1.0) + k * onp.sin(1.0)) / (k * k + 1)

    want = (exact(300.0 + 1e-3) - exact(300.0 - 1e-3)) / 2e-3
    assert onp.isclose(ag.grad(f)(300.0), want, rtol=1e-3)
    assert onp.isclose(ag.make_jvp(f)(300.0)(1.0)[1], want, rtol=1e-3)


def test_odeint_full_output_raises():
    with pytest.raises(NotImplementedError, match="full_output"):
        ag.grad(
            lambda y: anp.sum(
                traced("odeint", "integrate")(anp, lambda y, t: -y, y, TIMES, full_output=True)[0]
            )
        )(1.0)


# ---------------------------------------------------------------- the package


def test_import_without_scipy():
    code = "import sys; sys.modules['scipy'] = None; import autograd_fast.scipy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "pip install scipy" in done.stderr
