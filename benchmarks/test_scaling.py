"""Scaling: forward against reverse, the cheap-gradient ratio, orders of derivative, length and memory.

The sizes are those of a quick run; `python -m benchmarks.report` draws the whole curves.
"""

import pytest

from . import scaling
from .libraries import OURS, assert_same, load
from .timing import interleaved, peak_bytes, ratio


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
@pytest.mark.parametrize("mode", ["vjp", "jvps"])
def test_gradient(benchmark, library, mode, n):
    benchmark.group = f"gradient of {n} inputs"
    lib = load(library)
    calls = {"vjp": scaling.gradient_by_vjp(lib, n), "jvps": scaling.gradient_by_jvps(lib, n)}
    assert_same(calls)
    benchmark(calls[mode])


@pytest.mark.parametrize(("n", "m"), [(1, 100), (10, 10), (10, 100), (100, 10), (100, 1)])
@pytest.mark.parametrize("mode", ["rows", "columns"])
def test_jacobian(benchmark, library, mode, n, m):
    benchmark.group = f"Jacobian of {n} inputs and {m} outputs"
    lib = load(library)
    calls = {"rows": scaling.jacobian_by_rows(lib, n, m), "columns": scaling.jacobian_by_columns(lib, n, m)}
    assert_same(calls)
    benchmark(calls[mode])


@pytest.mark.parametrize(("name", "n"), [(name, f.sizes[1]) for name, f in scaling.FAMILIES.items()])
def test_cheap_gradient(benchmark, name, n):
    """The gradient costs a small multiple of the function."""
    benchmark.group = "cheap gradient"
    family = scaling.FAMILIES[name]
    calls = scaling.family_calls(load(OURS), family, n)
    if family.by_hand is not None:
        assert_same({"by hand": calls["by hand"], "gradient": calls["gradient"]})
    benchmark(calls["gradient"])
    if not benchmark.disabled:
        times = interleaved(calls)
        benchmark.extra_info["ratio"] = ratio(times, "gradient", "function")
        if family.limit is not None:
            assert benchmark.extra_info["ratio"] <= family.limit


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_order(benchmark, library, order):
    benchmark.group = f"derivative of order {order}"
    reference = scaling.derivative_of_order(load(OURS), order, 100)
    call = scaling.derivative_of_order(load(library), order, 100)
    assert_same({OURS: reference, library: call})
    benchmark(call)


@pytest.mark.parametrize("length", [100, 1000, 10_000])
@pytest.mark.parametrize("n", [0, 100])
def test_length(benchmark, library, n, length):
    benchmark.group = f"chain of {length} operations on {n or 'one'} numbers"
    call = scaling.chain(load(library), length, n)
    assert_same({OURS: scaling.chain(load(OURS), length, n), library: call})
    if length <= 1000 or not benchmark.disabled:  # tracing allocations is slow
        benchmark.extra_info["bytes per operation"] = peak_bytes(call) / length
    benchmark(call)
