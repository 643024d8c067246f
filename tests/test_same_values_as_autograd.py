"""Where autograd is right, gradients are its gradients, to 1e-12."""

import numpy as onp
import pytest

import autograd_fast
import autograd_fast.numpy
from autograd_fast._coverage.measure import OPERANDS

autograd = pytest.importorskip("autograd")
their_numpy = pytest.importorskip("autograd.numpy")


def _each(names, expression):
    return [expression.replace("NAME", name) for name in names.split()]


# the rows of NumPy that autograd 1.9.1 has right
REAL = [
    *_each(
        """negative exp exp2 expm1 sin cos tan sinh cosh tanh arctan arcsinh square abs absolute fabs conj
        real nan_to_num real_if_close deg2rad rad2deg degrees radians""",
        "np.NAME(a)",
    ),
    *_each("log log2 log10 log1p sqrt reciprocal", "np.NAME(p)"),
    *_each("arcsin arccos arctanh", "np.NAME(u)"),
    *_each("arccosh", "np.NAME(o)"),
    *_each("add subtract multiply divide true_divide", "np.NAME(m, p[:3])"),
    "np.power(p, a)",
    *_each("maximum minimum fmax fmin logaddexp logaddexp2 arctan2 mod remainder", "np.NAME(a, q)"),
    *_each("sum mean prod max min amax amin var std cumsum", "np.NAME(m)"),
    *_each("sum mean prod max min var std cumsum", "np.NAME(m, axis=1)"),
    *_each("ravel transpose flipud fliplr tril triu array squeeze", "np.NAME(m)"),
    *_each("stack vstack hstack column_stack concatenate", "np.NAME([a, b])"),
    *_each("split array_split", "np.NAME(a, 2)[1]"),
    *_each("dot matmul", "np.NAME(m, n)"),
    *_each("inner outer kron", "np.NAME(a, b)"),
    *_each("inv det pinv", "np.linalg.NAME(s)"),
    *_each("fft fft2 fftn ifft ifft2 ifftn", "np.abs(np.fft.NAME(m))"),
    "np.angle(a + 0.4j)",
    "np.sinc(p)",
    "np.reshape(m, (3, 2))",
    "np.swapaxes(m, 0, 1)",
    "np.moveaxis(m, 0, 1)",
    "np.expand_dims(m, 1)",
    "np.rollaxis(m, 1)",
    "np.roll(m, 1)",
    "np.rot90(s)",
    "np.repeat(a, 2)",
    "np.tile(a, 3)",
    "np.diag(a)",
    "np.trace(s)",
    "np.append(m, a)",
    "np.pad(m, 1, 'constant')",
    "np.vsplit(m, 2)[0]",
    "np.dsplit(m[:, None], 3)[1]",
    "np.broadcast_to(a, (4,))",
    "np.where(np.array([True, False, True, False]), a, b)",
    "np.select([np.array([True, False, True, False])], [a])",
    "np.clip(a, -1.0, 0.5)",
    "np.sort(a)",
    "np.partition(a, 2)",
    "np.diff(a)",
    "np.gradient(a)",
    "np.tensordot(m, n, 1)",
    "np.tensordot(m, n, axes=([0, 1], [1, 0]))",
    "np.einsum('ij,jk->ik', m, n)",
    "np.cross(m, np.ones((2, 3)))",
    "np.linspace(x, y, 5)",
    "np.linalg.solve(s, n)",
    "np.linalg.slogdet(s)[1]",
    "np.linalg.cholesky(np.dot(s, s.T))",
    "np.linalg.eigh(s)[0]",
    "np.abs(np.linalg.eigh(s)[1])",
    "np.linalg.eigh(s, UPLO='U')[0]",
    "np.abs(np.linalg.svd(n, full_matrices=False)[0])",
    "np.linalg.svd(n, compute_uv=False)",
    "np.linalg.norm(a)",
    "np.linalg.norm(a, 3)",
    "np.linalg.norm(m, 'fro')",
    "np.linalg.norm(m, 'nuc')",
    "np.linalg.norm(m, axis=1)",
    "np.abs(np.fft.rfft(a))",
    "np.fft.fftshift(a)",
    "np.fft.ifftshift(a)",
    "np.max(m, axis=1, keepdims=True)",
    "np.var(m, ddof=1)",
    "a + b - a * b / p ** q",
    "-abs(a) % q",
    "m @ n",
    "m[:, [0, 2, 2]]",
    "m[..., None, ::-1]",
    "m.T.reshape(2, 3).sum(axis=0).cumsum()",
    "m.mean(axis=0) + m.max(axis=0) + m.std(axis=0) + m.prod(axis=0)",
    "m.ravel().clip(-1.0, 1.0).repeat(2)",
]
COMPLEX = [
    *_each("exp sin cos tan sinh cosh tanh square conj real imag abs angle log sqrt", "np.NAME(a)"),
    *_each("sum mean prod cumsum ravel transpose", "np.NAME(m)"),
    *_each("add subtract multiply divide power", "np.NAME(a, p)"),
    *_each("dot matmul", "np.NAME(m, n)"),
    *_each("fft ifft", "np.fft.NAME(m)"),
    "np.var(m)",
    "np.std(a)",
    "np.einsum('ij,jk->ik', m, n)",
    "np.linalg.inv(s)",
    "np.linalg.det(s)",
]


def gradients(expression, library, namespace, imaginary):
    names = [name for name in OPERANDS if name in compile(expression, "", "eval").co_names]
    values = [OPERANDS[name] + imaginary * onp.cos(OPERANDS[name]) for name in names]

    def loss(*operands):
        y = eval(expression, {"np": namespace, **dict(zip(names, operands, strict=True))})
        weights = onp.cos(onp.arange(onp.size(y)) + 0.2).reshape(namespace.shape(y))
        return namespace.sum(namespace.real(y * weights)) + namespace.sum(namespace.abs(y) ** 2)

    return library.grad(loss, tuple(range(len(names))))(*values)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Output seems independent:UserWarning")
@pytest.mark.parametrize(
    ("expression", "imaginary"), [(e, 0) for e in REAL] + [(e, 0.3j) for e in COMPLEX], ids=lambda v: str(v)
)
def test_gradient(expression, imaginary):
    theirs = gradients(expression, autograd, their_numpy, imaginary)
    ours = gradients(expression, autograd_fast, autograd_fast.numpy, imaginary)
    for got, wanted in zip(ours, theirs, strict=True):
        assert onp.shape(got) == onp.shape(wanted)
        onp.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
