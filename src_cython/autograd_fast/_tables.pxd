from autograd_fast._primitive cimport Primitive


cdef enum:
    SAVES_ANS = 0x80000000


cdef class Derivative:
    cdef readonly object vjp
    cdef readonly object jvp
    cdef readonly tuple vjp_picks
    cdef readonly tuple jvp_picks
    cdef unsigned int saves
    cdef readonly bint broadcasts
    cdef readonly bint takes_argnum
    cdef readonly bint saves_operands
    cdef readonly bint joint
    cdef readonly bint entrywise


cdef class Table:
    cdef readonly Primitive prim
    cdef Derivative d0
    cdef Derivative d1
    cdef dict others
    cdef Py_ssize_t variadic_from
    cdef Derivative variadic
    cdef bint elementwise
    cdef int kernel
    cdef Derivative find(self, Py_ssize_t argnum)
    cdef bint is_operand(self, Py_ssize_t argnum)


cdef Derivative find_any_rule(Table table, Py_ssize_t argnum, str mode)


cdef inline Derivative find_rule(Table table, Py_ssize_t argnum, str mode):
    """The rule of an operand, or an error that says that there is none."""
    if argnum == 0 and table.d0 is not None:
        return table.d0
    if argnum == 1 and table.d1 is not None:
        return table.d1
    return find_any_rule(table, argnum, mode)
cdef object call_vjp(Derivative d, Py_ssize_t argnum, object g, object ans, tuple args, dict kwargs)
cdef object call_jvp(Derivative d, Py_ssize_t argnum, object t, object ans, tuple args, dict kwargs)
