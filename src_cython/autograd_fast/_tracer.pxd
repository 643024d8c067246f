from cpython.object cimport PyObject, PyTypeObject

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(object) noexcept


cdef class Trace:
    cdef readonly long depth
    cdef readonly unsigned long long serial
    cdef bint ended
    cdef bint by_hand
    cdef Trace outer


cdef class BoxBase:
    cdef public object _value
    cdef public object _node
    cdef Trace origin


cdef type array_box
cdef bint array_box_registered
cdef bint is_other_box(object x) noexcept


cdef inline bint is_box(object x) noexcept:
    """Whether the type of `x` is registered as that of a box."""
    if Py_TYPE(x) == <PyTypeObject *> array_box:
        return array_box_registered
    return Py_TYPE(x) != <PyTypeObject *> float and is_other_box(x)


cdef object unbox(object x)
cdef object make_box(object value, Trace origin, object node)
cdef Trace outermost_check(Trace top, Trace other)
cdef Trace open_trace()
cdef int close_trace(Trace t) except -1
cdef Trace trace_at(long depth)
cdef tuple trace_result(Trace t, object end)
cdef object checked_result(object end)
cpdef int check_stack() except -1
cdef int enter_container() except -1
cdef void leave_container() noexcept
cdef void drop(PyObject *x) noexcept
