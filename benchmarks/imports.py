"""How long importing takes, NumPy's part included: ``python -m benchmarks.imports`` (not on Windows).

Every import is in a fresh process, libraries take turns, and ratios are taken within a turn.  Bytecode is
cached, as it is after the first import of an installed package.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from statistics import median

from .libraries import HIPS, OURS

STATEMENTS = {
    "import LIBRARY": "import LIBRARY",
    "import LIBRARY.numpy": "import LIBRARY.numpy",
    "import and first gradient": (
        "from LIBRARY import grad; import LIBRARY.numpy as np; "
        "grad(lambda x: np.sum(np.tanh(np.dot(x, x) + 2 * x) ** 2))(np.ones((3, 3)))"
    ),
    "import and first inverse": (
        "from LIBRARY import grad; import LIBRARY.numpy as np; "
        "grad(lambda x: np.sum(np.linalg.inv(x)))(np.eye(3))"
    ),
}

Times = tuple[list[float], list[float]]  # processor time, elapsed time


def once(statement: str) -> tuple[float, float]:
    """Seconds of processor time and elapsed seconds of a process that runs a statement and ends."""
    import resource

    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], env=environment, check=True)
    elapsed = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, elapsed


def interleaved(statement: str, names: Iterable[str], rounds: int) -> dict[str, Times]:
    """The times of a statement for each library."""
    texts = {name: statement.replace("LIBRARY", name) for name in names}
    for text in texts.values():
        once(text)
    times: dict[str, Times] = {name: ([], []) for name in texts}
    for turn in range(rounds):
        for name in sorted(texts, reverse=bool(turn % 2)):
            for kept, seconds in zip(times[name], once(texts[name]), strict=True):
                kept.append(seconds)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.imports", description=__doc__)
    parser.add_argument("--rounds", type=int, default=31)
    args = parser.parse_args()
    for label, statement in STATEMENTS.items():
        times = interleaved(statement, (OURS, HIPS), args.rounds)
        print(label)
        for kind, ours, theirs in zip(("processor", "elapsed"), times[OURS], times[HIPS], strict=True):
            ratio = median(a / b for a, b in zip(theirs, ours, strict=True))
            print(
                f"  {kind:9}  autograd_fast {median(ours) * 1e3:5.1f} ms (least {min(ours) * 1e3:5.1f}), "
                f"HIPS {median(theirs) * 1e3:5.1f} ms (least {min(theirs) * 1e3:5.1f}), "
                f"HIPS takes {ratio:.2f} times as long"
            )


if __name__ == "__main__":
    main()
