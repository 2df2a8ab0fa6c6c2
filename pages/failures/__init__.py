"""Failures: the items that a model gets wrong, filtered, listed, kept and exported.

Begin with `page.py`; `filters.py` is the sidebar, `listing.py` gallery and table, `data.py` what is asked of the store,
`picked.py` a set that was picked on another page, `export.py` and `report.py` what people take away.
"""
