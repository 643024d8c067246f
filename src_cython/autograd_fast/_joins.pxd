from autograd_fast._core cimport VJPNode

cdef list row_pieces(VJPNode node, object gs)
