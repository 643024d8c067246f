"""The backward pass: cotangents from the end of a graph to its root.

Note [Order of the backward pass].  Every node carries a number from one process-wide count, and a node is
made after its parents.  So the reachable nodes in order of falling numbers are a topological order, found
without a pass over the graph: the frontier holds the nodes that have a cotangent and have not been pulled
yet, and the one with the greatest number is next.  Nothing is written on nodes, which other graphs, threads
and re-entrant pullbacks share; the memory in use is that of the frontier, not of the graph.

Note [Numbers].  A cotangent that is an np.float64 is kept as a C double, and pulled through functions of
numbers without an object being made; it becomes one where anything else needs it.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._buffers cimport new_zeros
from autograd_fast._containers cimport Parts
from autograd_fast._core cimport CLOSURE, GENERAL, ITEM, PICKS, TAKE, VJPNode
from autograd_fast._fused cimport pull_number1, pull_number2
from autograd_fast._fit cimport Like, cast, fits, is_number_like, like, numpy_functions
from autograd_fast._kernels cimport ADD, VERIFY, enabled, new_float64, verify
from autograd_fast._reductions cimport add_at, add_into
from autograd_fast._primitive cimport Node
from autograd_fast._scaled cimport Scaled, whole
from autograd_fast._sums cimport add_cotangents, dense, is_ours, is_sparse
from autograd_fast._tables cimport Table
from autograd_fast._vspaces cimport arrays_are_plain
from autograd_fast._tracer cimport (
    array_box, check_stack, enter_container, is_box, leave_container, unbox,
)
from autograd_fast._watch cimport watched, watcher
from autograd_fast._sums import add_outgrads
from autograd_fast._vspaces import mappings
from autograd_fast.util import shallow_copy, toposort
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
from libc.math cimport isfinite
from libc.stdlib cimport free, malloc, realloc

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept
    Py_ssize_t Py_REFCNT(object) noexcept

cdef extern from "numpy/arrayobject.h":
    PyObject *PyArray_BASE(cnp.ndarray) noexcept

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object generic = np.generic
cdef object float64 = np.float64
cdef object add_in_place = np.add


# ---------------------------------------------------------------- the frontier

cdef struct Entry:
    unsigned long long seq
    PyObject *node
    PyObject *g  # NULL where the cotangent is `number`
    double number
    bint owned


class _OutOfOrder(Exception):
    """A graph that was put together by hand, in which numbers don't tell the order."""


cdef inline int check_order(Node child, Node parent) except -1:
    if parent.seq >= child.seq:
        raise _OutOfOrder
    return 0


@cython.final
cdef class Frontier:
    """Nodes with a cotangent, the latest first: a heap by number, with a hash table to find a node in it."""

    cdef Entry *entries
    cdef Py_ssize_t *heap
    cdef Py_ssize_t *table
    cdef Py_ssize_t *unused
    cdef Py_ssize_t size
    cdef Py_ssize_t capacity
    cdef size_t mask

    def __cinit__(self):
        self.grow(16)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.size):
            Py_DECREF(<object> self.entries[self.heap[i]].node)
            Py_XDECREF(self.entries[self.heap[i]].g)
        free(self.entries)
        free(self.heap)
        free(self.table)
        free(self.unused)

    cdef int grow(self, Py_ssize_t capacity) except -1:
        cdef Py_ssize_t i
        cdef Entry *entries = <Entry *> realloc(self.entries, capacity * sizeof(Entry))
        if entries == NULL:
            raise MemoryError()
        self.entries = entries
        cdef Py_ssize_t *block = <Py_ssize_t *> realloc(self.heap, capacity * sizeof(Py_ssize_t))
        if block == NULL:
            raise MemoryError()
        self.heap = block
        block = <Py_ssize_t *> realloc(self.unused, capacity * sizeof(Py_ssize_t))
        if block == NULL:
            raise MemoryError()
        self.unused = block
        block = <Py_ssize_t *> malloc(4 * capacity * sizeof(Py_ssize_t))
        if block == NULL:
            raise MemoryError()
        free(self.table)
        self.table = block
        for i in range(self.capacity, capacity):
            self.unused[i] = i
        self.capacity = capacity
        self.mask = 4 * capacity - 1
        for i in range(4 * capacity):
            self.table[i] = -1
        for i in range(self.size):
            self.table[self.probe(self.entries[self.heap[i]].seq)] = self.heap[i]
        return 0

    cdef inline size_t probe(self, unsigned long long seq) noexcept:
        """The place of the table where `seq` is, or the free one where it would be."""
        cdef size_t place = <size_t> (seq * 0x9E3779B97F4A7C15u >> 20) & self.mask
        while self.table[place] >= 0 and self.entries[self.table[place]].seq != seq:
            place = (place + 1) & self.mask
        return place

    cdef void forget(self, unsigned long long seq) noexcept:
        """Take `seq` out of the table, moving up what it kept from its place."""
        cdef size_t hole = self.probe(seq), place, home
        place = hole
        while True:
            place = (place + 1) & self.mask
            if self.table[place] < 0:
                break
            home = <size_t> (self.entries[self.table[place]].seq * 0x9E3779B97F4A7C15u >> 20) & self.mask
            if ((place - home) & self.mask) >= ((place - hole) & self.mask):
                self.table[hole] = self.table[place]
                hole = place
        self.table[hole] = -1

    cdef Entry *find(self, Node node) noexcept:
        cdef Py_ssize_t index = self.table[self.probe(node.seq)]
        return NULL if index < 0 else &self.entries[index]

    cdef int push(self, Node node, object g, bint owned) except -1:
        cdef Entry *entry = self.make_entry(node)
        Py_INCREF(g)
        entry.g, entry.owned = <PyObject *> g, owned
        return 0

    cdef Entry *make_entry(self, Node node) except NULL:
        """A new entry for `node`, whose cotangent is to be set."""
        cdef Py_ssize_t index, at, up
        cdef Entry *entry
        if self.size == self.capacity:
            self.grow(2 * self.capacity)
        index = self.unused[self.size]
        entry = &self.entries[index]
        entry.seq = node.seq
        Py_INCREF(node)
        entry.node, entry.g = <PyObject *> node, NULL
        self.table[self.probe(node.seq)] = index
        at = self.size
        self.size += 1
        while at > 0:
            up = (at - 1) >> 1
            if self.entries[self.heap[up]].seq > entry.seq:
                break
            self.heap[at] = self.heap[up]
            at = up
        self.heap[at] = index
        return entry

    cdef Entry pop(self) noexcept:
        """Take out the latest node; the caller owns the references."""
        cdef Py_ssize_t index = self.heap[0], last, at = 0, down
        cdef Entry entry = self.entries[index]
        self.forget(entry.seq)
        self.size -= 1
        self.unused[self.size] = index
        if self.size > 0:
            last = self.heap[self.size]
            while True:
                down = 2 * at + 1
                if down >= self.size:
                    break
                if down + 1 < self.size and (
                    self.entries[self.heap[down + 1]].seq > self.entries[self.heap[down]].seq
                ):
                    down += 1
                if self.entries[self.heap[down]].seq < self.entries[last].seq:
                    break
                self.heap[at] = self.heap[down]
                at = down
            self.heap[at] = last
        return entry

    cdef Entry *found(self, Node node) except? NULL:
        """The entry of a node, its cotangent an object."""
        cdef Entry *entry = self.find(node)
        cdef object g
        if entry != NULL and entry.g == NULL:
            g = new_float64(entry.number)
            Py_INCREF(g)
            entry.g, entry.owned = <PyObject *> g, False
        return entry

    cdef int add_number(self, Node child, Node parent, double g) except -1:
        """Add a contribution that is an np.float64."""
        cdef Entry *entry
        check_order(child, parent)
        entry = self.find(parent)
        if entry == NULL:
            self.make_entry(parent).number = g
        elif entry.g == NULL and isfinite(entry.number + g):
            entry.number += g
        else:
            self.add(child, parent, new_float64(g))
        return 0

    cdef int add(self, Node child, Node parent, object g) except -1:
        """Add a contribution to the cotangent of `parent`."""
        cdef Entry *entry
        cdef bint owned
        cdef object total
        check_order(child, parent)
        entry = self.found(parent)
        if entry == NULL:
            if is_sparse(g):
                return self.push(parent, dense(g), True)
            return self.push(parent, g, False)
        owned = entry.owned
        total = <object> entry.g
        if type(total) is Parts:
            total, owned = (<Parts> total).whole(), False
        owned = owned or is_ours(total, 2)
        total = add_cotangents(total, &owned, g)
        entry = self.find(parent)
        Py_INCREF(total)
        Py_DECREF(<object> entry.g)
        entry.g, entry.owned = <PyObject *> total, owned
        return 0

    cdef bint put(self, VJPNode node, object g) except -1:
        """Add the cotangent of an element to that of its container; False if that holds boxes."""
        cdef Entry *entry
        if is_box(g):
            return False
        check_order(node, node.p0)
        entry = self.found(node.p0)
        if entry == NULL:
            self.push(node.p0, Parts(node.s0), True)
            entry = self.find(node.p0)
        if type(<object> entry.g) is not Parts:
            return False
        (<Parts> <object> entry.g).add(node.s1, g)
        return True

    cdef bint scatter_number(self, VJPNode node, double g) except -1:
        """Add the cotangent of an entry of a vector to that of the vector; False if it is another case."""
        cdef Like spec = node.s0
        cdef Entry *entry
        cdef object total
        if type(node.s1) is not int or len(spec.shape) != 1 or not arrays_are_plain:
            return False
        check_order(node, node.p0)
        entry = self.find(node.p0)
        if entry != NULL:
            if entry.g == NULL or not entry.owned or not fits(<object> entry.g, spec):
                return False
            return add_at(<object> entry.g, node.s1, g)
        total = new_zeros(spec.shape, spec.dtype)
        if not add_at(total, node.s1, g):
            return False
        self.push(node.p0, total, True)
        return True

    cdef bint scatter(self, VJPNode node, object g) except -1:
        """Add a plain cotangent of ``x[index]`` to that of x in place; False if it is not a plain case."""
        cdef Entry *entry
        cdef object total
        if not is_plain_take(node, g):
            return False
        check_order(node, node.p0)
        entry = self.found(node.p0)
        if entry == NULL:
            total = scatter_into(None, True, node, g)
            self.push(node.p0, total, True)
            return True
        total = scatter_into(<object> entry.g, entry.owned, node, g)
        if total is None:
            return False
        Py_INCREF(total)
        Py_DECREF(<object> entry.g)
        entry.g, entry.owned = <PyObject *> total, True
        return True


cdef bint pull_number(Frontier frontier, VJPNode node, double g) except -1:
    """Pull a number through a function of numbers, or an entry of an array; False if it is another case."""
    cdef double to_first, to_second = 0
    cdef int kernel
    if node.p0 is None or not enabled or VERIFY:
        return False
    if node.kind == TAKE:
        return frontier.scatter_number(node, g)
    kernel = (<Table> node.rule).kernel if node.kind == PICKS else -1
    if kernel < 0:
        return False
    if kernel < ADD:
        if not is_number_like(node.s0) or not pull_number1(kernel, g, node.s0, node.s2, &to_first):
            return False
        frontier.add_number(node, node.p0, to_first)
        return True
    if not is_number_like(node.s0 if node.a0 == 0 else node.s1):
        return False
    if not pull_number2(kernel, node.a0, g, node.s0, node.s1, &to_first):
        return False
    if node.p1 is not None:
        if not is_number_like(node.s1) or not pull_number2(kernel, 1, g, node.s0, node.s1, &to_second):
            return False
    frontier.add_number(node, node.p0, to_first)
    if node.p1 is not None:
        frontier.add_number(node, node.p1, to_second)
    return True


cdef bint is_plain_take(VJPNode node, object g) except -1:
    """Whether `g` is a plain cotangent of a subscript of an array."""
    if Py_TYPE(g) != <PyTypeObject *> ndarray and Py_TYPE(g) != <PyTypeObject *> float64:
        return False
    return bool((<Like> node.s0).shape) and arrays_are_plain


cdef object scatter_into(object total, bint owned, VJPNode node, object g):
    """`total`, or zeros, or a copy if it isn't `owned`, with `g` added where `node` took from it; or None."""
    cdef Like spec = node.s0
    cdef object part
    if type(total) is Scaled:
        total, owned = whole(total), False
    if total is None:
        total = new_zeros(spec.shape, spec.dtype)
    elif not fits(total, spec):
        return None
    elif not owned:
        total = total.copy()
    expected = total[node.s1] + g if VERIFY else None
    if not is_basic(node.s1):
        add_in_place.at(total, node.s1, np.asarray(g).astype(spec.dtype, copy=False))
        return total
    if not enabled or type(g) is not float64 or not add_at(total, node.s1, PyFloat_AS_DOUBLE(g)):
        part = total[node.s1]
        if type(part) is not ndarray:
            total[node.s1] = part + g
        elif not enabled or add_into(part, g) is None:
            add_in_place(part, g, part, casting="unsafe")
    if VERIFY:
        verify("add.at", total[node.s1], expected, 1.0)
    return total


cdef bint is_basic(object index) noexcept:
    """Whether an index selects each entry at most once."""
    if type(index) is tuple:
        for item in <tuple> index:
            if type(item) is tuple or not is_basic(item):  # a tuple in a tuple stands for an array
                return False
        return True
    return (
        (isinstance(index, (int, np.integer)) and not isinstance(index, bool)) or isinstance(index, slice)
        or index is None or index is Ellipsis
    )


# ---------------------------------------------------------------- the pass

cdef object pull_back(object g, object end):
    """Pull the cotangent `g` of `end` back to the root of its graph; None if nothing arrives there."""
    if not isinstance(end, Node):
        return pull_back_by_hand(g, end)
    try:
        return pull_back_in_order(g, [end])
    except _OutOfOrder:
        return pull_back_by_hand(g, end)


cdef object pull_back_in_order(object g, list holder):
    """Pull the cotangent `g` of the node in `holder` back; see Note [Order of the backward pass].

    The node is taken out of `holder`: where nothing else refers to the graph, its nodes and what they keep
    are freed as they are pulled back.  That takes a graph of which `_OutOfOrder` is not to be expected.
    """
    cdef Frontier frontier = Frontier.__new__(Frontier)
    cdef Entry entry
    cdef Node node
    cdef VJPNode built_in
    cdef Py_ssize_t k, n
    cdef bint into_g, first = True
    cdef tuple pair
    cdef object root_g = None
    frontier.push(holder[0], g, False)
    holder.clear()
    g = None
    while frontier.size:
        entry = frontier.pop()
        node = <Node> entry.node
        Py_DECREF(node)
        if entry.g != NULL:
            g = <object> entry.g
            Py_DECREF(g)
            if type(g) is float64:
                entry.number = PyFloat_AS_DOUBLE(g)
        if entry.g == NULL or type(g) is float64:
            if not watched and type(node) is VJPNode and pull_number(frontier, <VJPNode> node, entry.number):
                g = node = None
                first = False
                continue
        if entry.g == NULL:
            g = new_float64(entry.number)
        if type(g) is Parts:
            g = (<Parts> g).whole()
        elif type(g) is Scaled:
            if watched or type(node) is not VJPNode or not (<VJPNode> node).takes_scaled(g):
                g = whole(g)
        if type(node) is VJPNode and (<VJPNode> node).kind != CLOSURE:
            built_in = <VJPNode> node
            n = built_in.n_parents()
            if n == 0:
                root_g = g
            elif watched:
                if built_in.kind != ITEM or not frontier.put(built_in, g):
                    for parent, contribution in watcher.pull(node, g):
                        frontier.add(node, parent, contribution)
                    parent = contribution = None
            elif built_in.kind == GENERAL:
                k = 0
                for contribution in built_in.contributions(g, n):
                    frontier.add(node, built_in.parent(k), contribution)
                    k += 1
                contribution = None
            elif not (
                (built_in.kind == TAKE and frontier.scatter(built_in, g))
                or (built_in.kind == ITEM and frontier.put(built_in, g))
            ):
                pair = built_in.pair(g, not first and is_ours(g, 1))
                if pair is not None:
                    frontier.add(node, built_in.p0, pair[0])
                    if len(pair) == 2:
                        frontier.add(node, built_in.p1, pair[1])
                    pair = None
                elif small_second(built_in, g):
                    frontier.add(node, built_in.p1, built_in.contribution(1, g, False, True))
                    into_g = not first and is_ours(g, 1)
                    frontier.add(node, built_in.p0, built_in.contribution(0, g, into_g, True))
                else:
                    for k in range(n):
                        into_g = k == n - 1 and not first and is_ours(g, 1)
                        frontier.add(node, built_in.parent(k), built_in.contribution(k, g, into_g, True))
        else:
            if watched:
                pairs = watcher.pull(node, g)
            else:
                pairs = pairs_of_user_node(node, g)
                if type(node) is VJPNode and (<VJPNode> node).s1 is not None:
                    pairs = (<VJPNode> node).fitted(pairs)
            if not pairs:
                root_g = g
            for parent, contribution in pairs:
                if not isinstance(parent, Node):
                    raise _OutOfOrder
                frontier.add(node, parent, contribution)
            pairs = parent = contribution = None
        g = node = built_in = None
        first = False
    return root_g


cdef bint small_second(VJPNode node, object g) noexcept:
    """Whether the second of two operands was broadcast, so that the first one's may take g's place."""
    return (
        node.kind == PICKS and node.p1 is not None and node.p0 is not node.p1 and type(g) is ndarray
        and node.s1 is not None and not (
            type(node.s1) is ndarray and cnp.PyArray_SAMESHAPE(<cnp.ndarray> node.s1, <cnp.ndarray> g)
        )
    )


cpdef list pairs_of_user_node(object node, object g):
    """The parents of a node with a closure that a user's rule or class made, each with its cotangent."""
    cdef list parents = list(node.parents), cotangents
    if not parents:
        return parents
    cotangents = [contribution for _, contribution in zip(parents, node.vjp(g))]
    if len(cotangents) < len(parents):
        raise ValueError(
            f"a VJP gave {len(cotangents)} cotangents for the {len(parents)} parents of {node!r}"
        )
    for k in range(len(cotangents)):
        if cotangents[k] is None:
            raise TypeError(
                f"a VJP returned None for parent {k} of {node!r}; return a cotangent, or give None as the "
                "rule of an argument whose derivative is zero"
            )
    return list(zip(parents, cotangents))


cdef object pull_back_by_hand(object g, object end):
    """The pass over a graph in which numbers don't tell the order, or whose nodes are of any class."""
    cdef dict sums = {end: (g, False)}
    for node in toposort(end):
        if node not in sums:
            continue
        g = sums.pop(node)[0]
        for parent, contribution in watcher.pull(node, g) if watched else pairs_of_user_node(node, g):
            sums[parent] = add_outgrads(sums.get(parent), contribution)
    return g


def backward_pass(g, end_node):
    """Pull the cotangent `g` of `end_node` back to the root of its graph.

    Parameters
    ----------
    g : array, number or container, boxed or not
        A member of the vector space of the end node's value.
    end_node : Node

    Returns
    -------
    The cotangent of the root's value.
    """
    return pull_back(g, end_node)


cdef object fit_cotangent(object g, object ans):
    """A caller's cotangent, brought to the shape and dtype of `ans`, or an error that says what is wrong."""
    cdef object value = unbox(g)
    cdef object spec
    if type(value) is ndarray and type(ans) is ndarray:
        if value.dtype is ans.dtype and value.shape == ans.shape:
            return g
    elif type(value) is float and type(ans) is float64:
        return float64(g) if g is value else g
    spec = like(ans)
    if type(spec) is not Like:
        return fit_container(g, unbox(ans))
    if not isinstance(value, (ndarray, generic, float, int, complex)):
        if isinstance(value, (list, tuple)):
            g = numpy_functions.array(g)
            value = unbox(g)
        elif type(value) in mappings:
            return g
        else:
            raise TypeError(
                f"a cotangent or tangent of type {type(value).__name__} was given for a value of shape "
                f"{(<Like> spec).shape} and dtype {(<Like> spec).dtype}: give an array or a number"
            )
    shape, dtype = (<Like> spec).shape, (<Like> spec).dtype
    if np.iscomplexobj(value) and dtype.kind != "c":
        raise TypeError(
            f"the cotangent {value} is complex, but the output is real ({dtype}): give the real cotangent"
        )
    if np.shape(value) != shape:
        try:
            if np.broadcast_shapes(np.shape(value), shape) != shape:
                raise ValueError
        except ValueError:
            raise ValueError(
                f"a cotangent of shape {np.shape(value)} was given for an output of shape {shape}; it must "
                "have that shape, or broadcast to it"
            ) from None
        g = numpy_functions.broadcast_to(g, shape)
        g = g if is_box(g) else np.array(g)
    return cast(g, dtype)


cdef object fit_container(object g, object ans):
    if is_box(g) or not isinstance(ans, (list, tuple, dict)):
        return g
    check_stack()
    if not isinstance(g, dict if isinstance(ans, dict) else (list, tuple)) or len(g) != len(ans):
        raise TypeError(
            f"a cotangent or tangent of a {type(ans).__name__} with {len(ans)} entries has that structure "
            f"too; got {g!r}"
        )
    if isinstance(ans, dict):
        if set(g) != set(ans):
            raise TypeError(f"a cotangent or tangent of a dict has its keys, {list(ans)}; got {list(g)}")
        return type(g)({key: fit_cotangent(g[key], ans[key]) for key in ans})
    fitted = [fit_cotangent(g_item, item) for g_item, item in zip(g, ans)]
    return type(g)(*fitted) if hasattr(type(g), "_fields") else type(g)(fitted)


# ---------------------------------------------------------------- what goes in and what comes out

cdef object own(object result):
    """A gradient that shares its memory with nothing else; the caller holds the only counted reference."""
    if isinstance(result, ndarray):
        return own_array(result, Py_REFCNT(result) > 1)
    if isinstance(result, (list, tuple, dict)):
        return converted(result, True, Py_REFCNT(result) > 1)
    return result


cdef object own_array(object result, bint shared):
    """The array, or a copy if it is `shared`, can't be written or lies in memory that others may use."""
    cdef PyObject *base = PyArray_BASE(<cnp.ndarray> result)
    cdef bint ours = not shared and cnp.PyArray_ISWRITEABLE(<cnp.ndarray> result)
    if base == NULL:
        ours = ours and owns(<PyObject *> result)
    else:
        ours = ours and base.ob_type == <PyTypeObject *> ndarray and owns(base) and base.ob_refcnt == 1
    return result if ours else result.copy()


cdef inline bint owns(PyObject *array) noexcept:
    return cnp.PyArray_CHKFLAGS(<cnp.ndarray> array, cnp.NPY_ARRAY_OWNDATA)


cdef object as_real(object x):
    """The input, integers in it taken as real numbers."""
    cdef PyTypeObject *t = Py_TYPE(x)
    if t == <PyTypeObject *> float or t == <PyTypeObject *> array_box or t == <PyTypeObject *> float64:
        return x
    if isinstance(x, ndarray):
        if cnp.PyArray_ISFLOAT(<cnp.ndarray> x):
            return x
        if x.dtype.kind in "iub":
            return x.astype(float64)
        if x.dtype.kind not in "fcO":
            raise TypeError(f"Can't differentiate w.r.t. an array of dtype {x.dtype}: give numbers")
        return x
    if isinstance(x, (int, np.integer, np.bool_)):
        return float(x)
    if isinstance(x, (list, tuple, dict)) and not is_box(x):
        return converted(x, False, False)
    return x


cdef object converted(object x, bint result, bint shared):
    """A container with its elements taken as real numbers; those of a result, as arrays for themselves."""
    cdef object copied
    enter_container()
    try:
        if isinstance(x, dict):
            copied = {} if type(x) is dict else shallow_copy(x)
            for key, item in x.items():
                copied[key] = (
                    array_element(item, shared or Py_REFCNT(item) > 2) if result else real_element(item)
                )
            return copied
        items = [
            array_element(item, shared or Py_REFCNT(item) > 2) if result else real_element(item)
            for item in x
        ]
        if type(x) is list or type(x) is tuple:
            return type(x)(items)
        return type(x)._make(items) if hasattr(type(x), "_make") else x
    finally:
        leave_container()


cdef object array_element(object item, bint shared):
    """The cotangent of an element of a container; of a number it is an array without dimension."""
    if isinstance(item, ndarray):
        return own_array(item, shared)
    if isinstance(item, (float, complex, np.generic)):
        return np.asarray(item)
    return converted(item, True, shared) if isinstance(item, (list, tuple, dict)) else item


cdef object real_element(object item):
    """An element of a container; an array of text or dates may stand beside the numbers."""
    return item if isinstance(item, ndarray) and item.dtype.kind in "USMm" else as_real(item)
