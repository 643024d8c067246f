cdef object reduce_axis(int kernel, object x, object axis, object keepdims)
cdef object pull_reduction(int kernel, object g, object like, object axis, object ans)
cdef object push_reduction(int kernel, object t, object x, object axis, object keepdims, object ans)
