"""Model: one model in full, reached from wherever its name is shown.

`page.py` is the page; `chosen.py` which model, and what is said where there is none; `lines.py` the strong picture,
concepts against chance; `prior.py`, `sensitive.py`, `typical.py`, `atlas_place.py` a part each; `printing.py` the page
on paper.
"""
