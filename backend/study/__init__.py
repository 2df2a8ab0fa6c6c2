"""A study in one file: models by benchmarks, scored cell by cell, resumable.

Begin with `grid.py`, what the file says; `running.py` fills the cells, `state.py` is what others read of it,
`estimate.py` says beforehand what it would take.
"""
