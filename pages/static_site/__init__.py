"""The published site: results as files that open from disk or any web host, without Python (`flipside publish`).

Begin with `build.py`: `selection.py` says which runs, `tables.py` packs items and verdicts, `alpha.py` curves,
`charts.py` what Overview and Compare draw, `pictures.py` small pictures, `bundle.py` scripts and styles, `guard.py`
keeps private things out. `assets/` is what runs in the browser.
"""
