"""SciPy's modules, traced, under the paths of HIPS autograd."""

try:
    import scipy
except ImportError as error:
    raise ImportError("autograd_fast.scipy needs SciPy, which is missing: pip install scipy") from error

from autograd_fast.scipy import integrate, linalg, signal, special, stats

__all__ = ["integrate", "linalg", "signal", "special", "stats"]
