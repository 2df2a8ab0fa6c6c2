"""Overview: which models fail at what.

`page.py` is the page; `view.py` the heat map, `notice.py` what is seen in it, `data.py` what is asked of the store,
`controls.py` the sidebar, `printed.py` published numbers, `thresholds.py` VALSE's, `latex.py` the table for a paper.
"""
