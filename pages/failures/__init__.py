"""Failures: the items that a model gets wrong, filtered, listed, kept and exported.

Begin with `page.py`; `filters.py` is the sidebar, `listing.py` gallery and table, `data.py` what is asked of the store,
`picked.py` a set that was picked on another page, `pictures/` what stands above the list, `taken/` what people take
away.
"""
