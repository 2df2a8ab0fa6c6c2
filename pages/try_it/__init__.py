"""Try it: one's own images and captions, every score of every chosen model side by side.

Begin with `page.py`, then `state.py` (what is on the page) and `scores.py` (what is computed). `explain.py` opens the
token, word and region views; `many/` holds files of many items and the ranking of many images.
"""
