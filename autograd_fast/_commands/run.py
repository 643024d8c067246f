"""``python -m autograd_fast run``: a program that finds autograd_fast under the name ``autograd``.

The program sees what it would see without us: its arguments, its module ``__main__``, its folder in front of
`sys.path`; its exit status is ours, and tracebacks begin with its own frames.
"""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import pkgutil
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader, SourcelessFileLoader
from types import CodeType, ModuleType, TracebackType

from .._alias import install_as_autograd, reach_spawned_processes

USAGE = """\
usage: python -m autograd_fast run SCRIPT [ARGUMENTS]
       python -m autograd_fast run -m MODULE [ARGUMENTS]

Runs the program with autograd_fast in the place of autograd: each `import autograd` in it, and in what it
imports, gives the modules of autograd_fast.
"""


def main(arguments: list[str]) -> int:
    """Run a script or a module; returns the exit status of one that ends by itself."""
    if not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        print(USAGE, end="", file=sys.stdout if arguments[:1] in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        install_as_autograd()
    except RuntimeError as error:
        return _complain(str(error), 1)
    reach_spawned_processes()
    if arguments[0] == "-m":
        return _run_module(arguments[1], arguments[2:])
    return _run_script(arguments[0], arguments[1:])


def _run_module(name: str, arguments: list[str]) -> int:
    # as for `python -m`, the current folder is first on sys.path already
    sys.argv[:] = ["-m", *arguments]
    try:
        spec = _spec_to_run(name)
    except ImportError as error:
        return _complain(str(error), 1)
    if spec.origin is not None:
        sys.argv[0] = spec.origin
    return _run(spec, spec.origin, spec.parent)


def _spec_to_run(name: str) -> ModuleSpec:
    """Where the module is, for a package where its ``__main__`` is."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ImportError(f"No module named {name}")
    if spec.submodule_search_locations is None:
        return spec
    inner = importlib.util.find_spec(name + ".__main__")
    if inner is None:
        raise ImportError(
            f"No module named {name}.__main__; {name!r} is a package and cannot be directly executed"
        )
    return inner


def _run_script(path: str, arguments: list[str]) -> int:
    sys.argv[:] = [path, *arguments]
    importer = pkgutil.get_importer(path)  # for a folder or an archive
    if importer is None or not hasattr(importer, "find_spec"):
        _put_first(os.path.dirname(os.path.realpath(path)))
        return _run(None, os.path.abspath(path), None)
    path = os.path.abspath(path)
    _put_first(path)
    spec = importer.find_spec("__main__")
    if spec is None:
        return _complain(f"can't find '__main__' module in {path!r}", 1)
    return _run(spec, spec.origin, "")


def _put_first(folder: str) -> None:
    """Put the folder of the program where the interpreter has put ours, unless it was told not to."""
    if not (getattr(sys.flags, "safe_path", False) or sys.flags.isolated):
        sys.path[0] = folder


def _run(spec: ModuleSpec | None, file: str | None, package: str | None) -> int:
    """Run the code of a module's spec, or of a plain file, as ``__main__``."""
    program = ModuleType("__main__")
    program.__dict__.update(
        __builtins__=builtins,
        __cached__=spec.cached if spec else None,
        __file__=file,
        __loader__=spec.loader if spec else SourceFileLoader("__main__", file or ""),
        __package__=package,
        __spec__=spec,
    )
    sys.modules["__main__"] = program
    try:
        code = _code_of_spec(spec) if spec else _code_of_file(file or "")
    except OSError as error:
        return _complain(f"can't open file {file!r}: [Errno {error.errno}] {error.strerror}", 2)
    except ImportError as error:
        return _complain(str(error), 1)
    except Exception as error:  # what the compiler says of the program
        _show_from(None, error)
        raise
    try:
        exec(code, program.__dict__)
    except BaseException as error:
        trace = error.__traceback__
        _show_from(trace and trace.tb_next, error)
        raise
    return 0


def _code_of_spec(spec: ModuleSpec) -> CodeType:
    get_code = getattr(spec.loader, "get_code", None)
    code = get_code(spec.name) if get_code else None
    if not isinstance(code, CodeType):
        raise ImportError(f"No code object available for {spec.name}")
    return code


def _code_of_file(path: str) -> CodeType:
    if path.endswith(".pyc"):
        compiled = SourcelessFileLoader("__main__", path).get_code("__main__")
        assert compiled is not None
        return compiled
    with io.open_code(path) as file:
        return compile(file.read(), path, "exec", dont_inherit=True)


def _show_from(first: TracebackType | None, error: BaseException) -> None:
    """Let the traceback of an error that ends the program begin at its own first frame."""
    hook = sys.excepthook  # the program's own, if it has set one

    def show(kind: type[BaseException], shown: BaseException, trace: TracebackType | None) -> None:
        if shown is error:
            trace = first
            shown = shown.with_traceback(first)
        hook(kind, shown, trace)

    sys.excepthook = show


def _complain(message: str, status: int) -> int:
    print(f"{sys.executable}: {message}", file=sys.stderr)
    return status
