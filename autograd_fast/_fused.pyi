# Only for other compiled units: the pullbacks of hot elementwise primitives.
