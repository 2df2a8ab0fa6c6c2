"""Debias: accuracy over α, exactly, and which items flip.

Begin with `page.py`; `view.py` hands the curve to the component (`curve.js` and the scripts beside it),
`exact.js` is its arithmetic, `options.py` the sidebar, `flips.py` and `errors.py` the items and the sampling error.
"""
