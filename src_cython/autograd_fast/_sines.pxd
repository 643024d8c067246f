cdef bint sines(bint shift, const double *x, double *out, Py_ssize_t n) noexcept nogil
