cdef object pull_back(object g, object end)
cdef object fit_cotangent(object g, object ans)
cdef object as_real(object x)
cdef object own(object result)
