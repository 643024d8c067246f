cimport numpy as cnp

cdef object new_array(int nd, cnp.npy_intp *dims, int kind, bint zeros=*)
cdef object new_zeros(tuple shape, object dtype)
cdef object new_of_shape(tuple shape, int kind, bint zeros)
