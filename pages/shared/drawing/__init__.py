"""Pictures and numbers that several pages draw. HTML parts return safe strings; `frame.style.show` draws them.

Begin with `colours.py` and `signs.py` (what a colour means), `cards.py` (an item), `heatmap.py` and `matrix.py`.
"""
