"""What a hostile user finds in the short ways: roots made by hand, borrowed memory, warnings, dtypes."""

import warnings

import numpy as onp
import pytest

import autograd_fast
import autograd_fast.numpy as anp
from autograd_fast import _kernels

X = onp.array([[1.0, 2.0], [3.0, 5.0]])


def warnings_of(fun):
    """The messages of all floating-point warnings of a call."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fun()
    return sorted(str(warning.message) for warning in seen if warning.category is RuntimeWarning)


def warnings_without_kernels(fun):
    was = _kernels.set_enabled(False)
    try:
        return warnings_of(fun)
    finally:
        _kernels.set_enabled(was)


# ---------------------------------------------------------------- graphs


def test_each_pullback_of_a_graph_with_a_second_root_gives_the_cotangent_of_the_argument(lib, core, tracer):
    def fun(x):
        other = tracer.new_box(onp.array([2.0, 3.0]), x._trace, core.VJPNode.new_root())
        return lib.np.sum(x * x * other)

    x = onp.array([1.0, 5.0])
    vjp, _ = core.make_vjp(fun, x)
    for _ in range(3):
        assert onp.allclose(vjp(1.0), 2 * x * [2.0, 3.0])
    assert onp.allclose(lib.ag.grad(fun)(x), 2 * x * [2.0, 3.0])


def test_a_second_root_in_the_graph_of_a_jacobian(lib, core, tracer):
    def fun(x):
        other = tracer.new_box(onp.array([2.0, 3.0]), x._trace, core.VJPNode.new_root())
        return x * x * other

    x = onp.array([1.0, 5.0])
    assert onp.allclose(lib.ag.jacobian(fun)(x), onp.diag(2 * x * [2.0, 3.0]))


# ---------------------------------------------------------------- memory


class Marked(onp.ndarray):
    """An array of a user's class."""


@pytest.mark.ours_only("a gradient is the very array that the user's rule returned")
@pytest.mark.parametrize("part", [slice(None), slice(None, None, -1)])
def test_a_gradient_shares_no_memory_with_what_a_users_rule_keeps(lib, extend, core, part):
    kept = onp.array([1.0, 2.0, 3.0]).view(Marked)

    @extend.primitive
    def double(x):
        return 2 * x

    extend.defvjp(double, lambda ans, x: lambda g: kept[part])
    vjp, _ = core.make_vjp(double, onp.ones(3))
    gradients = [
        lib.ag.elementwise_grad(double)(onp.ones(3)),
        vjp(onp.ones(3)),
        vjp(onp.ones(3)),
    ]
    for gradient in gradients:
        assert onp.array_equal(gradient, onp.array([1.0, 2.0, 3.0])[part])
        assert not onp.shares_memory(gradient, kept)


@pytest.mark.ours_only("a gradient is the very memory that the user's rule returned")
def test_a_gradient_shares_no_memory_with_a_buffer_that_a_users_rule_reads(lib, extend):
    buffer = bytearray(onp.arange(3.0).tobytes())

    @extend.primitive
    def double(x):
        return 2 * x

    extend.defvjp(double, lambda ans, x: lambda g: onp.frombuffer(buffer))
    gradient = lib.ag.elementwise_grad(double)(onp.ones(3))
    gradient += 100
    assert onp.array_equal(onp.frombuffer(buffer), [0, 1, 2])


@pytest.mark.ours_only("gradients of a container's elements may be the array that a user's rule keeps")
@pytest.mark.parametrize("kind", [list, tuple, dict])
def test_gradients_of_elements_share_no_memory(lib, extend, kind):
    kept = onp.array([1.0, 2.0, 3.0])
    ones = [onp.ones(3), onp.ones(3)]

    @extend.primitive
    def double(x):
        return 2 * x

    extend.defvjp(double, lambda ans, x: lambda g: kept)

    def total(pair, inner=lambda x: x):
        return lib.np.sum(inner(pair[0]) + inner(pair[1]))

    for inner in (lambda x: x, double, lambda x: x[::-1]):
        gradient = lib.ag.grad(total)(kind(enumerate(ones) if kind is dict else ones), inner)
        first, second = gradient[0], gradient[1]
        assert not onp.shares_memory(first, second)
        first += 100
        second += 200
        assert onp.array_equal(kept, [1, 2, 3])
    first, second = lib.ag.grad(lambda x, y: lib.np.sum(x + y), (0, 1))(onp.ones(3), onp.ones(3))
    assert not onp.shares_memory(first, second)


# ---------------------------------------------------------------- warnings


@pytest.mark.parametrize("weight, word", [(onp.inf, "invalid"), (1e308, "overflow")])
def test_sums_of_cotangents_of_entries_warn_as_numpy_does(weight, word):
    import autograd_fast as ag

    x = onp.array([1e-300, 2.0])

    def gradient():
        with onp.errstate(invalid="warn", over="warn"):
            return ag.grad(lambda x: x[0] * weight + (-x[0] if word == "invalid" else x[0]) * weight)(x)

    assert any(word in message and "add" in message for message in warnings_of(gradient))
    assert warnings_of(gradient) == warnings_without_kernels(gradient)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("scale", [1e200, 1e308, onp.inf])
def test_variances_that_overflow_warn_once_and_by_numpys_words(name, axis, scale):
    import autograd_fast as ag
    from autograd_fast.core import make_vjp

    x = scale * onp.array([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, -1.0, 1.0]])
    fun = getattr(ag.numpy, name)
    plain = warnings_of(lambda: fun(x, axis=axis))
    assert warnings_of(lambda: make_vjp(lambda x: fun(x, axis=axis), x)) == plain

    def gradient():
        return ag.elementwise_grad(lambda x: fun(x, axis=axis))(x)

    assert warnings_of(gradient) == warnings_without_kernels(gradient)


# ---------------------------------------------------------------- dtypes


@pytest.mark.parametrize(
    "fun",
    [lambda np, x: 2**x, lambda np, x: np.heaviside(x, onp.float64(1.5)), lambda np, x: np.exp2(x)],
    ids=["exponent", "step", "exp2"],
)
@pytest.mark.parametrize("kind", ["f", "e"])
def test_a_jacobian_has_the_dtype_of_one_row(fun, kind):
    import autograd_fast as ag

    x = onp.array([0.25, 0.5, 0.75], kind)
    row = ag.elementwise_grad(lambda x: fun(ag.numpy, x))(x)
    jacobian = ag.jacobian(lambda x: fun(ag.numpy, x))(x)
    assert jacobian.dtype == row.dtype == x.dtype
    assert onp.allclose(jacobian, onp.diag(row), rtol=1e-3)


@pytest.mark.parametrize("mode", ["reverse", "forward", "auto"])
@pytest.mark.parametrize("x", [3, onp.int64(3), True])
def test_jacobians_at_whole_numbers(mode, x):
    import autograd_fast as ag

    jacobian = ag.jacobian(lambda x: x * x, mode=mode)(x)
    assert jacobian == 2 * float(x)
    assert onp.asarray(jacobian).dtype == onp.dtype("d")


# ---------------------------------------------------------------- what users' rules and nodes see


@pytest.fixture
def unrecorded(core, tracer, extend):
    """Register functions as not recorded, for the time of a test."""
    registered = []

    def register(fun):
        extend.register_notrace(core.VJPNode, fun)
        registered.append(fun)

    yield register
    for fun in registered:
        tracer.notrace_primitives[core.VJPNode].discard(fun)


@pytest.mark.parametrize("name", ["reshape", "transpose", "ravel", "sum", "max"])
def test_a_function_that_is_registered_as_not_recorded_gives_plain_values(lib, unrecorded, name):
    fun = getattr(lib.np, name)
    unrecorded(fun)
    seen = []

    def traced(x):
        seen.append(fun(x, (4,)) if name == "reshape" else fun(x))
        return lib.np.sin(x[0, 0])

    lib.ag.grad(traced)(X)
    assert isinstance(seen[0], (onp.ndarray, onp.generic))


@pytest.mark.parametrize(
    "call, given",
    [
        (lambda x: x.reshape(4), ((4,),)),
        (lambda x: x.reshape(-1), ((-1,),)),
        (lambda x: x.reshape(4, 1), ((4, 1),)),
        (lambda x: x.reshape((2, 2)), ((2, 2),)),
        (lambda x: x.flatten(), ()),
    ],
)
def test_nodes_of_users_see_the_arguments_of_methods(tracer, call, given):
    seen = []

    class Seer(tracer.Node):
        def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
            seen.append((args[1:], kwargs))

        def initialize_root(self):
            pass

    tracer.trace(Seer.new_root(), call, X)
    assert seen == [(given, {})]


def test_a_rule_of_reshape_by_a_user_gets_a_shape(lib, core, extend):
    kept = core.primitive_vjps.get(lib.np.reshape)
    shapes = []

    def rule(ans, x, shape):
        shapes.append(shape)
        return lambda g: 7 * onp.ones(onp.shape(x))

    extend.defvjp(lib.np.reshape, rule, None)
    try:
        assert onp.all(lib.ag.elementwise_grad(lambda x: x.reshape(4))(X) == 7)
    finally:
        if kept is None:
            del core.primitive_vjps[lib.np.reshape]
        else:
            core.primitive_vjps[lib.np.reshape] = kept
    assert shapes == [(4,)]
    assert onp.all(lib.ag.elementwise_grad(lambda x: x.reshape(4))(X) == 1)


# ---------------------------------------------------------------- arguments that NumPy warns of or refuses


@pytest.mark.parametrize("bound", [1e200, -1e308])
def test_a_bound_beyond_single_precision_is_cast_with_a_warning_in_the_pullback_too(lib, bound):
    with onp.errstate(over="ignore"):
        pullback, _ = lib.ag.make_vjp(lambda x: lib.np.maximum(x, bound))(X.astype("f"))
    assert warnings_of(lambda: pullback(X.astype("f"))) != []


@pytest.mark.parametrize("name", ["sum", "mean", "max", "var", "std"])
@pytest.mark.parametrize("axis", [2, -3, -5, 40])
def test_an_axis_out_of_range_is_refused_as_numpy_refuses_it(name, axis):
    with pytest.raises(onp.exceptions.AxisError, match=f"axis {axis} is out of bounds"):
        autograd_fast.grad(lambda x: anp.sum(getattr(anp, name)(x, axis=axis)))(X)
