"""The shape of the source: imports one way, short files, stubs, no trace of a machine, a README that runs."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autograd_fast"
UNITS = ROOT / "src_cython" / "autograd_fast"

# From leaves to faces.  A module imports from its own layer and those before it, never from a later one.
# A name stands for the module and all that is in it, unless a longer name is listed elsewhere.
LAYERS = (
    (
        "_registry",
        "_memory",
        "_buffers",
        "_watch",
        "_maps",
        "_kernels",
        "_scaled",
        "_sines",
        "_fused",
        "_reductions",
        "_statistics",
        "util",
    ),
    (
        "_tracer",
        "_primitive",
        "_vspaces",
        "_fit",
        "_sums",
        "_tables",
        "_core",
        "_recorded",
        "_ops",
        "_linear",
        "_joins",
        "_einsum",
        "_pulls",
    ),
    ("_containers", "_boxes", "_backward", "_rows", "_plan", "_pullback", "_forward", "_operators"),
    ("wrap_util", "tracer"),
    ("core", "extend", "rules", "_pickling"),
    ("_container_spaces", "_container_primitives", "builtins"),
    (
        "numpy.numpy_wrapper",
        "numpy.numpy_vspaces",
        "numpy.numpy_boxes",
        "numpy.linalg",
        "numpy.fft",
    ),
    ("numpy.rules", "numpy.emath", "numpy.polynomial", "numpy.random"),
    ("numpy",),
    ("_jacobians", "_modes"),
    ("differential_operators", "test_util"),
    ("misc", "_alias"),
    ("scipy.rules",),
    ("scipy",),
    ("",),
    ("_coverage", "_commands", "__main__"),
)
# Deprecated functions that HIPS has in a lower module than what they stand on; imported when called.
DEFERRED = {("util", "test_util")}

PYTHON_LINES, CYTHON_LINES = 500, 700
IGNORED = {"build", "dist", "htmlcov", "__pycache__"}
KNOWN_HOSTS = {"arxiv.org", "doi.org", "github.com", "keepachangelog.com", "semver.org", "www.w3.org"}


def modules():
    """The file of each module of the package, by its name below the package ("" is the package itself)."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found |= {path.stem: path for path in UNITS.glob("*.pyx")}
    return found


MODULES = modules()


def imported_by(name):
    """The modules of the package that a module imports, functions' own imports included."""
    path = MODULES[name]
    python = path.suffix == ".py"
    package = ["autograd_fast", *path.relative_to(PACKAGE).parts[:-1]] if python else ["autograd_fast"]
    read = python_imports if python else cython_imports
    targets = set()
    for level, module, items in read(path.read_text(encoding="utf-8")):
        base = package[: len(package) - level + 1] if level else []
        full = ".".join(base + ([module] if module else []))
        submodules = {f"{full}.{item}" for item in items if below(f"{full}.{item}") in MODULES}
        targets |= submodules if len(submodules) == len(items) > 0 else submodules | {full}
    return {below(target) for target in targets if below(target) in MODULES} - {name}


def below(full):
    """The name below the package; None for modules of others."""
    if full.split(".")[0] != "autograd_fast":
        return None
    return full.removeprefix("autograd_fast").removeprefix(".")


def python_imports(text):
    """(level, module, names) of each import statement."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", tuple(alias.name for alias in node.names)


def cython_imports(text):
    pattern = r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+c?import[ \t]+(\(?[\w ,]+)|c?import[ \t]+([\w.]+))"
    for dots, module, names, plain in re.findall(pattern, text, re.MULTILINE):
        if plain:
            yield 0, plain, ()
        else:
            yield len(dots), module, tuple(re.findall(r"\w+", names))


def layer_of(name):
    """The position of the longest listed name that the module is, or is in."""
    candidates = [
        (len(listed), i)
        for i, layer in enumerate(LAYERS)
        for listed in layer
        if name == listed or (listed and name.startswith(listed + "."))
    ]
    assert candidates, f"{name} is in no layer: add it to LAYERS"
    return max(candidates)[1]


def label(name):
    return f"autograd_fast.{name}" if name else "autograd_fast"


@pytest.mark.parametrize("name", sorted(MODULES), ids=label)
def test_imports_come_from_no_later_layer(name):
    upward = [
        label(target)
        for target in imported_by(name)
        if layer_of(target) > layer_of(name) and (name, target) not in DEFERRED
    ]
    assert not upward, f"{label(name)} imports {', '.join(upward)} from a later layer"


def test_imports_have_no_cycle():
    graph = {name: {t for t in imported_by(name) if (name, t) not in DEFERRED} for name in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " <- ".join(map(label, error.args[1])))


def test_layers_name_what_exists():
    listed = {name for layer in LAYERS for name in layer}
    assert listed <= set(MODULES), f"in no file: {sorted(listed - set(MODULES))}"


def files(*suffixes):
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(p.startswith(".") and p not in (".ci", ".github", ".gitignore") for p in parts)
        ignored = hidden or any(p in IGNORED or p.endswith((".egg-info", "_cache")) for p in parts)
        if path.is_file() and not ignored and (not suffixes or path.suffix in suffixes):
            yield path


def test_files_are_short():
    limits = {".py": PYTHON_LINES, ".pyx": CYTHON_LINES, ".pxd": CYTHON_LINES}
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files(*limits)}
    long = [f"{path.relative_to(ROOT)}: {n}" for path, n in lengths.items() if n >= limits[path.suffix]]
    assert not long, f"split these: {', '.join(long)}"


def test_units_have_stubs():
    missing = [path.stem for path in UNITS.glob("*.pyx") if not (PACKAGE / f"{path.stem}.pyi").exists()]
    assert not missing, f"write autograd_fast/NAME.pyi for {', '.join(sorted(missing))}"


def test_declarations_are_where_cython_looks():
    assert [p for p in files(".pxd", ".pyx") if p.parent != UNITS] == []


def test_folders_are_packages():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [str(f.relative_to(ROOT)) for f in folders if not (f / "__init__.py").exists()] == []


# Written so that they don't match themselves.
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:root|home|opt|work|tmp|Users|mnt|srv)/[A-Za-z.]")
HOST = re.compile(r"https?://([\w.-]+)")


def test_nothing_comes_from_one_machine():
    found = []
    for path in files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        strange = MACHINE_PATH.findall(text) + [h for h in HOST.findall(text) if h not in KNOWN_HOSTS]
        found += [f"{path.relative_to(ROOT)}: {match}" for match in strange]
    assert not found, "\n".join(found)


def fenced(language):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)


def test_readme_code_runs(capsys):
    blocks = fenced("python")
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out


def test_readme_points_at_what_exists():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = [t for t in re.findall(r"\]\(([^)]+)\)", readme) if not t.startswith("http")]
    targets += re.findall(r"python (\S+\.py)", "".join(fenced("bash")))
    assert len(fenced("bash")) == 2
    assert [t for t in targets if not (ROOT / t).exists()] == []
