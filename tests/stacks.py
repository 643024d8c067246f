"""Calls in a thread with a small C stack."""

import os
import threading

# Frames of a build under AddressSanitizer are several times as large, so its script asks for more.
SMALL_STACK = 1024 * int(os.environ.get("AUTOGRAD_FAST_SMALL_STACK_KIB", "256"))


def on_small_stack(f, size=SMALL_STACK):
    """The result of `f`, called in a thread whose stack has 256 KiB, or that many bytes."""
    results = []
    old = threading.stack_size(size)
    try:
        thread = threading.Thread(target=lambda: results.append(f()))
        thread.start()
    finally:
        threading.stack_size(old)
    thread.join()
    assert len(results) == 1, "the call raised an exception"
    return results[0]
