"""Benchmarks: unit costs, scaling, and whole programs, on autograd_fast and on whatever peers are installed.

`pytest benchmarks` times them, `pytest benchmarks --benchmark-disable` runs each once, and
`python -m benchmarks.report` writes tables and plots.  Ratios within one run are what to trust.
"""

import os

# One thread each, for every library alike; this must be set before NumPy is imported.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
