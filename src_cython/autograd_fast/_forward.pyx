"""Forward mode: tangents through one run of a function."""

cimport cython

from autograd_fast._backward cimport as_real, fit_cotangent
from autograd_fast._core cimport JVPNode
from autograd_fast._fit cimport zeros_like_operand
from autograd_fast._tracer cimport Trace, checked_result, close_trace, make_box, open_trace, trace_result


@cython.final
@cython.auto_pickle(False)
cdef class Pushforward:
    """The JVP function at one point: call it with a tangent of the input; the function runs for each."""

    cdef object fun
    cdef object x

    def __call__(self, g):
        cdef Trace t = open_trace()
        cdef JVPNode root = JVPNode.__new__(JVPNode)
        cdef object end
        try:
            root.g = fit_cotangent(g, self.x)
            end = checked_result(self.fun(make_box(self.x, t, root)))
        finally:
            close_trace(t)
        value, node = trace_result(t, end)
        if node is None:
            return value, zeros_like_operand(value)
        return value, node.g


def make_jvp(fun, x):
    """Build the function that pushes a tangent at `x` through `fun`.

    Returns
    -------
    jvp : callable
        Takes a tangent of `x`, returns the pair (value, tangent of the value).
    """
    cdef Pushforward push = Pushforward.__new__(Pushforward)
    push.fun, push.x = fun, as_real(x)
    return push
