"""Runs: what is computed, and the forms that start, watch and keep it.

Begin with `page.py`; each tab is a module with `draw()`: `start.py` (score), `queue.py`, `computed.py`,
`import_data.py`, `own.py`, `perturb.py`, `predictions.py`, `bundle.py`. `view.py` puts states and times into words.
"""
