"""Robustness: what edits of the captions do to verdicts and recalls.

Begin with `page.py`; `view.py` draws the matrix, `cell.py` what is behind one of its cells, `data.py` asks the store,
`make_edited.py` makes editions and scores models on them, `sets.py` is the granularity of a caption set.
"""
