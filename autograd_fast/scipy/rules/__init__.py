"""The derivatives of SciPy's functions, by chapter."""
