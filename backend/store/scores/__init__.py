"""Stored scores as arrays, and what a setting makes of them.

Begin with `setting.py` and `outcomes.py`; `matrices.py`, `pools.py`, `classes.py` and `boundaries.py` are the arrays
by protocol, `noise.py` says which margins batching could turn over.
"""
