cdef int keep_freed(type cls) except -1
