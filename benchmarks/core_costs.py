"""The unit costs of the core: each case makes, for one library, a call without arguments to time.

A call that returns numbers is compared between the libraries first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from .libraries import NumpyLike

VECTOR = onp.linspace(0.1, 1.0, 10)


def _start(lib: NumpyLike, value: Any) -> Any:
    """A box on a root node, as at the start of a trace."""
    return lib.tracer.new_box(value, 0, lib.core.VJPNode.new_root())


def _keep(call: Callable[[], Any]) -> Callable[[], None]:
    """The call, its result (a box, a node or a space) dropped: there is nothing to compare."""

    def run() -> None:
        call()

    return run


# --- pieces --------------------------------------------------------------------------------------------


def box_scalar(lib):
    node, new_box = lib.core.VJPNode.new_root(), lib.tracer.new_box
    return _keep(lambda: new_box(1.5, 0, node))


def box_array(lib):
    node, new_box = lib.core.VJPNode.new_root(), lib.tracer.new_box
    return _keep(lambda: new_box(VECTOR, 0, node))


def node(lib):
    """A node made through its public constructor, its rule looked up and called."""
    root, VJPNode, sin = lib.core.VJPNode.new_root(), lib.core.VJPNode, lib.np.sin
    return _keep(lambda: VJPNode(VECTOR, sin, (VECTOR,), {}, (0,), (root,)))


def vspace_scalar(lib):
    return _keep(lambda: lib.core.vspace(1.5))


def vspace_array(lib):
    return _keep(lambda: lib.core.vspace(VECTOR))


def call_plain_scalar(lib):
    sin = lib.np.sin
    return lambda: sin(1.5)


def call_plain_array(lib):
    sin = lib.np.sin
    return lambda: sin(VECTOR)


def call_boxed_scalar(lib):
    x, sin = _start(lib, 1.5), lib.np.sin
    return _keep(lambda: sin(x))


def call_boxed_array(lib):
    x, sin = _start(lib, VECTOR), lib.np.sin
    return _keep(lambda: sin(x))


def operator_scalar(lib):
    x = _start(lib, 1.5)
    return _keep(lambda: x * x)


def operator_array(lib):
    x = _start(lib, VECTOR)
    return _keep(lambda: x * x)


def index_array(lib):
    x = _start(lib, VECTOR)
    return _keep(lambda: x[3])


def attribute_shape(lib):
    x = _start(lib, VECTOR)
    return lambda: x.shape


# --- graphs --------------------------------------------------------------------------------------------


def grad_square(lib):
    gradient = lib.ag.grad(lambda x: x * x)
    return lambda: gradient(2.0)


def grad_sum_array(lib):
    gradient = lib.ag.grad(lambda x: lib.np.sum(x * x))
    return lambda: gradient(VECTOR)


def chain_100(lib):
    return _chain(lib, 0.5, 100)


def chain_100_array(lib):
    return _chain(lib, VECTOR, 100)


def chain_10k(lib):
    return _chain(lib, 0.5, 10**4)


def _chain(lib, x, length):
    sin = lib.np.sin

    def f(y):
        for _ in range(length // 2):
            y = sin(y) * 1.0000001
        return lib.np.sum(y)

    gradient = lib.ag.grad(f)
    return lambda: gradient(x)


def fan_out(lib):
    """One value used a hundred times: a hundred cotangents are added up."""
    gradient = lib.ag.grad(lambda x: sum([x * k for k in range(100)], 0.0))
    return lambda: gradient(1.5)


def fan_in(lib):
    """A hundred values joined into one array."""
    gradient = lib.ag.grad(lambda x: lib.np.sum(lib.np.array([x[k % 10] for k in range(100)])))
    return lambda: gradient(VECTOR)


def join(lib):
    """Two vectors put behind each other, as a layer of a recurrent network does it."""
    gradient = lib.ag.grad(lambda x: lib.np.sum(lib.np.concatenate([x, VECTOR])))
    return lambda: gradient(VECTOR)


def stack(lib):
    """Ten vectors stacked."""
    gradient = lib.ag.grad(lambda x: lib.np.sum(lib.np.stack([x] * 10)))
    return lambda: gradient(VECTOR)


def contraction(lib):
    """A small matrix times a vector by einsum."""
    matrix = onp.outer(VECTOR, VECTOR)
    gradient = lib.ag.grad(lambda x: lib.np.sum(lib.np.einsum("ij,j->i", matrix, x)))
    return lambda: gradient(VECTOR)


def diamonds(lib):
    def f(x):
        for _ in range(100):
            x = (x + x) / 2.0
        return x

    gradient = lib.ag.grad(f)
    return lambda: gradient(2.0)


def pullback_again(lib):
    """A further pullback of one graph of 61 operations."""

    def f(x):
        y = x
        for _ in range(20):
            y = lib.np.tanh(y * x + x)
        return lib.np.sum(y)

    pullback, _ = lib.ag.make_vjp(f)(VECTOR)
    return lambda: pullback(1.0)


# --- operators -----------------------------------------------------------------------------------------


def _layers(lib):
    return lambda x: lib.np.tanh(x * lib.np.sum(x * x)) * x


def jacobian(lib):
    operator = lib.ag.jacobian(_layers(lib))
    return lambda: operator(VECTOR)


def hessian(lib):
    layers = _layers(lib)
    operator = lib.ag.hessian(lambda x: lib.np.sum(layers(x)))
    return lambda: operator(VECTOR)


def hessian_vector_product(lib):
    layers = _layers(lib)
    operator = lib.ag.hessian_vector_product(lambda x: lib.np.sum(layers(x)))
    return lambda: operator(VECTOR, VECTOR)


def jvp(lib):
    operator = lib.ag.make_jvp(_layers(lib))
    return lambda: operator(VECTOR)(VECTOR)[1]


def elementwise_grad_twice(lib):
    operator = lib.ag.elementwise_grad(lib.ag.elementwise_grad(lib.np.tanh))
    return lambda: operator(VECTOR)


def containers(lib):
    """Parameters in a dict of lists."""

    def f(params):
        total = 0.0
        for w, b in params["layers"]:
            total = total + lib.np.sum(w * b) + params["scale"]
        return total

    gradient = lib.ag.grad(f)
    params = {"layers": [(VECTOR, 0.5)] * 4, "scale": 2.0}
    return lambda: gradient(params)


PIECES = (
    box_scalar, box_array, node, vspace_scalar, vspace_array, call_plain_scalar, call_plain_array,
    call_boxed_scalar, call_boxed_array, operator_scalar, operator_array, index_array, attribute_shape,
)  # fmt: skip
GRAPHS = (
    grad_square, grad_sum_array, chain_100, chain_100_array, chain_10k, fan_out, fan_in, join, stack,
    contraction, diamonds, pullback_again,
)  # fmt: skip
OPERATORS = (jacobian, hessian, hessian_vector_product, jvp, elementwise_grad_twice, containers)
CASES = {case.__name__: case for case in PIECES + GRAPHS + OPERATORS}
