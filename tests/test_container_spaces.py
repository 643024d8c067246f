"""The primitives and vector spaces of containers, named tuples, subclasses of dict, big containers."""

import collections
import typing

import numpy as onp
import pytest
from containers import assert_same

Point = collections.namedtuple("Point", "x y")


class Params(typing.NamedTuple):
    weights: list
    bias: float


# ----- primitives and spaces -----


@pytest.mark.ours_only("several have no forward mode")
def test_rules_of_the_primitives(lib):
    check_grads = lib.module("test_util").check_grads
    b = lib.module("builtins")
    rng = onp.random.RandomState(0)
    x, y = rng.randn(2), rng.randn(3)
    for f in (
        lambda x, y: b.make_sequence(list, x, 1.0, y),
        lambda x, y: b.make_sequence(Point, x * y[:2], y),
        lambda x, y: b._make_dict(["a", 3], b.list([x, y])),
        lambda x, y: b.sequence_extend_right(b.tuple([x]), y, x),
        lambda x, y: b.sequence_extend_left(b.list([x, x]), y, x),
        lambda x, y: b.container_take(b.tuple([x, y]), -1),
        lambda x, y: b.container_take(b.list([x, y, x]), slice(1, 3)),
        lambda x, y: b.tuple(b.list([x, y])),
    ):
        check_grads(f, (0, 1), order=2)(x, y)
    check_grads(lambda p: b.tuple(p)[0] * p[1], order=3)([x, x + 1.0])


def test_container_untake(lib):
    b, extend = lib.module("builtins"), lib.module("extend")
    for idx, x, want in ((0, 2.0, [5.0, 4.0]), (-1, 2.0, [3.0, 6.0]), (slice(1, 2), [2.0], [3.0, 6.0])):
        for make in (list, tuple):
            element = make(x) if isinstance(x, list) else x
            sparse = b.container_untake(element, idx, extend.vspace(make([1.0, 2.0])))
            assert isinstance(sparse, extend.SparseObject)
            assert_same(sparse.mut_add(make([3.0, 4.0])), make(want))
    sparse = b.container_untake(2.0, "k", extend.vspace({"k": 1.0, "l": 1.0}))
    assert_same(sparse.mut_add({"k": 3.0, "l": 4.0}), {"k": 5.0, "l": 4.0})


def test_vector_space_of_a_container(lib):
    b, vspace = lib.module("builtins"), lib.module("extend").vspace
    x = (1.0, [onp.arange(2.0), 1.0 + 2.0j], {"k": 3.0})
    space = vspace(x)
    assert type(space) is b.TupleVSpace and type(space.shape) is tuple
    assert type(space.shape[1]) is b.ListVSpace and type(space.shape[2]) is b.DictVSpace
    assert space.size == 6
    assert (
        space == vspace((2.0, [onp.ones(2), 1j], {"k": 0.0})) != vspace((2.0, [onp.ones(3), 1j], {"k": 0.0}))
    )
    assert vspace([1.0]) != vspace((1.0,))
    assert_same(space.zeros(), (0.0, [onp.zeros(2), 0j], {"k": 0.0}))
    assert_same(space.ones(), (1.0, [onp.ones(2), 1 + 1j], {"k": 1.0}))
    assert_same(space.add(x, x), (2.0, [2 * onp.arange(2.0), 2 + 4j], {"k": 6.0}))
    assert_same(space.scalar_mul(x, 3.0), (3.0, [3 * onp.arange(2.0), 3 + 6j], {"k": 9.0}))
    assert_same(space.inner_prod(x, x), 1.0 + 1.0 + 5.0 + 9.0)
    assert_same(space.covector(x), (1.0, [onp.arange(2.0), 1 - 2j], {"k": 3.0}))
    assert_same(space.mut_add(None, x), x)
    basis = list(space.standard_basis())
    gram = [[space.inner_prod(u, v) for u in basis] for v in basis]
    assert_same(onp.array(gram), onp.eye(6))
    sample = space.randn()
    assert vspace(sample) == space


@pytest.mark.ours_only("missing elements are ignored")
def test_a_tangent_of_another_structure_is_an_error(lib):
    vspace = lib.module("extend").vspace
    with pytest.raises(ValueError, match="list of 1 elements does not belong to the space of a list of 2"):
        vspace([1.0, 2.0]).add([1.0, 2.0], [1.0])


# ----- named tuples and subclasses of dict -----


@pytest.mark.ours_only("knows the classes list, tuple and dict alone")
def test_named_tuples(lib):
    np = lib.np

    def f(p):
        assert p._fields == ("weights", "bias")
        moved = p._replace(bias=p.bias * 2.0)
        return np.sum(p.weights[0] ** 2) * moved.bias + moved._asdict()["bias"] + p[1]

    x = Params([onp.array([1.0, 2.0])], 3.0)
    assert_same(lib.ag.grad(f)(x), Params([onp.array([12.0, 24.0])], 13.0))
    value, tangent = lib.ag.make_jvp(lambda p: p._replace(bias=p.weights[0][0]))(x)(
        Params([onp.ones(2)], 5.0)
    )
    assert_same(tangent, Params([onp.ones(2)], 1.0))
    with pytest.raises(AttributeError, match="slope"):
        lib.ag.grad(lambda p: p.slope)(x)
    with pytest.raises(ValueError, match="slope"):
        lib.ag.grad(lambda p: p._replace(slope=1.0))(x)


@pytest.mark.ours_only("knows the classes list, tuple and dict alone")
def test_subclasses_of_dict(lib):
    class Config(dict):
        pass

    x = collections.OrderedDict(b=2.0, a=collections.defaultdict(float, k=3.0))
    got = lib.ag.grad(lambda p: p["b"] ** 2 * p["a"]["k"])(x)
    assert_same(got, collections.OrderedDict(b=12.0, a=collections.defaultdict(float, k=4.0)))
    assert got["a"].default_factory is float
    config = Config(k=3.0)
    config.name = "a name"
    got = lib.ag.grad(lambda p: p["k"] ** 2)(config)
    assert type(got) is Config and got.name == "a name"
    assert_same(got["k"], 6.0)


def test_a_namedtuple_space_made_by_hand(lib):
    b, VSpace = lib.module("builtins"), lib.module("extend").VSpace

    Pair = collections.namedtuple("Pair", "u v")

    class PairVSpace(b.NamedTupleVSpace):
        seq_type = Pair

    PairVSpace.register(Pair)
    b.SequenceBox.register(Pair)
    assert VSpace.mappings[Pair] is PairVSpace
    assert_same(lib.ag.grad(lambda p: p[0] * p[1])(Pair(2.0, 3.0)), Pair(3.0, 2.0))


@pytest.mark.ours_only("results of functions are plain tuples of boxes")
def test_fields_of_numpy_results(lib):
    a = onp.array([[2.0, 0.3], [0.3, 1.0]])
    f = lib.ag.grad(lambda m: lib.np.linalg.eigh(m).eigenvalues[0])
    assert f(a).shape == (2, 2)
    assert_same(f(a), lib.ag.grad(lambda m: lib.np.linalg.eigh(m)[0][0])(a))


POINTS = [(2.0, 3.0), [2.0, onp.float64(3.0)], {0: 2.0, 1: 3.0}, [2.0 + 1j, 3.0]]


@pytest.mark.parametrize("point", POINTS, ids=repr)
def test_gradients_of_numbers_in_containers_are_arrays(lib, point):
    """Without dimension; used once, twice or not at all."""
    uses = {
        "once": lambda v: lib.np.real(v[0] * v[1]),
        "twice": lambda v: lib.np.real(v[0] * v[0] + v[1] + v[1]),
        "one": lambda v: lib.np.real(v[1] * 2.0),
    }
    for f in uses.values():
        gradient = lib.ag.grad(f)(point)
        for i in (0, 1):
            assert type(gradient[i]) is onp.ndarray and gradient[i].shape == ()
            assert gradient[i].dtype == onp.asarray(point[i]).dtype
    both = lib.ag.grad(lambda x, y: x * y, (0, 1))(2.0, 3.0)
    assert [type(g) for g in both] == [onp.ndarray] * 2 and both == (3.0, 2.0)


# ----- big containers -----


@pytest.mark.ours_only("the time grows with the square of the size")
@pytest.mark.parametrize("make", [list, tuple, lambda v: dict(enumerate(v))], ids=["list", "tuple", "dict"])
def test_every_one_of_many_leaves(lib, make):
    def f(p):
        total = 0.0
        for v in p.values() if hasattr(p, "values") else p:
            total = total + v
        return total

    n = 100_000
    g = lib.ag.grad(f)(make([1.0] * n))
    assert type(g) is type(make([])) and len(g) == n
    assert set(map(float, g.values() if type(g) is dict else g)) == {1.0}


@pytest.mark.ours_only("the time grows with the square of the size")
def test_a_hundred_thousand_leaves(lib):
    n, step = 100_000, 10
    x = tuple([float(i) for i in range(n)])
    g = lib.ag.grad(lambda p: sum(p[i] ** 2 for i in range(0, n, step)))(x)
    assert type(g) is tuple and len(g) == n
    want = 2.0 * onp.arange(n)
    want[onp.arange(n) % step != 0] = 0.0
    onp.testing.assert_allclose(onp.array(g), want)
