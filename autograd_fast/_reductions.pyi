# Only for other compiled units: sums, extrema and products over axes, and their pullbacks.
