from autograd_fast._fit cimport Like
from autograd_fast._primitive cimport Node, Primitive
from autograd_fast._tables cimport Table


cdef class VJPRule:
    cdef readonly Table table


cdef class JVPRule:
    cdef readonly Table table
    cdef object tangent(self, tuple argnums, object parents, object ans, tuple args, dict kwargs)


cdef enum:
    ROOT = 0
    CLOSURE = 1
    PICKS = 2
    GENERAL = 3
    REDUCTION = 4
    PRODUCT = 5
    TAKE = 6
    ITEM = 7
    LINEAR = 8
    CHOICE = 9
    JOIN = 10
    EINSUM = 11


cdef class VJPNode(Node):
    cdef Node p0
    cdef Node p1
    cdef tuple more
    cdef object argnums
    cdef object rule
    cdef object s0
    cdef object s1
    cdef object s2
    cdef signed char kind
    cdef signed char a0
    cdef signed char a1
    cdef Py_ssize_t n_parents(self)
    cdef Node parent(self, Py_ssize_t k)
    cdef object contribution(self, Py_ssize_t k, object g, bint into_g=*, bint lazy=*)
    cdef bint takes_scaled(self, object g) noexcept
    cdef tuple pair(self, object g, bint into_g)
    cdef Py_ssize_t argnum(self, Py_ssize_t k)
    cdef list contributions(self, object g, Py_ssize_t n)
    cdef int set_parents(self, tuple parents) except -1
    cdef int set_closure(self, object closure) except -1
    cdef int record_rule(self, Table table, object ans, tuple args, dict kwargs, tuple argnums) except -1
    cdef void untrack(self) noexcept
    cdef list fitted(self, list pairs)


cdef class JVPNode(Node):
    cdef public object g


cdef object add_tangents(object a, object b)

ctypedef object (*boxed_pull_t)(int, int, object, object, object, object)
ctypedef object (*linear_pull_t)(VJPNode, object)
ctypedef object (*sum_pull_t)(int, object, object, object, object)
ctypedef object (*choice_pull_t)(bint, object, object)
ctypedef object (*node_pull_t)(VJPNode, Py_ssize_t, object)

cdef object rule_in_c(
    int kernel, int argnum, object g, object x, object y, object ans, bint into_g=*, bint lazy=*
)
cdef void set_boxed_pull(boxed_pull_t function) noexcept
cdef void set_node_pull(int kind, node_pull_t function) noexcept
cdef void set_linear_pull(linear_pull_t linear, sum_pull_t sum_, choice_pull_t choice) noexcept
