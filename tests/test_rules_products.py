"""Products of vectors, matrices and tensors: both modes against finite differences."""

import warnings

import numpy as onp
import pytest
from expressions import complex_, table
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as np

NUMPY2 = onp.lib.NumpyVersion(onp.__version__) >= "2.0.0"


def pairs(expression, *shapes):
    """The expression for real operands of each pair of shapes, and for a complex with a real one."""
    cases = []
    for a, b in shapes:
        for spec in (a, complex_(*a)) if a and b else (a,):
            cases += [
                pytest.param(*case.values, id=f"{expression} {a} {b} {'complex' if spec != a else 'real'}")
                for case in table({"x": spec, "y": b}, expression)
            ]
    return cases


PRODUCTS = [
    *pairs(
        "np.dot(x, y)",
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3, 4)),
        ((4, 2, 3), (3, 5)),
        ((2, 3), (4, 3, 5)),
        ((4, 2, 3), (5, 3, 2)),
        ((3,), (4, 3, 2)),
        ((4, 2, 3), (3,)),
        ((0, 3), (3, 2)),
    ),
    *pairs(
        "np.matmul(x, y)",
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3, 4)),
        ((4, 2, 3), (3, 5)),
        ((2, 3), (4, 3, 5)),
        ((4, 1, 2, 3), (5, 3, 2)),
        ((3,), (4, 3, 2)),
        ((4, 2, 3), (3,)),
        ((4, 2, 3), (4, 3, 2)),
        ((1, 2, 3), (4, 3, 2)),
    ),
    *pairs("x @ y", ((2, 3), (3, 4)), ((4, 2, 3), (3,))),
    *table({"x": (2, 3)}, "x.dot(onp.eye(3, 2))", "x.T.dot(x)"),
    *pairs(
        "np.inner(x, y)",
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (4, 3)),
        ((2, 4, 3), (5, 3)),
        ((2, 3), (2, 4, 3)),
    ),
    *pairs("np.outer(x, y)", ((3,), (4,)), ((2, 2), (3,)), ((2, 2), (3, 2))),
    *pairs("np.kron(x, y)", ((3,), (2, 2)), ((2, 3), (2, 2)), ((2, 3), (2,)), ((2, 1, 2), (2, 2))),
    *pairs("np.vdot(x, y)", ((3,), (3,)), ((2, 3), (2, 3))),
    *pairs("np.vdot(y, x)", ((2, 3), (2, 3))),
    *pairs("np.tensordot(x, y)", ((2, 3, 2), (3, 2))),
    *pairs("np.tensordot(x, y, 0)", ((2, 3), (4, 2))),
    *pairs("np.tensordot(x, y, 1)", ((2, 3, 4), (4, 5))),
    *pairs("np.tensordot(x, y, ([2, 1], [0, 1]))", ((2, 3, 4), (4, 3, 5))),
    *pairs("np.tensordot(x, y, axes=([1, -1], [-1, 1]))", ((2, 3, 4), (5, 4, 3))),
    *pairs("np.tensordot(x, y, (1, -1))", ((2, 3, 4), (5, 3))),
    *pairs("np.tensordot(x, y, 3)", ((2, 3, 4), (2, 3, 4))),
    *pairs("np.tensordot(x, y, ([0, 3, 1], [2, 0, 1]))", ((2, 3, 4, 5), (5, 3, 2))),
    *pairs("np.cross(x, y)", ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1, 3), (4, 3))),
    *pairs("np.cross(x, y, axis=0)", ((3, 2), (3, 2))),
    *pairs("np.cross(x, y, axisa=0, axisb=1, axisc=0)", ((3, 2), (2, 3))),
    *table(
        {"x": 1.7, "y": (2, 3)},
        *(f"np.{name}({pair})" for name in ("dot", "inner", "outer", "kron") for pair in ("x, y", "y, x")),
    ),
    *table({"x": 1.7, "y": 0.3}, "np.dot(x, y)", "np.inner(x, y)", "np.outer(x, y)"),
]

EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    (" i j , j k -> k i", (2, 3), (3, 4)),
    ("ba", (2, 3)),
    ("bA", (2, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("i,j->ij", (2,), (3,)),
    (",i->i", (), (3,)),
    ("ij,k->i", (2, 3), (4,)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ii,ij->", (3, 3), (3, 3)),
    ("iij->j", (3, 3, 2)),
    ("iji->ij", (3, 2, 3)),
    ("iiij->ij", (2, 2, 2, 3)),
    ("i,i", (2,), (1,)),
    ("ij,j->i", (2, 1), (3,)),
    ("ij,ij->ij", (2, 3), (1, 3)),
    ("...ij,...jk->...ik", (5, 2, 3), (3, 4)),
    ("...ij,...jk->...ik", (2, 3), (5, 3, 4)),
    ("...ij,...jk", (1, 2, 3), (5, 3, 4)),
    ("i...->...", (3, 2, 2)),
    ("...,...", (2, 3), (3,)),
    ("i...,j...->ij...", (2, 3), (4, 1)),
    ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)),
]


def einsum_case(subscripts, *shapes, kind=lambda shape: shape):
    operands = {f"x{k}": kind(shape) if shape else onp.array(1.2) for k, shape in enumerate(shapes)}
    (case,) = table(operands, f"np.einsum({subscripts!r}, {', '.join(operands)})")
    return pytest.param(*case.values, id=f"{subscripts} {shapes}")


PRODUCTS += [einsum_case(*spec) for spec in EINSUMS]
PRODUCTS += [einsum_case(*spec, kind=lambda shape: complex_(*shape)) for spec in EINSUMS[:2] + EINSUMS[10:14]]
PRODUCTS += [
    *table(
        {"x": (2, 3), "y": (3, 4), "z": (3, 3)},
        "np.einsum('ij,jk,jl', x, y, z, optimize=True)",
        "np.einsum(x, [0, 1], y, [1, 2], [0, 2])",
        "np.einsum(x, [0, 1], y, [1, 2])",
        "np.einsum(x, [..., 1], y, [1, 2], [..., 2])",
        "np.einsum(x, [30, 2])",
        "np.einsum(z, [0, 0])",
    ),
    *table({"x": (30, 30), "y": (30, 30)}, "np.einsum('ij,jk->ik', x, y)", order=1, rtol=1e-5),
]

PRODUCTS += [
    *table(
        {"x": (2,), "a": (2, 2)},
        *(
            f"np.{name}({operands})"
            for name in ("dot", "vdot", "inner")
            for operands in ("x, [2, 3]", "[2.0, 3.0], x")
        ),
        "np.vdot([[1, 2], [3, 4j]], a)",
        "np.dot(a, [[1, 2], [3, 4]])",
        "np.dot([1, 2], a)",
        "np.matmul([[1, 2], [3, 4]], a)",
        "np.outer([1, 2, 3], a)",
        "np.tensordot(a, [[1, 2], [3, 4]], 2)",
        "np.einsum('ij,j', a, (1, 2))",
        "np.kron(a, [1, 2])",
    ),
]
if hasattr(onp, "vecdot"):
    PRODUCTS += [
        *pairs("np.vecdot(x, y)", ((2, 3), (3,))),
        *pairs("np.vecdot(x, y, axis=0)", ((3, 2), (3, 1))),
    ]
if hasattr(onp, "matvec"):
    PRODUCTS += [*pairs("np.matvec(x, y)", ((2, 3), (4, 3))), *pairs("np.vecmat(y, x)", ((3, 2), (4, 3)))]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        onp.cross([1.0, 2.0], [3.0, 4.0])
    except ValueError:  # newer NumPy takes three entries only
        pass
    else:
        PRODUCTS += [
            *pairs("np.cross(x, y)", ((4, 2), (2,)), ((2,), (4, 3)), ((4, 3), (2,))),
        ]


@pytest.mark.filterwarnings("ignore:Output seems independent:UserWarning")
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
@pytest.mark.parametrize(("f", "args", "options"), PRODUCTS)
def test_rule(f, args, options):
    check_both_modes(f, *args, **options)


@pytest.mark.parametrize("name", ["dot", "matmul", "inner", "tensordot", "outer", "vdot", "kron"])
def test_square_of_one_operand(name):
    x = onp.array([[1.0, -2.0], [0.5, 3.0]])
    check_both_modes(lambda np, v: getattr(np, name)(v, v), x)


def test_real_operand_of_a_complex_product_gets_a_real_gradient():
    z = onp.array([[1.0 + 2j, 3.0 - 1j]])
    g = ag.grad(lambda x: np.real(np.sum(np.dot(z, x))))(onp.ones(2))
    onp.testing.assert_array_equal(g, z[0].real)
    assert g.dtype == float


@pytest.mark.parametrize(
    ("name", "axes", "shapes"),
    [
        ("matmul", [(1, 0), (0, 1), (1, 0)], ((3, 2), (3, 4))),
        ("matmul", [(0, 2), (-2, -1), (0, 1)], ((2, 4, 3), (4, 3, 2))),
        ("matmul", [(0, 2), (0, 1), (-1, 0)], ((2, 1, 3), (3, 2, 4))),
        ("matmul", [(0,), (0, 1), (0,)], ((3,), (3, 2))),
        ("vecdot", [(0,), (0,), ()], ((3, 2), (3, 2))),
        ("vecdot", [0, 1], ((3, 2), (2, 3))),
        ("matvec", [(1, 0), (0,), (0,)], ((3, 2), (3, 4))),
        ("vecmat", [(0,), (1, 2), (1,)], ((2, 4), (4, 2, 3))),
    ],
)
@pytest.mark.parametrize("imaginary", [0, 1j])
def test_axes(name, axes, shapes, imaginary):
    if not hasattr(onp, name):
        pytest.skip("new in NumPy 2")
    rng = onp.random.default_rng(3)
    args = [rng.standard_normal(s) + (imaginary * rng.standard_normal(s) if imaginary else 0) for s in shapes]
    check_both_modes(lambda np, x, y: getattr(np, name)(x, y, axes=axes), *args)


@pytest.mark.skipif(not hasattr(onp, "vecdot"), reason="new in NumPy 2")
def test_dtype_of_a_product():
    value, tangent = ag.make_jvp(lambda x: np.vecdot(x, x, dtype=onp.complex128))(onp.ones(3))(onp.ones(3))
    assert value.dtype == complex
    assert tangent == 6
