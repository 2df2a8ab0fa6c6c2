"""Runs, History: what has been computed.

Begin with `view.py`: the matrix of models by benchmarks (`matrix.py`), the runs in groups (`groups.py`, `listing.py`),
one run in full (`details.py`).
"""
