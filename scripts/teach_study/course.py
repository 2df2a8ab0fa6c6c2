"""What the batches' quads said while a cell learned: γ, |c| and |r|, in steps of ten."""

from pathlib import Path
from typing import Final

import numpy as np

from backend.teach.training.checkpoint import read_log

#: As the log calls them.
TOLD: Final = ("gamma", "abs_c", "abs_r")
#: Steps that are averaged: a batch holds 32 quads, and its means jump.
EVERY: Final = 10


def course(folders: list[Path]) -> dict[str, list[float]]:
    """Of each of TOLD the mean over EVERY steps and over the cells of all seeds, in the unit of the cosine."""
    logs = [[entry for entry in read_log(folder) if "loss" in entry] for folder in folders]
    steps = min(len(log) for log in logs) // EVERY * EVERY
    found = {}
    for name in TOLD:
        values = np.array([[entry[name] for entry in log[:steps]] for log in logs], float)
        found[name] = values.reshape(len(logs), -1, EVERY).mean((0, 2)).round(5).tolist()
    return found
