cimport numpy as cnp

cdef extern from *:
    """
    #ifndef AGF_VERIFY
    #define AGF_VERIFY 0
    #endif
    """
    bint VERIFY "AGF_VERIFY"

cdef bint enabled

cdef enum Kernel:
    NO_KERNEL = -1
    NEGATIVE = 0
    EXP
    LOG
    LOG1P
    EXPM1
    SQRT
    SQUARE
    SIN
    COS
    TANH
    ABSOLUTE
    ADD
    SUBTRACT
    MULTIPLY
    DIVIDE
    POWER
    MAXIMUM
    MINIMUM
    N_KERNELS
    SUM
    MEAN
    MAX
    MIN
    VAR
    STD
    LOGSUMEXP
    DOT
    MATMUL
    GETITEM
    SCATTER
    RESHAPE
    TRANSPOSE
    SPREAD
    WHERE

cdef bint number1(int kernel, double x, double *out) noexcept
cdef object forward1(int kernel, object x)
cdef object forward2(int kernel, object x, object y, bint into_x=*)
cdef object new_float64(double value)

cdef extern from *:
    """
    #include <fenv.h>
    #define AGF_FLAGS (FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW)
    /* Loops compute in the vector unit, whose flags have these numbers; its register is read in no time.
       Flags that a loop raises by hand, as that of exp in single precision, are those of the x87 unit. */
    #if defined(__x86_64__) && (defined(__GLIBC__) || defined(__APPLE__))
    #include <xmmintrin.h>
    static inline int agf_test_flags(int flags) {
        unsigned short raised;
        __asm__ volatile("fnstsw %0" : "=am" (raised) :: "memory");
        return ((int) _mm_getcsr() | raised) & flags;
    }
    static inline void agf_clear_flags(void) {
        if (agf_test_flags(AGF_FLAGS)) feclearexcept(AGF_FLAGS);
        __asm__ volatile("" ::: "memory");
    }
    #else
    static inline int agf_test_flags(int flags) { return fetestexcept(flags); }
    static inline void agf_clear_flags(void) {
        if (fetestexcept(AGF_FLAGS)) feclearexcept(AGF_FLAGS);
    }
    #endif
    """
    int FE_DIVBYZERO, FE_INVALID, FE_OVERFLOW, FE_UNDERFLOW, AGF_FLAGS
    int fetestexcept "agf_test_flags"(int) noexcept nogil
    void clear_flags "agf_clear_flags"() noexcept nogil


cdef inline bint flagged() noexcept nogil:
    return fetestexcept(AGF_FLAGS) != 0


cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*PyUFuncGenericFunction)(char **, cnp.npy_intp *, cnp.npy_intp *, void *) noexcept nogil

cdef struct Loop:
    PyUFuncGenericFunction function
    void *data

cdef Loop double_loops[N_KERNELS]
cdef Loop float_loops[N_KERNELS]
cdef int array_kind(object x) noexcept
cdef int number_kind(object x, double *value) noexcept
cdef char *data(object x) noexcept
cdef object empty_like(object x, int kind)
cdef object settled(object out, int kernel, bint in_place)
cdef int verify(object what, object got, object want, object scale=*) except -1

cdef extern from "numpy/ufuncobject.h":
    ctypedef class numpy.ufunc [object PyUFuncObject, check_size ignore]:
        cdef int nin
        cdef int nargs
        cdef PyUFuncGenericFunction *functions
        cdef void **data
        cdef int ntypes
        cdef char *types

cdef Loop find_loop(ufunc u, int type_number) except *
