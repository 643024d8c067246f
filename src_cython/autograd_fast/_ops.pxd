from autograd_fast._primitive cimport Primitive


cdef object op1(Primitive prim, object a)
cdef object op2(Primitive prim, object a, object b)
cdef object take(Primitive prim, object a, object index)
