"""Functions made by operators, and primitives, as others use functions: pickled, copied, looked at."""

import concurrent.futures
import copy
import functools
import inspect
import multiprocessing
import pickle
import pydoc
import subprocess
import sys
import textwrap
import typing

import numpy as onp
import pytest

import autograd_fast as ag
import autograd_fast.numpy as np

X = onp.array([0.3, -1.2, 2.0])


def f(x, scale=2.0):
    """Sum of the scaled cubes."""
    return scale * np.sum(x**3)


def of_two(x, y):
    return np.sum(x * y**2)


def vector(x):
    return np.tanh(x) * x[::-1]


class Model:
    """With a gradient as a method."""

    def __init__(self, scale):
        self.scale = scale

    def loss(self, x):
        return f(x, self.scale)

    slope = ag.grad(loss, 1)


# operator applied, arguments
MADE = {
    "grad": (ag.grad(f), (X,)),
    "argnum": (ag.grad(of_two, 1), (X, X)),
    "argnums": (ag.grad(of_two, (0, 1)), (X, X)),
    "value_and_grad": (ag.value_and_grad(f), (X,)),
    "elementwise_grad": (ag.elementwise_grad(np.tanh), (X,)),
    "jacobian": (ag.jacobian(vector), (X,)),
    "hessian": (ag.hessian(f), (X,)),
    "deriv": (ag.deriv(np.sin), (0.5,)),
    "nested": (ag.grad(ag.grad(np.sin)), (0.5,)),
    "of a method": (ag.grad(Model(3.0).loss), (X,)),
    "partial": (functools.partial(ag.grad(f), scale=5.0), (X,)),
    "hessian_tensor_product": (ag.hessian_tensor_product(f), (X, X)),
    "tensor_jacobian_product": (ag.tensor_jacobian_product(vector), (X, X)),
    "hessian_vector_product": (ag.hessian_vector_product(of_two, 1), (X, X, X)),
    "grad_named": (ag.grad_named(of_two, "y"), (X, X)),
    "multigrad_dict": (ag.multigrad_dict(of_two), (X, X)),
    "primitive": (np.sin, (X,)),
    "primitive of a submodule": (np.linalg.inv, (onp.diag(X),)),
    "composite": (np.linspace, (0.0, 1.0, 5)),
}


def flat(result):
    if isinstance(result, dict):
        result = tuple(result.values())
    return onp.concatenate([onp.ravel(part) for part in (result if isinstance(result, tuple) else (result,))])


@pytest.mark.parametrize(("made", "args"), MADE.values(), ids=MADE)
def test_pickled_and_copied(made, args):
    want = flat(made(*args))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        onp.testing.assert_array_equal(flat(pickle.loads(pickle.dumps(made, protocol))(*args)), want)
    for copied in (copy.copy(made), copy.deepcopy(made), copy.deepcopy([made])[0]):
        onp.testing.assert_array_equal(flat(copied(*args)), want)


PAIRS = {
    "make_vjp": (ag.make_vjp(vector), (X,), X),
    "make_jvp_reversemode": (ag.make_jvp_reversemode(vector), (X,), X),
    "make_ggnvp": (ag.make_ggnvp(vector), (X,), X),
    "make_hvp": (ag.make_hvp(f), (X,), X),
    "make_jvp": (ag.make_jvp(vector), (X,), X),
}


@pytest.mark.parametrize(("made", "args", "v"), PAIRS.values(), ids=PAIRS)
def test_makers_are_pickled(made, args, v):
    def product(maker):
        at_point = maker(*args)
        return flat((at_point[0] if isinstance(at_point, tuple) else at_point)(v))

    onp.testing.assert_array_equal(product(pickle.loads(pickle.dumps(made))), product(made))


def test_pickled_by_reference():
    assert pickle.loads(pickle.dumps(np.sin)) is np.sin and copy.deepcopy(np.sin) is np.sin
    assert len(pickle.dumps(ag.grad(f))) < 300
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError), match="lambda"):
        pickle.dumps(ag.grad(lambda x: x))


def test_own_primitive_of_a_function_cannot_be_pickled_without_a_name():
    double = ag.extend.primitive(lambda x: 2 * x)
    with pytest.raises(TypeError, match="not found under that name"):
        pickle.dumps(double)


def test_functions_of_submodules_are_pickled_by_reference():
    for function in (np.linalg.norm, np.random.normal, np.random.randn, np.fft.fft, np.array, np.where):
        assert pickle.loads(pickle.dumps(function)) is function


def test_cloudpickle_takes_local_primitives_with_their_rules():
    cloudpickle = pytest.importorskip("cloudpickle")
    extend = ag.extend
    cube = extend.primitive(lambda x: x**3)
    extend.defvjp(cube, lambda ans, x: lambda g: 3 * g * cube(x) / x)  # refers to itself
    extend.defjvp(cube, lambda t, ans, x: 3 * t * cube(x) / x)
    cube.note = "kept"
    arrived, slope = pickle.loads(cloudpickle.dumps((cube, ag.grad(lambda x: cube(x) * 2.0))))
    assert arrived is not cube and arrived(2.0) == 8.0 and slope(2.0) == 24.0
    assert ag.grad(arrived)(2.0) == 12.0 and ag.make_jvp(arrived)(2.0)(1.0) == (8.0, 12.0)
    assert arrived.note == "kept" and arrived.__name__ == cube.__name__ and repr(arrived) == repr(cube)
    for function in (np.shape, ag.isinstance, ag.checkpoint(lambda x: x), np.sin):
        assert callable(pickle.loads(cloudpickle.dumps(function)))


MAIN = """
    import joblib
    import autograd_fast.numpy as np
    from autograd_fast import grad
    from autograd_fast.extend import defvjp, primitive

    @primitive
    def cube(x):
        return x**3

    defvjp(cube, lambda ans, x: lambda g: 3 * g * x**2)

    def loss(x):
        return np.sum(cube(x))

    with joblib.parallel_config(backend="loky", n_jobs=2):
        slopes = joblib.Parallel()(joblib.delayed(grad(loss))(x) for x in (1.0, 2.0))
        print([float(slope) for slope in slopes])
"""


def test_joblib_and_primitives_of_the_main_module(tmp_path):
    """They can't be found by name in loky's processes, which don't import the main module."""
    pytest.importorskip("joblib")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(MAIN))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "[3.0, 12.0]\n", done.stderr


@pytest.mark.parametrize("name", ["grad", "argnum", "jacobian", "primitive"])
def test_process_pool(name):
    made, args = MADE[name]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        onp.testing.assert_array_equal(pool.submit(made, *args).result(timeout=100), made(*args))


def test_thread_pool():
    points = [X * i for i in range(20)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for point, slope in zip(points, pool.map(ag.grad(f), points), strict=True):
            onp.testing.assert_allclose(slope, 6 * point**2)


def test_joblib():
    joblib = pytest.importorskip("joblib")
    for backend in ("threading", "loky"):
        slopes = joblib.Parallel(n_jobs=2, backend=backend)(
            joblib.delayed(ag.grad(f))(X * i) for i in range(4)
        )
        onp.testing.assert_allclose(slopes, [6 * (X * i) ** 2 for i in range(4)])


# ----- looked at -----


def test_signatures():
    assert inspect.signature(ag.grad(f)) == inspect.signature(f)
    assert inspect.signature(ag.jacobian(ag.grad(of_two))) == inspect.signature(of_two)
    assert list(inspect.signature(np.linalg.norm).parameters)[0] == "x"
    assert list(inspect.signature(ag.grad).parameters)[:2] == ["fun", "argnum"]


def test_annotations():
    def typed(x: float, scale: float = 2.0) -> float:
        return scale * x**2

    for function in (ag.grad(typed), ag.grad(f), np.sin, np.dot):
        assert typing.get_type_hints(function) == {}


def test_names_and_help():
    assert ag.grad(f).__name__ == "grad_of_f_wrt_argnum_0"
    assert ag.grad.__name__ == "grad" and ag.grad.__module__ == "autograd_fast.differential_operators"
    for thing in (ag.grad, ag.grad(f), np.sin, np.linalg.inv, ag.extend.Box, np.numpy_boxes.ArrayBox):
        text = pydoc.plain(pydoc.render_doc(thing))
        assert text.startswith("Python Library Documentation")
        assert inspect.getdoc(thing)
    assert "f" in repr(ag.grad(f)) and repr(np.sin).startswith("<primitive sin")


def test_wraps():
    @functools.wraps(ag.grad(f))
    def slope(*args, **kwargs):
        return ag.grad(f)(*args, **kwargs)

    assert slope.__name__ == "grad_of_f_wrt_argnum_0" and slope.__doc__
    onp.testing.assert_array_equal(slope(X, scale=1.0), 3 * X**2)

    @functools.wraps(np.sin)
    def sine(x):
        return np.sin(x)

    assert sine.__name__ == "sin" and sine.__wrapped__ is np.sin
    functools.update_wrapper(lambda x: x, np.linalg.inv)

    @functools.wraps(f)
    def g(*args, **kwargs):
        return f(*args, **kwargs)

    assert ag.grad(g).__name__ == "grad_of_f_wrt_argnum_0" and inspect.signature(
        ag.grad(g)
    ) == inspect.signature(f)


def test_as_methods_and_in_caches():
    onp.testing.assert_array_equal(Model(0.5).slope(X), 1.5 * X**2)
    cached = functools.lru_cache(ag.grad(np.sin))
    assert cached(0.0) == cached(0.0) == 1.0 and cached.cache_info().hits == 1
    assert {np.sin: 1}[np.sin] == 1 and callable(np.sin) and callable(ag.grad(f))


def test_named_keyword_arguments_go_through():
    onp.testing.assert_allclose(ag.grad(f)(X, scale=10.0), 30 * X**2)
    assert ag.value_and_grad(f)(X, scale=0.0)[0] == 0.0


def test_scipy_minimize_takes_value_and_gradient():
    optimize = pytest.importorskip("scipy.optimize")

    def loss(x):
        return np.sum((x - X) ** 2) + np.sum((x[1:] - x[:-1]) ** 4)

    best = optimize.minimize(ag.value_and_grad(loss), onp.zeros(3), jac=True, method="BFGS")
    assert best.success and onp.abs(ag.grad(loss)(best.x)).max() < 1e-4
    newton = optimize.minimize(
        loss, onp.zeros(3), jac=ag.grad(loss), hessp=ag.hessian_vector_product(loss), method="Newton-CG"
    )
    onp.testing.assert_allclose(newton.x, best.x, atol=1e-4)
    root = optimize.root(ag.grad(loss), onp.zeros(3), jac=ag.jacobian(ag.grad(loss)))
    onp.testing.assert_allclose(root.x, best.x, atol=1e-4)
