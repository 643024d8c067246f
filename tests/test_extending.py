"""Rules, nodes, boxes and vector spaces of users, and the registries that hold them."""

import numpy as onp
import pytest

X = onp.array([0.5, -1.0, 2.0])


# ----- rules of users -----


def power(x, n, y):
    return x**n * y


def test_rules_by_argument(lib, extend):
    f = extend.primitive(power)
    extend.defvjp(
        f,
        lambda ans, x, n, y: lambda g: g * n * x ** (n - 1) * y,
        None,
        lambda ans, x, n, y: lambda g: g * x**n,
    )
    extend.defjvp(f, lambda g, ans, x, n, y: g * n * x ** (n - 1) * y, None, lambda g, ans, x, n, y: g * x**n)
    ag = lib.ag
    assert ag.grad(f)(2.0, 3, 5.0) == 60.0 and ag.grad(f, 2)(2.0, 3, 5.0) == 8.0
    assert ag.grad(f, 1)(2.0, 3.0, 5.0) == 0.0
    assert ag.grad(ag.grad(f))(2.0, 3, 5.0) == 60.0
    assert ag.make_jvp(lambda x: f(x, 3, x))(2.0)(1.0)[1] == 32.0
    lib.module("test_util").check_grads(lambda x: f(x, 3, x), modes=["fwd", "rev"], order=3)(1.7)
    assert f.__name__ == "power" and f.fun is power and f(2.0, 3, 5.0) == 40.0


def test_other_ways_to_give_rules(lib, extend):
    ag = lib.ag
    double = extend.primitive(lambda x: 2.0 * x)
    extend.defvjp(double, lambda ans, x: lambda g: 2.0 * g)
    extend.defjvp(double, "same")
    assert ag.make_jvp(double)(3.0)(5.0) == (6.0, 10.0)

    product = extend.primitive(lambda x, y: x * y)
    extend.defvjp_argnum(product, lambda i, ans, args, kwargs: lambda g: g * args[1 - i])
    extend.def_linear(product)
    assert ag.grad(product, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert ag.make_jvp(product, (0, 1))(2.0, 3.0)((1.0, 10.0))[1] == 23.0

    total = extend.primitive(lambda *args: sum(args))
    extend.defvjp_argnums(total, lambda argnums, ans, args, kwargs: lambda g: [g * (i + 1) for i in argnums])
    extend.defjvp_argnums(total, lambda argnums, gs, ans, args, kwargs: sum(gs))
    assert ag.grad(total, (0, 2))(1.0, 1.0, 1.0) == (1.0, 3.0)
    assert ag.make_jvp(total, (0, 2))(1.0, 1.0, 1.0)((1.0, 5.0))[1] == 6.0

    last = extend.primitive(lambda a, b, c, k=1.0: c * k)
    extend.defvjp(last, lambda ans, a, b, c, k=1.0: lambda g: g * k, argnums=(2,))
    extend.defjvp(last, lambda g, ans, a, b, c, k=1.0: g * k, argnums=[2])
    assert ag.grad(last, 2)(0.0, 0.0, 1.0, k=4.0) == 4.0
    assert ag.make_jvp(last, 2)(0.0, 0.0, 1.0, k=4.0)(1.0)[1] == 4.0


def test_a_rule_sees_the_values_of_outer_traces(lib, extend):
    seen = []
    cube = extend.primitive(lambda x: x**3)

    def vjpmaker(ans, x):
        seen.append(lib.module("tracer").isbox(x))
        return lambda g: 3.0 * g * x**2

    extend.defvjp(cube, vjpmaker)
    assert lib.ag.grad(lib.ag.grad(cube))(2.0) == 12.0
    assert True in seen


def test_missing_rules(lib, extend):
    nothing = extend.primitive(lambda x: x * 2.0)
    named = extend.primitive(power)
    extend.defvjp(named, lambda ans, x, n, y: lambda g: g)
    for call in (
        lambda: lib.ag.grad(nothing)(1.0),
        lambda: lib.ag.make_jvp(nothing)(1.0)(1.0),
        lambda: lib.ag.make_jvp(named)(1.0, 2.0, 3.0)(1.0),
    ):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(NotImplementedError, match="VJP of power wrt argnum"):
        lib.ag.grad(named, 2)(1.0, 2.0, 3.0)
    # raised while tracing, before any backward pass
    with pytest.raises(NotImplementedError):
        lib.ag.make_vjp(nothing)(1.0)


def test_bad_rules_are_refused(extend):
    f = extend.primitive(lambda x: x)
    with pytest.raises(Exception, match="Bad VJP"):
        extend.defvjp(f, "text")
    with pytest.raises(Exception, match="Bad JVP"):
        extend.defjvp(f, "text")


def test_rules_can_be_redefined(lib, core, extend):
    f = extend.primitive(lambda x: x * 1.0)
    extend.defvjp(f, lambda ans, x: lambda g: g * 1.0)
    assert lib.ag.grad(f)(1.0) == 1.0
    extend.defvjp(f, lambda ans, x: lambda g: g * 7.0)
    assert lib.ag.grad(f)(1.0) == 7.0
    rule = core.primitive_vjps.pop(f)
    with pytest.raises(NotImplementedError):
        lib.ag.grad(f)(1.0)
    core.primitive_vjps[f] = rule
    assert lib.ag.grad(f)(1.0) == 7.0


def test_built_in_rules_can_be_replaced(lib, core, extend):
    np = lib.np
    old_vjp, old_jvp = core.primitive_vjps[np.tanh], core.primitive_jvps[np.tanh]
    old_add = core.primitive_vjps[np.add]
    try:
        extend.defvjp(np.tanh, lambda ans, x: lambda g: g * 100.0)
        extend.defjvp(np.tanh, lambda g, ans, x: g * 200.0)
        extend.defvjp(np.add, lambda ans, x, y: lambda g: g * 10.0, lambda ans, x, y: lambda g: g * 20.0)
        assert lib.ag.grad(np.tanh)(0.5) == 100.0 and lib.ag.make_jvp(np.tanh)(0.5)(1.0)[1] == 200.0
        for x in (0.5, onp.array(0.5), onp.float32(0.5)):
            assert lib.ag.grad(lambda x: x + x)(x) == 30.0
        onp.testing.assert_array_equal(lib.ag.grad(lambda x: np.sum(1.0 + x))(X), [20.0] * 3)
    finally:
        core.primitive_vjps[np.tanh], core.primitive_jvps[np.tanh] = old_vjp, old_jvp
        core.primitive_vjps[np.add] = old_add
    onp.testing.assert_allclose(lib.ag.grad(np.tanh)(0.5), 1 - onp.tanh(0.5) ** 2)
    assert lib.ag.grad(lambda x: x + x)(0.5) == 2.0


@pytest.mark.parametrize("name", ["diff", "cross", "roll"])
def test_rules_of_any_function_of_numpy_can_be_replaced(lib, core, extend, name):
    """Also of those that are not primitives here but made from others."""
    fun = getattr(lib.np, name)
    args = (X, X) if name == "cross" else (X, 1) if name == "roll" else (X,)
    old_vjp, old_jvp = core.primitive_vjps.get(fun), core.primitive_jvps.get(fun)
    try:
        extend.defvjp(fun, lambda ans, x, *rest, **kwargs: lambda g: 42.0 + 0.0 * x)
        extend.defjvp(fun, lambda t, ans, x, *rest, **kwargs: 42.0 + 0.0 * ans)
        vjp, ans = lib.ag.make_vjp(fun)(*args)
        onp.testing.assert_array_equal(vjp(onp.ones_like(ans)), [42.0] * 3)
        tangent = lib.ag.make_jvp(fun)(*args)(X)[1]
        onp.testing.assert_array_equal(tangent, 42.0 + 0.0 * ans)
    finally:
        for registry, rule in ((core.primitive_vjps, old_vjp), (core.primitive_jvps, old_jvp)):
            if rule is None:
                registry.pop(fun, None)
            else:
                registry[fun] = rule
    assert lib.ag.grad(lambda x: lib.np.sum(fun(x, *args[1:])))(X)[0] != 42.0


def test_notrace_primitives(lib, core, tracer, extend):
    sign = tracer.notrace_primitive(lambda x: onp.sign(x))
    assert lib.ag.grad(lambda x: x * sign(x))(-2.0) == -1.0
    step = extend.primitive(lambda x: onp.floor(x))
    extend.register_notrace(core.VJPNode, step)
    extend.register_notrace(core.JVPNode, step)
    assert step in tracer.notrace_primitives[core.VJPNode]
    assert lib.ag.grad(lambda x: x * step(x))(2.5) == 2.0
    assert lib.ag.make_jvp(lambda x: x * step(x))(2.5)(1.0)[1] == 2.0
    seen = []
    tracer.notrace_primitive(lambda *args: seen.append([tracer.isbox(arg) for arg in args]))
    lib.ag.grad(lambda x: (tracer.notrace_primitive(lambda v: seen.append(tracer.isbox(v)))(x), x)[1])(1.0)
    assert seen == [False]


@pytest.mark.parametrize("method", ["defvjp", "defgrad", "defvjp_is_zero"])
def test_deprecated_ways_to_give_rules(lib, method):
    f = lib.ag.primitive(lambda x, y: x * y)
    with pytest.warns(UserWarning, match=f"The {method} method is deprecated"):
        if method == "defvjp":
            f.defvjp(lambda g, ans, vs, gvs, x, y: g * y)
        elif method == "defgrad":
            f.defgrad(lambda ans, x, y: lambda g: g * y)
        else:
            f.defvjp_is_zero(argnums=(0, 1))
    assert lib.ag.grad(f)(2.0, 3.0) == (0.0 if method == "defvjp_is_zero" else 3.0)


# ----- classes of users -----


def test_a_node_class_of_ones_own(lib, tracer):
    class Counting(tracer.Node):
        __slots__ = ["parents", "names"]

        def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
            assert len(parent_argnums) == len(parents)
            self.parents = parents
            self.names = [*parents[0].names, fun.__name__]

        def initialize_root(self, tag):
            self.parents, self.names = [], [tag]

    value, node = tracer.trace(Counting.new_root("start"), lambda x: lib.np.sin(x) * 2.0 + 1.0, 0.5)
    onp.testing.assert_allclose(value, 2 * onp.sin(0.5) + 1)
    assert node.names == ["start", "sin", "multiply", "add"]
    assert len(list(tracer.toposort(node))) == 4


class Money:
    def __init__(self, amount):
        self.amount = amount


def test_a_box_and_a_space_of_ones_own(lib, extend):
    Box, VSpace = extend.Box, extend.VSpace

    class MoneyBox(Box):
        __slots__ = []

        @property
        def amount(self):
            return get_amount(self)

    class MoneyVSpace(VSpace):
        def __init__(self, value):
            pass

        def zeros(self):
            return Money(0.0)

        def ones(self):
            return Money(1.0)

        def _add(self, x, y):
            return Money(x.amount + y.amount)

        def _mut_add(self, x, y):
            x.amount += y.amount
            return x

        def _inner_prod(self, x, y):
            return x.amount * y.amount

    MoneyBox.register(Money)
    MoneyVSpace.register(Money)
    assert Box.type_mappings[Money] is MoneyBox and VSpace.mappings[Money] is MoneyVSpace
    get_amount = extend.primitive(lambda m: m.amount)
    make_money = extend.primitive(Money)
    extend.defvjp(get_amount, lambda ans, m: lambda g: make_money(g))
    extend.defvjp(make_money, lambda ans, x: lambda g: get_amount(g))
    extend.defjvp(get_amount, "same")
    g = lib.ag.grad(lambda m: m.amount**2 + 3.0 * m.amount)(Money(5.0))
    assert isinstance(g, Money) and g.amount == 13.0
    assert lib.ag.grad(lambda x: make_money(x * 2.0).amount ** 2)(3.0) == 24.0
    assert lib.ag.make_jvp(lambda m: m.amount**2)(Money(5.0))(Money(1.0)) == (25.0, 10.0)


def test_functions_in_the_registries(lib, core, tracer):
    class Frozen(Exception):
        pass

    class Arr(onp.ndarray):
        live = True

    boxes, spaces = lib.module("numpy.numpy_boxes"), lib.module("numpy.numpy_vspaces")
    calls = []

    def to_box(value, *rest):
        calls.append(1)
        if not getattr(value, "live", True):
            raise Frozen
        return boxes.ArrayBox(value, *rest)

    tracer.Box.type_mappings[Arr] = to_box
    core.VSpace.mappings[Arr] = lambda v: spaces.ArrayVSpace(v)
    x = X.view(Arr)
    onp.testing.assert_allclose(lib.ag.grad(lambda v: lib.np.sum(lib.np.sin(v) * 2))(x), 2 * onp.cos(X))
    assert len(calls) >= 2
    x.live = False
    with pytest.raises(Frozen):
        lib.ag.grad(lambda v: lib.np.sum(v))(x)


def test_a_registered_array_class(lib, extend):
    class Tensor(onp.ndarray):
        pass

    boxes, spaces = lib.module("numpy.numpy_boxes"), lib.module("numpy.numpy_vspaces")
    boxes.ArrayBox.register(Tensor)
    extend.VSpace.register(
        Tensor, lambda x: spaces.ComplexArrayVSpace(x) if onp.iscomplexobj(x) else spaces.ArrayVSpace(x)
    )
    x = X.view(Tensor)
    onp.testing.assert_allclose(lib.ag.grad(lambda v: lib.np.sum(v**2))(x), 2 * X)
    onp.testing.assert_allclose(lib.ag.jacobian(lambda v: v**2)(x), onp.diag(2 * X))


def test_unknown_types(lib, extend):
    with pytest.raises(TypeError, match="Can't differentiate w.r.t. type"):
        lib.ag.grad(lambda x: 1.0)(object())
    with pytest.raises(TypeError, match="Can't find vector space"):
        extend.vspace(object())


def test_arraybox_takes_new_attributes(lib):
    ArrayBox = lib.module("numpy.numpy_boxes").ArrayBox
    old = ArrayBox.__dict__.get("__repr__")
    ArrayBox.__repr__ = lambda self: f"boxed {self._value}"
    ArrayBox.double = lambda self: lib.np.multiply(self, 2.0)
    ArrayBox.half = property(lambda self: self / 2.0)
    seen = []

    def f(v):
        seen.append(repr(v))
        return lib.np.sum(v.double() + v.half)

    try:
        onp.testing.assert_array_equal(lib.ag.grad(f)(X), [2.5] * 3)
        assert seen == [f"boxed {X}"]
    finally:
        del ArrayBox.double, ArrayBox.half, ArrayBox.__repr__
        if old is not None:
            ArrayBox.__repr__ = old
