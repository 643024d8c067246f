"""Everything that HIPS autograd offers is offered under the same path and can be called in the same ways.

The list of names is read from the installed autograd; the names inside it that other projects are known to
use are written out here.
"""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import types

import pytest

OURS = "autograd_fast"

# HIPS's own helpers for its rules; which of them others use is in PRIVATE_NAMES
RULE_MODULES = {"numpy.numpy_vjps", "numpy.numpy_jvps"}
RULE_HELPER = re.compile(
    r"_?(fwd_)?(grad|vjp|jvp|deriv|make_grad|make_jvp|make_vjp)_(?!and_aux$|named$|reversemode$|sequence$)\w+"
)
# modules that hand on a namespace of NumPy or SciPy; beside it they keep helpers of HIPS's rules
WRAPPED = re.compile(r"numpy\.(linalg|fft|random)$|scipy")
FACES = {"", "extend", "core", "tracer"}
# what loops and imports have left behind in HIPS's modules
LEFT_OVERS = {"numpy.numpy_boxes.method_name"}
# modules of HIPS itself that are no part of what it offers
NOT_OFFERED = re.compile(r"(^|\.)(tests?|conftest|__main__)(\.|$)")

PRIVATE_NAMES = {
    "": "checkpoint vector_jacobian_product value_and_grad make_vjp make_jvp isinstance tuple list dict",
    "extend": "primitive defvjp defjvp defvjp_argnums vspace VSpace Box VJPNode register_notrace "
    "notrace_primitive",
    "core": "make_vjp make_jvp VJPNode JVPNode backward_pass VSpace VSpace.mappings primitive defvjp defjvp "
    "primitive_vjps primitive_jvps vspace getval Node SparseObject SparseBox sparse_add sparse_object_types "
    "add_outgrads sum_outgrads def_linear identity_jvp identity_vjp",
    "tracer": "getval isbox new_box Box Box.type_mappings Box.types trace_stack.new_trace trace_stack.top "
    "trace Node primitive notrace_primitive toposort notrace_primitives find_top_boxed_args "
    "TraceStack subvals",
    "numpy.numpy_boxes": "ArrayBox",
    "numpy.numpy_vjps": "unbroadcast_f unbroadcast untake repeat_to_match_shape wrapped_reshape",
    "numpy.numpy_jvps": "broadcast",
    "numpy.numpy_vspaces": "ArrayVSpace ComplexArrayVSpace",
    "numpy.numpy_wrapper": "_astype wrap_namespace array_from_args",
    "wrap_util": "unary_to_nary wraps wrap_nary_f get_name get_doc",
    "util": "subvals subval func toposort quick_grad_check",
    "differential_operators": "make_jvp_reversemode make_vjp make_jvp make_hvp make_ggnvp hessian jacobian "
    "tensor_jacobian_product hessian_tensor_product elementwise_grad grad deriv",
    "builtins": "tuple list dict isinstance type DictBox SequenceBox make_sequence _make_dict container_take "
    "container_untake ContainerVSpace SequenceVSpace ListVSpace TupleVSpace DictVSpace NamedTupleVSpace",
    "misc": "flatten const_graph",
    "misc.flatten": "flatten flatten_func",
    "misc.optimizers": "adam sgd rmsprop unflatten_optimizer",
    "misc.fixed_points": "fixed_point",
    "misc.tracers": "const_graph const_graph_unary full_graph ConstGraphNode FullGraphNode",
    "scipy": "special stats linalg signal integrate",
    "scipy.special": "gammaln gamma erf erfc expit logit logsumexp psi digamma polygamma "
    "betainc beta betaln j0 j1 y0",
    "scipy.stats": "norm t gamma beta chi2 poisson dirichlet multivariate_normal",
    "scipy.linalg": "block_diag solve_triangular expm sqrtm",
    "scipy.signal": "convolve",
    "scipy.integrate": "odeint",
    "test_util": "check_grads combo_check check_equivalent check_vjp check_jvp scalar_close "
    "make_numerical_jvp",
    "numpy": "linalg fft random array sin dot einsum",
}  # fmt: skip


def module(package, path):
    return importlib.import_module(f"{package}.{path}" if path else package)


def need_scipy(path):
    if path.startswith("scipy"):
        pytest.importorskip("scipy")


def hips_modules():
    try:
        hips = importlib.import_module("autograd")
    except ImportError:
        return []
    found = pkgutil.walk_packages(hips.__path__, "autograd.")
    paths = [info.name.removeprefix("autograd.") for info in found]
    return ["", *[path for path in paths if not NOT_OFFERED.search(path)]]


def home(value):
    """The module that a function or class was written in; a primitive's is that of the function in it."""
    return str(getattr(getattr(value, "fun", value), "__module__", None))


def wrapped_names(path):
    """What the module of NumPy or SciPy, or the distribution, of the same path has."""
    root, *parts = path.split(".")
    namespace = importlib.import_module(root)
    for part in parts:
        if not hasattr(namespace, part):
            importlib.import_module(f"{namespace.__name__}.{part}")
        namespace = getattr(namespace, part)
    return dir(namespace)


def offered(path):
    """The public names of a module of HIPS: those defined in it, and in a face also those it hands on."""
    hips = module("autograd", path)
    handed_on = wrapped_names(path) if WRAPPED.match(path) else None
    names = []
    for name, value in vars(hips).items():
        if name.startswith("_") or RULE_HELPER.fullmatch(name):
            continue
        if isinstance(value, types.ModuleType):
            wanted = False  # which modules there are at all is a test of its own
        elif handed_on is not None:
            wanted = name in handed_on
        elif path in ("numpy", "numpy.numpy_wrapper"):
            wanted = name in wrapped_names("numpy") or home(value) == hips.__name__
        elif path in FACES:
            wanted = home(value).startswith("autograd") or isinstance(value, (dict, set, str))
        else:
            wanted = home(value) == hips.__name__ or isinstance(value, (str, float))
        if wanted and f"{path}.{name}" not in LEFT_OVERS:
            names.append(name)
    return sorted(names)


def test_star_import():
    """All that HIPS's gives, and beside it names of NumPy alone."""
    numpy = importlib.import_module("numpy")

    def names(package):
        namespace = {}
        exec(f"from {package}.numpy import *", namespace)
        return {name for name in namespace if name.isidentifier() and name != "__builtins__"}

    ours = names(OURS)
    assert {"sin", "linalg", "array", "sum", "float64", "pi", "newaxis"} <= ours
    if hips_modules():
        assert names("autograd") <= ours
        assert ours - names("autograd") <= {*dir(numpy), "astype", "permute_dims"}


def resolve(root, dotted):
    for part in dotted.split("."):
        root = getattr(root, part)
    return root


@pytest.mark.parametrize("path", hips_modules())
def test_module_and_its_names_exist(path):
    need_scipy(path)
    ours = module(OURS, path)
    if path not in RULE_MODULES:
        missing = [name for name in offered(path) if not hasattr(ours, name)]
        assert not missing, f"{OURS}.{path} lacks {missing}"


@pytest.mark.parametrize("path", PRIVATE_NAMES)
def test_names_that_other_projects_use(path):
    need_scipy(path)
    ours = module(OURS, path)
    for name in PRIVATE_NAMES[path].split():
        resolve(ours, name)


def signature(value):
    """The signature of a function, a class, or what a primitive wraps; None where there is none to read."""
    if hasattr(value, "fun"):
        value = value.fun
        if not isinstance(value, types.FunctionType) or not value.__module__.startswith(("autograd", OURS)):
            return None
    if not callable(value) or isinstance(value, type) and issubclass(value, (tuple, list, dict)):
        return None
    try:
        read = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    # a wrapper tells nothing
    return None if list(read.parameters) == ["args", "kwargs"] else read


def calls(sig):
    """Argument lists that a signature accepts: shortest, all by position, all that may be by keyword."""
    P = inspect.Parameter
    parameters = sig.parameters.values()
    positional = [p for p in parameters if p.kind in (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD)]
    by_keyword = [p for p in parameters if p.kind in (P.POSITIONAL_OR_KEYWORD, P.KEYWORD_ONLY)]
    required_keywords = {p.name: 0 for p in by_keyword if p.kind == P.KEYWORD_ONLY and p.default is P.empty}
    kinds = {p.kind for p in sig.parameters.values()}
    required = [p for p in positional if p.default is P.empty]
    yield (0,) * len(required), required_keywords
    yield (0,) * len(positional), required_keywords
    if not any(p.kind == P.POSITIONAL_ONLY for p in positional):
        yield (), {p.name: 0 for p in by_keyword}
    if P.VAR_POSITIONAL in kinds:
        yield (0,) * (len(positional) + 2), required_keywords
    if P.VAR_KEYWORD in kinds:
        yield (0,) * len(required), {**required_keywords, "another_keyword": 0}


@pytest.mark.parametrize("path", hips_modules())
def test_calls_are_accepted(path):
    if path in RULE_MODULES:
        pytest.skip("rules are called by the library alone")
    need_scipy(path)
    hips, ours = module("autograd", path), module(OURS, path)
    refused = []
    for name in offered(path):
        theirs, mine = signature(getattr(hips, name)), signature(getattr(ours, name, None))
        if theirs is None or mine is None:
            continue
        for args, kwargs in calls(theirs):
            try:
                mine.bind(*args, **kwargs)
            except TypeError as error:
                refused.append(f"{name}{theirs} with {len(args)} arguments and {sorted(kwargs)}: {error}")
    assert not refused, "\n".join(refused)


def test_submodules_that_come_with_an_import():
    """``import autograd`` alone makes ``autograd.numpy.linalg`` and others available as attributes."""
    pytest.importorskip("autograd")
    program = (
        "import importlib, sys, types\n"
        "package = importlib.import_module(sys.argv[1])\n"
        "for root in (package, package.numpy, package.numpy.linalg):\n"
        "    for name in dir(root):\n"
        "        value = getattr(root, name)\n"
        "        if isinstance(value, types.ModuleType) and value.__name__ == root.__name__ + '.' + name:\n"
        "            print(value.__name__.removeprefix(sys.argv[1]))\n"
    )

    def submodules(name):
        run = [sys.executable, "-W", "ignore", "-c", program, name]
        return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())

    assert submodules("autograd") - submodules(OURS) == set()


def test_registered_types():
    pytest.importorskip("autograd")
    for path, registry in (("core", "VSpace.mappings"), ("tracer", "Box.type_mappings")):
        theirs = resolve(module("autograd", path), registry)
        ours = resolve(module(OURS, path), registry)
        plain = [cls for cls in theirs if cls.__module__ in ("builtins", "numpy")]
        missing = [cls for cls in plain if cls not in ours]
        assert isinstance(ours, dict)
        assert not missing, f"{registry} lacks {missing}"


@pytest.mark.parametrize("registry", ["primitive_vjps", "primitive_jvps"])
def test_primitives_with_a_rule_have_one_here(registry):
    """A function may be made from others instead of being a primitive, but no rule may be missing."""
    pytest.importorskip("autograd")
    theirs = getattr(module("autograd", "core"), registry)
    ours = getattr(module(OURS, "core"), registry)
    notrace = set().union(*module(OURS, "tracer").notrace_primitives.values())
    missing = []
    for path in hips_modules():
        for name in offered(path) if path not in RULE_MODULES else []:
            value, mine = getattr(module("autograd", path), name), getattr(module(OURS, path), name, None)
            try:
                has_rule = value in theirs
            except TypeError:
                continue
            needs_rule = getattr(mine, "_is_autograd_primitive", False) and mine.composite is None
            if has_rule and needs_rule and mine not in ours and mine not in notrace:
                missing.append(f"{path}.{name}")
    assert not missing, missing


def test_registries_are_those_that_the_tracer_reads():
    core, tracer, extend = (module(OURS, path) for path in ("core", "tracer", "extend"))
    assert core.VSpace is extend.VSpace and core.VSpace.mappings is extend.VSpace.mappings
    assert tracer.Box is extend.Box and tracer.Box.type_mappings is extend.Box.type_mappings
    assert isinstance(core.primitive_vjps, dict) and isinstance(core.primitive_jvps, dict)
    assert isinstance(core.sparse_object_types, set)
    boxes, spaces = module(OURS, "numpy.numpy_boxes"), module(OURS, "numpy.numpy_vspaces")
    import numpy as onp

    assert tracer.Box.type_mappings[onp.ndarray] is boxes.ArrayBox
    assert isinstance(core.vspace(onp.ones(2)), spaces.ArrayVSpace)
    assert isinstance(core.vspace(onp.ones(2, complex)), spaces.ComplexArrayVSpace)


def test_flatten_is_a_function_and_a_module():
    misc = module(OURS, "misc")
    assert misc.flatten is sys.modules[f"{OURS}.misc.flatten"].flatten
    assert isinstance(misc.flatten, types.FunctionType)


def test_star_import_of_the_numpy_namespace():
    namespace = {}
    exec(f"from {OURS}.numpy import *", namespace)
    assert {"sin", "dot", "array", "linalg", "fft", "random", "pi"} <= set(namespace)


def test_wrap_namespace_fills_a_namespace():
    """Functions that have a primitive are given that one, so that a second wrapping loses no rules."""
    import numpy as onp

    ag, known = module(OURS, ""), module(OURS, "tracer").trace_primitives_map
    old = dict(known)
    namespace = {}
    raw = {"sin": onp.sin, "pi": onp.pi, "int64": onp.int64, "own": lambda x: x}
    try:
        module(OURS, "numpy.numpy_wrapper").wrap_namespace(raw, namespace)
        assert namespace["sin"].fun is onp.sin and namespace["pi"] == onp.pi
        assert callable(namespace["int64"]) and namespace["own"].fun is raw["own"]
        assert ag.grad(namespace["sin"])(0.0) == ag.grad(lambda x: onp.sin(x))(0.0) == 1.0
    finally:
        known.update(old)
