# Only for other compiled units: reductions of plain arrays.
