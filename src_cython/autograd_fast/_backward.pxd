from autograd_fast._core cimport VJPNode

cdef object pull_back(object g, object end)
cdef object pull_back_in_order(object g, list holder)
cdef object fit_cotangent(object g, object ans)
cdef object as_real(object x)
cdef object own(object result)
cpdef list pairs_of_user_node(object node, object g)
cdef bint is_plain_take(VJPNode node, object g) except -1
cdef object scatter_into(object total, bint owned, VJPNode node, object g)
