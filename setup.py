"""The compiled units; everything else about the package is in pyproject.toml.

Environment switches make the builds that are not for release (CONTRIBUTING.md shows each in use):

    AUTOGRAD_FAST_TRACE=1             line tracing, so that coverage sees the Cython sources
    AUTOGRAD_FAST_CHECKED=1           bounds checks, assertions and debug symbols, little optimisation
    AUTOGRAD_FAST_REFNANNY=1          Cython's reference counting checks
    AUTOGRAD_FAST_VERIFY=1            each kernel compares its result with NumPy's or its rule's
    AUTOGRAD_FAST_SANITIZE=a,b        the compiler's sanitizers, such as address,undefined
"""

import os
import re
import sys
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = Path("src_cython")  # mirrors the package: Cython finds a .pxd by its module's full name


def switch(name: str) -> str:
    value = os.environ.get("AUTOGRAD_FAST_" + name, "")
    return "" if value == "0" else value


SWITCHES = ("TRACE", "CHECKED", "REFNANNY", "VERIFY", "SANITIZE")
TRACE, CHECKED, REFNANNY, VERIFY, SANITIZE = (switch(name) for name in SWITCHES)
VARIANT = f"trace={TRACE} checked={CHECKED} refnanny={REFNANNY} verify={VERIFY} sanitize={SANITIZE}"

DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "linetrace": bool(TRACE),
}

MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_1_22_API_VERSION")]
if TRACE:  # coverage's Cython plugin can't use sys.monitoring
    MACROS += [("CYTHON_TRACE_NOGIL", "1"), ("CYTHON_USE_SYS_MONITORING", "0")]
if SANITIZE:
    MACROS += [("AGF_KEEP_NOTHING", "1")]
if REFNANNY:
    MACROS += [("CYTHON_REFNANNY", "1")]
if VERIFY:
    MACROS += [("AGF_VERIFY", "1")]

# -O3 for loops that vectorise; no fused multiply-add, so that results don't depend on the machine.
COMPILE_ARGS = ["-O1", "-g"] if CHECKED or SANITIZE else ["-O3", "-g0"]
COMPILE_ARGS += ["-ffp-contract=off"]
LINK_ARGS = []
if sys.platform == "linux":  # one segment for all that is only read: fewer pages to fetch at import
    LINK_ARGS += ["-Wl,-z,noseparate-code"]
if CHECKED:
    COMPILE_ARGS += ["-UNDEBUG"]
if SANITIZE:
    COMPILE_ARGS += [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer"]
    LINK_ARGS += [f"-fsanitize={SANITIZE}"]


UNCHECKED = re.compile(r"\b(boundscheck|wraparound|initializedcheck)(\s*[=(]\s*)False")


def checked(sources: Path) -> Path:
    """A copy of the sources with the checks on that they turn off: no directive from outside can do that."""
    copies = Path("build", "checked")
    for path in sources.rglob("*.p[xy][dx]"):
        text = UNCHECKED.sub(r"\1\2True", path.read_text())
        copy = copies / path.relative_to(sources)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
    return copies


class BuildExt(build_ext):
    """Passes options to the compilers that know them, and rebuilds all when the switches have changed."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or True

    def run(self) -> None:
        stamp = Path("build", "variant.txt")
        if not stamp.exists() or stamp.read_text() != VARIANT:
            self.force = True
        super().run()
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(VARIANT)

    def build_extensions(self) -> None:
        if self.compiler.compiler_type != "msvc":
            for extension in self.extensions:
                extension.extra_compile_args += COMPILE_ARGS
                extension.extra_link_args += LINK_ARGS
        super().build_extensions()


sources = checked(SOURCES) if CHECKED else SOURCES
extensions = [
    Extension(
        f"autograd_fast.{path.stem}",
        [path.as_posix()],
        include_dirs=[numpy.get_include()],
        define_macros=list(MACROS),
    )
    for path in sorted(sources.glob("autograd_fast/*.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions,
        include_path=[sources.as_posix()],
        compiler_directives=DIRECTIVES,
        # The coverage plugin looks for the C file beside its source.
        build_dir=None if TRACE else "build/cython",
    ),
    cmdclass={"build_ext": BuildExt},
)
