"""``python -m autograd_fast coverage``: what is differentiable, measured.

Each probe of `numpy_probes` is run in both modes and compared with finite differences, and each function of
`numpy_others` whose derivative is zero must give plain values.  The output is a page of Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as onp

from .. import numpy as anp
from ..core import primitive_vjps
from .measure import Result, is_zero, measured
from .namespaces import NAMESPACES, lookup, public, reason, unclassified
from .numpy_others import ZERO
from .numpy_probes import CHAPTERS, DOUBLE_ONLY, REAL_ONLY

COLUMNS = ("VJP", "JVP", "second order", "complex", "float32")
PAGE = """\
# What is differentiable, with NumPy {version}

Made by `python -m autograd_fast coverage`, which runs the program in the last column in both modes.

- yes: agrees with finite differences of plain NumPy; -: has no meaning there. What holds at ties and
  singular points is in [conventions.md](conventions.md).
- second order: reverse over reverse and forward over reverse.
- float32: gradients have the precision of the operands, tangents that of the result.
- rule: whether the derivative is declared for the function itself, or follows from functions that it is
  made of.
- operands: `x`, `y` numbers, `a`, `b` vectors of both signs, `p`, `q` positive ones, `u` within the unit
  interval, `o` beyond one, `m`, `n` matrices of 2 by 3 and 3 by 2, `s` a regular square one."""


def declared(name: str) -> str:
    """How the registry holds the derivative of a function."""
    if not name.startswith("np."):
        return "methods and operators" if name.startswith(("op", "ndarray")) else "functions"
    traced: Any = anp
    for part in name.split(".")[1:]:
        traced = getattr(traced, part, None)
    if getattr(traced, "composite", None) is not None:
        return "functions"
    return "own" if traced in primitive_vjps else "functions"


def result_of(name: str, expression: str) -> Result:
    """The measured columns of one probe."""
    return measured(expression, real_only=name in REAL_ONLY, double_only=name in DOUBLE_ONLY)


def rows(chapter: str) -> Iterator[tuple[str, Result]]:
    """The measured rows of a chapter, for the functions that this NumPy has."""
    for name, expression in CHAPTERS[chapter].items():
        if lookup(name) is not None:
            yield name, result_of(name, expression)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; the exit status is 1 if anything is wrong or not classified."""
    parser = argparse.ArgumentParser(prog="python -m autograd_fast coverage", description=__doc__)
    parser.add_argument("chapters", nargs="*", help=f"all, or of: {', '.join(CHAPTERS)}")
    chosen = parser.parse_args(argv).chapters or list(CHAPTERS)
    if set(chosen) - set(CHAPTERS):
        parser.error(f"no chapter is called {', '.join(sorted(set(chosen) - set(CHAPTERS)))}")
    totals = dict.fromkeys(COLUMNS, 0)
    count, wrong = 0, []
    print(PAGE.format(version=onp.__version__))
    for chapter in chosen:
        print(f"\n## {chapter}\n\n| function | {' | '.join(COLUMNS)} | rule | checked by |")
        print("|---" * (len(COLUMNS) + 3) + "|")
        for name, result in rows(chapter):
            count += 1
            for column, outcome in zip(COLUMNS, result, strict=True):
                totals[column] += outcome == "yes"
            if not result.right:
                wrong.append(name)
            cells = " | ".join(outcome if outcome in ("yes", "-") else "NO" for outcome in result)
            print(f"| `{name}` | {cells} | {declared(name)} | `{CHAPTERS[chapter][name]}` |")
    zero = _print_zero(wrong)
    constants = _print_not_numerical()
    unknown = unclassified()
    print("\n## totals\n")
    print(f"- differentiable: {count}; " + ", ".join(f"{name} {n}" for name, n in totals.items()))
    print(f"- zero derivative: {zero}\n- without a derivative: {constants}")
    print(f"- wrong: {len(wrong)}{': ' + ', '.join(wrong) if wrong else ''}")
    print(f"- not classified: {len(unknown)}{': ' + ', '.join(unknown) if unknown else ''}")
    return 1 if wrong or unknown else 0


def _print_zero(wrong: list[str]) -> int:
    """The functions with derivative zero; adds those to `wrong` that raise or give traced values."""
    names = [name for name in ZERO if lookup(name) is not None]
    wrong.extend(name for name in names if is_zero(ZERO[name]) != "yes")
    print("\n## derivative zero: plain values in both modes\n\n" + ", ".join(f"`{name}`" for name in names))
    return len(names)


def _print_not_numerical() -> int:
    reasons: dict[str, list[str]] = {}
    for place in NAMESPACES:
        for name, value in public(place).items():
            why = reason(name, value)
            if why is not None:
                reasons.setdefault(why, []).append(name)
    print("\n## no derivative\n")
    for why, names in sorted(reasons.items()):
        print(f"- {why}: {', '.join(f'`{name}`' for name in names)}")
    return sum(map(len, reasons.values()))
