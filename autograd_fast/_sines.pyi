# Only for other compiled units: sines and cosines for pullbacks.
