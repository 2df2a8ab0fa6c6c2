"""What leaves and what comes in: exports, SQL, and bundles with their checks.

Begin with `export.py` and `bundle.py`; nothing that came in a bundle is ever taken for ours (`imported.py`).
"""
