"""Compare: two or more models on the same items.

Begin with `page.py`; `sides.py` says which runs stand against each other, `data.py` asks the store, `view.py`
makes what is drawn, `matrix.py`, `table.py`, `scatter.py`, `gallery.py`, `steps.py` and `series.py` are the panels.
"""
