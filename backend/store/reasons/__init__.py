"""Why items fail, from stored scores: cells and reasons as `backend/metrics/reasons` defines them.

Begin with `runs.py`; `bars.py` counts the cells, `not_measured.py` says what is missing where there are none,
`sentence.py` says in words why one item is as it is.
"""
