cdef class Like:
    cdef readonly object dtype
    cdef readonly tuple shape


cdef object numpy_functions
cdef object like(object operand)
cdef object spec_like_ans(object operand, object ans)
cdef object numpy_operand(object x, bint lists)
cdef str function_name(object fun)
cdef bint is_number_like(object spec) noexcept
cdef bint fits(object value, object spec) noexcept
cdef object conform(object g, object spec, bint broadcasts, object prim, Py_ssize_t argnum)
cdef object cast(object g, object dtype)
cdef object spread(object t, object spec, object prim, Py_ssize_t argnum)
cdef object zeros_like_operand(object spec)
