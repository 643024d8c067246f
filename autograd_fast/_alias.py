"""Giving this package the name ``autograd``, so that programs written for HIPS's run on it unchanged."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from ._tracer import set_module

OURS = __name__.rpartition(".")[0]
ALIAS = "autograd"

# What HIPS's classes say as their module.  Some projects read it from the type of a box or a node.
HOMES = {
    "tracer": "Box Node TraceStack",
    "core": "JVPNode SparseBox SparseObject VJPNode VSpace",
    "builtins": "ContainerVSpace DictBox DictMeta DictVSpace ListMeta ListVSpace NamedTupleVSpace "
    "SequenceBox SequenceVSpace TupleMeta TupleVSpace dict list tuple",
    "misc.tracers": "ConstGraphNode FullGraphNode",
    "numpy.numpy_boxes": "ArrayBox",
    "numpy.numpy_vspaces": "ArrayVSpace ComplexArrayVSpace EigResultVSpace EighResultVSpace QRResultVSpace "
    "SVDResultVSpace SlogdetResultVSpace",
}


def install_as_autograd() -> None:
    """Let ``import autograd``, and every ``autograd.*`` submodule, give this package's modules.

    Call it before anything imports `autograd`; whether HIPS's package is installed makes no difference.
    The modules are the very objects that ``import autograd_fast`` gives.  From then on the public classes say
    ``autograd...`` as their module.  A second call does nothing.

    ``importlib.metadata.version("autograd")`` tells of installed distributions, which stay what they are: it
    gives the version of HIPS's package if that is installed and raises PackageNotFoundError if not.

    Raises
    ------
    RuntimeError
        If HIPS's package has been imported already: whoever imported it holds its modules.

    See Also
    --------
    uninstall_as_autograd : undoes it.
    """
    if _finder in sys.meta_path:
        return
    foreign = sorted(name for name, module in sys.modules.items() if _is_alias(name) and not _is_ours(module))
    if foreign:
        origin = getattr(sys.modules[foreign[0]], "__file__", None) or "an unknown place"
        raise RuntimeError(
            f"{foreign[0]!r} has been imported already, from {origin}, and can't be replaced any more; "
            f"call {OURS}.install_as_autograd() before the first import of autograd and of what imports it"
        )
    sys.meta_path.insert(0, _finder)
    for path, names in HOMES.items():
        module = importlib.import_module(f"{OURS}.{path}")
        for name in names.split():
            _rename(getattr(module, name), f"{ALIAS}.{path}")
    _share_loaded_modules()


def uninstall_as_autograd() -> None:
    """Undo `install_as_autograd`: ``import autograd`` is about HIPS's package again.

    What has been imported under that name stays what it is to those who hold it.
    """
    if _finder not in sys.meta_path:
        return
    sys.meta_path.remove(_finder)
    for name in [name for name in sys.modules if _is_alias(name) and _is_ours(sys.modules[name])]:
        del sys.modules[name]
    for cls, module in _own_names.items():
        set_module(cls, module)
    _own_names.clear()


def reach_spawned_processes() -> None:
    """Let processes that multiprocessing starts anew find this package as ``autograd`` too."""
    from multiprocessing import spawn

    if getattr(spawn.get_preparation_data, "__module__", None) == __name__:
        return
    prepare = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, object]:
        # the new process unpickles this in the given order, before it imports the main module
        return {OURS: _Passenger(), **prepare(name)}

    spawn.get_preparation_data = get_preparation_data


class _Passenger:
    """Unpickled in another process, it installs the alias there."""

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return _arrive, ()


def _arrive() -> None:
    install_as_autograd()
    reach_spawned_processes()


class _Finder:
    """Finds ``autograd.x`` where ``autograd_fast.x`` is; it is also the loader of what it finds."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not _is_alias(fullname):
            return None
        from importlib.util import find_spec

        spec = find_spec(_our_name(fullname))
        if spec is None:
            return None
        is_package = spec.submodule_search_locations is not None
        return ModuleSpec(fullname, self, origin=spec.origin, is_package=is_package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(_our_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        alias = module.__spec__
        assert alias is not None
        module.__spec__ = alias.loader_state  # the import system has set the alias's
        _share_loaded_modules()


_finder = _Finder()
_own_names: dict[type, str] = {}


def _is_alias(name: str) -> bool:
    return name == ALIAS or name.startswith(ALIAS + ".")


def _is_ours(module: ModuleType | None) -> bool:
    return module is None or module.__name__.split(".")[0] == OURS


def _our_name(alias: str) -> str:
    return OURS + alias.removeprefix(ALIAS)


def _share_loaded_modules() -> None:
    """Enter every loaded module under both names.

    The import system sets a module that it has loaded as an attribute of its package.  For modules loaded
    under our name that has happened; again, it would put the module `misc.flatten` over the function.
    """
    for name in [name for name in sys.modules if name == OURS or name.startswith(OURS + ".")]:
        sys.modules[ALIAS + name.removeprefix(OURS)] = sys.modules[name]


def _rename(cls: type, module: str) -> None:
    own = cls.__module__
    set_module(cls, module)
    _own_names[cls] = own
