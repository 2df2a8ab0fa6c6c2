"""Equivariance: EqSim deviations of quads, by model and category.

Begin with `page.py`; `parts.py` has the quads and the table, `planes.py` and `violins.py` the pictures, `pick.py` which
quads a lasso holds, `options.py` the sidebar.
"""
