"""Rules, and the nodes that record by them: VJPNode for reverse mode, JVPNode for forward mode.

Note [What a node keeps].  No Python closure is made for a built-in operation.  A rule declares what its VJP
map needs; the node keeps just that in C fields: for an elementwise rule operands 0 and 1 and the result
(`s0`, `s1`, `s2`), for any other rule the argument tuple, the keywords and the result.  What is not needed
in full is kept as a `Like`, or as None where it is like the cotangent itself.

Note [Freeing deep graphs].  A chain of nodes must not be freed by recursion: the C stack of a thread may be
256 KiB.  A node's deallocation takes over its parents while it holds their only reference, in a loop.

Note [Untracked nodes].  The garbage collector's passes over living nodes are what deep graphs cost.  A node
whose saved values are numbers and plain arrays, and whose parents are untracked, can't be part of a cycle;
it is taken out of the collector's lists, as CPython does with tuples of atoms.
"""

cimport cython
cimport numpy as cnp
import numpy as np

from autograd_fast._registry import LiveDict
from autograd_fast._fit cimport (
    Like, conform, function_name, is_number_like, like, numpy_operand, spec_like_ans, spread,
    zeros_like_operand,
)
from autograd_fast._fused cimport pull1, pull2, pull_both_factors, pull_choice, pull_number2, pull_pair
from autograd_fast._kernels cimport (
    ADD, DIVIDE, MAXIMUM, MEAN, MIN, MINIMUM, MULTIPLY, NO_KERNEL, RESHAPE, TRANSPOSE, VERIFY, enabled,
    forward2, new_float64, verify,
)
from autograd_fast._maps cimport map_picks, quiet_map
from autograd_fast._reductions cimport pull_product
from autograd_fast._scaled cimport Scaled, is_exact, is_like, reshaped, same_shape, spread_number, whole
from autograd_fast._statistics cimport pull_reduction
from autograd_fast._kernels import kernel_of
from autograd_fast._memory cimport keep_freed
from autograd_fast._primitive cimport Node, Primitive, covers, graph_changed, next_seq, set_own_node_types
from autograd_fast._tables cimport SAVES_ANS, Derivative, Table, call_jvp, call_vjp, find_rule
from autograd_fast._tracer cimport drop, is_box
from autograd_fast._watch cimport notes, watched
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept
    Py_ssize_t Py_REFCNT(object) noexcept
    void PyObject_GC_UnTrack(object) noexcept
    void PyObject_GC_Track(object) noexcept
    bint PyObject_GC_IsTracked(object) noexcept

cdef extern from "numpy/arrayobject.h":
    bint PyDataType_REFCHK(void *) noexcept

cnp.import_array()

cdef object ndarray = np.ndarray
cdef object float64 = np.float64
cdef object generic = np.generic
cdef object float64_dtype = np.dtype("d")


# ---------------------------------------------------------------- rules

cdef boxed_pull_t boxed_pull = NULL
cdef linear_pull_t linear_pull = NULL
cdef sum_pull_t sum_pull = NULL
cdef choice_pull_t choice_pull = NULL
cdef node_pull_t node_pulls[2]  # of JOIN and EINSUM


cdef void set_boxed_pull(boxed_pull_t function) noexcept:
    """Take the rules of the hot elementwise primitives for boxes."""
    global boxed_pull
    boxed_pull = function


cdef void set_linear_pull(linear_pull_t linear, sum_pull_t sum_, choice_pull_t choice) noexcept:
    """Take the rules of linear nodes, and of sums and choices whose cotangent is a box."""
    global linear_pull, sum_pull, choice_pull
    linear_pull, sum_pull, choice_pull = linear, sum_, choice


cdef void set_node_pull(int kind, node_pull_t function) noexcept:
    """Take the rule of nodes of a kind."""
    node_pulls[kind - JOIN] = function


cdef object rule_in_c(
    int kernel, int argnum, object g, object x, object y, object ans, bint into_g=False, bint lazy=False
):
    """What the rule of a hot elementwise primitive gives, or None if its map in Python has to.

    With `lazy` that may be a `Scaled`.
    """
    cdef object pulled = None
    if is_box(g):
        return boxed_pull(kernel, argnum, g, x, y, ans)
    if (
        Py_TYPE(g) != <PyTypeObject *> ndarray and Py_TYPE(g) != <PyTypeObject *> float64
        and Py_TYPE(g) != <PyTypeObject *> Scaled
    ):
        return None
    if enabled:
        if kernel < ADD:
            pulled = pull1(kernel, g, x, ans, into_g, lazy)
        else:
            pulled = pull2(kernel, argnum, g, x, y, ans, into_g, lazy)
        if pulled is None and Py_TYPE(g) == <PyTypeObject *> Scaled:
            return rule_in_c(kernel, argnum, whole(g), x, y, ans, False, lazy)
    return boxed_pull(kernel, argnum, whole(g), x, y, ans) if pulled is None else pulled


@cython.final
@cython.auto_pickle(False)
cdef class VJPRule:
    """What `primitive_vjps` holds for a built-in primitive; called as HIPS calls what it holds."""

    def __init__(self, Table table not None):
        self.table = table

    def __call__(self, argnums, ans, args, kwargs):
        cdef VJPNode node = VJPNode.__new__(VJPNode)
        if self.table is None or not argnums:
            raise ValueError(f"a rule is about one argument at least, got argnums {argnums!r}")
        node.record_rule(self.table, ans, tuple(args), dict(kwargs) or None, tuple(argnums))
        return NodeVJP(node, len(argnums))


@cython.final
@cython.auto_pickle(False)
cdef class JVPRule:
    """What `primitive_jvps` holds for a built-in primitive; called as HIPS calls what it holds."""

    def __init__(self, Table table not None):
        self.table = table

    def __call__(self, argnums, gs, ans, args, kwargs):
        if self.table is None or not argnums:
            raise ValueError(f"a rule is about one argument at least, got argnums {argnums!r}")
        return self.tangent(tuple(argnums), tuple(gs), ans, tuple(args), dict(kwargs) or None)

    cdef object tangent(self, tuple argnums, object gs, object ans, tuple args, dict kwargs):
        cdef Derivative d
        cdef Py_ssize_t k, argnum
        cdef object t, total = None
        cdef object spec = like(ans)
        args = numpy_operands(self.table, args)
        d = self.table.variadic
        if d is not None and d.joint and argnums[0] >= self.table.variadic_from:
            t = d.jvp(argnums, gs, ans, *args) if kwargs is None else d.jvp(argnums, gs, ans, *args, **kwargs)
            return spread(t, spec, self.table.prim, argnums[0])
        for k in range(len(argnums)):
            argnum = argnums[k]
            d = find_rule(self.table, argnum, "JVP")
            if d.jvp is None:
                t = zeros_like_operand(spec)
            else:
                t = call_jvp(d, argnum, gs[k], ans, args, kwargs)
                t = spread(t, spec, self.table.prim, argnum)
            total = t if total is None else add_tangents(total, t)
        return total


cdef object element_cotangent = None


def set_element_cotangent(function):
    """Tell the core how an element's cotangent makes the container's: ``function(g, key, skeleton)``."""
    global element_cotangent
    element_cotangent = function


cdef tuple numpy_operands(Table table, tuple args):
    """The arguments with all arrays as NumPy's own, which rules are about."""
    cdef bint lists = (<Primitive> table.prim).stacks_lists
    return tuple([
        numpy_operand(x, lists) if isinstance(x, ndarray) or table.is_operand(i) else x
        for i, x in enumerate(args)
    ])


cdef object tangent_adder = None


def set_tangent_adder(adder):
    """Tell the core how tangents of any kind are added."""
    global tangent_adder
    tangent_adder = adder


cdef object add_tangents(object a, object b):
    cdef object total = forward2(ADD, a, b) if enabled and not is_box(a) and not is_box(b) else None
    return tangent_adder([a, b]) if total is None else total


def install(fun, entries, variadic_from=-1, variadic_rule=None):
    """Give the primitive `fun` built-in rules, beside those that it has for other operands."""
    rule = primitive_vjps.get(fun)
    cdef Table table
    if isinstance(rule, VJPRule):
        table = (<VJPRule> rule).table
        if any(table.find(argnum) is not None for argnum in entries):
            table.kernel = NO_KERNEL
    else:
        table = Table(fun)
        table.kernel = (<Primitive> fun).kernel = kernel_of(fun.fun)
        primitive_vjps[fun] = VJPRule(table)
        primitive_jvps[fun] = JVPRule(table)
    for argnum, entry in entries.items():
        table.set(argnum, entry)
    if variadic_rule is not None:
        table.set_variadic(variadic_from, variadic_rule)


def _vjp_changed(fun, rule):
    if isinstance(fun, Primitive):
        (<Primitive> fun).vjp_rule = rule


def _jvp_changed(fun, rule):
    if isinstance(fun, Primitive):
        (<Primitive> fun).jvp_rule = rule


primitive_vjps = LiveDict(_vjp_changed)
primitive_jvps = LiveDict(_jvp_changed)


# ---------------------------------------------------------------- reverse mode

cdef inline bint is_atom(object x) noexcept:
    """Whether `x` surely refers to nothing that the garbage collector tracks."""
    cdef PyTypeObject *t = Py_TYPE(x)
    if t == <PyTypeObject *> float64 or t == <PyTypeObject *> float or x is None:
        return True
    if t == <PyTypeObject *> ndarray:
        return not PyDataType_REFCHK(<void *> cnp.PyArray_DESCR(<cnp.ndarray> x))
    if t == <PyTypeObject *> slice:
        return is_atom((<slice> x).start) and is_atom((<slice> x).stop) and is_atom((<slice> x).step)
    if t == <PyTypeObject *> tuple:
        return not PyObject_GC_IsTracked(x) or all_atoms(<tuple> x)
    return not PyObject_GC_IsTracked(x)


@cython.auto_pickle(False)
cdef class VJPNode(Node):
    """A node of reverse mode: its parents, and what its rule needs to pull a cotangent back to them."""

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        self.set_parents(tuple(parents))
        rule = primitive_vjps.get(fun)
        if rule is None:
            raise missing_rule("VJP", fun, parent_argnums)
        self.set_closure(rule(tuple(parent_argnums), value, args, kwargs))

    def initialize_root(self):
        """Make this node the start of a graph."""
        if self.n_parents():
            graph_changed()
        self.p0 = self.p1 = self.more = self.argnums = self.rule = self.s0 = self.s1 = self.s2 = None
        self.kind = ROOT
        if type(self) is VJPNode:
            self.untrack()

    cdef bint has_rule(self, Primitive prim):
        return prim.vjp_rule is not None and prim.vjp_rule is not prim.composite_vjp

    cdef bint has_rule_at(self, Primitive prim, Py_ssize_t argnum):
        if type(prim.vjp_rule) is VJPRule:
            return (<VJPRule> prim.vjp_rule).table.is_operand(argnum)
        return covers(prim.vjp_rule, argnum)

    cdef object record(
        self, Primitive prim, object value, tuple args, dict kwargs, tuple argnums, tuple parents
    ):
        cdef VJPNode node
        cdef object rule = prim.vjp_rule
        if type(self) is not VJPNode:
            return Node.record(self, prim, value, args, kwargs, argnums, parents)
        node = VJPNode.__new__(VJPNode)
        node.set_parents(parents)
        if type(rule) is VJPRule:
            node.record_rule((<VJPRule> rule).table, value, args, kwargs, argnums)
        elif rule is None:
            raise missing_rule("VJP", prim, argnums)
        else:
            node.set_closure(rule(argnums, value, args, {} if kwargs is None else kwargs))
            node.s1 = tuple([like(args[i]) for i in argnums])
            node.s2 = prim
        return node

    cdef int set_parents(self, tuple parents) except -1:
        cdef Py_ssize_t n = len(parents)
        if n <= 2:
            self.p0 = parents[0] if n > 0 else None
            self.p1 = parents[1] if n > 1 else None
        else:
            self.more = parents
        return 0

    cdef int set_closure(self, object closure) except -1:
        self.kind = CLOSURE
        self.s0 = closure
        return 0

    cdef int record_rule(self, Table table, object ans, tuple args, dict kwargs, tuple argnums) except -1:
        cdef unsigned int saves = 0
        cdef bint operands = False
        cdef Py_ssize_t i, n = len(argnums)
        cdef Derivative d
        cdef list kept
        for i in range(n):
            d = find_rule(table, argnums[i], "VJP")
            saves |= d.saves
            operands = operands or d.saves_operands
        self.rule = table
        if n <= 2 and argnums[n - 1] < 128:
            self.a0 = argnums[0]
            self.a1 = argnums[1] if n == 2 else -1
        else:
            PyObject_GC_UnTrack(argnums)
            self.argnums = argnums
        if table.elementwise and kwargs is None and len(args) <= 2:
            self.kind = PICKS
            self.s0 = args[0] if saves & 1 else spec_like_ans(args[0], ans)
            if len(args) == 2:
                self.s1 = args[1] if saves & 2 else spec_like_ans(args[1], ans)
            if saves & SAVES_ANS:
                self.s2 = ans
            self.untrack()
            return 0
        self.kind = GENERAL
        kept = list(numpy_operands(table, args))
        for i in range(len(kept)):
            if not table.is_operand(i):
                continue
            if not operands and not (i < 31 and saves >> i & 1):
                kept[i] = like(kept[i])
        self.s0 = tuple(kept)
        if all_atoms(<tuple> self.s0):
            PyObject_GC_UnTrack(self.s0)
        self.s1 = kwargs
        self.s2 = ans if saves & SAVES_ANS else like(ans)
        self.untrack()
        return 0

    cdef void untrack(self) noexcept:
        """See Note [Untracked nodes]."""
        if self.more is not None:
            for parent in self.more:
                if PyObject_GC_IsTracked(parent):
                    return
            PyObject_GC_UnTrack(self.more)
        if (
            (self.p0 is None or not PyObject_GC_IsTracked(self.p0))
            and (self.p1 is None or not PyObject_GC_IsTracked(self.p1))
            and is_atom(self.s0) and is_atom(self.s1) and is_atom(self.s2)
        ):
            PyObject_GC_UnTrack(self)

    cdef Py_ssize_t n_parents(self):
        if self.more is not None:
            return len(self.more)
        return 0 if self.p0 is None else 1 if self.p1 is None else 2

    cdef Node parent(self, Py_ssize_t k):
        if self.more is not None:
            return self.more[k]
        return self.p0 if k == 0 else self.p1

    cdef object contribution(self, Py_ssize_t k, object g, bint into_g=False, bint lazy=False):
        """The cotangent that a built-in rule gives to parent k; with `into_g` it may take g's place.

        With `lazy` it may be a `Scaled`, as `g` may be where `takes_scaled` says so.
        """
        cdef Py_ssize_t argnum
        cdef Table table
        cdef Derivative d
        cdef object spec, pulled, expected
        cdef double number
        if self.kind == ITEM:
            return element_cotangent(g, self.s1, self.s0)
        if self.kind >= JOIN:
            return node_pulls[self.kind - JOIN](self, k, g)
        argnum = self.argnum(k)
        table = self.rule
        d = table.find(argnum)
        if self.kind == PICKS:
            spec = self.s0 if argnum == 0 else self.s1
            if Py_TYPE(g) == <PyTypeObject *> float64 and table.kernel >= ADD and enabled:
                if pull_number2(table.kernel, argnum, g, self.s0, self.s1, &number) and is_number_like(spec):
                    return new_float64(number)
            if d.vjp is None:
                return zeros_like_operand(whole(g) if spec is None else spec)
            pulled = expected = None
            if VERIFY and not is_box(g):
                expected = quiet_map(d.vjp, whole(g), d.vjp_picks, self.s0, self.s1, self.s2)
                expected = conform(expected, whole(g) if spec is None else spec, True, table.prim, argnum)
            if table.kernel >= 0 and not watched:
                pulled = rule_in_c(
                    table.kernel, argnum, g, self.s0, self.s1, self.s2, into_g, lazy and spec is None
                )
            if pulled is None:
                pulled = map_picks(d.vjp, whole(g), d.vjp_picks, self.s0, self.s1, self.s2)
            if spec is not None or not is_like(pulled, g):
                pulled = conform(whole(pulled), whole(g) if spec is None else spec, True, table.prim, argnum)
            if VERIFY and expected is not None and not is_box(pulled):
                verify(table.prim, whole(pulled), expected, 1.0)
            return pulled
        if self.kind == REDUCTION:
            pulled = None
            if is_box(g):
                if table.kernel <= MIN:
                    pulled = sum_pull(table.kernel, g, self.s0, self.s1, self.s2)
            elif enabled and not is_box(self.s0):
                if lazy and self.s1 is None and table.kernel <= MEAN:
                    spec = self.s0
                    pulled = spread_number(table.kernel, g, (<Like> spec).shape, (<Like> spec).dtype)
                if pulled is None:
                    pulled = pull_reduction(table.kernel, g, self.s0, self.s1, self.s2)
            if pulled is None:
                return conform(d.vjp(g, self.s2, self.s0, self.s1), self.s0, False, table.prim, 0)
            if VERIFY and not is_box(pulled):
                with np.errstate(all="ignore"):
                    expected = d.vjp(g, self.s2, self.s0, self.s1)
                verify(table.prim, whole(pulled), conform(expected, self.s0, False, table.prim, 0), g)
            return pulled
        if self.kind == PRODUCT:
            spec = self.s0 if argnum == 0 else self.s1
            pulled = pull_product(argnum, g, self.s0, self.s1) if enabled else None
            if pulled is None:
                pulled = d.vjp(g, self.s2, self.s0, self.s1)
            elif VERIFY:
                verify(table.prim, pulled, d.vjp(g, self.s2, self.s0, self.s1), g)
            return conform(pulled, spec, d.broadcasts, table.prim, argnum)
        if self.kind == CHOICE:
            pulled = None
            if is_box(g):
                pulled = choice_pull(argnum == 1, g, self.s0)
            elif enabled:
                pulled = pull_choice(argnum == 1, g, self.s0, into_g)
            if pulled is None:
                pulled = d.vjp(whole(g), self.s0)
            return conform(pulled, self.s1 if argnum == 1 else self.s2, True, table.prim, argnum)
        if self.kind == TAKE or self.kind == LINEAR:
            if type(g) is Scaled:
                return reshaped(g, (<Like> self.s0).shape)
            return conform(linear_pull(self, g), self.s0, False, table.prim, 0)
        spec = (<tuple> self.s0)[argnum]
        if d.vjp is None:
            return zeros_like_operand(spec)
        g = call_vjp(d, argnum, g, self.s2, self.s0, self.s1)
        return conform(g, spec, d.broadcasts, table.prim, argnum)

    cdef bint takes_scaled(self, object g) noexcept:
        """Whether all that the rule does with the `Scaled` g is done in one pass over the numbers."""
        cdef int kernel
        if self.rule is None or not enabled:
            return False
        kernel = (<Table> self.rule).kernel
        if self.kind == LINEAR:
            return (kernel == RESHAPE or kernel == TRANSPOSE) and (<Scaled> g).array is None
        if self.kind == CHOICE:
            return is_exact(g) and type(self.s0) is ndarray and same_shape(g, self.s0)
        if self.kind != PICKS or kernel < 0 or (kernel in (MAXIMUM, MINIMUM) and not is_exact(g)):
            return False
        return read_with(g, self.s0, kernel != DIVIDE) and read_with(g, self.s1, kernel != DIVIDE)

    cdef tuple pair(self, object g, bint into_g):
        """The cotangents of both operands at once, None if they have to be made one by one.

        A single one is returned for the square that is a product of a value with itself.
        """
        cdef int kernel
        cdef object pulled
        cdef Derivative d
        cdef list expected = None
        if self.p1 is None or self.kind != PICKS or not enabled:
            return None
        if Py_TYPE(g) != <PyTypeObject *> ndarray and Py_TYPE(g) != <PyTypeObject *> Scaled:
            return None
        kernel = (<Table> self.rule).kernel
        if kernel != MULTIPLY and (kernel != DIVIDE or self.s0 is not None):
            return None
        if kernel == MULTIPLY and self.p0 is self.p1 and self.s0 is self.s1:
            pulled = pull_both_factors(g, self.s0)
            return None if pulled is None else (pulled,)
        if VERIFY:
            expected = []
            for k in range(2):
                d = (<Table> self.rule).find(self.argnum(k))
                expected.append(quiet_map(d.vjp, whole(g), d.vjp_picks, self.s0, self.s1, self.s2))
        pulled = pull_pair(kernel, g, self.s0, self.s1, self.s2, into_g)
        if VERIFY and pulled is not None:
            for k in range(2):
                verify((<Table> self.rule).prim, whole(pulled[k]), expected[k], 1.0)
        return pulled

    cdef Py_ssize_t argnum(self, Py_ssize_t k):
        """The position of the operand that came from parent k; without a list of them they are neighbours."""
        if self.argnums is not None:
            return self.argnums[k]
        return self.a1 if k == 1 else self.a0 + k

    cdef list contributions(self, object g, Py_ssize_t n):
        """The cotangents that a built-in rule gives to all `n` parents."""
        cdef Table table = self.rule
        cdef Derivative d = None if table is None else table.variadic
        cdef Py_ssize_t k
        cdef tuple args
        cdef object pulled, argnums
        if self.kind != GENERAL or d is None or not d.joint:
            return [self.contribution(k, g) for k in range(n)]
        args = self.s0
        argnums = self.argnums
        if argnums is None:
            argnums = tuple([self.a0, self.a1][:n])
        if self.s1 is None:
            pulled = d.vjp(argnums, g, self.s2, *args)
        else:
            pulled = d.vjp(argnums, g, self.s2, *args, **self.s1)
        return [conform(c, args[i], d.broadcasts, table.prim, i) for i, c in zip(argnums, pulled)]

    cdef list fitted(self, list pairs):
        """The parents of a node with a user's rule and their cotangents, these brought to the operands."""
        return [
            (parent, conform(g, spec, True, self.s2, k) if type(spec) is Like else g)
            for k, ((parent, g), spec) in enumerate(zip(pairs, self.s1))
        ]

    @property
    def parents(self):
        """The nodes that this one was made from, as a list."""
        return [self.parent(k) for k in range(self.n_parents())]

    @parents.setter
    def parents(self, parents):
        graph_changed()
        if self.kind != CLOSURE:
            self.vjp = self.vjp
        self.p0 = self.p1 = self.more = None
        self.set_parents(tuple(parents))
        notes.pop(self.seq, None)
        self.seq = next_seq()
        retrack(self)

    @property
    def vjp(self):
        """A function that pulls a cotangent of this node back to a tuple of cotangents of its parents."""
        cdef VJPNode rule_alone
        if self.kind == CLOSURE:
            return self.s0
        rule_alone = VJPNode.__new__(VJPNode)
        rule_alone.kind, rule_alone.rule, rule_alone.argnums = self.kind, self.rule, self.argnums
        rule_alone.a0, rule_alone.a1 = self.a0, self.a1
        rule_alone.s0, rule_alone.s1, rule_alone.s2 = self.s0, self.s1, self.s2
        return NodeVJP(rule_alone, self.n_parents())

    @vjp.setter
    def vjp(self, closure):
        graph_changed()
        self.rule = self.s1 = self.s2 = None
        self.set_closure(closure)
        retrack(self)

    def __dealloc__(self):
        if self.p0 is not None or self.more is not None:
            release_parents(self)
        if notes:
            notes.pop(self.seq, None)


cdef inline bint read_with(object g, object saved, bint numbers) noexcept:
    """Whether a kernel reads this operand beside the `Scaled` g."""
    if saved is None:
        return True
    if type(saved) is ndarray:
        return same_shape(g, saved)
    return numbers and (type(saved) is float or type(saved) is float64 or type(saved) is int)


cdef int retrack(object node) except -1:
    if not PyObject_GC_IsTracked(node):
        PyObject_GC_Track(node)
    return 0


cdef bint all_atoms(tuple items) noexcept:
    for item in items:
        if not is_atom(item):
            return False
    return True


cdef object missing_rule(str mode, object fun, object argnums):
    return NotImplementedError(f"{mode} of {function_name(fun)} wrt argnums {tuple(argnums)} not defined")


cdef int release_parents(VJPNode node) except -1:
    """See Note [Freeing deep graphs]."""
    cdef list pending = None
    cdef Node p0, p1
    cdef PyObject *held
    while True:
        p0, p1 = node.p0, node.p1
        node.p0 = node.p1 = None
        if node.more is not None:
            pending = [] if pending is None else pending
            pending.extend(node.more)
            node.more = None
        if p1 is not None and type(p1) is VJPNode and Py_REFCNT(p1) == 1:
            if p0 is not None and type(p0) is VJPNode and Py_REFCNT(p0) == 1:
                pending = [] if pending is None else pending
                pending.append(p0)
            p0 = p1
        elif p1 is not None:
            held = <PyObject *> p1
            Py_INCREF(p1)
            p1 = None
            drop(held)
        p1 = None
        while p0 is None or type(p0) is not VJPNode or Py_REFCNT(p0) != 1:
            if p0 is not None:
                held = <PyObject *> p0
                Py_INCREF(p0)
                p0 = None
                drop(held)
            if not pending:
                return 0
            p0 = pending.pop()
        node = <VJPNode> p0
        p0 = None


@cython.final
@cython.auto_pickle(False)
cdef class NodeVJP:
    """The pullback of one node with a built-in rule."""

    cdef VJPNode node
    cdef Py_ssize_t count

    def __init__(self, node, count):
        self.node, self.count = node, count

    def __call__(self, g):
        if self.node.kind == ROOT:
            return ()
        return tuple(self.node.contributions(g, self.count))


# ---------------------------------------------------------------- forward mode

@cython.auto_pickle(False)
cdef class JVPNode(Node):
    """A node of forward mode: it holds the tangent ``g`` from the moment it is made, and no parents."""

    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        rule = primitive_jvps.get(fun)
        if rule is None:
            raise missing_rule("JVP", fun, parent_argnums)
        self.g = rule(tuple(parent_argnums), [parent.g for parent in parents], value, args, kwargs)

    def initialize_root(self, g):
        """Make this node the start of a trace, with tangent `g`."""
        self.g = g

    cdef bint has_rule(self, Primitive prim):
        return prim.jvp_rule is not None and prim.jvp_rule is not prim.composite_jvp

    cdef bint has_rule_at(self, Primitive prim, Py_ssize_t argnum):
        if type(prim.jvp_rule) is JVPRule:
            return (<JVPRule> prim.jvp_rule).table.is_operand(argnum)
        return covers(prim.jvp_rule, argnum)

    cdef object record(
        self, Primitive prim, object value, tuple args, dict kwargs, tuple argnums, tuple parents
    ):
        cdef JVPNode node
        cdef object rule = prim.jvp_rule
        if type(self) is not JVPNode:
            return Node.record(self, prim, value, args, kwargs, argnums, parents)
        node = JVPNode.__new__(JVPNode)
        gs = [parent.g for parent in parents]
        if type(rule) is JVPRule:
            node.g = (<JVPRule> rule).tangent(argnums, gs, value, args, kwargs)
        elif rule is None:
            raise missing_rule("JVP", prim, argnums)
        else:
            node.g = rule(argnums, gs, value, args, {} if kwargs is None else kwargs)
        return node


set_own_node_types(VJPNode, JVPNode)
keep_freed(VJPNode)
