from autograd_fast._tracer cimport BoxBase


cdef class Skeleton:
    cdef readonly object kind
    cdef readonly object specs
    cdef object vs
    cdef object zero(self, object key)
    cdef object make(self, object parts)


cdef class Parts:
    cdef Skeleton skeleton
    cdef dict parts
    cdef set owned
    cdef int add(self, object key, object g) except -1
    cdef object whole(self)


cdef class ContainerBoxBase(BoxBase):
    cdef Skeleton skeleton
