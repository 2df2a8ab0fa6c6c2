"""One item in full, on a page of its own and in the dialog that other pages open.

Begin with `page.py` and `full.py`; `view.py` shows the item as models see it, `evidence.py` why it is labelled as it
is, `notes.py` tags and notes, `neighbours.py` items like it.
"""
