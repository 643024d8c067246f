cdef bint is_sparse(object g) except -1
cdef object dense(object g)
cdef object add_cotangents(object prev, bint *owned, object g)
cdef bint is_ours(object g, Py_ssize_t references) noexcept
