"""Tuples, lists and dicts as arguments, results and intermediate values."""

import collections
import operator

import numpy as onp
import pytest
from containers import assert_same

Point = collections.namedtuple("Point", "x y")


def product_of_leaves(x):
    """A number that depends on every leaf of a plain or traced container."""
    if hasattr(x, "items"):
        return product_of_leaves([x[key] for key in x])
    if hasattr(x, "index") and not hasattr(x, "dtype"):
        total = 1.0
        for element in x:
            total = total * product_of_leaves(element)
        return total
    return (x * x).sum() if onp.shape(x) else x


# ----- gradients have the structure of the argument -----

STRUCTURES = [
    (1.0, 2.0),
    [3.0, 2.0],
    {"a": 2.0, "b": 5.0},
    (1.0, [2.0, 5.0]),
    [[1.0, 2.0], (3.0, {"k": 4.0})],
    {"w": [2.0, (3.0,)], "v": 0.5},
    ([(2.0,)],),
]


@pytest.mark.parametrize("x", STRUCTURES, ids=repr)
def test_gradient_of_a_product_of_leaves(lib, x):
    total = product_of_leaves(x)

    def derivative(x):
        if isinstance(x, dict):
            return {key: derivative(value) for key, value in x.items()}
        if isinstance(x, (list, tuple)):
            return type(x)([derivative(value) for value in x])
        return total / x

    assert_same(lib.ag.grad(product_of_leaves)(x), derivative(x))
    value, tangent = lib.ag.make_jvp(product_of_leaves)(x)(x)
    n = len(lib.module("misc").flatten(x)[0])
    assert_same([value, tangent], [total, n * total])


def test_arrays_at_the_leaves(lib):
    np = lib.np
    x = {"w": onp.arange(4.0).reshape(2, 2), "b": [2.0, onp.array([1.0, -1.0, 3.0])]}

    def f(p):
        return np.sum(p["w"] ** 2) * p["b"][0] + np.sum(p["b"][1] ** 3)

    want = {"w": 4 * x["w"], "b": [14.0, 3 * x["b"][1] ** 2]}
    assert_same(lib.ag.grad(f)(x), want)


def test_elements_that_are_not_used_have_zero_gradients(lib):
    x = (onp.ones(2), [1.0, onp.ones((2, 2))], {"k": 3.0, "l": 4.0})
    got = lib.ag.grad(lambda p: p[2]["k"] * 2.0)(x)
    assert_same(got, (onp.zeros(2), [0.0, onp.zeros((2, 2))], {"k": 2.0, "l": 0.0}))


def test_an_element_used_many_times_accumulates(lib):
    def f(p):
        total = 0.0
        for _ in range(5):
            total = total + p["a"][1] * p["b"] + p["a"][1]
        return total

    assert_same(lib.ag.grad(f)({"a": [1.0, 2.0], "b": 3.0}), {"a": [0.0, 20.0], "b": 10.0})


def test_accumulation_does_not_change_what_others_hold(lib):
    np = lib.np
    x = [onp.ones(3), onp.ones(3)]

    def f(p):
        y = p[0] + 0.0
        return np.sum(y * p[1]) + np.sum(y) + np.sum(p[0])

    vjp, _ = lib.ag.make_vjp(f)(x)
    first, second = vjp(1.0), vjp(1.0)
    assert_same(first, [3 * onp.ones(3), onp.ones(3)])
    first[0] += 100.0
    assert_same(second, [3 * onp.ones(3), onp.ones(3)])
    assert_same(x, [onp.ones(3), onp.ones(3)])


def test_the_callers_cotangent_is_not_changed(lib):
    x = [onp.ones(2), onp.ones(2)]
    g = [onp.ones(2), onp.ones(2)]

    def f(p):
        return lib.ag.list([p[0] + p[1], p[0] * p[1]])

    vjp, _ = lib.ag.make_vjp(f)(x)
    for _ in range(2):
        assert_same(vjp(g), [2 * onp.ones(2), 2 * onp.ones(2)])
    assert_same(g, [onp.ones(2), onp.ones(2)])


def test_higher_orders(lib):
    ag = lib.ag
    nested = ag.grad(lambda x: ag.grad(lambda p: p[0] ** 3 * p[1])([x, 2.0])[0])
    assert_same(nested(3.0), 36.0)

    def f(p):
        return p["a"][0] ** 2 * p["a"][1] * p["b"] ** 3

    def slope(p):
        g = ag.grad(f)(p)
        return g["a"][0] * g["a"][1] + g["b"]

    x = {"a": (2.0, 3.0), "b": 1.5}
    a0, a1, b = 2.0, 3.0, 1.5
    # slope = 2 a0^3 a1 b^6 + 3 a0^2 a1 b^2
    want = {
        "a": (6 * a0**2 * a1 * b**6 + 6 * a0 * a1 * b**2, 2 * a0**3 * b**6 + 3 * a0**2 * b**2),
        "b": 12 * a0**3 * a1 * b**5 + 6 * a0**2 * a1 * b,
    }
    assert_same(ag.grad(slope)(x), want)
    direction = {"a": (1.0, 0.0), "b": 0.0}
    assert_same(ag.make_jvp(slope)(x)(direction)[1], want["a"][0])


# ----- what a traced sequence can do -----

SEQUENCE_USES = [
    ("slice", lambda p: p[:2][1] * 3.0, (0, 3, 0)),
    ("slice with a step", lambda p: p[::-2][0] * p[::-2][1], (5, 0, 2)),
    ("negative index", lambda p: p[-1] * p[-3], (5, 0, 2)),
    ("NumPy index", lambda p: p[onp.int64(1)] * 2.0, (0, 2, 0)),
    ("iteration", lambda p: sum(v * k for k, v in enumerate(p)), (0, 1, 2)),
    ("unpacking", lambda p: (lambda a, b, c: a * b * c)(*p), (15, 10, 6)),
    ("star in the middle", lambda p: (lambda a, *rest: a * rest[-1])(*p), (5, 0, 2)),
    ("reversed", lambda p: next(iter(reversed(p))) ** 2, (0, 0, 10)),
    ("zip", lambda p: sum(a * b for a, b in zip(p, p[1:], strict=False)), (3, 7, 3)),
    ("map", lambda p: sum(map(operator.mul, p, p)), (4, 6, 10)),
    ("length", lambda p: p[len(p) - 1] * len(p), (0, 0, 3)),
    ("truth", lambda p: p[0] if p else p[1], (1, 0, 0)),
    ("extension on the right", lambda p: (p + type_of(p)([7.0]))[-1] * (p + p)[4], (0, 7, 0)),
    ("extension on the left", lambda p: (type_of(p)([7.0]) + p)[0] * (type_of(p)([7.0]) + p)[1], (7, 0, 0)),
    ("sorted", lambda p: sorted(p)[0] ** 2, (4, 0, 0)),
    ("max", lambda p: max(p) ** 2, (0, 0, 10)),
]


def type_of(p):
    return type(getattr(p, "_value", p))


@pytest.mark.parametrize("make", [tuple, list])
@pytest.mark.parametrize(
    ("use", "want"), [case[1:] for case in SEQUENCE_USES], ids=[c[0] for c in SEQUENCE_USES]
)
def test_uses_of_a_sequence(lib, make, use, want):
    x = make([2.0, 3.0, 5.0])
    assert_same(lib.ag.grad(use)(x), make([float(v) for v in want]))


@pytest.mark.parametrize("make", [tuple, list])
@pytest.mark.parametrize(
    ("use", "want"), [case[1:] for case in SEQUENCE_USES], ids=[c[0] for c in SEQUENCE_USES]
)
@pytest.mark.ours_only("no forward mode for extensions")
def test_uses_of_a_sequence_in_forward_mode(lib, make, use, want):
    x, direction = make([2.0, 3.0, 5.0]), make([1.0, -2.0, 0.5])
    value, tangent = lib.ag.make_jvp(use)(x)(direction)
    assert_same([value, tangent], [use(x), onp.dot(want, [1.0, -2.0, 0.5])])


@pytest.mark.ours_only("no count, comparison or repetition")
@pytest.mark.parametrize("make", [tuple, list])
def test_a_traced_sequence_compares_as_its_value(lib, make):
    def f(p):
        assert p.count(2.0) == 1 and p.index(3.0) == 1
        assert p == make([2.0, 3.0]) and p == p and p != make([2.0, 4.0])
        assert p < make([2.0, 4.0]) and p >= make([1.0, 9.0])
        assert 3.0 in p and 4.0 not in p
        assert len(p * 2) == 4
        return (p * 2)[3] * p[1]

    assert_same(lib.ag.grad(f)(make([2.0, 3.0])), make([0.0, 6.0]))


def test_errors_are_those_of_the_plain_types(lib):
    grad = lib.ag.grad
    with pytest.raises(IndexError):
        grad(lambda p: p[5])((1.0, 2.0))
    with pytest.raises(KeyError):
        grad(lambda p: p["missing"])({"a": 1.0})
    with pytest.raises(TypeError):
        grad(set_first)([1.0])
    with pytest.raises(AttributeError):
        grad(lambda p: p.append(1.0))([1.0])


def set_first(p):
    p[0] = 2.0


@pytest.mark.ours_only("the message names no way out")
def test_changing_a_traced_container_says_what_to_do(lib):
    with pytest.raises(
        AttributeError, match=r"append: a traced list can't be changed in place.*x \+ \[item\]"
    ):
        lib.ag.grad(lambda p: p.append(1.0))([1.0])
    with pytest.raises(AttributeError, match="update: a traced dict"):
        lib.ag.grad(lambda p: p.update(a=1.0))({"a": 1.0})


def test_leaves_that_have_no_derivative_are_an_error(lib):
    for key, x in ((0, (1.0, "text")), ("a", {"a": 1.0, "b": None})):
        with pytest.raises(TypeError, match="vector space"):
            lib.ag.grad(lambda p, key=key: p[key])(x)


@pytest.mark.ours_only("the message does not say where")
def test_the_error_names_the_place_of_such_a_leaf(lib):
    with pytest.raises(TypeError, match=r"element 'b' of a dict: element 1 of a list: .*vector space.*text"):
        lib.ag.grad(lambda p: p["a"])({"a": 1.0, "b": [2.0, "text"]})


# ----- what a traced dict can do -----

DICT_USES = [
    ("values", lambda p: sum(v**2 for v in p.values()), {"a": 4.0, "b": 6.0}),
    ("items", lambda p: sum(v * (2.0 if k == "a" else 3.0) for k, v in p.items()), {"a": 2.0, "b": 3.0}),
    ("keys", lambda p: sum(p[k] for k in list(p.keys())), {"a": 1.0, "b": 1.0}),
    ("iteration", lambda p: sum(p[k] ** 2 for k in p), {"a": 4.0, "b": 6.0}),
    ("get", lambda p: p.get("a") * p.get("z", 5.0), {"a": 5.0, "b": 0.0}),
    ("membership", lambda p: p["a"] if "a" in p and "z" not in p else p["b"], {"a": 1.0, "b": 0.0}),
    ("double star", lambda p: (lambda a, b: a * b)(**p), {"a": 3.0, "b": 2.0}),
    ("length", lambda p: p["a"] * len(p), {"a": 2.0, "b": 0.0}),
    (
        "lazy iterators",
        lambda p: sum(v for _, v in p.iteritems()) + sum(p.itervalues()),
        {"a": 2.0, "b": 2.0},
    ),
]


@pytest.mark.parametrize(("use", "want"), [case[1:] for case in DICT_USES], ids=[c[0] for c in DICT_USES])
def test_uses_of_a_dict(lib, use, want):
    x = {"a": 2.0, "b": 3.0}
    assert_same(lib.ag.grad(use)(x), want)
    direction = {"a": 1.0, "b": -2.0}
    assert_same(lib.ag.make_jvp(use)(x)(direction)[1], want["a"] - 2.0 * want["b"])


@pytest.mark.ours_only("no union, copy or comparison")
def test_more_uses_of_a_dict(lib):
    def f(p):
        assert p == {"a": 2.0, "b": 3.0} and list(reversed(p)) == ["b", "a"]
        merged = p | {"b": p["a"] * 5.0}
        other = {"a": 1.0} | p
        return merged["b"] * p.copy()["b"] * other["a"]

    assert_same(lib.ag.grad(f)({"a": 2.0, "b": 3.0}), {"a": 60.0, "b": 20.0})


# ----- making containers -----


def test_traced_constructors(lib):
    ag, np = lib.ag, lib.np
    tuple_, list_, dict_ = ag.tuple, ag.list, ag.dict

    def f(x):
        made = tuple_([x, list_([x * 2.0, dict_(k=x * 3.0)])])
        return made[0] * made[1][0] * made[1][1]["k"]

    assert_same(ag.grad(f)(2.0), 6.0 * 3 * 4.0)
    for build in (
        lambda x: dict_({"a": x, "b": 1.0})["a"],
        lambda x: dict_([("a", x)])["a"],
        lambda x: dict_(zip(["a"], [x], strict=True))["a"],
        lambda x: dict_({"a": x}, b=2.0)["a"],
        lambda x: dict_(dict_(a=x))["a"],
        lambda x: list_(tuple_([x]))[0],
        lambda x: tuple_(v for v in [x, x])[1],
        lambda x: np.sum(np.array(list_([x]))),
    ):
        assert_same(ag.grad(build)(2.0), 1.0)


@pytest.mark.ours_only("boxes in plain containers in traced ones are lost: gradient 0")
@pytest.mark.parametrize(
    "use",
    [
        lambda b, x: b.list([[x, x], x])[0][0],
        lambda b, x: b.tuple((1.0, ({"a": [x]}, x)))[1][0]["a"][0],
        lambda b, x: b.dict(a=1.0, b=[x, 2 * x])["b"][0],
        lambda b, x: b.dict({"a": x, "b": {"c": (x, -x)}})["b"]["c"][0],
    ],
)
def test_traced_constructors_of_plain_containers_with_traced_elements(lib, use):
    assert lib.ag.grad(lambda x: 3 * use(lib.module("builtins"), x))(2.0) == 3.0
    assert lib.ag.make_jvp(lambda x: 3 * use(lib.module("builtins"), x))(2.0)(1.0)[1] == 3.0
    assert lib.ag.elementwise_grad(lib.ag.grad(lambda x: use(lib.module("builtins"), x) ** 3))(2.0) == 12.0


def test_constructors_on_plain_values(lib):
    tuple_, list_, dict_ = lib.ag.tuple, lib.ag.list, lib.ag.dict
    for made, want in (
        (tuple_([1, "a"]), (1, "a")),
        (list_((1, 2)), [1, 2]),
        (dict_(), {}),
        (dict_(a=1), {"a": 1}),
        (dict_([("a", 1)], b=2), {"a": 1, "b": 2}),
    ):
        assert made == want and type(made) is type(want)


@pytest.mark.ours_only("tuple() and list() without an argument are a TypeError")
def test_empty_constructors(lib):
    assert lib.ag.tuple() == () and lib.ag.list() == []


def test_isinstance_and_type(lib):
    ag = lib.ag
    type_ = lib.module("builtins").type

    def f(p):
        assert ag.isinstance(p, ag.tuple) and ag.isinstance(p, tuple) and not ag.isinstance(p, list)
        assert isinstance(p, ag.tuple) and not isinstance(p, ag.list) and not isinstance(p, tuple)
        assert ag.isinstance(p[1], ag.list) and ag.isinstance(p[2], (list, dict))
        assert type_(p) is tuple and type_(p[2]) is dict and type_(p[0]) is float
        return p[0]

    assert_same(ag.grad(f)((1.0, [2.0], {"a": 3.0})), (1.0, [0.0], {"a": 0.0}))
    assert ag.isinstance((1,), ag.tuple) and ag.isinstance([], ag.list) and ag.isinstance({}, ag.dict)
    assert issubclass(ag.tuple, tuple) and issubclass(ag.list, list) and issubclass(ag.dict, dict)
    assert type_(1.0) is float


def test_results_in_traced_containers(lib):
    ag = lib.ag
    vjp, value = ag.make_vjp(lambda x: ag.tuple([x, ag.list([x * 2.0, 3.0]), ag.dict(k=x**2)]))(3.0)
    assert_same(value, (3.0, [6.0, 3.0], {"k": 9.0}))
    assert_same(vjp((1.0, [10.0, 5.0], {"k": 100.0})), 1.0 + 20.0 + 600.0)


@pytest.mark.ours_only("no forward mode for dicts")
def test_results_in_traced_containers_in_forward_mode(lib):
    ag = lib.ag
    value, tangent = ag.make_jvp(lambda x: ag.tuple([x, ag.list([x * 2.0, 3.0]), ag.dict(k=x**2, l=1.0)]))(
        3.0
    )(2.0)
    assert_same(value, (3.0, [6.0, 3.0], {"k": 9.0, "l": 1.0}))
    assert_same(tangent, (2.0, [4.0, 0.0], {"k": 12.0, "l": 0.0}))


@pytest.mark.ours_only("a plain container as a result silently has derivative zero")
def test_results_in_plain_containers(lib):
    ag = lib.ag

    def f(x):
        return (x, [x * 2.0, 3.0], {"k": x**2})

    vjp, value = ag.make_vjp(f)(3.0)
    assert_same(value, (3.0, [6.0, 3.0], {"k": 9.0}))
    assert_same(vjp((1.0, [10.0, 5.0], {"k": 100.0})), 621.0)
    assert_same(ag.make_jvp(f)(3.0)(1.0), (value, (1.0, [2.0, 0.0], {"k": 6.0})))
    assert_same(ag.make_vjp(lambda x: Point(x, 2.0 * x))(3.0)[0](Point(1.0, 1.0)), 3.0)


def test_the_vjp_of_an_element_called_by_hand(lib, core):
    def f(parts):
        (cotangent,) = parts["x"]._node.vjp(3.0)
        space = core.vspace({"x": 1.0, "y": 1.0})
        assert cotangent.mut_add(space.zeros()) == {"x": 3.0, "y": 0.0}
        return parts["x"] * 2.0

    assert lib.ag.grad(f)({"x": 1.0, "y": 1.0})["x"] == 2.0
