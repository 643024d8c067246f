"""Fisher's iris measurements, split into a training part and a held-out part, for the examples beside it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

DATA = Path(__file__).resolve().parent / "data" / "iris.csv"
SPECIES = ("setosa", "versicolor", "virginica")


class Split(NamedTuple):
    """Features (one row a flower) and labels (0, 1, 2) of the two parts."""

    train_x: np.ndarray
    train_y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray


def load() -> tuple[np.ndarray, np.ndarray]:
    """The 150 x 4 measurements in centimetres, and the species as numbers."""
    with DATA.open(newline="", encoding="utf-8") as file:
        _header, *rows = csv.reader(file)
    features = np.array([[float(entry) for entry in row[:4]] for row in rows])
    labels = np.array([SPECIES.index(row[4]) for row in rows])
    return features, labels


def load_split(seed: int = 0, held_out: int = 15) -> Split:
    """Hold out the same number of flowers of each species; standardise by the training part alone."""
    features, labels = load()
    rng = np.random.default_rng(seed)
    members = [np.flatnonzero(labels == species) for species in range(len(SPECIES))]
    test = np.concatenate([rng.permutation(rows)[:held_out] for rows in members])
    train = np.setdiff1d(np.arange(len(labels)), test)
    mean, spread = features[train].mean(axis=0), features[train].std(axis=0)
    scaled = (features - mean) / spread
    return Split(scaled[train], labels[train], scaled[test], labels[test])
