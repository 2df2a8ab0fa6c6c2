"""Runs: what is computed, and the forms that start, watch and keep it.

Begin with `page.py`: what is running (`jobs.py`, `queue.py`, `studies.py`), then one of two views. `history/` is what
has been computed; `add/` asks what one has and opens a form, a module here with `draw()`: `own.py`, `import_data.py`,
`start.py` (score), `predictions.py`, `bundle.py`, `perturb.py`, `real.py`. `view.py` puts states and times into words.
"""
