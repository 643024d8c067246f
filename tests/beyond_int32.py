"""Arrays of more than 2**31 entries, in both modes: ``python tests/beyond_int32.py``.

Not a part of the suite: takes a few minutes and 17 GiB of memory, and says so where there is less.
"""

import sys
import time

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np

N = 2**31 + 8
ENDS = [0, 1, 2**31 - 1, 2**31, N - 1]
NEEDED = 17.0


def available_gibibytes():
    """The memory that Linux says is available, None elsewhere."""
    try:
        with open("/proc/meminfo") as lines:
            kibibytes = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None
    return kibibytes / 2**20


def assert_everywhere(array, value):
    assert array.shape == (N,) and array.dtype == onp.float32
    assert array.min() == value == array.max()


def check():
    x = onp.zeros(N, onp.float32)  # pages that are never written take no memory
    x[-1], x[2**31] = 3.0, 0.5

    value, g = ag.value_and_grad(lambda x: np.sum(x * 2.0))(x)
    assert value == 7.0
    assert_everywhere(g, 2.0)
    del g
    print("reverse mode: ok")

    tangent = ag.make_jvp(lambda x: np.sum(x * 2.0))(x)(x)[1]
    assert tangent == 7.0
    print("forward mode: ok")

    g = ag.grad(lambda x: np.sum(x[-1:] ** 2) + x[2**31] * 4.0)(x)
    assert [float(g[i]) for i in ENDS] == [0.0, 0.0, 0.0, 4.0, 6.0]
    assert onp.count_nonzero(g) == 2
    del g
    print("subscripts: ok")


def main():
    memory = available_gibibytes()
    if memory is not None and memory < NEEDED:
        print(f"skipped: {memory:.1f} GiB of memory are available, {NEEDED} are needed")
        return
    start = time.monotonic()
    check()
    print(f"{N} entries: {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
