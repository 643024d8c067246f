"""The short way of linear functions: subscripts, shape changes, their adjoints, and `where`.

Each of these functions is the adjoint of another: a subscript of `scatter`, `spread` of a sum, `reshape` and
`transpose` of themselves.  A node keeps what the operand was like (`s0`) and the other arguments (`s1`,
`s2`), so one node class serves both directions, and derivatives of every order stay on this way.
"""

cimport numpy as cnp
import numpy as np

from autograd_fast._buffers cimport new_zeros
from autograd_fast._core cimport CHOICE, LINEAR, TAKE, JVPNode, VJPNode, VJPRule, set_linear_pull
from autograd_fast._tables cimport Table
from autograd_fast._fit cimport Like, like
from autograd_fast._kernels cimport (
    GETITEM, LOGSUMEXP, MEAN, RESHAPE, SCATTER, SPREAD, SUM, TRANSPOSE, VERIFY, WHERE, enabled,
    verify,
)
from autograd_fast._fused cimport pull_choice, where
from autograd_fast._ops cimport (
    apply2, apply_reduction, is_plain, reduction, set_linear_way, short_table, spread_like,
)
from autograd_fast._primitive cimport Node, Primitive, call_primitive, set_choice_way
from autograd_fast._reductions cimport add_at, entry_of
from autograd_fast._statistics cimport pull_reduction
from autograd_fast._tracer cimport BoxBase, Trace, is_box, make_box, unbox
from autograd_fast._watch cimport watched
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyTypeObject

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef Primitive getitem_primitive, reshape_primitive, transpose_primitive, spread_primitive
cdef Primitive scatter_primitive, sum_primitive, divide_primitive, multiply_primitive, where_primitive


def set_linear_primitives(getitem, scatter, reshape, transpose, spread, sum_, divide, multiply, where_):
    """Tell the core the primitives that go this way, and those by which it takes derivatives."""
    global getitem_primitive, scatter_primitive, reshape_primitive, transpose_primitive, spread_primitive
    global sum_primitive, divide_primitive, multiply_primitive, where_primitive
    getitem_primitive, scatter_primitive, reshape_primitive = getitem, scatter, reshape
    transpose_primitive, spread_primitive, sum_primitive, divide_primitive = transpose, spread, sum_, divide
    claim(getitem, GETITEM)
    claim(scatter, SCATTER)
    claim(reshape, RESHAPE)
    claim(transpose, TRANSPOSE)
    claim(spread, SPREAD)
    multiply_primitive, where_primitive = multiply, where_
    claim(where_, WHERE)


def set_log_sum_exp(prim):
    """Tell the core the primitive that is the log-sum-exp of its reductions."""
    claim(prim, LOGSUMEXP)


cdef int claim(Primitive prim, int kernel) except -1:
    cdef Table table = (<VJPRule> prim.vjp_rule).table
    prim.kernel = table.kernel = kernel
    return 0


cdef object compute(Primitive prim, object x, object p, object q):
    """The function itself of a plain operand."""
    cdef int kernel = prim.kernel
    cdef object out
    if kernel == GETITEM:
        out = entry_of(x, p) if enabled else None
        return x[p] if out is None else out
    if kernel == SCATTER:
        return scattered(prim, x, p, q)
    if kernel == SPREAD:
        out = pull_reduction(SUM, x, q, p, None) if enabled else None
        return prim.fun(x, p, q) if out is None else out
    if Py_TYPE(x) == <PyTypeObject *> ndarray:
        if kernel == RESHAPE:
            return x.reshape(p)
        return x.transpose() if p is None else x.transpose(p)
    return prim.fun(x, p)


cdef object scattered(Primitive prim, object g, object index, Like spec):
    cdef object out
    if type(index) is int and enabled and len(spec.shape) == 1 and type(g) is float64:
        out = new_zeros(spec.shape, spec.dtype)
        if add_at(out, index, PyFloat_AS_DOUBLE(g)):
            return out
    return prim.fun(g, index, spec)


cdef object linear(Primitive prim, object a, object p, object q):
    """Call a primitive of this kind on a box; `p` and `q` are its other arguments, `q` may be None."""
    cdef BoxBase box = <BoxBase> a
    cdef object x = box._value, ans
    cdef Table table = short_table(prim, box._node)
    cdef VJPNode node
    cdef JVPNode forward
    if watched or table is None or not (is_box(x) or is_plain(x)):
        if prim.kernel == SCATTER or prim.kernel == SPREAD:
            return call_primitive(prim, (a, p, q), None, False)
        if prim.kernel == TRANSPOSE and p is None:
            return call_primitive(prim, (a,), None, False)
        return call_primitive(prim, (a, p), None, False)
    ans = apply_linear(prim, x, p, q)
    if type(box._node) is VJPNode:
        node = VJPNode.__new__(VJPNode)
        node.kind = TAKE if prim.kernel == GETITEM else LINEAR
        node.rule = table
        node.p0 = <Node> box._node
        node.a1 = -1
        node.s0 = like(x)
        node.s1 = p
        node.s2 = q
        node.untrack()
        return make_box(ans, box.origin, node)
    forward = JVPNode.__new__(JVPNode)
    forward.g = apply_linear(prim, (<JVPNode> box._node).g, p, q)
    return make_box(ans, box.origin, forward)


cdef object apply_linear(Primitive prim, object x, object p, object q):
    return linear(prim, x, p, q) if is_box(x) else compute(prim, x, p, q)


cdef object pull_linear(VJPNode node, object g):
    """The cotangent of the operand of a node of kind TAKE or LINEAR."""
    cdef int kernel = (<Table> node.rule).kernel
    cdef Like spec = node.s0
    if kernel == GETITEM:
        return apply_linear(scatter_primitive, g, node.s1, spec)
    if kernel == SCATTER:
        return apply_linear(getitem_primitive, g, node.s1, None)
    if kernel == RESHAPE:
        return apply_linear(reshape_primitive, g, spec.shape, None)
    if kernel == TRANSPOSE:
        axes = node.s1
        if axes is not None:
            axes = tuple(np.argsort([axis % len(spec.shape) for axis in axes]).tolist())
        return apply_linear(transpose_primitive, g, axes, None)
    return sum_back(g, node.s1, len(spec.shape) == len((<Like> node.s2).shape))


cdef object sum_back(object g, object axis, bint keepdims):
    if is_box(g):
        return reduction(sum_primitive, g, axis, keepdims)
    return sum_primitive.fun(g, axis=axis, keepdims=keepdims)


cdef object pull_sum(int kernel, object g, object x, object axis, object ans):
    """The cotangent of the operand of a sum, mean, maximum or minimum, whose own cotangent is a box."""
    cdef Py_ssize_t n = 1
    cdef Like spec = like(x)
    cdef object slope = None
    if kernel > MEAN:
        slope = slope_of_extremum(kernel, x, axis, ans)
        if slope is None:
            return None
    elif kernel == MEAN:
        n = spec.size if axis is None else spec.shape[axis]
        g = apply2(divide_primitive, g, n)
    if np.shape(unbox(g)) != spec.shape:
        g = linear(spread_primitive, g, axis, spec)
    return g if slope is None else times_slope(g, slope)


cdef object push_extremum(int kernel, object t, object x, object axis, object keepdims, object ans):
    """The tangent of a maximum or minimum, where it or the operand is a box."""
    cdef object slope = slope_of_extremum(kernel, x, axis, ans)
    if slope is None:
        return None
    return apply_reduction(sum_primitive, times_slope(t, slope), axis, keepdims)


cdef object slope_of_extremum(int kernel, object x, object axis, object ans):
    """The share of each entry in the extremum, 0 for one that doesn't attain it; None without kernels."""
    cdef object best = unbox(ans)
    if not enabled:
        return None
    return pull_reduction(kernel, np.ones(np.shape(best), like(x).dtype)[()], unbox(x), axis, best)


cdef object times_slope(object g, object slope):
    """Cotangents or tangents times slopes, 0 where the slope is 0, whatever they are."""
    cdef object mask = slope != 0
    return apply2(multiply_primitive, apply_choice(where_primitive, mask, g, 0.0), slope)


# ---------------------------------------------------------------- where

cdef object choose(Primitive prim, object mask, object a, object b):
    """``where(mask, a, b)`` with a plain mask, one of the others a box; None if it is not the plain case."""
    cdef bint box_a = is_box(a), box_b = is_box(b)
    cdef object x = a, y = b, node_a = None, node_b = None, ans
    cdef Trace top
    cdef Table table
    cdef VJPNode node
    cdef JVPNode forward
    if not is_plain(mask):
        return None
    if box_a and box_b:
        top = (<BoxBase> a).origin
        if top is None or (<BoxBase> b).origin is not top:
            return None
    elif not is_plain(b if box_a else a):
        return None
    else:
        top = (<BoxBase> a).origin if box_a else (<BoxBase> b).origin
    if box_a:
        x, node_a = (<BoxBase> a)._value, (<BoxBase> a)._node
    if box_b:
        y, node_b = (<BoxBase> b)._value, (<BoxBase> b)._node
    if top is None or (box_a and box_b and type(node_a) is not type(node_b)):
        return None
    table = short_table(prim, node_a if box_a else node_b)
    if table is None:
        return None
    if not (is_box(x) or is_box(y) or (is_plain(x) and is_plain(y))):
        return None
    ans = apply_choice(prim, mask, x, y)
    if type(node_a if box_a else node_b) is JVPNode:
        forward = JVPNode.__new__(JVPNode)
        t = push_choice(
            mask, (<JVPNode> node_a).g if box_a else None, (<JVPNode> node_b).g if box_b else None
        )
        forward.g = spread_like(t, ans, prim, 1 if box_a else 2)
        return make_box(ans, top, forward)
    node = VJPNode.__new__(VJPNode)
    node.kind = CHOICE
    node.rule = table
    node.s0 = mask
    node.a0 = 1 if box_a else 2
    node.a1 = -1
    node.p0 = <Node> node_a if box_a else <Node> node_b
    if box_a:
        node.s1 = like(x)
    if box_b:
        node.s2 = like(y)
        if box_a:
            node.a1 = 2
            node.p1 = <Node> node_b
    node.untrack()
    return make_box(ans, top, node)


cdef object apply_choice(Primitive prim, object mask, object x, object y):
    """``where`` of boxes or plain operands."""
    cdef object ans = None
    if not (is_box(x) or is_box(y)):
        ans = where(mask, x, y) if enabled else None
        if VERIFY and ans is not None:
            verify(prim, ans, prim.fun(mask, x, y))
        return prim.fun(mask, x, y) if ans is None else ans
    ans = choose(prim, mask, x, y)
    return call_primitive(prim, (mask, x, y), None, False) if ans is None else ans


cdef object push_choice(object mask, object t_x, object t_y):
    """The tangent of a choice; None stands for that of a constant."""
    cdef object pushed = None
    if (t_x is None or t_y is None) and enabled:
        pushed = pull_choice(t_y is None, t_x if t_y is None else t_y, mask, False)
    if pushed is None:
        pushed = apply_choice(where_primitive, mask, 0.0 if t_x is None else t_x, 0.0 if t_y is None else t_y)
    return pushed


cdef object pull_boxed_choice(bint first, object g, object mask):
    return choose(where_primitive, mask, g, 0.0) if first else choose(where_primitive, mask, 0.0, g)


set_linear_way(linear, push_extremum)
set_linear_pull(pull_linear, pull_sum, pull_boxed_choice)
set_choice_way(choose)
