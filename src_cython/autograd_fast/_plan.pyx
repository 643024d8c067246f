"""The backward plan: the order of a graph and its slots, made once and used by each further pullback.

Note [The plan].  A first pullback needs no plan (see `_backward`).  The second makes one: the reachable nodes
in topological order, and for each parent of each node the slot where its cotangent is summed.  Cotangents
stand in an array by slot and are freed as they are consumed.  The plan belongs to the pullback, which keeps
the graph alive in any case; nothing is written on nodes.  A run has its own slots, so that runs may be inside
each other and in several threads.  A graph with nodes of users' classes, or changed by hand since, has none.
"""

cimport cython

from autograd_fast._backward cimport is_plain_take, pairs_of_user_node, scatter_into
from autograd_fast._containers cimport Parts
from autograd_fast._core cimport CLOSURE, GENERAL, ITEM, TAKE, VJPNode
from autograd_fast._primitive cimport Node, graph_changes
from autograd_fast._rows cimport row_contributions
from autograd_fast._scaled cimport Scaled, whole
from autograd_fast._sums cimport add_cotangents, dense, is_ours, is_sparse
from autograd_fast._tracer cimport is_box
from libc.stdlib cimport free, malloc


class NoPlan(Exception):
    """A graph whose order can't be fixed beforehand."""


@cython.final
@cython.auto_pickle(False)
cdef class Plan:
    """The nodes that a cotangent of `end` reaches, the latest first, and the slots of their parents."""

    def __cinit__(self, Node end):
        cdef dict places = {}
        cdef list pending = [end], parents
        cdef VJPNode node
        cdef Py_ssize_t i, k, total = 0
        self.changes = graph_changes()
        seen = {end}
        self.nodes = []
        while pending:
            item = pending.pop()
            if type(item) is not VJPNode:
                raise NoPlan
            self.nodes.append(item)
            for parent in (<VJPNode> item).parents:
                total += 1
                if parent not in seen:
                    seen.add(parent)
                    pending.append(parent)
        self.nodes.sort(key=number_of, reverse=True)
        places = {node: i for i, node in enumerate(self.nodes)}
        self.slots = <Py_ssize_t *> malloc((total + 1) * sizeof(Py_ssize_t))
        self.starts = <Py_ssize_t *> malloc((len(self.nodes) + 1) * sizeof(Py_ssize_t))
        if self.slots == NULL or self.starts == NULL:
            raise MemoryError()
        total = 0
        for i in range(len(self.nodes)):
            self.starts[i] = total
            parents = (<VJPNode> self.nodes[i]).parents
            for k in range(len(parents)):
                self.slots[total] = places[parents[k]]
                if self.slots[total] <= i:
                    raise NoPlan
                total += 1
        self.starts[len(self.nodes)] = total

    def __dealloc__(self):
        free(self.slots)
        free(self.starts)

    cdef bint is_current(self) noexcept:
        return self.changes == graph_changes()

    cdef object run(self, object g, Py_ssize_t rows):
        """Pull one cotangent back, or with `rows` above 0 an array of so many; None if nothing arrives."""
        cdef Py_ssize_t i, k, n, first, count = len(self.nodes)
        cdef list sums = [None] * count
        cdef bytearray owned = bytearray(count)
        cdef VJPNode node
        cdef bint into_g
        cdef tuple pair
        cdef object root_g = None
        sums[0] = g
        g = None
        for i in range(count):
            g = sums[i]
            if g is None:
                continue
            sums[i] = None
            node = self.nodes[i]
            first = self.starts[i]
            n = self.starts[i + 1] - first
            if n == 0:  # of roots made by hand, too, the first counts
                root_g = (<Parts> g).whole() if type(g) is Parts else whole(g)
                continue
            if rows > 0:
                k = 0
                for contribution in row_contributions(node, g, rows, n):
                    self.add(sums, owned, self.slots[first + k], contribution)
                    k += 1
                continue
            if type(g) is Parts:
                g = (<Parts> g).whole()
            elif type(g) is Scaled and not node.takes_scaled(g):
                g = whole(g)
            if node.kind == CLOSURE:
                pairs = pairs_of_user_node(node, g)
                if node.s1 is not None:
                    pairs = node.fitted(pairs)
                for k in range(n):
                    self.add(sums, owned, self.slots[first + k], pairs[k][1])
                continue
            if node.kind == TAKE and self.scatter(sums, owned, self.slots[first], node, g):
                continue
            if node.kind == ITEM and self.put(sums, self.slots[first], node, g):
                continue
            if node.kind == GENERAL:
                k = 0
                for contribution in node.contributions(g, n):
                    self.add(sums, owned, self.slots[first + k], contribution)
                    k += 1
                continue
            pair = node.pair(g, i > 0 and is_ours(g, 1))
            if pair is not None:
                for k in range(len(pair)):
                    self.add(sums, owned, self.slots[first + k], pair[k])
                continue
            for k in range(n):
                into_g = k == n - 1 and i > 0 and is_ours(g, 1)
                self.add(sums, owned, self.slots[first + k], node.contribution(k, g, into_g, True))
        return root_g

    cdef int add(self, list sums, bytearray owned, Py_ssize_t slot, object g) except -1:
        cdef object total = sums[slot]
        cdef bint mine
        if total is None:
            if is_sparse(g):
                sums[slot], owned[slot] = dense(g), 1
            else:
                sums[slot] = g
            return 0
        mine = owned[slot]
        if type(total) is Parts:
            total, mine = (<Parts> total).whole(), False
        mine = mine or is_ours(total, 2)
        sums[slot] = add_cotangents(total, &mine, g)
        owned[slot] = mine
        return 0

    cdef bint put(self, list sums, Py_ssize_t slot, VJPNode node, object g) except -1:
        if is_box(g):
            return False
        if sums[slot] is None:
            sums[slot] = Parts(node.s0)
        if type(sums[slot]) is not Parts:
            return False
        (<Parts> sums[slot]).add(node.s1, g)
        return True

    cdef bint scatter(self, list sums, bytearray owned, Py_ssize_t slot, VJPNode node, object g) except -1:
        cdef object total
        if not is_plain_take(node, g):
            return False
        total = scatter_into(sums[slot], owned[slot], node, g)
        if total is None:
            return False
        sums[slot], owned[slot] = total, 1
        return True


def number_of(Node node):
    """The place of a node in the order of execution."""
    return node.seq


cdef Plan make_plan(object end):
    """The plan of the graph of `end`, None if it can have none."""
    if type(end) is not VJPNode:
        return None
    try:
        return Plan(end)
    except NoPlan:
        return None
