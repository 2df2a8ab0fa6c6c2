"""A benchmark's own aggregate scores, and published numbers beside ours.

Begin with `official.py`; `inputs.py` is what aggregates are made of, `printed_keys.py` the keys by which a run finds
its printed table, `printed.py` the comparison.
"""
