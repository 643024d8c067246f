"""Time and memory are linear in the size of a graph: ``python -m benchmarks.linear`` prints a table.

Each line is a way to be large; the columns are nanoseconds and bytes per unit, for each size.  Bytes are the
most that are held at once, and are measured up to a hundred thousand units, for tracing allocations is slow.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as onp

import autograd_fast as ag
import autograd_fast.numpy as np

from .timing import peak_bytes

MEASURED = 100_000  # the largest size of which memory is measured


def chain(n: int) -> Callable[[], Any]:
    def f(x):
        for _ in range(n):
            x = x + 0.5
        return x

    return lambda: ag.grad(f)(1.0)


def chain_of_functions(n: int) -> Callable[[], Any]:
    def f(x):
        for _ in range(n):
            x = np.sin(x)
        return np.sum(x)

    x = onp.linspace(0.1, 1.0, 4)
    return lambda: ag.grad(f)(x)


def fan_out(n: int) -> Callable[[], Any]:
    def f(x):
        y, total = x * 2.0, 0.0
        for _ in range(n):
            total = total + y
        return total

    return lambda: ag.grad(f)(1.0)


def fan_in(n: int) -> Callable[[], Any]:
    return lambda: ag.grad(lambda x: np.sum(np.array([x * 2.0 for _ in range(n)])))(1.0)


def leaves(n: int) -> Callable[[], Any]:
    def f(p):
        total = 0.0
        for value in p:
            total = total + value * value
        return total

    x = [1.0] * n
    return lambda: ag.grad(f)(x)


def entries(n: int) -> Callable[[], Any]:
    def f(x):
        total = 0.0
        for value in x:
            total = total + value * value
        return total

    x = onp.ones(n)
    return lambda: ag.grad(f)(x)


def pushed(n: int) -> Callable[[], Any]:
    def f(x):
        for _ in range(n):
            x = x + 0.5
        return x

    return lambda: ag.make_jvp(f)(1.0)(1.0)


def second(n: int) -> Callable[[], Any]:
    def f(x):
        for _ in range(n):
            x = np.sin(x)
        return x

    return lambda: ag.grad(ag.grad(f))(0.5)


SHAPES = {
    "operations in a chain of sums": chain,
    "functions in a chain, on 4 numbers": chain_of_functions,
    "uses of one value": fan_out,
    "operands of one operation": fan_in,
    "leaves of a list": leaves,
    "entries of an array, one by one": entries,
    "operations, forward mode": pushed,
    "functions, second derivative": second,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1_000_000)
    sizes = [n for n in (1000, 10_000, 100_000, 1_000_000, 5_000_000) if n <= parser.parse_args().largest]
    columns = [f"{n:,} ns" for n in sizes] + [f"{n:,} bytes" for n in sizes if n <= MEASURED]
    print("| units | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns))
    for name, make in SHAPES.items():
        times, memory = [], []
        for n in sizes:
            call = make(n)
            best = float("inf")
            for _ in range(3 if n < 1_000_000 else 1):
                start = time.process_time()
                call()
                best = min(best, time.process_time() - start)
            times.append(f"{1e9 * best / n:.0f}")
            if n <= MEASURED:
                memory.append(f"{peak_bytes(call) / n:.0f}")
        print(f"| {name} | " + " | ".join(times + memory) + " |", flush=True)


if __name__ == "__main__":
    main()
