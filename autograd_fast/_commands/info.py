"""``python -m autograd_fast info``: versions, compiled units and fast paths, for a report of a fault."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import sys
from pathlib import Path

import autograd_fast
import autograd_fast.numpy as anp
from autograd_fast import _kernels
from autograd_fast.tracer import Primitive

USAGE = """\
usage: python -m autograd_fast info

Prints versions, the compiled units and which fast paths are active.
"""


def main(arguments: list[str]) -> int:
    """Print what there is; returns the exit status."""
    if arguments:
        print(USAGE, end="")
        return 0 if arguments[0] in ("-h", "--help") else 2
    package = Path(autograd_fast.__file__).parent
    rows = [
        ("autograd_fast", f"{autograd_fast.__version__} in {package}"),
        ("interface", f"HIPS/autograd {autograd_fast.__autograd_version__}"),
        ("autograd", _version_of("autograd")),
        ("Python", f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"),
        ("NumPy", _version_of("numpy")),
        ("SciPy", _version_of("scipy")),
        ("platform", platform.platform()),
    ]
    rows += [("compiled unit", f"{name} ({file})") for name, file in _units(package)]
    rows.append(("kernels", "on" if _kernels.is_enabled() else "off"))
    fast = _fast_functions()
    rows.append(("fast paths", f"{len(fast)}: {' '.join(fast)}"))
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"{label:<{width}}  {value}")
    return 0


def _version_of(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _units(package: Path) -> list[tuple[str, str]]:
    """The compiled modules: those with a stub beside them."""
    names = [f"autograd_fast.{stub.stem}" for stub in sorted(package.glob("*.pyi"))]
    specs = [spec for spec in map(importlib.util.find_spec, names) if spec is not None]
    return [(spec.name, Path(spec.origin or "?").name) for spec in specs]


def _fast_functions() -> list[str]:
    """The functions of the traced NumPy namespace that have a kernel."""
    functions = {name: value for name, value in vars(anp).items() if isinstance(value, Primitive)}
    return sorted(name for name, value in functions.items() if _kernels.kernel_of(value.fun) >= 0)
