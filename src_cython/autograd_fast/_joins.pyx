"""The short way of joins: concatenate, stack and their kin, and arrays made of traced numbers.

All of them put equal blocks behind each other, along an axis that the parts have (`CONCATENATE`) or along a
new one (`STACK`, `ARRAY`).  A node keeps its parents, the axis, and for a concatenation where each part ends;
the pullback takes the cotangent apart again.
"""

cimport numpy as cnp
import numpy as np

from autograd_fast._tracer import contains_box

from autograd_fast._buffers cimport new_array
from autograd_fast._core cimport JOIN, JVPNode, VJPNode, set_node_pull
from autograd_fast._fit cimport fits, numpy_functions
from autograd_fast._kernels cimport (
    VERIFY, array_kind, data, enabled, new_float64, number_kind, verify,
)
from autograd_fast._linear cimport apply_linear, getitem_primitive, reshape_primitive
from autograd_fast._ops cimport is_plain, rules_of
from autograd_fast._primitive cimport Primitive, primitive_vectorcall
from autograd_fast._tables cimport Table
from autograd_fast._tracer cimport BoxBase, Trace, is_box, make_box, outermost_check, unbox
from autograd_fast._watch cimport watched
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject, PyTypeObject
from libc.string cimport memcpy

cdef extern from *:
    """
    #define AGF_NARGS(n) ((Py_ssize_t)((n) & ~PY_VECTORCALL_ARGUMENTS_OFFSET))

    /* A part of an array as an array, which keeps the whole alive. */
    static PyObject *agf_view(
        PyArrayObject *whole, int nd, const npy_intp *dims, const npy_intp *strides, char *start
    ) {
        PyObject *part;
        Py_INCREF(PyArray_DESCR(whole));
        part = PyArray_NewFromDescr(
            &PyArray_Type, PyArray_DESCR(whole), nd, dims, strides, start,
            PyArray_FLAGS(whole) & (NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED), NULL);
        if (part == NULL) return NULL;
        Py_INCREF(whole);
        if (PyArray_SetBaseObject((PyArrayObject *) part, (PyObject *) whole) < 0) {
            Py_DECREF(part);
            return NULL;
        }
        return part;
    }
    """
    Py_ssize_t AGF_NARGS(size_t) noexcept
    object agf_view(cnp.ndarray, int, cnp.npy_intp *, cnp.npy_intp *, char *)

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept
    object PyObject_Vectorcall(object, PyObject **, size_t, PyObject *)
    void PyObject_GC_UnTrack(object) noexcept

cnp.import_array()

cdef enum Join:
    CONCATENATE
    STACK
    ARRAY

cdef enum:
    MAX_DIMS = 64
    MAX_AXIS = 31  # greater ones may stand for None in NumPy's C interface
    MAX_DEPTH = 16
    SMALL_BLOCK = 64  # bytes below which NumPy copies many blocks faster
    SMALL_PART = 2048  # bytes below which a part of a cotangent is copied rather than viewed

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef Primitive concatenate_args, array_from_args


def set_joins(args_primitive, array_primitive, concatenate, stack, hstack, vstack, column_stack, append):
    """Tell the core the primitives that joins are recorded by, and the functions made of the first."""
    global concatenate_args, array_from_args
    concatenate_args, array_from_args = args_primitive, array_primitive
    concatenate_args.vectorcall = call_concatenate_args
    (<Primitive> concatenate).vectorcall = call_concatenate
    (<Primitive> stack).vectorcall = call_stack
    (<Primitive> hstack).vectorcall = call_hstack
    (<Primitive> vstack).vectorcall = call_vstack
    (<Primitive> column_stack).vectorcall = call_column_stack
    (<Primitive> append).vectorcall = call_append


# ---------------------------------------------------------------- joins of plain parts

cdef bint is_canonical(cnp.ndarray a) noexcept:
    """Whether all strides are those of a new array, also along axes of length one."""
    cdef int i
    cdef cnp.npy_intp step = cnp.PyArray_ITEMSIZE(a)
    for i in range(cnp.PyArray_NDIM(a) - 1, -1, -1):
        if cnp.PyArray_STRIDE(a, i) != step:
            return False
        step *= cnp.PyArray_DIM(a, i)
    return True


cdef object join_arrays(Join how, Py_ssize_t axis, list items):
    """Arrays of one dtype laid out plainly, block by block; None if they aren't so or don't fit."""
    cdef object first = items[0], out
    cdef int i, kind = array_kind(first), nd, out_nd
    cdef cnp.npy_intp dims[MAX_DIMS]
    cdef cnp.npy_intp outer = 1, inner = 1, total = 0, o, block
    cdef char *target
    if kind < 0:
        return None
    nd = cnp.PyArray_NDIM(<cnp.ndarray> first)
    out_nd = nd if how == CONCATENATE else nd + 1
    axis = axis + out_nd if axis < 0 else axis
    if not 0 <= axis < out_nd <= MAX_DIMS:
        return None
    for item in items:
        if array_kind(item) != kind or cnp.PyArray_NDIM(<cnp.ndarray> item) != nd:
            return None
        if not is_canonical(<cnp.ndarray> item):
            return None
        for i in range(nd):
            if how == CONCATENATE and i == axis:
                total += cnp.PyArray_DIM(<cnp.ndarray> item, i)
            elif cnp.PyArray_DIM(<cnp.ndarray> item, i) != cnp.PyArray_DIM(<cnp.ndarray> first, i):
                return None
    for i in range(nd):
        if i < axis:
            dims[i] = cnp.PyArray_DIM(<cnp.ndarray> first, i)
            outer *= dims[i]
        else:
            dims[out_nd - nd + i] = cnp.PyArray_DIM(<cnp.ndarray> first, i)
            if how != CONCATENATE or i > axis:
                inner *= cnp.PyArray_DIM(<cnp.ndarray> first, i)
    dims[axis] = total if how == CONCATENATE else len(items)
    inner *= cnp.PyArray_ITEMSIZE(<cnp.ndarray> first)
    if outer > 16 and inner * (total // len(items) if how == CONCATENATE else 1) < SMALL_BLOCK:
        return None
    out = new_array(out_nd, dims, kind)
    target = data(out)
    for o in range(outer):
        for item in items:
            block = inner
            if how == CONCATENATE:
                block *= cnp.PyArray_DIM(<cnp.ndarray> item, <int> axis)
            memcpy(target, data(item) + o * block, block)
            target += block
    return out


cdef object join_numbers(list items):
    """A float64 array of numbers; None if some are of another kind, or none makes it float64."""
    cdef cnp.npy_intp n = len(items), i
    cdef object out = new_array(1, &n, cnp.NPY_DOUBLE)
    cdef double *target = <double *> data(out)
    cdef bint real = False
    for i in range(n):
        item = items[i]
        if Py_TYPE(item) == <PyTypeObject *> float64 or Py_TYPE(item) == <PyTypeObject *> float:
            target[i] = PyFloat_AS_DOUBLE(item)
            real = True
        elif number_kind(item, &target[i]) < 0:
            return None
    return out if real else None


cdef object join_by_numpy(Join how, Py_ssize_t axis, list items):
    """The join as NumPy makes it; None if it can't."""
    try:
        if how == CONCATENATE:
            return cnp.PyArray_Concatenate(items, <int> axis)
        return np.array(items) if how == ARRAY else np.stack(items, axis)
    except ValueError:
        return None


cdef object join_plain(Join how, Py_ssize_t axis, list items):
    cdef object out = None
    if enabled:
        if Py_TYPE(items[0]) == <PyTypeObject *> ndarray:
            out = join_arrays(how, axis, items)
        elif how != CONCATENATE and -1 <= axis <= 0:
            out = join_numbers(items)
        if VERIFY and out is not None:
            verify("concatenate", out, join_by_numpy(how, axis, items))
    return join_by_numpy(how, axis, items) if out is None else out


# ---------------------------------------------------------------- joins of traced parts

cdef inline bint is_inexact(cnp.ndarray x) noexcept:
    return cnp.PyArray_ISFLOAT(x) or cnp.PyArray_ISCOMPLEX(x)


cdef bint has_dtype_of(object part, cnp.ndarray whole) except -1:
    cdef PyTypeObject *t = Py_TYPE(part)
    if t == <PyTypeObject *> ndarray:
        if cnp.PyArray_DESCR(<cnp.ndarray> part) == cnp.PyArray_DESCR(whole):
            return True
    elif t == <PyTypeObject *> float64 or t == <PyTypeObject *> float:
        return cnp.PyArray_TYPE(whole) == cnp.NPY_DOUBLE
    return np.result_type(part) == whole.dtype


cdef object join(Primitive prim, Join how, Py_ssize_t axis, list items):
    """Join parts, boxes among them or not; None if it is not the plain case."""
    cdef Trace top = None
    cdef Table table
    cdef BoxBase box
    cdef list inner, parents = [], argnums = []
    cdef object ans, whole
    cdef Py_ssize_t i
    for item in items:
        if is_box(item):
            box = <BoxBase> item
            if box.origin is None:
                return None
            if top is None or box.origin.serial > top.serial:
                top = box.origin
        elif not is_plain(item):
            return None
    if top is None:
        return join_plain(how, axis, items)
    inner = list(items)
    for i in range(len(items)):
        if is_box(items[i]):
            box = <BoxBase> items[i]
            if box.origin.serial == top.serial:
                inner[i] = box._value
                argnums.append(i)
                parents.append(box._node)
            else:
                outermost_check(top, box.origin)
    table = rules_of(prim, parents[0])
    if table is None:
        return None
    for parent in parents:
        if type(parent) is not type(parents[0]):
            return None
    ans = join(prim, how, axis, inner)
    whole = unbox(ans)
    if Py_TYPE(whole) != <PyTypeObject *> ndarray or not is_inexact(<cnp.ndarray> whole):
        return None
    for k in argnums:
        if not has_dtype_of(unbox(inner[k]), <cnp.ndarray> whole):
            return None
    if axis < 0:
        axis += cnp.PyArray_NDIM(<cnp.ndarray> whole)
    if type(parents[0]) is VJPNode:
        return make_box(ans, top, joined_node(table, how, axis, inner, argnums, parents))
    return push_join(prim, how, axis, ans, whole, inner, argnums, parents, top)


cdef VJPNode joined_node(
    Table table, Join how, Py_ssize_t axis, list inner, list argnums, list parents
):
    cdef VJPNode node = VJPNode.__new__(VJPNode)
    cdef Py_ssize_t first = table.variadic_from, n = len(parents), i
    cdef Py_ssize_t *ends
    node.kind = JOIN
    node.rule = table
    node.set_parents(tuple(parents))
    if argnums[n - 1] + first < 128 and (n <= 2 or argnums[n - 1] - argnums[0] == n - 1):
        node.a0 = argnums[0] + first
        node.a1 = argnums[1] + first if n > 1 else -1
    else:
        node.argnums = tuple([k + first for k in argnums])
        PyObject_GC_UnTrack(node.argnums)
    node.s1 = axis
    if how == CONCATENATE:
        node.s0 = PyBytes_FromStringAndSize(NULL, len(inner) * sizeof(Py_ssize_t))
        ends = <Py_ssize_t *> PyBytes_AS_STRING(node.s0)
        for i in range(len(inner)):
            ends[i] = cnp.PyArray_DIM(<cnp.ndarray> unbox(inner[i]), <int> axis)
            if i > 0:
                ends[i] += ends[i - 1]
    node.untrack()
    return node


cdef object push_join(
    Primitive prim, Join how, Py_ssize_t axis, object ans, object whole, list inner, list argnums,
    list parents, Trace top
):
    """The join in forward mode, that of the tangents with it."""
    cdef JVPNode forward
    cdef Py_ssize_t i
    cdef object t
    tangents = [np.zeros(np.shape(unbox(part)), whole.dtype)[()] for part in inner]
    for i in range(len(parents)):
        tangents[argnums[i]] = (<JVPNode> parents[i]).g
    t = join(prim, how, axis, tangents)
    if t is None or not fits(unbox(t), whole):
        return None
    forward = JVPNode.__new__(JVPNode)
    forward.g = t
    return make_box(ans, top, forward)


# ---------------------------------------------------------------- pullbacks

cdef inline object index_of(Py_ssize_t start, Py_ssize_t stop, bint stacked, Py_ssize_t axis):
    """The subscript of a part of a join."""
    cdef object place = start if stacked else slice(start, stop)
    return place if axis == 0 else (slice(None),) * axis + (place,)


cdef inline void bounds(VJPNode node, Py_ssize_t k, Py_ssize_t *start, Py_ssize_t *stop) noexcept:
    """Where the part that came from parent `k` begins and ends along the axis."""
    cdef Py_ssize_t i = node.argnum(k) - (<Table> node.rule).variadic_from
    cdef Py_ssize_t *ends
    if node.s0 is None:
        start[0], stop[0] = i, i + 1
    else:
        ends = <Py_ssize_t *> PyBytes_AS_STRING(node.s0)
        start[0], stop[0] = ends[i - 1] if i > 0 else 0, ends[i]


cdef object pull_join(VJPNode node, Py_ssize_t k, object g):
    """The cotangent of the part that came from parent `k`."""
    cdef Py_ssize_t start = 0, stop = 0, axis = node.s1
    cdef bint stacked = node.s0 is None
    cdef object part = None
    bounds(node, k, &start, &stop)
    if enabled and Py_TYPE(g) == <PyTypeObject *> ndarray:
        part = part_of(<cnp.ndarray> g, axis, start, stop, stacked)
        if VERIFY and part is not None:
            verify("concatenate", part, g[index_of(start, stop, stacked, axis)])
    if part is None:
        index = index_of(start, stop, stacked, axis)
        part = apply_linear(getitem_primitive, g, index, None) if is_box(g) else g[index]
    return part


cdef object part_of(cnp.ndarray g, Py_ssize_t axis, Py_ssize_t start, Py_ssize_t stop, bint stacked):
    """A part of a cotangent, as a view or, if it is small or scattered, a copy; None if NumPy has to."""
    cdef cnp.npy_intp dims[MAX_DIMS]
    cdef cnp.npy_intp strides[MAX_DIMS]
    cdef cnp.npy_intp outer = 1, inner = 1, o, step
    cdef int i, at = 0, kind = array_kind(g), nd = cnp.PyArray_NDIM(g)
    cdef object out
    cdef char *source
    if kind < 0 or nd > MAX_DIMS or not 0 <= axis < nd:
        return None
    if not 0 <= start <= stop <= cnp.PyArray_DIM(g, <int> axis):
        return None
    for i in range(nd):
        if i < axis:
            outer *= cnp.PyArray_DIM(g, i)
        elif i > axis:
            inner *= cnp.PyArray_DIM(g, i)
        if i != axis or not stacked:
            dims[at] = cnp.PyArray_DIM(g, i) if i != axis else stop - start
            strides[at] = cnp.PyArray_STRIDE(g, i)
            at += 1
    inner *= cnp.PyArray_ITEMSIZE(g)
    source = data(g) + start * inner
    if at == 0:
        return new_float64((<double *> source)[0]) if kind == cnp.NPY_DOUBLE else None
    step = inner * cnp.PyArray_DIM(g, <int> axis)
    inner *= stop - start
    if outer == 1 and inner > SMALL_PART:
        return agf_view(g, at, dims, strides, source)
    if outer > 16 and inner < SMALL_BLOCK:
        return cnp.PyArray_NewCopy(agf_view(g, at, dims, strides, source), cnp.NPY_CORDER)
    out = new_array(at, dims, kind)
    for o in range(outer):
        memcpy(data(out) + o * inner, source + o * step, inner)
    return out


cdef list row_pieces(VJPNode node, object gs):
    """The cotangents of all parts for rows of cotangents; see Note [Rows] in `_rows`."""
    cdef Py_ssize_t start = 0, stop = 0, axis = node.s1, k
    cdef list parts = []
    for k in range(node.n_parents()):
        bounds(node, k, &start, &stop)
        part = gs[index_of(start, stop, node.s0 is None, axis + 1)]
        parts.append(np.ascontiguousarray(part))
    return parts


set_node_pull(JOIN, pull_join)


# ---------------------------------------------------------------- arrays of nested lists

cdef int flatten(object nested, Py_ssize_t depth, list shape, list items) except -1:
    """Gather what nested lists of equal lengths hold; 0 if they are none."""
    cdef Py_ssize_t n = len(nested)
    if depth == MAX_DEPTH:
        return 0
    if depth == len(shape):
        if items:
            return 0
        shape.append(n)
    elif shape[depth] != n:
        return 0
    for item in nested:
        if type(item) is list or type(item) is tuple:
            if depth + 1 == len(shape) and items or not flatten(item, depth + 1, shape, items):
                return 0
        elif depth + 1 != len(shape):
            return 0
        else:
            items.append(item)
    return 1


def array_of(nested):
    """One traced array of nested lists and tuples of numbers and arrays; None if it is not the plain case."""
    cdef list shape = [], items = []
    if watched:
        return None
    if is_box(nested) and type(unbox(nested)) in (list, tuple):
        nested = list(nested)
    if (type(nested) is not list and type(nested) is not tuple) or not nested:
        return None
    if not flatten(nested, 0, shape, items):
        return None
    made = join(array_from_args, ARRAY, 0, items)
    if made is None or len(shape) == 1:
        return made
    shape.extend(np.shape(unbox(made))[1:])
    return apply_linear(reshape_primitive, made, tuple(shape), None)


# ---------------------------------------------------------------- calls

cdef inline Py_ssize_t ndim_of(object x) except -1:
    x = unbox(x)
    return cnp.PyArray_NDIM(<cnp.ndarray> x) if Py_TYPE(x) == <PyTypeObject *> ndarray else 0


cdef object reshaped(object x, tuple shape):
    if is_box(x):
        return apply_linear(reshape_primitive, x, shape, None)
    return np.reshape(x, shape)


cdef inline bint is_axis(object given) except -1:
    return type(given) is int and -MAX_AXIS <= given <= MAX_AXIS


cdef bint read_axis(PyObject **args, Py_ssize_t n, PyObject *kwnames, Py_ssize_t *axis) except -1:
    """Whether a call has one argument and perhaps an integer axis, which goes into `axis`."""
    cdef tuple names = () if kwnames == NULL else <tuple> kwnames
    cdef object given
    if n + len(names) == 1 and n == 1:
        return True
    if n + len(names) != 2 or n == 0 or (n == 1 and names[0] != "axis"):
        return False
    given = <object> args[1]
    if not is_axis(given):
        return False
    axis[0] = given
    return True


cdef list parts_of(Primitive prim, object sequence):
    """The parts of a call, lists as arrays; empty if none is traced, None if not the plain case."""
    cdef list items
    cdef bint traced = False
    cdef Py_ssize_t i
    if watched or prim.notrace is not None:
        return None
    if prim.vjp_rule is not prim.composite_vjp or prim.jvp_rule is not prim.composite_jvp:
        return None
    if type(sequence) is list or type(sequence) is tuple:
        items = list(sequence)
    elif is_box(sequence) and type(unbox(sequence)) in (list, tuple):
        items = list(sequence)
    else:
        return None
    for item in items:
        if is_box(item):
            traced = True
        elif type(item) is list or type(item) is tuple:
            traced = traced or contains_box(item)
        elif not is_plain(item):
            return None
    if not traced:
        return []
    for i in range(len(items)):
        if type(items[i]) is list or type(items[i]) is tuple:
            items[i] = numpy_functions.array(items[i])
        if not is_plain(unbox(items[i])):
            return None
    return items


cdef object call_otherwise(
    list items, PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames
):
    """Call a function that is no short join: NumPy's if there are no traced parts, else the general way."""
    if items is not None and not items:
        return PyObject_Vectorcall((<Primitive> self).fun, args, nargsf, kwnames)
    return primitive_vectorcall(self, args, nargsf, kwnames)


cdef object call_concatenate_args(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    cdef Py_ssize_t n = AGF_NARGS(nargsf), i
    cdef object joined
    if kwnames == NULL and n > 1 and not watched and is_axis(<object> args[0]):
        items = [<object> args[i] for i in range(1, n)]
        for item in items:
            if is_box(item):
                joined = join(concatenate_args, CONCATENATE, <object> args[0], items)
                if joined is not None:
                    return joined
                break
    return primitive_vectorcall(self, args, nargsf, kwnames)


cdef object call_concatenate(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    return call_join(CONCATENATE, self, args, nargsf, kwnames)


cdef object call_stack(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    return call_join(STACK, self, args, nargsf, kwnames)


cdef object call_join(Join how, PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    cdef Py_ssize_t axis = 0
    cdef object joined
    cdef list items = None
    if read_axis(args, AGF_NARGS(nargsf), kwnames, &axis):
        items = parts_of(<Primitive> self, <object> args[0])
        if items:
            joined = join(concatenate_args, how, axis, items)
            if joined is not None:
                return joined
    return call_otherwise(items, self, args, nargsf, kwnames)


cdef object call_hstack(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    cdef list items = None
    cdef object joined
    if AGF_NARGS(nargsf) == 1 and kwnames == NULL:
        items = parts_of(<Primitive> self, <object> args[0])
    if items:
        dims = [ndim_of(item) for item in items]
        if max(dims) == 0:
            joined = join(concatenate_args, STACK, 0, items)
        else:
            items = [item if n else reshaped(item, (1,)) for item, n in zip(items, dims)]
            joined = join(concatenate_args, CONCATENATE, 0 if dims[0] <= 1 else 1, items)
        if joined is not None:
            return joined
    return call_otherwise(items, self, args, nargsf, kwnames)


cdef object call_vstack(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    return call_of_vectors(0, self, args, nargsf, kwnames)


cdef object call_column_stack(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    return call_of_vectors(1, self, args, nargsf, kwnames)


cdef object call_of_vectors(
    Py_ssize_t axis, PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames
):
    """A join of matrices along `axis`, vectors being rows or columns of them."""
    cdef list items = None
    cdef object joined = None
    cdef tuple shape = (-1, 1) if axis else (1, -1)
    if AGF_NARGS(nargsf) == 1 and kwnames == NULL:
        items = parts_of(<Primitive> self, <object> args[0])
    if items:
        dims = [ndim_of(item) for item in items]
        if min(dims) == max(dims) == 1:
            joined = join(concatenate_args, STACK, axis, items)
        elif min(dims) > 0:
            items = [item if n > 1 else reshaped(item, shape) for item, n in zip(items, dims)]
            joined = join(concatenate_args, CONCATENATE, axis, items)
        if joined is not None:
            return joined
    return call_otherwise(items, self, args, nargsf, kwnames)


cdef object call_append(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames):
    cdef list items = None
    cdef object joined
    if AGF_NARGS(nargsf) == 2 and kwnames == NULL:
        items = parts_of(<Primitive> self, [<object> args[0], <object> args[1]])
    if items:
        items = [item if ndim_of(item) == 1 else reshaped(item, (-1,)) for item in items]
        joined = join(concatenate_args, CONCATENATE, 0, items)
        if joined is not None:
            return joined
    return call_otherwise(items, self, args, nargsf, kwnames)
