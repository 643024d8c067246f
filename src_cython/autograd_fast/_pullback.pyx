"""Pullbacks: the VJP functions of one forward pass."""

cimport cython

from autograd_fast._backward cimport as_real, fit_cotangent, own, pull_back
from autograd_fast._core cimport VJPNode
from autograd_fast._fit cimport Like, like
from autograd_fast._plan cimport Plan, make_plan
from autograd_fast._tracer cimport Trace, checked_result, close_trace, make_box, open_trace, trace_result
from autograd_fast._watch cimport watched
from autograd_fast._rows import NotByRows
from autograd_fast._vspaces import vspace


@cython.final
@cython.auto_pickle(False)
cdef class Pullback:
    """The VJP function of one forward pass: call it with a cotangent of the output, any number of times."""

    cdef object end
    cdef object ans
    cdef object x
    cdef bint used
    cdef Plan plan
    cdef dict __dict__
    cdef object __weakref__

    @property
    def __name__(self):
        return "vjp"

    def __call__(self, g):
        cdef object result
        if self.end is None:
            return vspace(self.x).zeros()
        g = fit_cotangent(g, self.ans)
        result = self.pull(g)
        if result is None:
            return vspace(self.x).zeros()
        g = None
        return own(result)

    cdef object pull(self, object g):
        """By a plan from the second call on."""
        cdef Plan plan
        if watched or not self.used:
            self.used = True
            return pull_back(g, self.end)
        plan = self.planned()
        return pull_back(g, self.end) if plan is None else plan.run(g, 0)

    def rows(self, gs):
        """The cotangents of the input for the rows of an array of cotangents of the output, all at once.

        Returns
        -------
        array or None
            None if the graph has values that don't go by rows: containers, boxes, users' kinds of nodes; and
            while a mode watches, which sees one cotangent at a time.
        """
        cdef object result
        cdef Plan plan = None if watched or self.end is None else self.planned()
        if plan is None:
            return None
        try:
            result = plan.run(gs, len(gs))
        except NotByRows:
            return None
        return None if result is None else own(result)

    cdef Plan planned(self):
        """The plan of the graph, None if it has none."""
        if self.plan is None or not self.plan.is_current():
            self.plan = make_plan(self.end)
        return self.plan


def make_vjp(fun, x):
    """Run ``fun(x)`` and build the function that pulls cotangents of its result back to `x`.

    Returns
    -------
    vjp : callable
        Takes a cotangent of the result, returns the cotangent of `x`.
    value
        The result.
    """
    cdef Trace t = open_trace()
    cdef VJPNode root = VJPNode.__new__(VJPNode)
    cdef object end
    cdef Pullback pullback
    root.initialize_root()
    x = as_real(x)
    try:
        end = checked_result(fun(make_box(x, t, root)))
    finally:
        close_trace(t)
    value, node = trace_result(t, end)
    pullback = Pullback.__new__(Pullback)
    pullback.end, pullback.x = node, x
    pullback.ans = like(value)
    if type(pullback.ans) is not Like:
        pullback.ans = value
    return pullback, value
