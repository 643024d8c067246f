"""einsum of one or two traced operands: values to the bit, derivatives of every order, refusals."""

import itertools
import warnings

import numpy as onp
import pytest
from numeric import check_both_modes

import autograd_fast as ag
import autograd_fast.numpy as np
from autograd_fast import _kernels
from autograd_fast.core import primitive_vjps
from autograd_fast.extend import defvjp_argnum
from autograd_fast.tracer import getval

RNG = onp.random.default_rng(5)
SIZES = {"a": 2, "b": 3, "c": 4, "d": 2, "i": 3, "j": 4, "k": 2, "l": 5, "B": 2, "Z": 3}
PATTERNS = [
    "ij,jk->ik", "ij,jk->ki", "ji,jk->ik", "ij,kj->ik", "ji,kj->ki", "ij,j->i", "ji,j->i", "i,ij->j", "i,i->",
    "ij,ij->", "ij,ji->", "ij,ij->ij", "i,j->ij", "i,j->ji", "ij,k->ijk", "bij,bjk->bik", "bij,bkj->bik",
    "bij,bj->bi", "bi,bi->b", "bi,bj->bij", "ijk,kl->ijl", "ijk,kl->ilj", "ijk,jkl->il", "ijk,lkj->il",
    "abcd,cdij->abij", "ij,jk->", "ij,jk->i", "ij,kl->ik", "ijk,j->i", "ij,i->ij", "ij,ij->i", "ij->ji",
    "ijk->kij", "ij->i", "ij->j", "ij->", "ijk->ik", "ijk->k", "i->i", "i->", "ij,jk", "ij,kj", "Zb,bA->ZA",
    "bZ,Zj", "ji", "ij", " i j , j k -> i k ",
]  # fmt: skip


def operands_of(pattern, kind=float):
    letters = pattern.replace(" ", "").partition("->")[0].split(",")
    shapes = [tuple(SIZES.get(letter, 3) for letter in word) for word in letters]
    if kind is complex:
        return [RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape) for shape in shapes]
    return [RNG.standard_normal(shape) for shape in shapes]


@pytest.fixture(params=[True, False], ids=["kernels", "no kernels"])
def kernels(request):
    was = _kernels.set_enabled(request.param)
    yield
    _kernels.set_enabled(was)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_derivatives(pattern, kernels):
    check_both_modes(lambda np, *args: np.einsum(pattern, *args), *operands_of(pattern))


@pytest.mark.parametrize("pattern", PATTERNS[::3])
def test_derivatives_of_complex_operands(pattern):
    check_both_modes(lambda np, *args: np.einsum(pattern, *args), *operands_of(pattern, complex))


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if "," in p][:12])
def test_one_operand_twice(pattern):
    first, second = pattern.partition("->")[0].split(",")
    if len(first.strip()) == len(second.strip()):
        x = RNG.standard_normal((3,) * len(first.strip()))
        check_both_modes(lambda np, x: np.einsum(pattern, x, x), x)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("dtype", ["d", "f", "D"])
def test_values_are_numpys_to_the_bit(pattern, dtype, kernels):
    for order in ("C", "F"):
        args = [onp.asarray(x, dtype, order=order) for x in operands_of(pattern)]
        seen = []

        def run(x, args=args, seen=seen):
            seen.append(getval(np.einsum(pattern, x, *args[1:])))
            return np.real(np.sum(x))

        ag.grad(run)(args[0])
        want = onp.einsum(pattern, *args)
        assert type(seen[0]) is type(want) and seen[0].dtype == want.dtype
        assert seen[0].shape == want.shape and seen[0].tobytes() == want.tobytes()


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("dtype", ["d", "f"])
def test_gradients_with_and_without_kernels_differ_by_rounding(pattern, dtype):
    args = [onp.asarray(x, dtype) for x in operands_of(pattern)]

    def gradients(on):
        was = _kernels.set_enabled(on)
        try:
            return ag.grad(lambda *a: np.sum(np.einsum(pattern, *a) ** 2), tuple(range(len(args))))(*args)
        finally:
            _kernels.set_enabled(was)

    for a, b in zip(gradients(True), gradients(False), strict=True):
        assert a.dtype == b.dtype == dtype and a.shape == b.shape
        assert onp.allclose(a, b, rtol=0, atol=32 * onp.finfo(dtype).eps * onp.max(onp.abs(b)))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_jacobians_and_repeated_pullbacks(pattern):
    args = operands_of(pattern)
    for k in range(len(args)):
        pullback, ans = ag.make_vjp(lambda *a: np.einsum(pattern, *a), k)(*args)
        jacobian = ag.jacobian(lambda *a: np.einsum(pattern, *a), k)(*args)
        for place in list(onp.ndindex(onp.shape(ans)))[:5]:
            unit = onp.zeros(onp.shape(ans))
            unit[place] = 1.0
            assert onp.allclose(jacobian[place], pullback(unit if onp.ndim(ans) else 1.0), atol=1e-14)


def test_operands_of_two_traces():
    a, b = operands_of("ij,jk->ik")

    def outer(b):
        inner = ag.grad(lambda a: np.sum(np.einsum("ij,jk->ik", a, b) ** 2))
        return np.sum(np.einsum("ij,ij->", inner(a), a))

    check_both_modes(lambda np_, b: outer(b) if np_ is np else 2 * onp.sum((a @ b) ** 2), b)


def test_third_derivative():
    a = RNG.standard_normal((3, 3))

    def f(t):
        return np.einsum("ij,jk->", t * a, np.einsum("ij,jk->ik", t * a, t * a))

    third = ag.grad(ag.grad(ag.grad(f)))(1.7)
    assert onp.isclose(third, 6 * onp.sum(a @ a @ a))


@pytest.mark.parametrize(
    ("pattern", "shapes"),
    [
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("ij,jj->i", [(2, 3), (3, 3)]),
        ("ij,jk->ik", [(2, 1), (3, 4)]),
        ("ij,jk->ik", [(2, 3), (1, 4)]),
        ("...j,jk->...k", [(2, 3), (3, 4)]),
        (",ij->ij", [(), (2, 3)]),
        ("ij,jk,kl->il", [(2, 3), (3, 2), (2, 2)]),
        ("ij,jk->ik", [(0, 3), (3, 4)]),
        ("ij,jk->ik", [(2, 0), (0, 4)]),
        ("ij->i", [(2, 0)]),
        ("i,i->", [(0,), (0,)]),
    ],
)
def test_patterns_of_other_kinds(pattern, shapes, kernels):
    args = [RNG.standard_normal(shape) for shape in shapes]
    check_both_modes(lambda np, *a: np.einsum(pattern, *a), *args)


@pytest.mark.parametrize(
    ("pattern", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (2, 3)]),
        ("ij->i", [(2,)]),
        ("ij,jk->il", [(2, 3), (3, 2)]),
        ("ij->ii", [(2, 3)]),
        ("ij,jk->ik", [(2, 3)]),
        ("ij", [(2, 3), (3, 2)]),
        ("i?->i", [(2, 3)]),
    ],
)
def test_what_numpy_refuses(pattern, shapes):
    args = [RNG.standard_normal(shape) for shape in shapes]
    with pytest.raises(Exception) as numpys:
        onp.einsum(pattern, *args)
    with pytest.raises(type(numpys.value)):
        ag.grad(lambda x: np.sum(np.einsum(pattern, x, *args[1:])))(args[0])


def test_operands_of_other_types():
    a, b = operands_of("ij,jk->ik")
    for other in (b.tolist(), b.astype("f"), onp.arange(8).reshape(4, 2), onp.asfortranarray(b), b[::-1]):
        want = onp.einsum("ik,jk->ij", onp.ones((3, 2)), onp.asarray(other, float))
        got = ag.grad(lambda x, other=other: np.sum(np.einsum("ij,jk->ik", x, other)))(a)
        assert onp.allclose(got, want)
    g = ag.grad(lambda x: np.sum(np.einsum("ij,jk->ik", x, b)))(a.astype("f"))
    assert g.dtype == "f"
    assert ag.grad(lambda x: np.sum(np.einsum("ij,jk->ik", a, x, optimize=True)))(b).shape == b.shape


def test_no_warning_comes_from_a_pullback(kernels):
    big = onp.full((3, 3), 1e300)
    for pattern, f in itertools.product(
        ["ij,jk->ik", "ij,ij->", "ij,ij->ij", "bij,bjk->bik"], [1.0, onp.inf, 1e300]
    ):
        x = onp.full((2, 3, 3), 1e300) if "b" in pattern else big
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pullback, ans = ag.make_vjp(lambda x, p=pattern: np.einsum(p, x, x))(x)
            pullback(onp.full(onp.shape(ans), f)[()] if onp.ndim(ans) else f)


def test_a_users_rule_is_used():
    before = primitive_vjps[np.einsum]
    a, b = operands_of("ij,jk->ik")
    try:
        defvjp_argnum(np.einsum, lambda argnum, ans, args, kwargs: lambda g: 5 * onp.ones(args[argnum].shape))
        got = ag.grad(lambda x: np.sum(np.einsum("ij,jk->ik", x, b)))(a)
    finally:
        primitive_vjps[np.einsum] = before
    assert onp.array_equal(got, 5 * onp.ones(a.shape))


@pytest.mark.parametrize("mode", [ag.detect_nans, ag.strong_zeros, ag.debug])
def test_modes(mode):
    a, b = operands_of("ij,jk->ik")

    def f(x):
        return np.einsum("ij,jk->ik", x, b)

    want = ag.grad(lambda x: np.sum(f(x) ** 2))(a)
    pullback, ans = ag.make_vjp(f)(a)
    with mode():
        assert onp.allclose(ag.grad(lambda x: np.sum(f(x) ** 2))(a), want)
        assert onp.allclose(pullback(2 * ans), want)  # the graph is older than the mode


def test_more_patterns_than_are_remembered():
    letters = "abcdefghijklmnopqrstuvwxyz"
    x = RNG.standard_normal((2, 2))
    for i, j, k in itertools.islice(itertools.permutations(letters, 3), 1500):
        assert ag.grad(lambda x, p=f"{i}{j},{j}{k}->{i}{k}": np.sum(np.einsum(p, x, x)))(x).shape == (2, 2)


@pytest.mark.parametrize(
    "shapes", [((0, 1), (0,)), ((2, 1), (0,)), ((1, 1), (2, 0)), ((2, 0), (1,)), ((1, 0), (3, 1))]
)
def test_empty_beside_axes_of_length_one(shapes):
    operands = [onp.ones(shape) for shape in shapes]
    pattern = "...i,...i->..."
    pullback, value = ag.make_vjp(lambda x, y: np.einsum(pattern, x, y), (0, 1))(*operands)
    assert value.shape == onp.einsum(pattern, *operands).shape
    assert [g.shape for g in pullback(onp.ones(value.shape))] == list(shapes)
    assert not any(g.any() for g in pullback(onp.ones(value.shape)))
