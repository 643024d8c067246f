cdef object sum_all(object x)
cdef object sum_or_extremum(int kernel, object x, object axis, object keepdims)
cdef object pull_sum_or_extremum(int kernel, object g, object like, object axis, object ans)
cdef object dot_product(object x, object y)
cdef object matrix_product(object x, object y)
cdef object pull_product(int argnum, object g, object x, object y)
cdef object add_into(object total, object g)
cdef object entry_of(object x, object index)
cdef bint add_at(object total, object index, double g) noexcept
cdef object sum_leading(object g, tuple shape)
cdef char *numbers(object x, int kind, Py_ssize_t count, double *cell) noexcept
