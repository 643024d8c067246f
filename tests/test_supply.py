"""No evaluated text, no pickles loaded, no network, no files; build inputs within ranges."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autograd_fast"
UNITS = ROOT / "src_cython" / "autograd_fast"

FORBIDDEN_CALLS = {"eval", "exec", "compile", "open", "__import__", "input"}
FORBIDDEN_MODULES = {
    "pickle", "dill", "marshal", "shelve", "socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests",
    "subprocess", "ctypes", "tempfile", "shutil", "webbrowser", "code", "runpy",
}  # fmt: skip
# Commands, which no other module imports: what each may do, and why.
ALLOWED = {
    "_commands/run.py": {"exec", "compile"},  # runs the program that the user names
    "_commands/check.py": {"pickle"},  # loads pickles that it has just made
    "_coverage/measure.py": {"eval", "compile"},  # evaluates the expressions of its own tables
}


def python_uses(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]


def cython_uses(text):
    yield from re.findall(r"(?<![\w.])(\w+)\(", text)
    yield from re.findall(r"^\s*(?:from|import|cimport)\s+(\w+)", text, re.MULTILINE)


FILES = sorted(PACKAGE.rglob("*.py")) + sorted(UNITS.glob("*.p*")) + [ROOT / "pytest_autograd_fast.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_is_evaluated_unpickled_fetched_or_opened(path):
    uses = python_uses if path.suffix == ".py" else cython_uses
    found = set(uses(path.read_text(encoding="utf-8"))) & (FORBIDDEN_CALLS | FORBIDDEN_MODULES)
    inside = path.is_relative_to(PACKAGE)
    allowed = ALLOWED.get(path.relative_to(PACKAGE).as_posix(), set()) if inside else set()
    assert found <= allowed


def test_the_commands_are_imported_by_no_module_that_users_import():
    importing = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"import.*\b(_commands|_coverage)\b|from \S*(_commands|_coverage)\b", path.read_text())
    ]
    assert all(name.startswith(("_commands/", "_coverage/", "__main__")) for name in importing), importing


def test_build_inputs_have_an_upper_bound():
    """Read as text: Python 3.10 has no reader of TOML."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    build = re.search(r"^requires = \[(.*?)\]", project, re.MULTILINE | re.DOTALL)[1]
    dependencies = re.search(r"^dependencies = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)[1]
    needed = re.findall(r'"([^"]+)"', build + dependencies)
    assert len(needed) >= 4
    assert [item for item in needed if not re.search(r">=[\d.]+,<\d+", item)] == []
