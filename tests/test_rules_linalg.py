"""numpy.linalg: every function in both modes against finite differences."""

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as anp

rng = onp.random.default_rng(7)
NUMPY2 = hasattr(onp.linalg, "vector_norm")


def real(*shape):
    """Numbers of both signs whose sizes are apart from each other and from zero."""
    return rng.permutation(onp.geomspace(0.3, 2, onp.prod(shape))).reshape(shape) * rng.choice([-1, 1], shape)


def cplx(*shape):
    return real(*shape) * onp.exp(1j * rng.uniform(0, 6, shape))


def definite(np, a):
    return np.matmul(a, np.conj(np.swapaxes(a, -1, -2))) + np.eye(a.shape[-1])


def sym(np, a):
    return a + np.conj(np.swapaxes(a, -1, -2))


EYE = 5 * onp.diag([1.0, -1.2, 1.5])
A, B, C, D = real(3, 3) + EYE, real(2, 3, 3) + EYE, cplx(3, 3) + EYE, cplx(2, 3, 3) + EYE
TALL, WIDE, CTALL, CWIDE = real(4, 3), real(3, 4), cplx(4, 3), cplx(3, 4)
SINGULAR = onp.arange(9.0).reshape(3, 3) - 4
SINGULAR[2] = SINGULAR[0] + SINGULAR[1]

solving = {
    "inv": (lambda np, a: np.linalg.inv(a), [(A,), (B,), (C,), (D,)]),
    "pinv": (lambda np, a: np.linalg.pinv(a), [(A,), (TALL,), (WIDE,), (CTALL,), (CWIDE,), (real(2, 3, 2),)]),
    "pinv of low rank": (
        lambda np, x, y: np.linalg.pinv(np.matmul(x, y), 1e-9),
        [(real(4, 2), real(2, 3)), (cplx(3, 2), cplx(2, 4))],
    ),
    "pinv hermitian": (lambda np, a: np.linalg.pinv(a, hermitian=True), [(A,), (C,), (B,)]),
    "solve": (
        lambda np, a, b: np.linalg.solve(a, b),
        [
            (A, real(3)),
            (A, real(3, 2)),
            (B, real(2, 3, 2)),
            (A, real(2, 3, 2)),
            (B, real(1, 3, 1)),
            (B, real(3) if NUMPY2 else real(2, 3)),
            (B, real(3, 2) if NUMPY2 else real(1, 3, 2)),
            (C, cplx(3)),
            (D, real(1, 3, 2)),
            (A, cplx(3, 1)),
        ],
    ),
    "tensorsolve": (
        lambda np, a, b: np.linalg.tensorsolve(a, b),
        [(real(2, 3, 6) + 5 * onp.eye(6).reshape(2, 3, 6), real(2, 3))],
    ),
    "tensorsolve axes": (
        lambda np, a, b: np.linalg.tensorsolve(a, b, axes=(0,)),
        [((real(2, 3, 6) + 5 * onp.eye(6).reshape(2, 3, 6)).transpose(2, 0, 1), real(2, 3))],
    ),
    "tensorinv": (
        lambda np, a: np.linalg.tensorinv(a),
        [(real(2, 3, 3, 2) + 5 * onp.eye(6).reshape(2, 3, 3, 2),)],
    ),
    "tensorinv ind=1": (lambda np, a: np.linalg.tensorinv(a, ind=1), [(real(6, 2, 3),)]),
    "lstsq solution": (
        lambda np, a, b: np.linalg.lstsq(a, b, rcond=None)[0],
        [(TALL, real(4)), (TALL, real(4, 2)), (WIDE, real(3)), (CTALL, cplx(4)), (A, real(3))],
    ),
    "lstsq residuals": (
        lambda np, a, b: np.linalg.lstsq(a, b, rcond=None)[1],
        [(TALL, real(4)), (TALL, real(4, 2)), (CTALL, cplx(4, 2))],
    ),
    "lstsq singular values": (lambda np, a: np.linalg.lstsq(a, a[:, 0], rcond=None)[3], [(TALL,)]),
    "det": (lambda np, a: np.linalg.det(a), [(A,), (B,), (C,), (D,)]),
    "det singular": (
        lambda np, a: np.linalg.det(a),
        [(SINGULAR,), (onp.zeros((2, 2)),), (onp.diag([1.0, 1.0, 0.0, 0.0]),), (onp.stack([A, SINGULAR]),)],
    ),
    "slogdet": (lambda np, a: np.linalg.slogdet(a)[1], [(A,), (B,), (-A,), (C,)]),
    "slogdet sign": (lambda np, a: np.linalg.slogdet(a)[0], [(C,), (D,)]),
    "slogdet both": (lambda np, a: np.linalg.slogdet(a), [(C,), (A,)]),
    "cholesky": (lambda np, a: np.linalg.cholesky(definite(np, a)), [(A,), (B,), (C,), (D,)]),
}
if NUMPY2:
    solving["cholesky upper"] = (lambda np, a: np.linalg.cholesky(definite(np, a), upper=True), [(A,), (D,)])

spectral = {
    "eigh values": (lambda np, a: np.linalg.eigh(a)[0], [(A,), (B,), (C,)]),
    "eigh U": (lambda np, a: np.linalg.eigh(a, "U").eigenvalues, [(A,), (C,)]),
    "eigvalsh": (lambda np, a: np.linalg.eigvalsh(a), [(A,), (B,), (C,)]),
    "eigvalsh U": (lambda np, a: np.linalg.eigvalsh(a, UPLO="U"), [(A,), (C,)]),
    "eigh real vectors": (lambda np, a: np.linalg.eigh(a), [(A,), (B,)]),
    "eigh vectors U": (lambda np, a: np.abs(np.linalg.eigh(a, UPLO="U").eigenvectors) ** 2, [(A,), (D,)]),
    "eigh projector": (
        lambda np, a: np.matmul(np.linalg.eigh(a)[1][:, :1], np.conj(np.linalg.eigh(a)[1][:, :1].T)),
        [(A,), (C,)],
    ),
    "eig values": (lambda np, a: np.linalg.eig(a)[0], [(sym(onp, A),), (A,), (C,), (D,)]),
    "eigvals": (lambda np, a: np.linalg.eigvals(a), [(A,), (C,), (B,)]),
    "eig vectors": (lambda np, a: np.linalg.eig(a).eigenvectors, [(sym(onp, A),), (A,), (C,), (D,)]),
    "eig both": (lambda np, a: np.linalg.eig(a), [(A,), (C,)]),
    "svd values": (
        lambda np, a: np.linalg.svd(a, compute_uv=False),
        [(A,), (TALL,), (WIDE,), (B,), (CTALL,)],
    ),
    "svd reduced": (
        lambda np, a: np.linalg.svd(a, full_matrices=False),
        [(A,), (TALL,), (WIDE,), (B,), (real(2, 2, 3),)],
    ),
    "svd full, s": (lambda np, a: np.linalg.svd(a)[1], [(TALL,), (WIDE,), (CTALL,)]),
    "svd full, U": (
        lambda np, a: np.abs(np.linalg.svd(a)[0][:, :2]) ** 2,
        [(real(3, 2),), (real(2, 3),), (cplx(3, 2),), (cplx(2, 3),), (A,), (C,)],
    ),
    "svd full, V": (
        lambda np, a: np.abs(np.linalg.svd(a).Vh[:2]) ** 2,
        [(real(3, 2),), (real(2, 3),), (cplx(3, 2),), (cplx(2, 3),), (A,), (C,)],
    ),
    "svd null space": (
        lambda np, a: np.matmul(np.linalg.svd(a)[0][:, 2:], np.conj(np.linalg.svd(a)[0][:, 2:]).T),
        [(real(4, 2),), (cplx(4, 2),)],
    ),
    "svd row null space": (
        lambda np, a: np.matmul(np.conj(np.linalg.svd(a)[2][2:, :]).T, np.linalg.svd(a)[2][2:, :]),
        [(real(2, 4),), (cplx(2, 4),)],
    ),
    "svd gauge": (
        lambda np, a: np.matmul(
            np.linalg.svd(a, full_matrices=False)[0] * np.linalg.svd(a, full_matrices=False)[1] ** 2,
            np.linalg.svd(a, full_matrices=False)[2],
        ),
        [(CTALL,), (CWIDE,), (C,)],
    ),
    "svd hermitian U": (
        lambda np, a: np.abs(np.linalg.svd(a, hermitian=True)[0]) ** 2,
        [(A,), (B,), (C,)],
    ),
    "svd hermitian V": (lambda np, a: np.linalg.svd(a, hermitian=True), [(A,)]),
    "svd hermitian values": (lambda np, a: np.linalg.svd(a, True, False, True), [(A,)]),
    "qr": (
        lambda np, a: np.linalg.qr(a),
        [(A,), (TALL,), (WIDE,), (B,), (C,), (CTALL,), (CWIDE,), (D[:, :2],)],
    ),
    "qr r": (lambda np, a: np.linalg.qr(a, "r"), [(TALL,), (WIDE,), (CTALL,)]),
    "qr complete": (
        lambda np, a: np.linalg.qr(a, mode="complete"),
        [(A,), (TALL,), (WIDE,), (CTALL,), (real(2, 4, 2),), (real(3, 1),)],
    ),
    "qr names": (lambda np, a: np.matmul(np.linalg.qr(a).Q, np.linalg.qr(a).R), [(TALL,)]),
}
if NUMPY2:
    spectral["svdvals"] = (lambda np, a: np.linalg.svdvals(a), [(TALL,), (C,), (B,)])


rng = onp.random.default_rng(1)
VECTORS, MATRICES = [(real(4),), (cplx(3),)], [(real(3, 2),), (cplx(2, 3),)]
norms = {"norm": (lambda np, x: np.linalg.norm(x), [*VECTORS, *MATRICES, (real(2, 3, 2),)])}
for p in (None, 1, 2, 3, 0.5, -1, -2.5, onp.inf, -onp.inf):
    norms[f"norm {p}"] = (lambda np, x, p=p: np.linalg.norm(x, p), VECTORS)
    norms[f"norm {p} axis"] = (lambda np, x, p=p: np.linalg.norm(x, p, axis=0), MATRICES)
    norms[f"norm {p} keepdims"] = (
        lambda np, x, p=p: np.linalg.norm(x, ord=p, axis=-1, keepdims=True),
        [*MATRICES, (real(2, 3, 2),)],
    )
    if NUMPY2 and p is not None:
        norms[f"vector_norm {p}"] = (
            lambda np, x, p=p: np.linalg.vector_norm(x, ord=p, axis=(0, -1), keepdims=True),
            [(real(2, 3, 2),)],
        )
        norms[f"vector_norm {p} of all"] = (lambda np, x, p=p: np.linalg.vector_norm(x, ord=p), MATRICES)
for p in (None, "fro", "nuc", 1, -1, 2, -2, onp.inf, -onp.inf):
    if p is not None:
        norms[f"matrix norm {p}"] = (lambda np, x, p=p: np.linalg.norm(x, p), MATRICES)
    norms[f"matrix norm {p} axes"] = (
        lambda np, x, p=p: np.linalg.norm(x, p, axis=(-1, 0)),
        [(real(2, 3, 4),), (cplx(2, 3, 2),)],
    )
    norms[f"matrix norm {p} keepdims"] = (
        lambda np, x, p=p: np.linalg.norm(x, p, (1, 2), True),
        [(real(2, 3, 4),)],
    )
    if NUMPY2 and p is not None:
        norms[f"matrix_norm {p}"] = (lambda np, x, p=p: np.linalg.matrix_norm(x, ord=p), [(real(2, 3, 2),)])
    if p not in ("nuc", "fro"):
        norms[f"cond {p}"] = (lambda np, x, p=p: np.linalg.cond(x, p), [(A,), (B,), *[(C,)] * NUMPY2])

products = {
    f"matrix_power {n}": (lambda np, a, n=n: np.linalg.matrix_power(a, n), [(A,), (C,), (B,)])
    for n in (1, 2, 3, 7, -1, -3)
}
products["multi_dot"] = (
    lambda np, *arrays: np.linalg.multi_dot(list(arrays)),
    [
        (real(2, 3), real(3, 2)),
        (real(2, 3), real(3, 4), real(4, 1)),
        (real(3), real(3, 4), real(4, 2), real(2)),
        (cplx(2, 3), real(3, 5), real(5, 2), cplx(2)),
    ],
)
if NUMPY2:
    products |= {
        "matmul": (lambda np, x, y: np.linalg.matmul(x, y), [(TALL, WIDE), (B, C)]),
        "tensordot": (lambda np, x, y: np.linalg.tensordot(x, y, axes=1), [(TALL, WIDE)]),
        "vecdot": (lambda np, x, y: np.linalg.vecdot(x, y, axis=0), [(CTALL, CTALL), (TALL, TALL)]),
        "outer": (lambda np, x, y: np.linalg.outer(x, y), [(real(2), cplx(3))]),
        "cross": (lambda np, x, y: np.linalg.cross(x, y), [(real(2, 3), real(3))]),
        "matrix_transpose": (lambda np, x: np.linalg.matrix_transpose(x), [(B,)]),
        "diagonal": (lambda np, x: np.linalg.diagonal(x, offset=1), [(B,), (C,)]),
        "trace": (lambda np, x: np.linalg.trace(x, offset=-1), [(B,), (C,)]),
    }


@pytest.mark.parametrize(
    "fun, args",
    [
        pytest.param(fun, args, id=f"{name}-{i}")
        for table in (solving, spectral, norms, products)
        for name, (fun, cases) in table.items()
        for i, args in enumerate(cases)
    ],
)
def test_derivatives(fun, args):
    check_both_modes(fun, *args, rtol=2e-6, atol=2e-7)


def gradient(fun, x):
    return ag.grad(lambda x: anp.sum(fun(anp, x)))(onp.asarray(x, dtype=float))


NULL = onp.zeros((2, 2))
singular_points = {
    "norm at zero": (lambda np, x: np.linalg.norm(x), onp.zeros(3), onp.zeros(3)),
    "norm squared at zero": (lambda np, x: np.linalg.norm(x) ** 2, onp.zeros(3), onp.zeros(3)),
    "norm of zero rows": (lambda np, x: np.linalg.norm(x, axis=1), [[0, 0], [3, 4]], [[0, 0], [0.6, 0.8]]),
    "3-norm at zero": (lambda np, x: np.linalg.norm(x, 3), onp.zeros(2), onp.zeros(2)),
    "half norm with a zero entry": (lambda np, x: np.linalg.norm(x, 0.5), [1, 0, 1], [2, 0, 2]),
    "norm of little": (lambda np, x: np.linalg.norm(x), [3e-200, 4e-200], [0.6, 0.8]),
    "3-norm of little": (lambda np, x: np.linalg.norm(x, 3), [1e-120, 1e-120], [0.5 ** (2 / 3)] * 2),
    "norm of a number": (lambda np, x: np.linalg.norm(x), -2, -1),
    "norm of a list": (lambda np, x: np.linalg.norm([x, 2 * x]), 2, onp.sqrt(5)),
    "norm of nothing": (lambda np, x: np.linalg.norm(x), [], []),
    "inf norm, ties": (lambda np, x: np.linalg.norm(x, onp.inf), [1, -1, 0], [0.5, -0.5, 0]),
    "number of nonzeros": (lambda np, x: x * np.linalg.norm(x, 0), [3, 0, 5], [2, 2, 2]),
    "nuclear norm at zero": (lambda np, x: np.linalg.norm(x, "nuc"), NULL, onp.eye(2)),
    "rank": (lambda np, x: x * np.linalg.matrix_rank(x), onp.eye(2), 2 * onp.ones((2, 2))),
    "matrix_power 0": (lambda np, x: np.trace(x) + np.linalg.matrix_power(x, 0), onp.eye(2), 4 * onp.eye(2)),
    "svd values of equal size": (lambda np, x: np.linalg.svd(x)[1] ** 2, onp.eye(3), 2 * onp.eye(3)),
    "svd values at zero": (lambda np, x: np.linalg.svd(x)[1] ** 2, onp.zeros((3, 2)), onp.zeros((3, 2))),
    "eigh values of equal size": (lambda np, x: np.linalg.eigh(x)[0] ** 2, onp.eye(3), 2 * onp.eye(3)),
    "eigh lower triangle": (lambda np, x: np.linalg.eigh(x)[0] ** 2, [[2, 0.3], [9, 1]], [[4, 0], [36, 2]]),
    "eigh upper triangle": (
        lambda np, x: np.linalg.eigh(x, "U")[0] ** 2,
        [[2, 3], [9, 1]],
        [[4, 12], [0, 2]],
    ),
    "eig values of equal size": (lambda np, x: np.real(np.linalg.eig(x)[0]) ** 2, onp.eye(2), 2 * onp.eye(2)),
    "eigh of one matrix of two": (
        lambda np, x: np.linalg.eigh(x)[1][:, :, -1] ** 2 * onp.array([2, 3, 5]),
        [onp.diag([1, 1, 4]), onp.diag([1, 2, 3])],
        onp.zeros((2, 3, 3)),
    ),
    "qr without reflectors": (
        lambda np, x: np.linalg.qr(x, "complete")[1][0, 0],
        onp.eye(3, 2),
        [[1, 0], [0, 0], [0, 0]],
    ),
    "det at zero": (lambda np, x: np.linalg.det(x), [[0]], [[1]]),
    "det near a singular matrix": (
        lambda np, x: np.linalg.det(x),
        onp.arange(1, 10).reshape(3, 3),
        [[-3, 6, -3], [6, -12, 6], [-3, 6, -3]],
    ),
    "det of no rows": (lambda np, x: np.linalg.det(x), onp.zeros((2, 0, 0)), onp.zeros((2, 0, 0))),
    "inv of no matrices": (lambda np, x: np.linalg.inv(x), onp.zeros((0, 2, 2)), onp.zeros((0, 2, 2))),
    "svd of no rows": (lambda np, x: np.linalg.svd(x, False)[0], onp.zeros((0, 3)), onp.zeros((0, 3))),
    "lstsq at zero": (lambda np, x: np.linalg.lstsq(x, onp.ones(2), rcond=None)[0], NULL, NULL),
}


@pytest.mark.parametrize("fun, x, want", singular_points.values(), ids=singular_points)
def test_where_there_is_no_derivative_or_little_to_derive(fun, x, want):
    onp.testing.assert_allclose(gradient(fun, x), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (2, 3, 0)])
def test_norms_of_nothing(shape):
    x = onp.zeros(shape)
    check_both_modes(lambda np, x: np.linalg.norm(x, axis=-1), x, order=1)
    check_both_modes(lambda np, x: np.linalg.norm(x, "fro", axis=(-2, -1)), x, order=1)
    for ord in ("nuc", 2):
        try:
            onp.linalg.norm(x, ord, axis=(-2, -1))
        except ValueError:  # before NumPy 2
            continue
        check_both_modes(lambda np, x, ord=ord: np.linalg.norm(x, ord, axis=(-2, -1)), x, order=1)
    if hasattr(onp.linalg, "vector_norm"):
        check_both_modes(lambda np, x: np.linalg.vector_norm(x, axis=0), x, order=1)
        with pytest.raises(ValueError, match="out of bounds"):
            ag.make_vjp(lambda x: anp.linalg.vector_norm(x, axis=5))(x)


def test_norms_that_overflow_have_their_gradient():
    with onp.errstate(over="ignore"):
        g = gradient(lambda np, x: np.linalg.norm(x, axis=1), [[3e200, 4e200], [0, 0], [3, 4]])
    onp.testing.assert_allclose(g, [[0.6, 0.8], [0, 0], [0.6, 0.8]], rtol=1e-12)


def test_the_determinant_of_an_ill_conditioned_matrix_has_two_accurate_derivatives():
    x, v = onp.diag([1.0, 1.0, 1e-8]), onp.array([[0.5, 2.0, 1.0], [1.0, 0.3, -1.0], [2.0, 1.0, -0.7]])
    second = 2 * (-0.7 * 0.8 - (2.0 - 1.0)) + 2e-8 * (0.15 - 2.0)
    got = ag.grad(ag.grad(lambda t: anp.linalg.det(x + t * v)))(0.0)
    onp.testing.assert_allclose(got, second, rtol=1e-12)


def expanded_det(np, a):
    """The determinant by expansion in the first row, a polynomial."""
    n = a.shape[-1]
    if n == 1:
        return a[0, 0]
    others = [onp.delete(onp.arange(n), k) for k in range(n)]
    return sum((-1) ** k * a[0, k] * expanded_det(np, a[1:, others[k]]) for k in range(n))


@pytest.mark.filterwarnings("ignore:Output seems independent:UserWarning")
@pytest.mark.parametrize("imaginary", [0, 1j])
@pytest.mark.parametrize(("n", "rank"), [(1, 0), (2, 0), (3, 2), (3, 0), (4, 2), (4, 3)])
def test_every_derivative_of_det_at_a_singular_matrix(n, rank, imaginary):
    draw = lambda *shape: rng.standard_normal(shape) + imaginary * rng.standard_normal(shape)
    a, directions = draw(n, rank) @ draw(rank, n), draw(4, n, n)

    def derivatives(f, slope):
        for v in directions:
            f = slope(f, v)
            yield f(a)

    def forward(f, v):
        return lambda x: ag.make_jvp(f)(x)(v)[1]

    def reverse(f, v):
        return lambda x: anp.sum(ag.grad(lambda y: anp.real(f(y)))(x) * v)

    for slope in (forward, reverse):
        got = list(derivatives(anp.linalg.det, slope))
        want = list(derivatives(lambda x: expanded_det(anp, x), slope))
        onp.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: anp.linalg.norm(x) ** 2,
        lambda x: anp.linalg.norm(x, 3) ** 2,
        lambda x: anp.sum(anp.linalg.norm(anp.reshape(x, (2, 2)), axis=1) ** 2),
    ],
)
def test_no_second_derivative_is_taken_through_a_norm_at_zero(fun):
    with onp.errstate(all="ignore"):
        assert onp.isnan(ag.hessian(fun)(onp.zeros(4))).any(0).all()
        assert onp.isnan(ag.make_jvp(ag.grad(fun))(onp.zeros(4))(onp.ones(4))[1]).all()


@pytest.mark.parametrize(
    "f",
    [
        lambda np, a: np.linalg.solve(a, [1.0, 2.0]),
        lambda np, a: np.linalg.solve(a, ([1, 2], [3, 5])),
        lambda np, a: np.linalg.solve([[2.0, 1.0], [0.5, 3.0]], a),
        lambda np, a: np.linalg.lstsq([[a[0, 0], 0.1], [0.2, a[1, 1]]], [1.0, 2.0], rcond=None)[0],
    ],
)
def test_lists_beside_traced_operands(f):
    check_both_modes(f, onp.array([[2.0, 0.3], [-0.4, 1.5]]))


@pytest.mark.parametrize(
    "fun, values",
    [
        (lambda np, x: np.linalg.svd(x)[2], "singular values"),
        (lambda np, x: np.linalg.eigh(x)[1], "eigenvalues"),
        (lambda np, x: np.real(np.linalg.eig(x)[1]), "eigenvalues"),  # complex from NumPy 2.5 on
        (lambda np, x: ag.grad(lambda x: np.sum(np.linalg.eigh(x)[0] ** 2))(x), "eigenvalues"),
    ],
)
def test_what_depends_on_vectors_of_a_repeated_value_is_finite_and_warns(fun, values):
    with pytest.warns(RuntimeWarning, match=f"repeated {values}"):
        assert onp.isfinite(gradient(fun, onp.diag([2.0, 2.0, 1.0]))).all()


def test_cholesky_gradients_are_symmetric():
    g = gradient(lambda np, a: np.linalg.cholesky(a)[2, 0], A @ A.T)
    onp.testing.assert_array_equal(g, g.T)


def test_a_solution_is_traced_in_both_operands_at_once():
    value, tangent = ag.make_jvp(lambda s: anp.linalg.solve(s * A, s * onp.ones(3)))(2.0)(1.0)
    onp.testing.assert_allclose(value, onp.linalg.solve(A, onp.ones(3)))
    onp.testing.assert_allclose(tangent, onp.zeros(3), atol=1e-12)


@pytest.mark.parametrize(
    "fun, error, words",
    [
        (lambda np, x: np.linalg.qr(x, "raw")[0], NotImplementedError, "numpy.linalg.qr: .*mode='raw'"),
        (lambda np, x: np.linalg.multi_dot([x, x], out=onp.eye(2)), NotImplementedError, "multi_dot: out"),
        (lambda np, x: np.linalg.qr(x).S, AttributeError, "no attribute 'S'"),
        (lambda np, x: np.linalg.inv(0 * x), onp.linalg.LinAlgError, "Singular"),
        (lambda np, x: np.linalg.norm(x, 3), ValueError, "Invalid norm order for matrices"),
        (lambda np, x: np.linalg.norm(x, "fro", axis=0), ValueError, "Invalid norm order 'fro'"),
        (lambda np, x: np.linalg.norm(x, 2, axis=(0, 0)), ValueError, "Duplicate axes"),
        (lambda np, x: np.linalg.norm(x[None], 2), ValueError, "Improper number of dimensions"),
        (lambda np, x: np.linalg.multi_dot([x]), ValueError, "at least two arrays"),
        (lambda np, x: np.linalg.tensorinv(x, 0), ValueError, "Invalid ind"),
        *[
            (lambda np, x: np.linalg.outer(x, x), ValueError, "one-dimensional"),
            (lambda np, x: np.linalg.cross(x, x), ValueError, "3-dimensional vectors"),
        ]
        * NUMPY2,
    ],
)
def test_refusals(fun, error, words):
    with pytest.raises(error, match=words):
        gradient(fun, onp.zeros((2, 2)))
