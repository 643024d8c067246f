from autograd_fast._core cimport VJPNode


cdef list row_contributions(VJPNode node, object gs, Py_ssize_t m, Py_ssize_t n)
