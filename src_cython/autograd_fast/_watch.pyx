"""The seam of the modes (detect_nans, strong_zeros, debug), which are Python: `autograd_fast._modes`.

While no mode is on in any thread, `watched` is 0, and all that an operation pays is a test of it.  While one
is, every operation takes the general way without kernels, and evaluation, recording, rules' maps, sums and
the steps of the backward pass are handed to the watcher.

Entering and leaving are compiled, so that no signal comes halfway.
"""

from contextvars import ContextVar

cimport cython

cdef int watched = 0
cdef object watcher = None
cdef object load_watcher = None
cdef dict notes = {}
cdef set everywhere = set()
cdef object entries = ContextVar("autograd_fast modes", default=())
cdef changed_t on_change = NULL


def set_watcher(load):
    """Take the function that gives what sees the operations while a mode is on; called for the first mode."""
    global load_watcher
    load_watcher = load


cdef int need_watcher() except -1:
    global watcher
    if watcher is None:
        watcher = load_watcher()
    return 0


cdef void set_on_change(changed_t function) noexcept:
    """Take what has to be called when `watched` has changed."""
    global on_change
    on_change = function


def notes_of_nodes():
    """What is known of recorded operations, by the number of the node; an entry goes when its node does."""
    return notes


@cython.final
cdef class Entry:
    """One entry into a mode.  Contexts copied meanwhile, as by asyncio, see when it is left."""

    cdef str kind
    cdef object owner
    cdef bint on


cdef void count(int change) noexcept:
    global watched
    watched += change
    if on_change != NULL:
        on_change()


def always(str kind not None):
    """Turn a mode on in every thread, for good."""
    if kind not in everywhere:
        need_watcher()
        everywhere.add(kind)
        count(1)


def is_on(str kind not None):
    """Whether a mode is on in this thread and context."""
    for entry in <tuple> entries.get():
        if (<Entry> entry).on and (<Entry> entry).kind == kind:
            return True
    return kind in everywhere


cdef class ModeBase:
    """Entering and leaving a mode; a class of it has its ``kind``."""

    cdef list inside
    cdef dict __dict__

    def __cinit__(self):
        self.inside = []

    def __enter__(self):
        need_watcher()
        cdef Entry entry = Entry.__new__(Entry)
        entry.kind, entry.owner, entry.on = self.kind, self, True
        entries.set((*entries.get(), entry))
        self.inside.append(entry)
        count(1)

    def __exit__(self, *exc_info):
        cdef Entry entry = self.inside[-1]
        cdef tuple here = entries.get()
        for other in here:  # another thread may be in the same object
            if (<Entry> other).owner is self and (<Entry> other).on:
                entry = other
        entry.on = False
        self.inside.remove(entry)
        count(-1)
        entries.set(tuple([other for other in here if (<Entry> other).on]))
