"""Memory of freed large arrays, kept for the next ones.

Note [Kept buffers].  The allocator gives the memory of large arrays back to the system, and the system hands
it out again page by page, cleared, which takes longer than most operations that fill it.  So arrays that
kernels make get their memory from a handler of NumPy's (NEP 49) that keeps freed blocks up to a limit.
Before memory is asked of the system, large blocks are given back until those in use and those kept take no
more than the peak of those in use and half of it.  Of small ones a mebibyte is kept, by size.  A block starts
on a cache line, after a header with its size.  Whoever calls here holds the interpreter's lock.  Builds with
a sanitizer and builds without that lock keep nothing.
"""

cimport numpy as cnp
import numpy as np

from cpython.object cimport PyObject, PyTypeObject
from cpython.pycapsule cimport PyCapsule_New
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove, memset

cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED) || defined(AGF_KEEP_NOTHING)
    #define AGF_KEEPS_BUFFERS 0
    #else
    #define AGF_KEEPS_BUFFERS 1
    #endif

    /* The system takes pages back at once; what the allocator is given back may lie between blocks in use. */
    #if defined(__linux__)
    #include <sys/mman.h>
    static void *agf_pages(size_t size, int huge) {
        void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) return NULL;
    #if defined(MADV_HUGEPAGE)
        if (huge) madvise(start, size, MADV_HUGEPAGE);
    #endif
        return start;
    }
    static void agf_free_pages(void *start, size_t size) { munmap(start, size); }
    #else
    static void *agf_pages(size_t size, int huge) { (void) huge; return malloc(size); }
    static void agf_free_pages(void *start, size_t size) { (void) size; free(start); }
    #endif

    static void agf_own(PyArrayObject *array, PyObject *handler) {
        Py_INCREF(handler);
        ((PyArrayObject_fields *) array)->mem_handler = handler;
        PyArray_ENABLEFLAGS(array, NPY_ARRAY_OWNDATA);
    }
    """
    const bint KEEPS_BUFFERS "AGF_KEEPS_BUFFERS"
    void *agf_pages(size_t size, bint huge) noexcept
    void agf_free_pages(void *start, size_t size) noexcept
    void agf_own(cnp.ndarray array, object handler) noexcept

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyDataMemAllocator:
        void *ctx
        void *(*malloc)(void *, size_t) noexcept
        void *(*calloc)(void *, size_t, size_t) noexcept
        void *(*realloc)(void *, void *, size_t) noexcept
        void (*free)(void *, void *, size_t) noexcept
    ctypedef struct PyDataMem_Handler:
        char name[127]
        unsigned char version
        PyDataMemAllocator allocator
    object PyArray_New(
        PyTypeObject *, int, cnp.npy_intp *, int, cnp.npy_intp *, void *, int, int, PyObject *
    )
    PyTypeObject PyArray_Type

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX
    int PyTraceMalloc_Track(unsigned int, size_t, size_t) noexcept

cnp.import_array()

cdef enum:
    LINE = 64
    STEP = 128
    PAGE = 4096
    LEAST = 1024  # bytes of an array from which on its memory is kept; NumPy keeps that of smaller ones
    LARGE = 32768
    PAGES = 1 << 18  # bytes of a block from which on it is asked of the system
    HUGE = 1 << 22  # bytes from which on large pages are worth having, as NumPy has it
    N_SIZES = 256  # LARGE / STEP
    MOST_LARGE = 64  # blocks
    MOST_SMALL = 1 << 20  # bytes
    MOST_SLACK = 1 << 25  # bytes by which the peak may rise

cdef struct Header:
    void *start  # as the allocator gave it
    size_t capacity
    void *next  # of the kept blocks of this size, if it is a small one

cdef void *large[MOST_LARGE]  # in the order of their freeing
cdef int n_large = 0
cdef size_t large_bytes = 0
cdef size_t used_bytes = 0  # of large blocks in use
cdef size_t peak_bytes = 0  # the most there was
cdef void *small[N_SIZES]
cdef size_t small_bytes = 0
cdef size_t limit = 1 << 26
cdef object float64_dtype = np.dtype("d")
cdef object float32_dtype = np.dtype("f")
cdef unsigned int trace_domain = np.lib.tracemalloc_domain


def keep_memory(size_t most):
    """Set how much memory of freed arrays is kept for the next ones, in bytes.

    Gradients over large arrays make and free the same arrays again and again; getting their memory from the
    system takes as long as computing with them. So up to 64 MiB is kept, which the process holds beside what
    is in use.

    Parameters
    ----------
    most : int
        Bytes; 0 keeps nothing.

    Returns
    -------
    int
        What it was.

    Examples
    --------
    >>> import autograd_fast
    >>> before = autograd_fast.keep_memory(0)  # give all of it back
    >>> autograd_fast.keep_memory(before)
    0
    """
    global limit
    was = limit
    limit = most
    give_back_large(limit)
    give_back_small()
    return was


cdef inline Header *header(void *block) noexcept:
    return <Header *> (<char *> block - LINE)


cdef void take_out(int at) noexcept:
    """Take one of the large blocks out of those that are kept."""
    global n_large, large_bytes
    large_bytes -= header(large[at]).capacity
    n_large -= 1
    memmove(&large[at], &large[at + 1], (n_large - at) * sizeof(void *))


cdef void give_back_large(size_t most) noexcept:
    """Free the oldest blocks until no more than so many bytes are kept."""
    cdef void *block
    while n_large > 0 and large_bytes > most:
        block = large[0]
        take_out(0)
        free_memory(block)


cdef void give_back_small() noexcept:
    global small_bytes
    cdef void *block
    cdef int i
    for i in range(N_SIZES):
        while small[i] != NULL:
            block = small[i]
            small[i] = header(block).next
            free(header(block).start)
    small_bytes = 0


cdef void *kept_block(size_t capacity) noexcept:
    """A block that is kept, with that capacity or a little more, or NULL."""
    global small_bytes
    cdef void *block = NULL
    cdef size_t found
    cdef int i
    if capacity < LARGE:
        block = small[capacity // STEP]
        if block != NULL:
            small[capacity // STEP] = header(block).next
            small_bytes -= capacity
        return block
    for i in range(n_large - 1, -1, -1):
        found = header(large[i]).capacity
        if capacity <= found <= capacity + capacity // 16:
            block = large[i]
            take_out(i)
            return block
    return NULL


cdef void make_room(size_t capacity) noexcept:
    """Give so much back that another large block raises the peak by no more than is allowed."""
    cdef size_t after = used_bytes + capacity
    cdef size_t most = after if after > peak_bytes else peak_bytes
    most += MOST_SLACK if most // 2 > MOST_SLACK else most // 2
    give_back_large(most - after)


cdef void use(size_t capacity) noexcept:
    global used_bytes, peak_bytes
    used_bytes += capacity
    if used_bytes > peak_bytes:
        peak_bytes = used_bytes


cdef void *new_block(void *context, size_t size) noexcept:
    cdef size_t step = PAGE if size >= LARGE else STEP
    cdef size_t capacity = (size + step - 1) // step * step
    cdef char *start
    cdef char *block
    if capacity < size:
        return NULL
    block = <char *> kept_block(capacity)
    if block != NULL:
        if capacity >= LARGE:
            use(header(block).capacity)
        return block
    if capacity >= LARGE:
        make_room(capacity)
    if capacity >= PAGES:
        start = <char *> agf_pages(capacity + 2 * LINE, capacity >= HUGE)
    else:
        start = <char *> malloc(capacity + 2 * LINE)
    if start == NULL:
        return NULL
    block = start + 2 * LINE - <size_t> start % LINE
    header(block).start = start
    header(block).capacity = capacity
    if capacity >= LARGE:
        use(capacity)
    return block


cdef void free_memory(void *block) noexcept:
    """Give the memory of a block back to the system."""
    if header(block).capacity >= PAGES:
        agf_free_pages(header(block).start, header(block).capacity + 2 * LINE)
    else:
        free(header(block).start)


cdef void *new_zeros_block(void *context, size_t count, size_t width) noexcept:
    cdef size_t size = count * width
    cdef void *block = NULL
    if count == 0 or size // count == width:
        block = new_block(context, size)
    if block != NULL:
        memset(block, 0, size)
    return block


cdef void free_block(void *context, void *block, size_t size) noexcept:
    global n_large, large_bytes, small_bytes, used_bytes
    cdef size_t capacity
    if block == NULL:
        return
    capacity = header(block).capacity
    if capacity >= LARGE:
        used_bytes -= capacity
    if capacity > limit:
        free_memory(block)
    elif capacity < LARGE:
        if small_bytes + capacity > limit or small_bytes + capacity > MOST_SMALL:
            give_back_small()
        header(block).next = small[capacity // STEP]
        small[capacity // STEP] = block
        small_bytes += capacity
    else:
        give_back_large(limit - capacity)
        if n_large == MOST_LARGE:
            give_back_large(large_bytes - 1)
        large[n_large] = block
        n_large += 1
        large_bytes += capacity


cdef void *resized_block(void *context, void *block, size_t size) noexcept:
    cdef void *moved = new_block(context, size)
    if moved != NULL and block != NULL:
        memcpy(moved, block, min(size, header(block).capacity))
        free_block(context, block, 0)
    return moved


cdef PyDataMem_Handler handler
memcpy(handler.name, b"autograd_fast", 14)
handler.version = 1
handler.allocator.ctx = NULL
handler.allocator.malloc = new_block
handler.allocator.calloc = new_zeros_block
handler.allocator.realloc = resized_block
handler.allocator.free = free_block
cdef object capsule = PyCapsule_New(&handler, b"mem_handler", NULL)


cdef object new_array(int nd, cnp.npy_intp *dims, int kind, bint zeros=False):
    """An array of NPY_DOUBLE or NPY_FLOAT in C order, its entries 0 or not set; see Note [Kept buffers].

    A large one is put together here, with the handler that frees its memory; to set the handler for NumPy
    and set the former one again takes longer than an operation on a thousand numbers.
    """
    cdef cnp.npy_intp size = sizeof(double) if kind == cnp.NPY_DOUBLE else sizeof(float)
    cdef int i
    cdef void *block
    cdef cnp.ndarray made
    for i in range(nd):
        size = size * dims[i] if dims[i] == 0 or size <= PY_SSIZE_T_MAX // dims[i] else 0
    if not KEEPS_BUFFERS or size < LEAST or limit == 0:
        return cnp.PyArray_ZEROS(nd, dims, kind, 0) if zeros else cnp.PyArray_EMPTY(nd, dims, kind, 0)
    block = new_zeros_block(NULL, 1, size) if zeros else new_block(NULL, size)
    if block == NULL:
        raise MemoryError(f"no memory for an array of {size} bytes")
    try:
        made = PyArray_New(&PyArray_Type, nd, dims, kind, NULL, block, 0, cnp.NPY_ARRAY_CARRAY, NULL)
    except MemoryError:
        free_block(NULL, block, size)
        raise
    agf_own(made, capsule)
    PyTraceMalloc_Track(trace_domain, <size_t> block, size)
    return made


cdef object new_of_shape(tuple shape, int kind, bint zeros):
    """`new_array` of a shape of 32 dimensions at most."""
    cdef cnp.npy_intp dims[32]
    cdef int i, nd = len(shape)
    for i in range(nd):
        dims[i] = shape[i]
    return new_array(nd, dims, kind, zeros)


cdef object new_zeros(tuple shape, object dtype):
    """``np.zeros`` with memory that was kept, where it can be."""
    if len(shape) > 32 or (dtype is not float64_dtype and dtype is not float32_dtype):
        return np.zeros(shape, dtype)
    return new_of_shape(shape, cnp.NPY_DOUBLE if dtype is float64_dtype else cnp.NPY_FLOAT, True)
