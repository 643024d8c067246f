"""numpy.linalg: every function in both modes against finite differences."""

import numpy as onp
import pytest
from numeric import check_both_modes, check_jvp, check_vjp

import autograd_fast as ag
import autograd_fast.numpy as anp

rng = onp.random.default_rng(7)
NUMPY2 = hasattr(onp.linalg, "vector_norm")
numpy2 = pytest.mark.skipif(not NUMPY2, reason="a function of NumPy 2")


def real(*shape):
    """Numbers of both signs, none of them near zero."""
    return rng.uniform(0.3, 2, shape) * rng.choice([-1, 1], shape)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


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
            (B, real(3, 2)),
            (A, real(2, 3, 2)),
            (B, real(1, 3, 1)),
            (C, cplx(3)),
            (D, real(3, 2)),
            (A, cplx(3, 1)),
        ],
    ),
    "tensorsolve": (lambda np, a, b: np.linalg.tensorsolve(a, b), [(real(2, 3, 6) + 5 * onp.eye(6).reshape(2, 3, 6), real(2, 3))]),
    "tensorinv": (lambda np, a: np.linalg.tensorinv(a), [(real(4, 6, 8, 3),)]),
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
    "eigh vectors U": (lambda np, a: np.abs(np.linalg.eigh(a, UPLO="U").eigenvectors), [(A,), (D,)]),
    "eigh projector": (
        lambda np, a: np.matmul(np.linalg.eigh(a)[1][:, :1], np.conj(np.linalg.eigh(a)[1][:, :1].T)),
        [(A,), (C,)],
    ),
    "eig values": (lambda np, a: np.linalg.eig(a)[0], [(sym(onp, A),), (A,), (C,), (D,)]),
    "eigvals": (lambda np, a: np.linalg.eigvals(a), [(A,), (C,), (B,)]),
    "eig vectors": (lambda np, a: np.linalg.eig(a).eigenvectors, [(sym(onp, A) + 0.1 * A,), (A,), (C,), (D,)]),
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
        lambda np, a: np.abs(np.linalg.svd(a)[0][:, :2]),
        [(real(3, 2),), (real(2, 3),), (cplx(3, 2),), (cplx(2, 3),), (A,), (C,)],
    ),
    "svd full, V": (
        lambda np, a: np.abs(np.linalg.svd(a).Vh[:2]),
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
    "svd hermitian": (
        lambda np, a: np.abs(np.linalg.svd(a, hermitian=True)[0]) * np.linalg.svd(a, hermitian=True)[1][..., None, :],
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
        norms[f"cond {p}"] = (lambda np, x, p=p: np.linalg.cond(x, p), [(A,), (C,), (B,)])

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
