"""Failures: what a filter leaves, files of it, and what people write about it.

Begin with `failures.py` and `filter.py`; `notes.py` keeps tags, notes and views, `selections.py` picked sets.
"""
