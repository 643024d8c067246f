"""``python -m autograd_fast``: programs run as they do without it, but for what ``autograd`` is."""

import py_compile
import subprocess
import sys
import textwrap

import pytest

SCRIPT = """
    import json, sys
    from helper import where

    main = sys.modules["__main__"]
    facts = [sys.argv, __name__, __file__, __package__, str(__spec__ and __spec__.name), sys.path[0], where]
    facts += [main.__dict__ is globals(), "__builtins__" in globals()]
    print(json.dumps(facts))
    how = sys.argv[1:]
    if not how:
        import autograd, autograd.numpy as np
        print(autograd.grad(np.sin)(0.0))
    if how[:1] == ["status"]:
        sys.exit(int(how[1]))
    if how == ["interrupt"]:
        raise KeyboardInterrupt
    if how == ["hook"]:
        sys.excepthook = lambda kind, error, trace: print("hook:", kind.__name__, trace.tb_lineno)
    if how:
        def inner():
            return {}["key"]

        try:
            inner()
        except KeyError as error:
            raise ValueError("outer") from error
"""


@pytest.fixture
def folder(tmp_path):
    package = tmp_path / "program"
    package.mkdir()
    for path in (tmp_path / "script.py", package / "__main__.py", package / "part.py"):
        path.write_text(textwrap.dedent(SCRIPT))
    (package / "__init__.py").write_text("")
    for path in (tmp_path, package):
        (path / "helper.py").write_text("where = __file__\n")
    (tmp_path / "broken.py").write_text("x = = 1\n")
    (tmp_path / "empty").mkdir()
    return tmp_path


def start(folder, *arguments, flags=()):
    command = [sys.executable, *flags, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    return done.returncode, done.stdout, done.stderr


PROGRAMS = {
    "arguments": ["script.py", "--an=option", "-m"],
    "no arguments": ["script.py"],
    "exit status": ["script.py", "status", "7"],
    "error": ["script.py", "error"],
    "interrupt": ["script.py", "interrupt"],
    "hook": ["script.py", "hook"],
    "folder": ["program"],
    "syntax error": ["broken.py"],
    "missing script": ["missing.py"],
    "folder without a program": ["empty"],
}
MODULES = {
    "module": ["program.part", "one"],
    "package": ["program", "status", "3"],
    "module of the library": ["json.tool", "--help"],
    "missing module": ["missing"],
    "package without a program": ["email"],
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_scripts_run_as_without_us(folder, program):
    pytest.importorskip("autograd")
    assert start(folder, "-m", "autograd_fast", "run", *program) == start(folder, *program)


@pytest.mark.parametrize("program", MODULES.values(), ids=MODULES)
def test_modules_run_as_without_us(folder, program):
    pytest.importorskip("autograd")
    ours = start(folder, "-m", "autograd_fast", "run", "-m", *program)
    theirs = start(folder, "-m", *program)
    assert ours[:2] == theirs[:2]
    # Python's own traceback begins with the frames of its `-m`
    assert ours[2].splitlines()[-3:] == theirs[2].splitlines()[-3:]
    assert "autograd_fast" not in ours[2] and "runpy" not in ours[2]


def test_safe_path(folder):
    if sys.version_info < (3, 11):
        pytest.skip("Python 3.11 has the option -P")
    program = "import sys; print(sys.path)"
    (folder / "paths.py").write_text(program)
    ours = start(folder, "-m", "autograd_fast", "run", "paths.py", flags=["-P"])
    assert ours == start(folder, "paths.py", flags=["-P"]) and str(folder) not in ours[1]


def test_compiled_script(folder):
    (folder / "which.py").write_text(
        "import autograd, sys\nprint(autograd.__name__, __name__, sys.argv[1])\n"
    )
    py_compile.compile(str(folder / "which.py"), cfile=str(folder / "which.pyc"))
    expected = "autograd_fast __main__ one\n"
    assert start(folder, "-m", "autograd_fast", "run", "which.pyc", "one") == (0, expected, "")


def test_programs_find_autograd_fast(folder):
    (folder / "which.py").write_text("import autograd, autograd_fast\nprint(autograd is autograd_fast)\n")
    assert start(folder, "-m", "autograd_fast", "run", "which.py") == (0, "True\n", "")
    assert start(folder, "-m", "autograd_fast", "run", "-m", "which") == (0, "True\n", "")


def test_spawned_processes_find_autograd_fast(folder):
    program = """
        import multiprocessing
        import autograd.numpy as np
        from autograd import grad
        import autograd

        def slope(x):
            return autograd.__name__, float(grad(np.sin)(x))

        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(slope, [0.0]))
    """
    (folder / "spawn.py").write_text(textwrap.dedent(program))
    assert start(folder, "-m", "autograd_fast", "run", "spawn.py") == (0, "[('autograd_fast', 1.0)]\n", "")


def test_autograd_imported_already(folder):
    """By what the interpreter itself imports at its start, for instance."""
    pytest.importorskip("autograd")
    program = (
        "import autograd, sys; from autograd_fast.__main__ import main; sys.exit(main(['run', 'script.py']))"
    )
    status, out, err = start(folder, "-c", program)
    assert (status, out) == (1, "") and "has been imported already" in err and "Traceback" not in err


# ----- the other commands -----


def test_info(folder):
    import numpy

    import autograd_fast

    status, out, err = start(folder, "-m", "autograd_fast", "info")
    assert (status, err) == (0, "")
    rows = dict(line.split(maxsplit=1) for line in out.splitlines() if not line.startswith("compiled unit"))
    assert rows["autograd_fast"].startswith(autograd_fast.__version__)
    assert rows["NumPy"] == numpy.__version__ and rows["Python"].startswith("CPython")
    assert rows["interface"].endswith(autograd_fast.__autograd_version__)
    assert rows["kernels"] in ("on", "off") and {"add", "sin", "dot"} <= set(rows["fast"].split())
    assert "autograd_fast._core" in out


def test_check(folder):
    status, out, err = start(folder, "-m", "autograd_fast", "check")
    assert (status, err) == (0, "")
    assert (
        out.endswith(" passed, 0 failed\n") and out.count("ok ") == int(out.splitlines()[-1].split()[0]) > 10
    )


def test_check_finds_a_wrong_rule(folder):
    program = """
        import sys
        import autograd_fast.numpy as np
        from autograd_fast.extend import defvjp
        from autograd_fast.__main__ import main

        defvjp(np.linalg.inv, lambda ans, x: lambda g: g)
        sys.exit(main(["check"]))
    """
    status, out, err = start(folder, "-c", textwrap.dedent(program))
    assert status == 1 and "FAILED  linear algebra: ArithmeticError: reverse mode is" in err
    assert out.endswith(" passed, 1 failed\n")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 2), (["--help"], 0), (["nothing"], 2), (["run"], 2), (["run", "-m"], 2), (["run", "--help"], 0),
        (["info", "--help"], 0), (["info", "more"], 2), (["check", "--help"], 0), (["check", "more"], 2),
    ],
)  # fmt: skip
def test_usage(capsys, arguments, status):
    from autograd_fast.__main__ import COMMANDS, main

    assert main(arguments) == status
    printed = capsys.readouterr()
    assert "usage: python -m autograd_fast" in printed.out + printed.err
    if arguments in ([], ["--help"], ["nothing"]):
        assert all(f"\n  {name}" in printed.out + printed.err for name in COMMANDS)


def test_importing_the_package_loads_no_command():
    program = "import sys, autograd_fast; print([name for name in sys.modules if '_commands' in name])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
