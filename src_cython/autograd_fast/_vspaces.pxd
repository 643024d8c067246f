cdef bint arrays_are_plain
