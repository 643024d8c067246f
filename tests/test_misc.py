"""Flattening, optimizers, fixed points and the tracers that record programs."""

import numpy as onp
import pytest

# ----- flatten -----

PARAMETERS = {
    "w": onp.arange(4.0).reshape(2, 2),
    "b": [5.0, (onp.array([6.0, 7.0]), 8.0)],
    "a": onp.array([9.0]),
}
VECTOR = [9.0, 5.0, 6.0, 7.0, 8.0, 0.0, 1.0, 2.0, 3.0]  # by sorted keys


def leaves(x):
    if isinstance(x, dict):
        return [leaf for key in sorted(x) for leaf in leaves(x[key])]
    if isinstance(x, (list, tuple)):
        return [leaf for element in x for leaf in leaves(element)]
    return [x]


def test_flatten_and_back(lib):
    flatten = lib.module("misc").flatten
    vector, unflatten = flatten(PARAMETERS)
    onp.testing.assert_array_equal(vector, VECTOR)
    back = unflatten(2.0 * vector)
    assert list(back) == list(PARAMETERS) and type(back["b"]) is list and type(back["b"][1]) is tuple
    for got, given in zip(leaves(back), leaves(PARAMETERS), strict=True):
        assert onp.shape(got) == onp.shape(given)
        onp.testing.assert_array_equal(got, 2.0 * onp.asarray(given))


@pytest.mark.parametrize(
    "x", [2.0, onp.array(2.0), onp.ones((2, 3)), onp.ones((1, 2), "f"), [onp.ones(1, "f"), 2.0]]
)
def test_flatten_keeps_shape_and_precision(lib, x):
    vector, unflatten = lib.module("misc").flatten(x)
    assert vector.ndim == 1 and vector.size == sum(onp.size(leaf) for leaf in leaves(x))
    for got, given in zip(leaves(unflatten(vector)), leaves(x), strict=True):
        assert onp.shape(got) == onp.shape(given) and got.dtype == onp.result_type(given)


@pytest.mark.ours_only("warns of an independent output")
@pytest.mark.parametrize("x", [[], (), {}, {"x": [], "y": ()}], ids=repr)
def test_flatten_of_nothing(lib, x):
    vector, unflatten = lib.module("misc").flatten(x)
    assert vector.shape == (0,) and unflatten(vector) == x


@pytest.mark.ours_only("complex and real leaves don't mix")
def test_flatten_of_complex_leaves(lib):
    vector, unflatten = lib.module("misc").flatten([1.0, 2.0 + 1.0j])
    assert vector.dtype == complex
    real, cplx = unflatten(vector)
    assert real.dtype == float and cplx == 2.0 + 1.0j


def test_flatten_can_be_differentiated(lib):
    ag, np = lib.ag, lib.np
    flatten = lib.module("misc").flatten
    vector, unflatten = flatten(PARAMETERS)
    g = ag.grad(lambda p: np.sum(flatten(p)[0] ** 3))(PARAMETERS)
    onp.testing.assert_allclose(flatten(g)[0], 3 * vector**2)

    def f(v):
        p = unflatten(v)
        return np.sum(p["w"] @ p["b"][1][0]) * p["b"][0] + p["a"][0]

    want = onp.array([1.0, 40.0, 10.0, 20.0, 0.0, 30.0, 35.0, 30.0, 35.0])
    onp.testing.assert_allclose(ag.grad(f)(vector), want)
    h = ag.hessian(f)(vector)
    assert h.shape == (9, 9)
    onp.testing.assert_allclose(h, h.T)
    onp.testing.assert_allclose(ag.grad(lambda x: np.sum(flatten([x, 2.0 * x])[0] ** 2))(3.0), 30.0)


@pytest.mark.ours_only("numbers are lost silently")
def test_a_vector_of_another_size_is_an_error(lib):
    _, unflatten = lib.module("misc").flatten([1.0, 2.0])
    with pytest.raises(ValueError, match="a vector of 2 numbers, got 3"):
        unflatten(onp.ones(3))


def test_flatten_func(lib):
    flatten_func = lib.module("misc.flatten").flatten_func

    def f(p, k=1.0):
        return {"c": p["a"] * p["b"] * k}

    flat_f, unflatten, example = flatten_func(f, {"a": 2.0, "b": onp.array([3.0, 4.0])})
    assert flat_f.__name__ == ("f" if lib.ours else "<lambda>")
    onp.testing.assert_array_equal(example, [2.0, 3.0, 4.0])
    onp.testing.assert_array_equal(flat_f(example), [6.0, 8.0])
    onp.testing.assert_array_equal(flat_f(example, 10.0), [60.0, 80.0])
    onp.testing.assert_array_equal(unflatten(example)["b"], [3.0, 4.0])
    jacobian = lib.ag.jacobian(flat_f)(example)
    onp.testing.assert_allclose(jacobian, [[3.0, 2.0, 0.0], [4.0, 0.0, 2.0]])


# ----- optimizers -----


def reference(name, g, x, num_iters, step_size, first=None, second=None, eps=1e-8):
    """The published update rules, written out."""
    m, v = onp.zeros_like(x), onp.ones_like(x) if name == "rmsprop" else onp.zeros_like(x)
    for i in range(num_iters):
        d = g(x, i)
        if name == "sgd":
            m = first * m - (1 - first) * d
            x = x + step_size * m
        elif name == "rmsprop":
            v = first * v + (1 - first) * d * d
            x = x - step_size * d / (onp.sqrt(v) + eps)
        else:
            m = first * m + (1 - first) * d
            v = second * v + (1 - second) * d * d
            x = x - step_size * m / (1 - first ** (i + 1)) / (onp.sqrt(v / (1 - second ** (i + 1))) + eps)
    return x


OPTIMIZERS = [
    ("sgd", {}, {"num_iters": 200, "step_size": 0.1, "first": 0.9}),
    (
        "sgd",
        {"num_iters": 5, "step_size": 0.2, "mass": 0.5},
        {"num_iters": 5, "step_size": 0.2, "first": 0.5},
    ),
    ("rmsprop", {}, {"num_iters": 100, "step_size": 0.1, "first": 0.9}),
    (
        "rmsprop",
        {"num_iters": 4, "step_size": 0.3, "gamma": 0.5, "eps": 1e-2},
        {"num_iters": 4, "step_size": 0.3, "first": 0.5, "eps": 1e-2},
    ),
    ("adam", {}, {"num_iters": 100, "step_size": 0.001, "first": 0.9, "second": 0.999}),
    (
        "adam",
        {"num_iters": 6, "step_size": 0.1, "b1": 0.5, "b2": 0.7, "eps": 1e-3},
        {"num_iters": 6, "step_size": 0.1, "first": 0.5, "second": 0.7, "eps": 1e-3},
    ),
]


@pytest.mark.parametrize(("name", "options", "published"), OPTIMIZERS)
def test_optimizers_follow_the_published_rules(lib, name, options, published):
    optimize = getattr(lib.module("misc.optimizers"), name)
    x0 = onp.array([3.0, -1.0])

    def g(x, i):
        return 2.0 * x * (1.0 + 0.1 * (i % 3)) + onp.array([1.0, -2.0])

    onp.testing.assert_allclose(optimize(g, x0, **options), reference(name, g, x0, **published), rtol=1e-12)
    assert (x0 == [3.0, -1.0]).all()
    # as positional arguments
    args = [options[key] for key in options]
    onp.testing.assert_allclose(optimize(g, x0, None, *args), optimize(g, x0, **options))


@pytest.mark.parametrize("name", ["sgd", "rmsprop", "adam"])
def test_optimizers_on_nested_parameters(lib, name):
    optimize = getattr(lib.module("misc.optimizers"), name)
    x0 = {"w": [onp.array([1.0, -2.0]), 3.0], "b": (0.5,)}
    seen = []

    def loss(p, i):
        return lib.np.sum((p["w"][0] - 1.0) ** 2) + (p["w"][1] + 2.0) ** 2 + (p["b"][0] - 4.0) ** 2

    def callback(p, i, g):
        seen.append((i, type(p["b"]), onp.shape(g["w"][0])))

    end = optimize(lib.ag.grad(loss), x0, callback, num_iters=400, step_size=0.05)
    assert seen[0] == (0, tuple, (2,)) and len(seen) == 400
    assert loss(end, 0) < 1e-2
    assert type(end["w"]) is list and x0["w"][1] == 3.0


@pytest.mark.ours_only("numbers are broadcast silently")
def test_a_gradient_of_another_structure_is_an_error(lib):
    with pytest.raises(ValueError, match="a gradient of 1 numbers for parameters of 2"):
        lib.module("misc.optimizers").sgd(lambda x, i: [1.0], [1.0, 2.0])


# ----- fixed points -----


def distance(x, y):
    return onp.max(onp.abs(x - y))


def babylonian(a):
    return lambda x: 0.5 * (x + a / x)


def test_fixed_point_and_its_reverse_derivatives(lib):
    ag, fixed_point = lib.ag, lib.module("misc.fixed_points").fixed_point

    def root(a, x0=1.0):
        return fixed_point(babylonian, a, x0, distance, 1e-12)

    onp.testing.assert_allclose(root(2.0), onp.sqrt(2.0))
    onp.testing.assert_allclose(ag.grad(root)(2.0), 0.5 * 2.0**-0.5)
    onp.testing.assert_allclose(ag.grad(ag.grad(root))(2.0), -0.25 * 2.0**-1.5, rtol=1e-6)
    assert ag.grad(lambda x0: root(2.0, x0))(1.0) == 0.0
    a = onp.array([2.0, 3.0])
    jacobian = ag.jacobian(lambda a: root(a, onp.ones(2)))(a)
    onp.testing.assert_allclose(jacobian, onp.diag(0.5 * a**-0.5), atol=1e-9)
    g = ag.grad(lambda p: fixed_point(lambda p: lambda x: 0.5 * (x + p["a"] / x), p, 1.0, distance, 1e-12))
    onp.testing.assert_allclose(g({"a": 2.0, "b": 1.0})["a"], 0.5 * 2.0**-0.5)


@pytest.mark.ours_only("no forward mode")
def test_fixed_point_in_forward_mode(lib):
    fixed_point = lib.module("misc.fixed_points").fixed_point
    check_grads = lib.module("test_util").check_grads
    check_grads(lambda a: fixed_point(babylonian, a, 1.0, distance, 1e-13), order=2)(2.0)

    def contraction(a):
        return lambda x: lib.np.cos(a * x) / 2.0

    check_grads(lambda a: fixed_point(contraction, a, onp.zeros(3), distance, 1e-13))(
        onp.array([0.3, 1.0, -0.5])
    )


@pytest.mark.ours_only("a small cotangent is taken for a converged solution")
def test_fixed_point_with_small_cotangents(lib):
    def damped(a):
        return lambda x: 0.9 * x + 0.1 * a

    fixed_point = lib.module("misc.fixed_points").fixed_point
    g = lib.ag.grad(lambda a: 1e-9 * fixed_point(damped, a, 0.0, distance, 1e-8))(2.0)
    onp.testing.assert_allclose(g, 1e-9, rtol=1e-6)


# ----- tracers -----


def test_const_graph_runs_the_function_once(lib):
    np, const_graph = lib.np, lib.module("misc").const_graph
    runs = []

    def f(k, x, y, scale=1.0):
        runs.append(1)
        return (np.sin(x) * y + k) * scale

    cached = const_graph(f, 2.0, scale=3.0)
    assert cached.__name__ == "f"
    for x, y in ((1.0, 2.0), (0.5, -1.0), (3.0, 0.1)):
        onp.testing.assert_allclose(cached(x, y), (onp.sin(x) * y + 2.0) * 3.0)
    assert len(runs) == 1
    onp.testing.assert_allclose(lib.ag.grad(cached)(0.5, 2.0), 6.0 * onp.cos(0.5))
    assert len(runs) == 1


def test_const_graph_unary(lib):
    const_graph_unary = lib.module("misc.tracers").const_graph_unary
    cached = const_graph_unary(lambda p: p[0] * p[1])
    assert cached((1.0, 2.0)) == 2.0 and cached((3.0, 4.0)) == 12.0
    # functions with derivative zero are recorded too
    cached = const_graph_unary(lambda x: lib.np.floor(x) * x)
    assert cached(1.5) == 1.5 and cached(2.5) == 5.0
    with pytest.warns(UserWarning, match="independent"), pytest.raises(Exception, match="independent"):
        const_graph_unary(lambda x: 3.0)(1.0)


@pytest.mark.ours_only("fails")
def test_const_graph_of_the_identity_and_of_other_shapes(lib):
    const_graph_unary = lib.module("misc.tracers").const_graph_unary
    cached = const_graph_unary(lambda x: x)
    assert cached(1.5) == 1.5 and cached(2.5) == 2.5
    cached = const_graph_unary(lambda p: lib.np.sum(p[0] * p[1]))
    cached((onp.ones(2), onp.ones(2)))
    g = lib.ag.grad(cached)((onp.ones(3), 2.0 * onp.ones(3)))
    onp.testing.assert_array_equal(g[0], 2.0 * onp.ones(3))


def test_full_graph(lib):
    np, full_graph = lib.np, lib.module("misc.tracers").full_graph
    node = full_graph(lambda x, y: np.sum(x * y, axis=0, keepdims=True), onp.ones(2), y=3.0)
    names = []
    while node.value is not None:
        fun, args, kwargs, parents = node.recipe
        names.append(fun.__name__)
        onp.testing.assert_array_equal(fun(*args, **kwargs), node.value)
        if fun.__name__ == "sum":
            assert kwargs == {"axis": 0, "keepdims": True}
        (position, node), *others = list(parents)
        assert position == 0 and not others
    assert names == ["sum", "multiply", "container_take"]
    with pytest.warns(UserWarning, match="independent"):
        assert full_graph(lambda x: 3.0, 1.0) is None
