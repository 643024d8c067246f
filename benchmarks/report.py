"""Runs the benchmarks and writes tables and plots: ``python -m benchmarks.report``.

Values are compared before anything is timed.  Libraries take turns within one process, and ratios are taken
within a turn.  Figures are kept in ``results.json``, so that ``--only`` may renew some sections.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import platform
import statistics
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import imports, scaling, svg
from .catalogue import PROGRAMS
from .core_costs import CASES
from .libraries import HAND, HIPS, OURS, PEERS, assert_same, installed, load
from .timing import interleaved, medians, once, peak_bytes, ratio

LABELS = {OURS: "autograd_fast", HIPS: "HIPS", HAND: "by hand", "torch": "PyTorch", "jax": "JAX jit"}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [header, ["---"] + ["---:"] * (len(header) - 1), *rows]]
    return "\n".join(lines)


def compared(calls: dict[str, Callable[[], Any]], args: argparse.Namespace) -> dict[str, Any]:
    """Median microseconds of the first call, and how many times longer each other one takes."""
    times = interleaved(calls, args.rounds, args.budget)
    first = next(iter(calls))
    middle = sorted(times[first])[len(times[first]) // 2]
    return {"us": middle * 1e6, "ratio": {name: ratio(times, name, first) for name in calls if name != first}}


# --- measuring: each gives plain data for results.json -------------------------------------------------


def measure_programs(args: argparse.Namespace) -> dict[str, Any]:
    rows = {}
    for name, make in PROGRAMS.items():
        program = make()
        names = [OURS, *(p for p in args.peers if p in program.peers)]
        calls = {n: call for n in names if (call := load(n).gradient(program)) is not None}
        assert_same(calls)
        rows[name] = compared(calls, args) | {"kernel_bound": program.kernel_bound}
        ratios = ", ".join(f"{peer} {value:.2f}" for peer, value in rows[name]["ratio"].items())
        say(f"{name}: {rows[name]['us']:.1f} us, {ratios}")
    return rows


def measure_core(args: argparse.Namespace) -> dict[str, Any]:
    rows = {}
    for name, case in CASES.items():
        calls = {n: case(load(n)) for n in (OURS, HIPS) if n == OURS or n in args.peers}
        if calls[OURS]() is not None:
            assert_same(calls)
        rows[name] = compared(calls, args)
        say(f"{name}: {rows[name]}")
    return rows


def measure_modes(args: argparse.Namespace) -> dict[str, Any]:
    lib, ours = load(OURS), {}
    for n in (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000):
        calls = {"one VJP": scaling.gradient_by_vjp(lib, n), "n JVPs": scaling.gradient_by_jvps(lib, n)}
        assert_same(calls)
        ours[n] = medians(calls, min(args.rounds, 5), args.budget)
        say(f"gradient of {n}: {ours[n]}")
    grid = {}
    for n in (1, 4, 16, 64, 256):
        for m in (1, 4, 16, 64, 256):
            calls = {
                "rows": scaling.jacobian_by_rows(lib, n, m),
                "columns": scaling.jacobian_by_columns(lib, n, m),
            }
            assert_same(calls)
            grid[f"{n} {m}"] = medians(calls, min(args.rounds, 5), args.budget)
    say("Jacobians done")
    return {"gradient": ours, "jacobian": grid}


def measure_cheap(args: argparse.Namespace) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, family in scaling.FAMILIES.items():
        out[name] = {}
        for n in family.sizes:
            calls = scaling.family_calls(load(OURS), family, n)
            if family.by_hand is not None:
                assert_same({k: calls[k] for k in ("by hand", "gradient")})
            times = interleaved(calls, args.rounds, args.budget)
            out[name][n] = {k: ratio(times, k, "function") for k in calls if k != "function"}
        say(f"{name}: {out[name]}")
    return out


def measure_orders(args: argparse.Namespace) -> dict[str, Any]:
    out = {}
    for order in (1, 2, 3, 4):
        libs = [n for n in (OURS, HIPS) if n == OURS or n in args.peers]
        calls = {n: scaling.derivative_of_order(load(n), order, 100) for n in libs}
        assert_same(calls)
        out[order] = medians(calls, args.rounds, args.budget)
    say(f"orders: {out}")
    return out


def measure_length(args: argparse.Namespace) -> dict[str, Any]:
    """Nanoseconds and peak bytes for each operation of a chain."""
    out: dict[str, Any] = {}
    for name in [n for n in (OURS, HIPS) if n == OURS or n in args.peers]:
        for size in (0, 100):
            longest = 6 if size == 0 and name == OURS else 5
            calls = {10**k: scaling.chain(load(name), 10**k, size) for k in range(2, longest + 1)}
            seconds = {length: min(once(call) for _ in range(3)) for length, call in calls.items()}
            memory = {length: peak_bytes(call) for length, call in calls.items() if length <= 10**4}
            out[f"{name} {size}"] = {
                "ns": {k: s / k * 1e9 for k, s in seconds.items()},
                "bytes": {k: b / k for k, b in memory.items()},
            }
            say(f"{name}, {size}: {out[f'{name} {size}']}")
    return out


def measure_imports(args: argparse.Namespace) -> dict[str, Any]:
    libs = [n for n in (OURS, HIPS) if n == OURS or n in args.peers]
    rows = {}
    for label, statement in imports.STATEMENTS.items():
        times = {name: seconds for name, (seconds, _) in imports.interleaved(statement, libs, 31).items()}
        rows[label] = {"ms": statistics.median(times[OURS]) * 1e3}
        rows[label] |= {name: ratio(times, name, OURS) for name in libs if name != OURS}
        say(f"{label}: {rows[label]}")
    return rows


# --- writing -------------------------------------------------------------------------------------------


def write_programs(rows: dict[str, Any], out: Path) -> str:
    peers = [p for p in PEERS if any(p in row["ratio"] for row in rows.values())]
    body = [
        [name + (" *" if row["kernel_bound"] else ""), f"{row['us']:.1f}"]
        + [f"{row['ratio'][p]:.2f}" if p in row["ratio"] else "" for p in peers]
        for name, row in rows.items()
    ]
    for label, kept in (("geometric mean, without *", False), ("geometric mean, all", True)):
        chosen = [row["ratio"] for row in rows.values() if kept or not row["kernel_bound"]]
        means = [geometric_mean([r[p] for r in chosen if p in r]) for p in peers]
        body.append([f"**{label}**", ""] + [f"**{mean:.2f}**" for mean in means])
    ratios = {name: {LABELS[p]: v for p, v in row["ratio"].items()} for name, row in rows.items()}
    labels = [LABELS[p] for p in peers]
    title, label = (
        "Time of a whole gradient, relative to autograd_fast",
        "times as long (right of 1: we are faster)",
    )
    (out / "programs.svg").write_text(svg.dots(title, label, ratios, labels))
    return (
        "## Whole programs\n\n![programs](programs.svg)\n\n"
        "Microseconds for one gradient, and how many times as long each peer takes. In programs marked *\n"
        "a BLAS or convolution kernel, or the bandwidth of memory, takes the time.\n\n"
        + table(["program", "us"] + labels, body)
    )


def write_core(rows: dict[str, Any], out: Path) -> str:
    body = [
        [name, f"{row['us']:.3g}", f"{row['ratio'].get(HIPS, math.nan):.1f}"] for name, row in rows.items()
    ]
    return "## Unit costs\n\n" + table(["case", "us", "HIPS takes times as long"], body)


def write_modes(data: dict[str, Any], out: Path) -> str:
    series = {
        k: [(float(n), row[k] * 1e6) for n, row in data["gradient"].items()] for k in ("one VJP", "n JVPs")
    }
    (out / "gradient.svg").write_text(svg.curves("Gradient of n inputs", "n", "microseconds", series))
    sizes = sorted({int(key.split()[0]) for key in data["jacobian"]})
    body = []
    for m in sizes:
        cells = [data["jacobian"][f"{n} {m}"] for n in sizes]
        body.append([f"m = {m}"] + [f"{c['columns'] / c['rows']:.2f}" for c in cells])
    across = {}
    m = sizes[2]
    for k, label in (("rows", f"{m} VJPs"), ("columns", "n JVPs")):
        across[label] = [(float(n), data["jacobian"][f"{n} {m}"][k] * 1e6) for n in sizes]
    title = f"Jacobian of n inputs and {m} outputs, by rows and by columns"
    (out / "jacobian.svg").write_text(svg.curves(title, "n", "microseconds", across))
    return (
        "## Forward against reverse\n\n![gradient](gradient.svg)\n\n![Jacobian](jacobian.svg)\n\n"
        "Time of a Jacobian of n inputs and m outputs by columns (n JVPs) over the time by rows (m VJPs\n"
        "of one graph); the crossing is where the figure passes 1.\n\n"
        + table([""] + [f"n = {n}" for n in sizes], body)
    )


def write_cheap(data: dict[str, Any], out: Path) -> str:
    text = [
        "## The cheap-gradient ratio\n",
        "Cost of value and gradient over the cost of the function in NumPy.\n",
    ]
    plain = {k: v for k, v in data.items() if scaling.FAMILIES[k].by_hand is None}
    series = {k: [(float(n), row["gradient"]) for n, row in v.items()] for k, v in plain.items()}
    label = "size of the operand (longer: operations)"
    (out / "cheap.svg").write_text(
        svg.curves("Cost of gradient over cost of function", label, "ratio", series)
    )
    text.append("![cheap gradient](cheap.svg)\n")
    body = [
        [name, n, f"{row['gradient']:.2f}", f"{row['by hand']:.2f}" if "by hand" in row else ""]
        for name, rows in data.items()
        for n, row in rows.items()
    ]
    return "\n".join(text) + "\n" + table(["function", "n", "gradient", "gradient by hand"], body)


def write_orders(data: dict[str, Any], out: Path) -> str:
    names = list(next(iter(data.values())))
    series = {LABELS[k]: [(float(order), row[k] * 1e6) for order, row in data.items()] for k in names}
    (out / "orders.svg").write_text(
        svg.curves("Derivatives of order 1 to 4", "order", "microseconds", series)
    )
    body = [[order] + [f"{row[k] * 1e6:.1f}" for k in names] for order, row in data.items()]
    return "## Order\n\n![orders](orders.svg)\n\n" + table(
        ["order"] + [f"{LABELS[k]}, us" for k in names], body
    )


def write_length(data: dict[str, Any], out: Path) -> str:
    text = [
        "## Length\n",
        "Chains of operations: time and peak memory of each operation, the collector on.\n",
    ]
    for kind, label in (("ns", "nanoseconds an operation"), ("bytes", "peak bytes an operation")):
        series = {}
        for key, row in data.items():
            name, size = key.split()
            of = "a number" if size == "0" else f"{size} numbers"
            series[f"{LABELS[name]}, {of}"] = [(float(length), value) for length, value in row[kind].items()]
        path = f"length_{kind}.svg"
        (out / path).write_text(svg.curves(f"Chain: {label}", "operations", label, series))
        lengths = sorted({n for line in series.values() for n, _ in line})
        body = [
            [name] + [f"{dict(line)[n]:.0f}" if n in dict(line) else "" for n in lengths]
            for name, line in series.items()
        ]
        text += [f"![{label}]({path})\n", table([label] + [f"{n:.0f}" for n in lengths], body) + "\n"]
    return "\n".join(text).rstrip()


def write_imports(rows: dict[str, Any], out: Path) -> str:
    body = [
        [label.replace("LIBRARY", OURS), f"{row['ms']:.1f}", f"{row[HIPS]:.2f}" if HIPS in row else ""]
        for label, row in rows.items()
    ]
    return (
        "## Import\n\nMilliseconds of processor time of a fresh process, of which most is NumPy's part.\n\n"
        + table(["process", "ms", "HIPS takes times as long"], body)
    )


SECTIONS: dict[str, tuple[Callable[[argparse.Namespace], Any], Callable[[Any, Path], str]]] = {
    "programs": (measure_programs, write_programs),
    "core": (measure_core, write_core),
    "modes": (measure_modes, write_modes),
    "cheap": (measure_cheap, write_cheap),
    "orders": (measure_orders, write_orders),
    "length": (measure_length, write_length),
    "imports": (measure_imports, write_imports),
}


def environment(peers: list[str]) -> str:
    packages = ["numpy", "scipy"] + [p for p in peers if p != HAND]
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in packages)
    return f"{platform.machine()}, one thread: Python {platform.python_version()}, {versions}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs" / "benchmarks")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    parser.add_argument("--peers", default=",".join(PEERS), help="libraries to compare with, where installed")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--budget", type=float, default=0.02, help="seconds for each call in a round")
    args = parser.parse_args()
    args.peers = installed(tuple(p for p in args.peers.split(",") if p))
    args.out.mkdir(parents=True, exist_ok=True)
    store = args.out / "results.json"
    results = json.loads(store.read_text()) if store.exists() else {}
    for section in args.only.split(","):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results[section] = {"environment": environment(args.peers), "data": SECTIONS[section][0](args)}
        store.write_text(json.dumps(results, indent=1) + "\n")
    results = json.loads(store.read_text())  # keys are text, whether measured now or before
    pages = ["# Benchmarks\n\nMade by `python -m benchmarks.report`. Trust ratios more than times."]
    for section, (_, write) in SECTIONS.items():
        if section in results:
            pages.append(write(results[section]["data"], args.out))
            pages.append(f"Measured on {results[section]['environment']}.")
    (args.out / "README.md").write_text("\n\n".join(pages) + "\n")
    say(f"written to {args.out}")


if __name__ == "__main__":
    main()
