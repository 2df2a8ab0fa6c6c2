"""Pictures and numbers that several pages draw. Parts of HTML are Markup; `frame.style.show` draws them.

Begin with `colours.py` and `signs.py` (what a colour means), `cards.py` (an item), `heatmap.py` and `matrix.py`.
"""
