"""The short way of linear functions of one operand: subscripts, shape changes, and their adjoints.

Each of these functions is the adjoint of another: a subscript of `scatter`, `spread` of a sum, `reshape` and
`transpose` of themselves.  A node keeps what the operand was like (`s0`) and the other arguments (`s1`, `s2`),
so one node class serves both directions, and derivatives of every order stay on this way.
"""

cimport numpy as cnp
import numpy as np

from autograd_fast._core cimport LINEAR, TAKE, JVPNode, Table, VJPNode, VJPRule, set_linear_pull
from autograd_fast._fit cimport Like, like
from autograd_fast._kernels cimport (
    DIVIDE, GETITEM, MEAN, RESHAPE, SCATTER, SPREAD, SUM, TRANSPOSE, enabled,
)
from autograd_fast._ops cimport apply2, is_plain, reduction, set_linear_way, short_table
from autograd_fast._primitive cimport Node, Primitive, call_primitive
from autograd_fast._reductions cimport add_at, pull_reduction
from autograd_fast._tracer cimport BoxBase, is_box, make_box, unbox
from cpython.object cimport PyTypeObject

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cnp.import_array()

cdef object ndarray = np.ndarray
cdef Primitive getitem_primitive, scatter_primitive, reshape_primitive, transpose_primitive, spread_primitive
cdef Primitive sum_primitive, divide_primitive


def set_linear_primitives(getitem, scatter, reshape, transpose, spread, sum_, divide):
    """Tell the core the primitives that go this way, and those by which it takes derivatives."""
    global getitem_primitive, scatter_primitive, reshape_primitive, transpose_primitive, spread_primitive
    global sum_primitive, divide_primitive
    getitem_primitive, scatter_primitive, reshape_primitive = getitem, scatter, reshape
    transpose_primitive, spread_primitive, sum_primitive, divide_primitive = transpose, spread, sum_, divide
    claim(getitem, GETITEM)
    claim(scatter, SCATTER)
    claim(reshape, RESHAPE)
    claim(transpose, TRANSPOSE)
    claim(spread, SPREAD)


cdef int claim(Primitive prim, int kernel) except -1:
    cdef Table table = (<VJPRule> prim.vjp_rule).table
    prim.kernel = table.kernel = kernel
    return 0


cdef object compute(Primitive prim, object x, object p, object q):
    """The function itself of a plain operand."""
    cdef int kernel = prim.kernel
    cdef object out
    if kernel == GETITEM:
        return x[p]
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
    if type(index) is int and enabled and len(spec.shape) == 1:
        out = np.zeros(spec.shape, spec.dtype)
        if add_at(out, index, g) is not None:
            return out
    return prim.fun(g, index, spec)


cdef object linear(Primitive prim, object a, object p, object q):
    """Call a primitive of this kind on a box; `p` and `q` are its other arguments, `q` None if there is one."""
    cdef BoxBase box = <BoxBase> a
    cdef object x = box._value, ans
    cdef Table table = short_table(prim, box._node)
    cdef VJPNode node
    cdef JVPNode forward
    if table is None or not (is_box(x) or is_plain(x)):
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


cdef object pull_sum(int kernel, object g, Like spec, object axis):
    """The cotangent of the operand of a sum or mean, whose own cotangent is a box."""
    cdef Py_ssize_t n = 1
    if kernel == MEAN:
        n = spec.size if axis is None else spec.shape[axis]
        g = apply2(divide_primitive, g, n)
    if np.shape(unbox(g)) == spec.shape:
        return g
    return linear(spread_primitive, g, axis, spec)


set_linear_way(linear)
set_linear_pull(pull_linear, pull_sum)
