"""The short way of ``einsum``: one or two operands, no index repeated in one of them, none broadcast.

A pattern is read once, into a `Plan`: the patterns of the pullbacks, which are products of the cotangent and
the other operand, and how the pattern is one product of matrices.  The value itself comes from NumPy's own
function, bit for bit; pullbacks and tangents by the product of matrices where there is one.
"""

cimport cython
cimport numpy as cnp
import numpy as np

try:
    from numpy._core.multiarray import c_einsum
except ImportError:
    from numpy.core.multiarray import c_einsum

from autograd_fast._buffers cimport new_array
from autograd_fast._core cimport EINSUM, JVPNode, VJPNode, add_tangents, set_node_pull
from autograd_fast._fit cimport conform, fits, like
from autograd_fast._kernels cimport (
    MULTIPLY, VERIFY, Loop, array_kind, clear_flags, data, enabled, find_loop, forward2, verify,
)
from autograd_fast._linear cimport apply_linear, spread_primitive, transpose_primitive
from autograd_fast._ops cimport is_plain, rules_of
from autograd_fast._primitive cimport Node, Primitive, primitive_vectorcall
from autograd_fast._tables cimport Table, call_vjp
from autograd_fast._tracer cimport BoxBase, Trace, is_box, make_box, outermost_check, unbox
from autograd_fast._watch cimport watched
from cpython.object cimport PyObject, PyTypeObject

cdef extern from *:
    """
    #define AGF_NARGS(n) ((Py_ssize_t)((n) & ~PY_VECTORCALL_ARGUMENTS_OFFSET))
    """
    Py_ssize_t AGF_NARGS(size_t) noexcept

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept
    void PyObject_GC_UnTrack(object) noexcept

cnp.import_array()

cdef object ndarray = np.ndarray
cdef Primitive einsum_primitive
cdef dict plans = {}
cdef object LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

cdef enum:
    MAX_PLANS = 1024
    MAX_DIMS = 32
    # how a contracted cotangent is spread over indices that the operand alone has
    NOWHERE = -1
    EVERYWHERE = -2
    SEVERAL = -3


def set_einsum(primitive):
    """Tell the core the primitive."""
    global einsum_primitive
    einsum_primitive = primitive
    einsum_primitive.vectorcall = call_einsum


# ---------------------------------------------------------------- plans

@cython.final
@cython.no_gc
@cython.auto_pickle(False)
cdef class Plan:
    """What a pattern means for one or two operands."""

    cdef str pattern
    cdef str first
    cdef str second
    cdef str output
    cdef int count
    cdef int shared[MAX_DIMS]  # for each axis of the first operand that of the second with its index, or -1
    cdef list pulls
    cdef int spreads[2]
    cdef tuple axes
    cdef bint entrywise
    # a product of matrices of groups of indices: batch, rows, contracted, columns; or none
    cdef bint product
    cdef bint swapped
    cdef bint left_transposed
    cdef bint right_transposed
    cdef int n_batch
    cdef int n_rows
    cdef int n_inner
    cdef int n_columns


cdef Plan plan_of(str pattern):
    """The plan of a pattern, None if it can have none."""
    cdef object plan = plans.get(pattern, plans)
    if plan is plans:
        if len(plans) >= MAX_PLANS:
            plans.clear()
        plan = plans[pattern] = make_plan(pattern)
    return plan


cdef bint are_distinct(str letters) except -1:
    """Whether these are subscripts of which none stands twice."""
    return len(set(letters)) == len(letters) <= MAX_DIMS and (not letters or LETTERS.issuperset(letters))


cdef Plan make_plan(str pattern):
    cdef Plan plan = Plan.__new__(Plan)
    cdef int i
    inputs, arrow, output = pattern.replace(" ", "").partition("->")
    operands = inputs.split(",")
    if not arrow:
        every = "".join(operands)
        output = "".join(sorted([letter for letter in every if every.count(letter) == 1]))
    if len(operands) > 2 or not all([are_distinct(letters) for letters in (output, *operands)]):
        return None
    if not set(output) <= set("".join(operands)):
        return None
    plan.pattern, plan.output, plan.count = pattern, output, len(operands)
    plan.first, plan.second = operands[0], operands[1] if plan.count == 2 else ""
    for i in range(len(plan.first)):
        plan.shared[i] = plan.second.find(plan.first[i])
    plan.pulls = []
    for i in range(plan.count):
        own, other = operands[i], operands[1 - i] if plan.count == 2 else ""
        kept = "".join([letter for letter in own if letter in output or letter in other])
        plan.pulls.append(f"{output},{other}->{kept}" if plan.count == 2 else kept)
        plan.spreads[i] = NOWHERE if kept == own else EVERYWHERE if not kept else SEVERAL
        if len(own) - len(kept) == 1 and kept:
            plan.spreads[i] = [letter in kept for letter in own].index(False)
    if plan.count == 1 and plan.pulls[0] != output:
        plan.axes = tuple([output.index(letter) for letter in plan.pulls[0]])
        PyObject_GC_UnTrack(plan.axes)
    if plan.count == 2:
        plan.entrywise = (plan.first, plan.second) in ((output, output), ("", output), (output, ""))
        plan.product = as_product(plan, False) or as_product(plan, True)
    return plan


cdef bint as_product(Plan plan, bint swapped) except -1:
    """Whether the operands, in this order, are matrices whose product is the result; tell `plan` how."""
    cdef str left = plan.second if swapped else plan.first, right = plan.first if swapped else plan.second
    cdef str output = plan.output
    batch = "".join([letter for letter in output if letter in left and letter in right])
    rows = "".join([letter for letter in output if letter not in right])
    columns = "".join([letter for letter in output if letter not in left])
    inner = "".join([letter for letter in left if letter not in output])
    if output != batch + rows + columns or (batch and not inner):
        return False
    plan.swapped = swapped
    plan.left_transposed = left != batch + rows + inner
    plan.right_transposed = right != batch + inner + columns
    plan.n_batch, plan.n_rows = len(batch), len(rows)
    plan.n_inner, plan.n_columns = len(inner), len(columns)
    return (not plan.left_transposed or left == batch + inner + rows) and (
        not plan.right_transposed or right == batch + columns + inner
    )


# ---------------------------------------------------------------- plain operands

cdef Loop matmul_loops[2]
matmul_loops[0] = find_loop(np.matmul, cnp.NPY_DOUBLE)
matmul_loops[1] = find_loop(np.matmul, cnp.NPY_FLOAT)


cdef inline cnp.npy_intp extent(object x, int first, int count) noexcept:
    """The number of entries along some axes taken together."""
    cdef cnp.npy_intp n = 1
    cdef int i
    for i in range(first, first + count):
        n *= cnp.PyArray_DIM(<cnp.ndarray> x, i)
    return n


cdef inline void steps_of(
    cnp.npy_intp *steps, cnp.npy_intp rows, cnp.npy_intp columns, cnp.npy_intp width, bint transposed
) noexcept:
    """The strides of a matrix in a block, 0 along an axis of length one as NumPy's iterator has it."""
    steps[0] = 0 if rows == 1 else width if transposed else width * columns
    steps[1] = 0 if columns == 1 else width * rows if transposed else width


cdef object matrix_product(Plan plan, object left, object right):
    """The product of matrices, by the inner loop of ``matmul``; None if the operands aren't plain."""
    cdef int kind = array_kind(left), i, n_left = plan.n_batch, n_right = plan.n_batch
    cdef cnp.npy_intp dims[MAX_DIMS]
    cdef cnp.npy_intp sizes[4]
    cdef cnp.npy_intp steps[9]
    cdef char *pointers[3]
    cdef cnp.npy_intp batch, rows, inner, columns, width
    cdef Loop loop
    cdef object out
    if kind < 0 or array_kind(right) != kind or len(plan.output) > MAX_DIMS:
        return None
    loop = matmul_loops[0] if kind == cnp.NPY_DOUBLE else matmul_loops[1]
    if loop.function == NULL:
        return None
    width = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
    n_left += plan.n_inner if plan.left_transposed else 0
    n_right += 0 if plan.right_transposed else plan.n_inner
    for i in range(plan.n_batch):
        dims[i] = cnp.PyArray_DIM(<cnp.ndarray> left, i)
    for i in range(plan.n_rows):
        dims[plan.n_batch + i] = cnp.PyArray_DIM(<cnp.ndarray> left, n_left + i)
    for i in range(plan.n_columns):
        dims[plan.n_batch + plan.n_rows + i] = cnp.PyArray_DIM(<cnp.ndarray> right, n_right + i)
    batch = extent(left, 0, plan.n_batch)
    rows = extent(left, n_left, plan.n_rows)
    columns = extent(right, n_right, plan.n_columns)
    inner = extent(left, plan.n_batch if plan.left_transposed else plan.n_batch + plan.n_rows, plan.n_inner)
    if batch * rows * inner * columns == 0:
        return None
    out = new_array(len(plan.output), dims, kind)
    sizes[0], sizes[1], sizes[2], sizes[3] = batch, rows, inner, columns
    steps[0], steps[1], steps[2] = rows * inner * width, inner * columns * width, rows * columns * width
    steps_of(&steps[3], rows, inner, width, plan.left_transposed)
    steps_of(&steps[5], inner, columns, width, plan.right_transposed)
    steps_of(&steps[7], rows, columns, width, False)
    pointers[0], pointers[1], pointers[2] = data(left), data(right), data(out)
    loop.function(pointers, sizes, steps, loop.data)
    clear_flags()  # einsum tells of none
    return out if plan.output else out[()]


cdef inline object call(object function, Plan plan, object x, object y):
    return function(plan.pattern, x) if y is None else function(plan.pattern, x, y)


cdef object compute(Plan plan, object x, object y, bint exact):
    """The function of plain operands, to the last bit if `exact`."""
    cdef object out = None
    if not enabled:
        return call(einsum_primitive.fun, plan, x, y)
    if not exact and y is not None:
        if plan.entrywise:
            out = forward2(MULTIPLY, x, y)
        elif plan.product:
            out = matrix_product(plan, y, x) if plan.swapped else matrix_product(plan, x, y)
        if VERIFY and out is not None:
            scale = call(einsum_primitive.fun, plan, np.abs(x), np.abs(y))
            verify("einsum", out, call(einsum_primitive.fun, plan, x, y), scale)
    if out is None:
        out = call(c_einsum, plan, x, y)
        if VERIFY:
            verify("einsum", out, call(einsum_primitive.fun, plan, x, y))
    return out


cdef bint is_operand(object x, str letters, bint number) except -1:
    """Whether a plain operand has as many axes as subscripts; a `number` of NumPy's may have none."""
    if Py_TYPE(x) == <PyTypeObject *> ndarray:
        return cnp.PyArray_NDIM(<cnp.ndarray> x) == len(letters) > 0 and (
            cnp.PyArray_ISFLOAT(<cnp.ndarray> x) or cnp.PyArray_ISCOMPLEX(<cnp.ndarray> x)
        )
    return number and not letters and isinstance(x, np.inexact)


cdef bint fit_together(Plan plan, object x, object y, bint exact) except -1:
    """Whether plain operands have the subscripts' axes, one dtype, and one length for each index."""
    cdef int i
    if not is_operand(x, plan.first, not exact):
        return False
    if plan.count == 1:
        return y is None
    if not is_operand(y, plan.second, not exact) or x.dtype != y.dtype:
        return False
    for i in range(len(plan.first)):
        if plan.shared[i] >= 0 and cnp.PyArray_DIM(<cnp.ndarray> x, i) != cnp.PyArray_DIM(
            <cnp.ndarray> y, plan.shared[i]
        ):
            return False
    return True


# ---------------------------------------------------------------- traced operands

cdef object contract(Plan plan, object a, object b, bint exact):
    """The function of traced or plain operands, `b` None if there is one; None if not the plain case."""
    cdef bint box_a = is_box(a), box_b = is_box(b)
    cdef object x = a, y = b, node_a = None, node_b = None, node, ans
    cdef Trace top
    cdef Table table
    if plan is None or plan.count != (1 if b is None else 2):
        return None
    if not box_a and not box_b:
        return compute(plan, a, b, exact) if fit_together(plan, a, b, exact) else None
    top = (<BoxBase> a).origin if box_a else (<BoxBase> b).origin
    if top is None or (box_b and (<BoxBase> b).origin is None):
        return None
    if box_a and box_b and (<BoxBase> b).origin.serial != top.serial:
        if (<BoxBase> b).origin.serial > top.serial:
            top = outermost_check((<BoxBase> b).origin, top)
            box_a = False
        else:
            outermost_check(top, (<BoxBase> b).origin)
            box_b = False
    if box_a:
        x, node_a = (<BoxBase> a)._value, (<BoxBase> a)._node
    if box_b:
        y, node_b = (<BoxBase> b)._value, (<BoxBase> b)._node
    node = node_b if box_b else node_a
    table = rules_of(einsum_primitive, node)
    if table is None or (box_a and box_b and type(node_a) is not type(node_b)):
        return None
    ans = contract(plan, x, y, exact)
    if ans is None:
        return None
    if type(node) is VJPNode:
        return make_box(ans, top, recorded(plan, table, x, y, node_a, node_b))
    return pushed(plan, top, x, y, ans, node_a, node_b)


cdef VJPNode recorded(Plan plan, Table table, object x, object y, object node_a, object node_b):
    cdef VJPNode node = VJPNode.__new__(VJPNode)
    node.kind = EINSUM
    node.rule = table
    node.p0 = <Node> (node_b if node_a is None else node_a)
    node.a0 = 2 if node_a is None else 1
    node.a1 = -1
    if node_a is not None and node_b is not None:
        node.p1 = <Node> node_b
        node.a1 = 2
    node.s0 = like(x) if node_b is None else x
    node.s1 = like(y) if node_a is None else y
    node.s2 = plan
    node.untrack()
    return node


cdef object pushed(Plan plan, Trace top, object x, object y, object ans, object node_a, object node_b):
    """The result in forward mode, with the sum of the tangents along the operands."""
    cdef JVPNode forward = JVPNode.__new__(JVPNode)
    cdef object t = None, u = None
    if node_a is not None:
        t = contract(plan, (<JVPNode> node_a).g, y, False)
        if t is None:
            return None
    if node_b is not None:
        u = contract(plan, x, (<JVPNode> node_b).g, False)
        if u is None:
            return None
        t = u if t is None else add_tangents(t, u)
    if not fits(unbox(t), unbox(ans)):
        return None
    forward.g = t
    return make_box(ans, top, forward)


cdef object pull_einsum(VJPNode node, Py_ssize_t k, object g):
    """The cotangent of the operand that came from parent `k`."""
    cdef Plan plan = node.s2
    cdef Table table = node.rule
    cdef Py_ssize_t argnum = node.argnum(k)
    cdef object spec = node.s0 if argnum == 1 else node.s1
    cdef object pulled = None if watched else pull_by_plan(node, argnum, g)
    if pulled is None:
        args = (plan.pattern, node.s0) if plan.count == 1 else (plan.pattern, node.s0, node.s1)
        pulled = call_vjp(table.find(argnum), argnum, g, None, args, None)
    return conform(pulled, spec, False, table.prim, argnum)


cdef object pull_by_plan(VJPNode node, Py_ssize_t argnum, object g):
    """The cotangent of an operand, None if the rule in Python has to give it."""
    cdef Plan plan = node.s2
    cdef int k = argnum - 1, spread = plan.spreads[k]
    if spread == SEVERAL:
        return None
    if plan.count == 2:
        g = contract(plan_of(plan.pulls[k]), g, node.s1 if k == 0 else node.s0, False)
        if g is None:
            return None
    elif plan.axes is not None:
        g = apply_linear(transpose_primitive, g, plan.axes, None)
    if spread == NOWHERE:
        return g
    return apply_linear(
        spread_primitive, g, None if spread == EVERYWHERE else spread, like(node.s0 if k == 0 else node.s1)
    )


cdef object einsum_rows(VJPNode node, Py_ssize_t argnum, object gs):
    """Rows for an operand, None if they have to be made one by one; see Note [Rows] in `_rows`."""
    cdef Plan plan = node.s2
    cdef int k = argnum - 1, spread = plan.spreads[k]
    cdef tuple shape = like(node.s0 if k == 0 else node.s1).shape
    cdef list kept = list(shape)
    if spread == SEVERAL:
        return None
    if plan.count == 2:
        pattern = plan.pulls[k]
        row = min(LETTERS.difference(pattern), default=None)
        if row is None:
            return None
        other = node.s1 if k == 0 else node.s0
        gs = contract(plan_of(row + pattern.replace("->", "->" + row)), gs, other, False)
    elif plan.axes is not None:
        gs = gs.transpose((0, *[1 + axis for axis in plan.axes]))
    if gs is None or spread == NOWHERE:
        return gs
    if spread == EVERYWHERE:
        kept = [1] * len(shape)
    else:
        kept[spread] = 1
    return np.broadcast_to(gs.reshape((len(gs), *kept)), (len(gs), *shape))


cdef object call_einsum(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    cdef Py_ssize_t n = AGF_NARGS(nargsf)
    cdef object ans, b = None
    if kwnames == NULL and 2 <= n <= 3 and not watched and type(<object> args[0]) is str:
        if n == 3:
            b = <object> args[2]
        if (is_box(<object> args[1]) or is_box(b)) and (n == 2 or is_plain(unbox(b))):
            ans = contract(plan_of(<object> args[0]), <object> args[1], b, True)
            if ans is not None:
                return ans
    return primitive_vectorcall(self, args, nargsf, kwnames)


set_node_pull(EINSUM, pull_einsum)
