from cpython.object cimport PyObject

ctypedef object (*vectorcall_t)(PyObject *, PyObject **, size_t, PyObject *)
ctypedef object (*op1_t)(Primitive, object)
ctypedef object (*op2_t)(Primitive, object, object)
ctypedef object (*reduction_t)(Primitive, object, object, object)
ctypedef object (*choice_t)(Primitive, object, object, object)


cdef class Node:
    cdef unsigned long long seq
    cdef bint has_rule(self, Primitive prim)
    cdef bint has_rule_at(self, Primitive prim, Py_ssize_t argnum)
    cdef object record(
        self, Primitive prim, object value, tuple args, dict kwargs, tuple argnums, tuple parents
    )


cdef class Primitive:
    cdef vectorcall_t vectorcall
    cdef public object fun
    cdef readonly bint is_ufunc
    cdef Py_ssize_t nin
    cdef public bint stacks_lists
    cdef public object composite
    cdef public object composite_vjp
    cdef public object composite_jvp
    cdef object vjp_rule
    cdef object jvp_rule
    cdef object notrace
    cdef object signature
    cdef int kernel
    cdef Py_ssize_t out_place
    cdef dict __dict__
    cdef object __weakref__


cdef object primitive_vectorcall(PyObject *self, PyObject **args, size_t nargsf, PyObject *kwnames)
cdef unsigned long long next_seq() noexcept
cdef bint covers(object rule, Py_ssize_t argnum) except -1
cdef object call_primitive(Primitive prim, tuple args, dict kwargs, bint dispatched)
cdef void set_short_ways(op1_t one, op2_t two, reduction_t reduction) noexcept
cdef void set_choice_way(choice_t function) noexcept
cdef void set_own_node_types(type vjp, type jvp) noexcept
cdef unsigned long long graph_changes() noexcept
cdef void graph_changed() noexcept
