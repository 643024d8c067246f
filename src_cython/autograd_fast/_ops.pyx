"""The short way of a call of an elementwise primitive on one or two operands.

What `call_primitive` does for any call, done without argument tuples: find the innermost trace, unbox one
layer, compute, record, box.  Whatever isn't the plain case goes the general way.
"""

cimport numpy as cnp
import numpy as np

from autograd_fast._core cimport (
    PICKS, PRODUCT, REDUCTION, JVPNode, JVPRule, VJPNode, VJPRule, add_tangents, rule_in_c,
)
from autograd_fast._tables cimport SAVES_ANS, Derivative, Table, find_rule
from autograd_fast._fit cimport fits, like, spec_like_ans, spread, zeros_like_operand
from autograd_fast._kernels cimport (
    DOT, MATMUL, MAX, MEAN, MIN, N_KERNELS, RESHAPE, SUM, TRANSPOSE, VERIFY, enabled, forward1, forward2,
    verify,
)
from autograd_fast._maps cimport map_picks, quiet_map
from autograd_fast._reductions cimport dot_product, matrix_product
from autograd_fast._statistics cimport push_reduction, reduce_axis
from autograd_fast._primitive cimport Node, Primitive, call_primitive, set_short_ways
from autograd_fast._tracer cimport BoxBase, Trace, is_box, make_box, outermost_check
from autograd_fast._watch cimport watched
from cpython.object cimport PyTypeObject

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object generic = np.generic
cdef object float64 = np.float64


cdef inline object numpy_number(object x):
    """A Python float as NumPy's, which has a shape and a dtype."""
    return float64(x) if type(x) is float else x


cdef bint is_plain(object x) noexcept:
    """Whether `x` is an operand that the short way understands: an array of numbers or a number."""
    cdef PyTypeObject *t = Py_TYPE(x)
    if t == <PyTypeObject *> ndarray:
        return cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.NPY_OBJECT
    return (
        t == <PyTypeObject *> float or t == <PyTypeObject *> int or t == <PyTypeObject *> float64
        or t == <PyTypeObject *> complex or isinstance(x, generic)
    )


cdef Table rules_of(Primitive prim, object node):
    """The built-in rules by which `node`'s class records `prim`, or None."""
    if prim.notrace is not None:
        return None
    if type(node) is VJPNode:
        return (<VJPRule> prim.vjp_rule).table if type(prim.vjp_rule) is VJPRule else None
    if type(node) is JVPNode:
        return (<JVPRule> prim.jvp_rule).table if type(prim.jvp_rule) is JVPRule else None
    return None


cdef Table short_table(Primitive prim, object node):
    """The rules by which `node`'s class records `prim` the short way, or None."""
    cdef Table table = rules_of(prim, node)
    if table is None:
        return None
    if prim.kernel >= N_KERNELS:
        return table if table.kernel == prim.kernel else None
    return table if table.elementwise else None


cdef inline object compute1(Primitive prim, object x):
    cdef object ans = None
    if prim.kernel >= 0 and enabled:
        ans = forward1(prim.kernel, x)
        if VERIFY and ans is not None:
            verify(prim, ans, prim.fun(x))
    return prim.fun(x) if ans is None else ans


cdef inline object compute2(Primitive prim, object x, object y):
    cdef object ans = None
    if prim.kernel >= 0 and enabled:
        if prim.kernel < N_KERNELS:
            ans = forward2(prim.kernel, x, y)
        elif prim.kernel == DOT:
            ans = dot_product(x, y)
        elif prim.kernel == MATMUL:
            ans = matrix_product(x, y)
        if VERIFY and ans is not None:
            verify(prim, ans, prim.fun(x, y))
    return prim.fun(x, y) if ans is None else ans


cdef object apply1(Primitive prim, object x):
    """A primitive of one operand, boxed or plain."""
    return op1(prim, x) if is_box(x) else compute1(prim, x)


cdef object apply2(Primitive prim, object x, object y):
    """A primitive of two operands, boxed or plain."""
    return op2(prim, x, y) if is_box(x) or is_box(y) else compute2(prim, x, y)


cdef linear_t linear_way = NULL
cdef push_t extremum_push = NULL


cdef void set_linear_way(linear_t linear, push_t extremum) noexcept:
    """Take the functions that call a linear primitive on a box, and push boxed tangents through extremes."""
    global linear_way, extremum_push
    linear_way, extremum_push = linear, extremum


cdef bint whole_numbers(object x) noexcept:
    """Whether `x` is an integer or a tuple of integers, as a shape or an order of axes."""
    if type(x) is not tuple:
        return type(x) is int
    for item in <tuple> x:
        if type(item) is not int:
            return False
    return True


cdef object op1(Primitive prim, object a):
    """Call `prim` on a box."""
    cdef BoxBase box = <BoxBase> a
    cdef object x = box._value
    cdef Table table = short_table(prim, box._node)
    cdef Derivative d
    cdef VJPNode node
    cdef JVPNode forward
    cdef object ans
    if prim.kernel >= N_KERNELS:
        if prim.kernel == TRANSPOSE:
            return linear_way(prim, a, None, None)
        ans = reduction(prim, a, None, False) if prim.kernel < DOT else None
        return call_primitive(prim, (a,), None, False) if ans is None else ans
    if watched or table is None or not (is_plain(x) or is_box(x)):
        return call_primitive(prim, (a,), None, False)
    ans = op1(prim, x) if is_box(x) else compute1(prim, x)
    if type(box._node) is VJPNode:
        d = find_rule(table, 0, "VJP")
        node = VJPNode.__new__(VJPNode)
        node.rule = table
        node.p0 = <Node> box._node
        node.a1 = -1
        node.kind = PICKS
        node.s0 = x if d.saves & 1 else spec_like_ans(x, ans)
        if d.saves & SAVES_ANS:
            node.s2 = ans
        node.untrack()
        return make_box(ans, box.origin, node)
    forward = JVPNode.__new__(JVPNode)
    forward.g = tangent(table, 0, (<JVPNode> box._node).g, x, None, ans)
    return make_box(ans, box.origin, forward)


cdef object apply_reduction(Primitive prim, object x, object axis, object keepdims):
    """A reduction of a box or a plain operand."""
    cdef object ans = None
    if is_box(x):
        ans = reduction(prim, x, axis, keepdims)
        if ans is None:
            ans = call_primitive(prim, (x,), {"axis": axis, "keepdims": keepdims}, False)
        return ans
    if enabled:
        ans = reduce_axis(prim.kernel, x, axis, keepdims)
        if VERIFY and ans is not None:
            with np.errstate(all="ignore"):
                verify(prim, ans, prim.fun(x, axis=axis, keepdims=keepdims), 1.0)
    return prim.fun(x, axis=axis, keepdims=keepdims) if ans is None else ans


cdef object reduction(Primitive prim, object a, object axis, object keepdims):
    """Sum, mean, maximum or minimum of a box over one axis or all; None if it is another case."""
    cdef BoxBase box = <BoxBase> a
    cdef object x = box._value, ans = None
    cdef Table table = short_table(prim, box._node)
    cdef VJPNode node
    cdef JVPNode forward
    if watched or table is None or not (is_plain(x) or is_box(x)):
        return None
    ans = apply_reduction(prim, x, axis, keepdims)
    if type(box._node) is VJPNode:
        node = VJPNode.__new__(VJPNode)
        node.kind = REDUCTION
        node.rule = table
        node.p0 = <Node> box._node
        node.a1 = -1
        node.s1 = axis
        x = numpy_number(x)
        if prim.kernel >= MAX:
            node.s0, node.s2 = x, ans
        else:
            node.s0, node.s2 = like(x), like(ans)
        node.untrack()
        return make_box(ans, box.origin, node)
    forward = JVPNode.__new__(JVPNode)
    forward.g = push_through(prim, table, (<JVPNode> box._node).g, x, axis, keepdims, ans)
    return make_box(ans, box.origin, forward)


cdef object push_through(
    Primitive prim, Table table, object t, object x, object axis, object keepdims, object ans
):
    """The tangent of a reduction."""
    cdef Derivative d = find_rule(table, 0, "JVP")
    cdef object pushed = None
    if prim.kernel == SUM or prim.kernel == MEAN:
        return spread_like(apply_reduction(prim, t, axis, keepdims), ans, prim, 0)
    if is_box(t) or is_box(x):
        if prim.kernel == MAX or prim.kernel == MIN:
            pushed = extremum_push(prim.kernel, t, x, axis, keepdims, ans)
    elif enabled:
        pushed = push_reduction(prim.kernel, t, x, axis, keepdims, ans)
        if VERIFY and pushed is not None:
            with np.errstate(all="ignore"):
                expected = d.jvp(t, ans, x, axis=axis, keepdims=keepdims)
            verify(prim, pushed, spread_like(expected, ans, prim, 0), np.abs(t).max() * np.size(t))
    if pushed is None:
        pushed = d.jvp(t, ans, x, axis=axis, keepdims=keepdims)
    return spread_like(pushed, ans, prim, 0)


cdef object op2(Primitive prim, object a, object b):
    """Call `prim` on two operands, one of them a box at least."""
    cdef bint box_a = is_box(a), box_b = is_box(b)
    cdef object x = a, y = b, node_a = None, node_b = None, ans
    cdef Trace top
    cdef Table table
    cdef unsigned int saves = 0
    cdef VJPNode node
    cdef JVPNode forward
    if watched:
        return call_primitive(prim, (a, b), None, False)
    if prim.notrace is not None:
        x, y = unrecorded(prim, a), unrecorded(prim, b)
        return prim.fun(x, y) if is_plain(x) and is_plain(y) else call_primitive(prim, (a, b), None, False)
    if N_KERNELS <= prim.kernel < DOT:
        ans = reduction(prim, a, b, False) if box_a and (b is None or type(b) is int) else None
        return call_primitive(prim, (a, b), None, False) if ans is None else ans
    if prim.kernel > MATMUL:
        if box_a and (prim.kernel == RESHAPE or prim.kernel == TRANSPOSE) and whole_numbers(b):
            return linear_way(prim, a, b, None)
        return call_primitive(prim, (a, b), None, False)
    if box_a and box_b:
        top = (<BoxBase> a).origin
        if top is None or (<BoxBase> b).origin is None:
            return call_primitive(prim, (a, b), None, False)
        if (<BoxBase> b).origin is not top and (<BoxBase> b).origin.serial != top.serial:
            if (<BoxBase> b).origin.serial > top.serial:
                top = outermost_check((<BoxBase> b).origin, top)
                box_a = False
            else:
                outermost_check(top, (<BoxBase> b).origin)
                box_b = False
    elif box_a:
        if not is_plain(b):
            return call_primitive(prim, (a, b), None, False)
        top = (<BoxBase> a).origin
    elif is_plain(a):
        top = (<BoxBase> b).origin
    else:
        return call_primitive(prim, (a, b), None, False)
    if box_a:
        x, node_a = (<BoxBase> a)._value, (<BoxBase> a)._node
    if box_b:
        y, node_b = (<BoxBase> b)._value, (<BoxBase> b)._node
    table = short_table(prim, node_b if box_b else node_a)
    if table is None or top is None or (box_a and box_b and type(node_a) is not type(node_b)):
        return call_primitive(prim, (a, b), None, False)
    if is_box(x) or is_box(y):
        ans = op2(prim, x, y)
    elif is_plain(x) and is_plain(y):
        ans = compute2(prim, x, y)
    else:
        return call_primitive(prim, (a, b), None, False)
    if type(node_b if box_b else node_a) is VJPNode:
        node = VJPNode.__new__(VJPNode)
        node.kind = PICKS
        node.rule = table
        node.a1 = -1
        if box_a:
            saves = find_rule(table, 0, "VJP").saves
            node.p0 = <Node> node_a
            if box_b:
                node.p1 = <Node> node_b
                node.a1 = 1
        else:
            node.p0 = <Node> node_b
            node.a0 = 1
        if box_b:
            saves |= find_rule(table, 1, "VJP").saves
        if prim.kernel >= DOT:
            node.kind = PRODUCT
            node.s0 = numpy_number(x) if saves & 1 else like(x)
            node.s1 = numpy_number(y) if saves & 2 else like(y)
            node.s2 = ans if saves & SAVES_ANS else like(ans)
        else:
            node.s0 = x if saves & 1 else spec_like_ans(x, ans) if box_a else None
            node.s1 = y if saves & 2 else spec_like_ans(y, ans) if box_b else None
            if saves & SAVES_ANS:
                node.s2 = ans
        node.untrack()
        return make_box(ans, top, node)
    forward = JVPNode.__new__(JVPNode)
    if box_a:
        forward.g = tangent(table, 0, (<JVPNode> node_a).g, x, y, ans)
    if box_b:
        t = tangent(table, 1, (<JVPNode> node_b).g, x, y, ans)
        forward.g = add_tangents(forward.g, t) if box_a else t
    return make_box(ans, top, forward)


cdef object unrecorded(Primitive prim, object x):
    """The plain value of an operand of a function that its nodes don't record; else a box."""
    while is_box(x) and (<BoxBase> x).origin is not None and type((<BoxBase> x)._node) in <set> prim.notrace:
        x = (<BoxBase> x)._value
    return x


cdef object tangent(Table table, Py_ssize_t argnum, object g, object x, object y, object ans):
    """The tangent of an elementwise result or a product along one operand."""
    cdef Derivative d = find_rule(table, argnum, "JVP")
    cdef object pushed = None
    if d.jvp is None:
        return zeros_like_operand(like(ans))
    if table.kernel >= N_KERNELS:
        pushed = apply2(table.prim, g, y) if argnum == 0 else apply2(table.prim, x, g)
    elif table.kernel >= 0 and d.jvp is d.vjp:
        pushed = rule_in_c(table.kernel, argnum, g, x, y, ans)
        if VERIFY and pushed is not None and not is_box(pushed):
            expected = spread_like(quiet_map(d.jvp, g, d.jvp_picks, x, y, ans), ans, table.prim, argnum)
            pushed = spread_like(pushed, ans, table.prim, argnum)
            verify(table.prim, pushed, expected, 1.0)
    if pushed is None:
        pushed = map_picks(d.jvp, g, d.jvp_picks, x, y, ans)
    return spread_like(pushed, ans, table.prim, argnum)


cdef object spread_like(object t, object ans, Primitive prim, Py_ssize_t argnum):
    """Bring a tangent to the shape and dtype of the result `ans`, if it hasn't them."""
    if fits(t, ans):
        return t
    return spread(t, like(ans), prim, argnum)


set_short_ways(op1, op2, reduction)
