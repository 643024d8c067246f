from autograd_fast._primitive cimport Node


cdef object pull_back(object g, Node end)
cdef object fit_cotangent(object g, object ans)
cdef object as_real(object x)
cdef object own(object result, object g)
