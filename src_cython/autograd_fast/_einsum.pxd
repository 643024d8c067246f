from autograd_fast._core cimport VJPNode

cdef object einsum_rows(VJPNode node, Py_ssize_t argnum, object gs)
