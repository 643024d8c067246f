"""The call of an operator such as `grad`: choosing the arguments, one forward and one backward pass."""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._vspaces import vspace

from autograd_fast._backward cimport as_real, own, pull_back, pull_back_in_order
from autograd_fast._primitive cimport graph_changes
from autograd_fast._core cimport VJPNode
from autograd_fast._kernels cimport new_float64
from autograd_fast._tracer cimport (
    BoxBase, Trace, checked_result, close_trace, is_box, make_box, open_trace, trace_result, unbox,
)

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object float64 = np.float64


# ---------------------------------------------------------------- choosing the arguments

@cython.final
@cython.auto_pickle(False)
cdef class UnaryFunction:
    """A function of many arguments as a function of some of them, the others held fixed."""

    cdef object fun
    cdef tuple args
    cdef dict kwargs
    cdef object argnum

    @property
    def __name__(self):
        return getattr(self.fun, "__name__", "[unknown name]")

    @property
    def __doc__(self):
        return getattr(self.fun, "__doc__", None)

    def __call__(self, x):
        cdef list changed = list(self.args)
        if type(self.argnum) is int:
            changed[self.argnum] = x
        else:
            for position, item in zip(self.argnum, x):
                changed[position] = item
        if not self.kwargs:
            return self.fun(*changed)
        return self.fun(*changed, **self.kwargs)


@cython.auto_pickle(False)
cdef class NaryBase:
    """What `wrap_util.NaryFunction` does when it is called."""

    cdef readonly object _unary_operator
    cdef readonly object _fun
    cdef readonly object _argnum
    cdef readonly tuple _recipe
    cdef tuple op_args
    cdef dict op_kwargs

    def __init__(self, unary_operator, nary_operator, fun, argnum, op_args, op_kwargs):
        self._unary_operator, self._fun, self._argnum = unary_operator, fun, argnum
        self._recipe = (nary_operator, fun, argnum, op_args, op_kwargs)
        self.op_args, self.op_kwargs = op_args, op_kwargs

    def __call__(self, *args, **kwargs):
        cdef UnaryFunction unary
        cdef Py_ssize_t n = len(args), i
        cdef object argnum = self._argnum, fun = self._fun, x
        if type(argnum) is int:
            i = argnum
            if not -n <= i < n:
                raise self.no_such_argument(i, n)
            x = args[i if i >= 0 else i + n]
        else:
            for position in argnum:
                if not -n <= position < n:
                    raise self.no_such_argument(position, n)
            x = tuple([args[position] for position in argnum])
            if len({position % n for position in argnum}) < len(x):
                raise ValueError(f"{self.__name__}: argnum {argnum} names an argument twice")
        if n != 1 or kwargs or type(argnum) is not int:
            unary = UnaryFunction.__new__(UnaryFunction)
            unary.fun, unary.args, unary.kwargs, unary.argnum = fun, args, kwargs, argnum
            fun = unary
        if self.op_args or self.op_kwargs:
            return self._unary_operator(fun, x, *self.op_args, **self.op_kwargs)
        return self._unary_operator(fun, x)

    cdef object no_such_argument(self, Py_ssize_t position, Py_ssize_t n):
        return IndexError(
            f"{self.__name__}: there is no positional argument {position} in a call with {n}; pass the "
            "argument that it refers to by position"
        )


# ---------------------------------------------------------------- gradients

cdef object unit_cotangent(object ans, str message):
    """The cotangent 1 of a real scalar output, or HIPS's error."""
    if type(unbox(ans)) is float64:
        return new_float64(1.0)
    space = vspace(ans)
    if space.size != 1:
        plain = unbox(ans)
        shape = getattr(space, "shape", None)
        if isinstance(shape, tuple) and hasattr(space, "dtype"):
            what = f"shape {shape} and dtype {space.dtype}"
        else:
            what = f"type {type(plain).__name__} with {space.size} numbers"
        raise TypeError(f"{message} The output has {what}.")
    return space.ones()


cdef object ones_cotangent(object ans):
    """A cotangent of ones for a real output, or HIPS's error."""
    cdef object plain = unbox(ans)
    if type(plain) is float64:
        return new_float64(1.0)
    if type(plain) is ndarray and plain.dtype.kind == "f":
        return np.ones(plain.shape, plain.dtype)
    space = vspace(ans)
    if space.iscomplex:
        raise TypeError("Elementwise_grad only applies to real-output functions.")
    return space.ones()


cdef object zero_of(object x):
    return vspace(x).zeros()


cdef object differentiate(object fun, object x, str message, bint with_value):
    cdef Trace t
    cdef VJPNode root = VJPNode.__new__(VJPNode)
    cdef object end, g, result
    cdef unsigned long long changes = graph_changes()
    root.initialize_root()
    x = as_real(x)
    t = open_trace()
    try:
        end = checked_result(fun(make_box(x, t, root)))
    finally:
        close_trace(t)
    value, node = trace_result(t, end)
    end = None
    g = ones_cotangent(value) if message is None else unit_cotangent(value, message)
    if node is None:
        result = zero_of(x)
    else:
        if changes == graph_changes():
            holder = [node]
            node = None
            result = pull_back_in_order(g, holder)
        else:
            result = pull_back(g, node)
        result = zero_of(x) if result is None else own(result)
    return (value, result) if with_value else result


cdef object strip(object value, Trace t):
    """A value without the boxes of one trace, also inside containers."""
    if is_box(value):
        return (<BoxBase> value)._value if (<BoxBase> value).origin.serial == t.serial else value
    if isinstance(value, dict):
        stripped = {key: strip(item, t) for key, item in value.items()}
        return stripped if type(value) is dict else type(value)(stripped)
    if type(value) is list or type(value) is tuple:
        return type(value)([strip(item, t) for item in value])
    return value


def gradient_and_aux(fun, x):
    """Gradient of the first of two results of a function of one argument, and the second as it is."""
    cdef Trace t
    cdef VJPNode root = VJPNode.__new__(VJPNode)
    cdef object pair, g, result
    root.initialize_root()
    x = as_real(x)
    t = open_trace()
    try:
        pair = fun(make_box(x, t, root))
        ans, aux = pair
        ans = checked_result(ans)
    finally:
        close_trace(t)
    value, node = trace_result(t, ans)
    g = unit_cotangent(value, "grad_and_aux only applies to a first output that is a real scalar.")
    result = None if node is None else pull_back(g, node)
    return (zero_of(x) if result is None else own(result)), strip(aux, t)


def gradient(fun, x):
    """Gradient of a real scalar function of one argument at `x`; see `differential_operators.grad`."""
    return differentiate(
        fun, x,
        "Grad only applies to real scalar-output functions. "
        "Try jacobian, elementwise_grad or holomorphic_grad.",
        False,
    )


def value_and_gradient(fun, x):
    """Value and gradient of a real scalar function of one argument at `x`."""
    return differentiate(
        fun, x,
        "value_and_grad only applies to real scalar-output functions. "
        "Try jacobian, elementwise_grad or holomorphic_grad.",
        True,
    )


def elementwise_gradient(fun, x):
    """The sum of each column of the Jacobian of a function of one argument at `x`."""
    return differentiate(fun, x, None, False)
