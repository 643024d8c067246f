from autograd_fast._core cimport VJPNode


cdef class Plan:
    cdef list nodes
    cdef Py_ssize_t *slots
    cdef Py_ssize_t *starts
    cdef unsigned long long changes
    cdef bint is_current(self) noexcept
    cdef object run(self, object g, Py_ssize_t rows)
    cdef int add(self, list sums, bytearray owned, Py_ssize_t slot, object g) except -1
    cdef bint put(self, list sums, Py_ssize_t slot, VJPNode node, object g) except -1
    cdef bint scatter(self, list sums, bytearray owned, Py_ssize_t slot, VJPNode node, object g) except -1


cdef Plan make_plan(object end)
