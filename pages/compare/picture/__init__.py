"""The picture of Compare: rates from side to side, and what is gained, group by group, in one drawing.

Begin with `view.py`, which makes what `picture.js` draws; `draw.py` puts it on the page with its sentence to copy.
"""
