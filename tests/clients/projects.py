"""The projects that `run` tests: each imports autograd and ships its tests on PyPI."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Project:
    """A project and the part of its tests that differentiates.

    Attributes
    ----------
    name, version : str
        On PyPI.
    about : str
        What it computes, in a few words.
    copy : tuple of str
        Files and folders of the source distribution that the tests need.  They are copied out of it, so that
        the installed package is tested.  Empty if the tests are installed with the package.
    tests : tuple of str
        Which of them to run, and other arguments for pytest.
    needs : tuple of str
        What has to be installed beyond the project's own requirements.
    autograd : str
        The version of HIPS's package that the project asks for, where that is not the newest.
    otherwise : dict
        Tests that ask for what autograd_fast does otherwise on purpose, with the reason.
    """

    name: str
    version: str
    about: str
    copy: tuple[str, ...]
    tests: tuple[str, ...]
    needs: tuple[str, ...] = ()
    autograd: str = "1.9.1"
    otherwise: dict[str, str] = field(default_factory=dict)


PROJECTS = (
    Project(
        "autograd",
        "1.9.1",
        "HIPS/autograd's own test suite",
        ("tests",),
        ("tests",),
        ("scipy",),
        otherwise={
            "tests.test_fft::test_rfftn_odd_not_implemented": "the derivative is not missing here",
            "tests.test_wrappers::test_wrapped_name_and_docs": "the documentation has words of its own",
        },
    ),
    Project(
        "lifelines",
        "0.30.3",
        "survival analysis",
        ("lifelines/tests",),
        (
            "lifelines/tests/test_estimation.py",
            "-k",
            "TestLogNormalFitter or TestLogLogisticFitter or TestWeibullFitter or TestMixtureCureFitter",
        ),
        ("flaky", "joblib"),
    ),
    Project(
        "pymanopt",
        "2.2.1",
        "optimisation on manifolds",
        # without the files that import every other backend
        (
            "tests/__init__.py",
            "tests/backends/__init__.py",
            "tests/backends/_backend_tests.py",
            "tests/backends/test_autograd.py",
            "tests/manifolds",
            "tests/optimizers",
        ),
        ("tests",),
    ),
    Project(
        "grcwa",
        "0.1.2",
        "diffraction of light by gratings",
        ("tests",),
        ("tests",),
    ),
    Project(
        "legume-gme",
        "1.0.3",
        "photonic crystals",
        ("tests",),
        ("tests/test_primitives.py", "tests/test_shapes.py", "tests/test_gme_grad.py"),
    ),
    Project(
        "surpyval",
        "0.25",
        "survival analysis",
        ("surpyval/tests",),
        (
            "surpyval/tests/utils/test_autograd_where.py",
            "surpyval/tests/utils/test_incomplete_beta.py",
            "surpyval/tests/utils/test_normal.py",
            "surpyval/tests/test_autograd_gamma_compat_shapes.py",
            "surpyval/tests/multivariate/test_archimedean.py",
            "surpyval/tests/recurrent/test_cox_lewis.py",
            "surpyval/tests/diagnostics/test_ph_aft.py",
        ),
    ),
    Project(
        "reliability",
        "0.9.0",
        "reliability engineering",
        ("tests",),
        ("tests/test_Fitters.py",),
    ),
    Project(
        "cotengra",
        "0.8.3",
        "contraction of tensor networks",
        ("tests",),
        ("tests/test_backends.py", "-k", "autograd"),
    ),
    Project(
        "agjax",
        "0.3.7",
        "JAX around functions of autograd",
        ("tests",),
        ("tests",),
        ("parameterized",),
    ),
    Project(
        "pennylane",
        "0.45.1",
        "quantum circuits",
        (),
        ("--pyargs", "pennylane.devices.tests", "-k", "grad or Grad or variance"),
        ("pytest-mock", "flaky", "pytest-rerunfailures"),
        autograd="1.8.0",
    ),
    Project(
        "quimb",
        "1.16.0",
        "tensor networks",
        ("tests",),
        ("tests/test_tensor/test_optimizers.py", "-k", "autograd"),
    ),
)
