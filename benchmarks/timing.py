"""Timing that survives a noisy machine.

The calls take turns, ratios are taken within a turn, and what counts is the processor time of this process.
"""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

Calls = dict[str, Callable[[], Any]]


def once(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def interleaved(calls: Calls, rounds: int = 9, budget: float = 0.02) -> dict[str, list[float]]:
    """Seconds a call, a figure for each round; each call gets about `budget` seconds of a round."""
    repeats = {name: max(1, min(2000, int(budget / max(once(call), 1e-7)))) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    gc.collect()
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(repeats[name]):
                call()
            times[name].append((time.process_time() - start) / repeats[name])
    return times


def medians(calls: Calls, rounds: int = 9, budget: float = 0.02) -> dict[str, float]:
    return {name: statistics.median(t) for name, t in interleaved(calls, rounds, budget).items()}


def ratio(times: dict[str, list[float]], name: str, to: str) -> float:
    """How many times longer `name` takes than `to`: the median over rounds."""
    return statistics.median(a / b for a, b in zip(times[name], times[to], strict=True))


def peak_bytes(call: Callable[[], Any]) -> int:
    """The most memory that the call holds at once, beyond what was there before."""
    call()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
