"""``scipy.stats``, traced: one module for each distribution, with its functions."""

from autograd_fast.scipy.stats import (
    beta,
    chi2,
    dirichlet,
    gamma,
    multivariate_normal,
    norm,
    poisson,
    t,
)

__all__ = ["beta", "chi2", "dirichlet", "gamma", "multivariate_normal", "norm", "poisson", "t"]
