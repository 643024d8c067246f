"""Memory of freed boxes and nodes, kept for the next ones.

Note [Freed objects].  A loop makes and frees boxes and nodes at the pace of its operations.  A few of the
freed ones are kept, as CPython keeps tuples and floats; the allocator and the collector's counts aren't asked
for them.  Builds with a sanitizer and builds without the interpreter's lock keep none.
"""

from cpython.object cimport PyTypeObject

cdef extern from *:
    """
    #define AGF_CLASSES 2
    #define AGF_KEPT 1024
    static PyTypeObject *agf_classes[AGF_CLASSES];
    static PyObject *agf_freed[AGF_CLASSES][AGF_KEPT];
    static int agf_count[AGF_CLASSES];

    static int agf_place(PyTypeObject *type) {
        for (int i = 0; i < AGF_CLASSES; i++)
            if (agf_classes[i] == type) return i;
        return -1;
    }
    static PyObject *agf_alloc(PyTypeObject *type, Py_ssize_t items) {
        int place = agf_place(type);
        if (place < 0 || agf_count[place] == 0) return PyType_GenericAlloc(type, items);
        PyObject *op = agf_freed[place][--agf_count[place]];
        memset(op, 0, type->tp_basicsize);
        PyObject_Init(op, type);
        PyObject_GC_Track(op);
        return op;
    }
    static void agf_free(void *op) {
        int place = agf_place(Py_TYPE((PyObject *) op));
        if (place < 0 || agf_count[place] == AGF_KEPT) PyObject_GC_Del(op);
        else agf_freed[place][agf_count[place]++] = (PyObject *) op;
    }
    static void agf_keep_freed(int place, PyTypeObject *type) {
    #if !defined(Py_GIL_DISABLED) && !defined(AGF_KEEP_NOTHING)
    #ifdef Py_TPFLAGS_MANAGED_DICT
        if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) return;
    #endif
        if (place >= AGF_CLASSES || type->tp_itemsize || type->tp_alloc != PyType_GenericAlloc) return;
        agf_classes[place] = type;
        type->tp_alloc = agf_alloc;
        type->tp_free = agf_free;
    #endif
    }
    """
    void agf_keep_freed(int, PyTypeObject *)


cdef int classes = 0


cdef int keep_freed(type cls) except -1:
    """Keep freed objects of a class whose instances are tracked and of one size; not of derived classes."""
    global classes
    agf_keep_freed(classes, <PyTypeObject *> cls)
    classes += 1
    return 0
