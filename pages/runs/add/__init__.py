"""Runs, Add: “What do you have?”, and what becomes of it without leaving its row.

Begin with `view.py`: the tiles (`tiles.py`), the form of the chosen one (a module of `pages/runs`), and its rows:
`states.py` says from stored jobs and runs how far each is, `rows.py` draws them, `score.py` starts the scoring,
`estimate.py` says how long it takes.
"""
