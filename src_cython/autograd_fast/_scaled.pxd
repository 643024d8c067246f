cdef struct Cotangent:
    int kind
    double factor
    char *numbers  # NULL where every entry is `factor`
    Py_ssize_t n


cdef class Scaled:
    cdef double factor
    cdef object array
    cdef tuple shape
    cdef int kind
    cdef object made


cdef object spread_number(int kernel, object g, tuple shape, object dtype)
cdef object scaled(object g, double factor)
cdef object reshaped(Scaled g, tuple shape)
cdef object whole(object g)
cdef Cotangent read(object g) noexcept
cdef bint same_shape(object g, object x) noexcept
cdef object sum_scaled(object prev, bint *owned, object g)
cdef object array_of(object g)
cdef bint is_exact(Scaled g) noexcept
cdef bint is_like(object pulled, object g) noexcept
