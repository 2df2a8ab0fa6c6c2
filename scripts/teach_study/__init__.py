"""What teaching does on the bundled world: every recipe over several seeds, judged on pairs that nothing trained on.

Begin with `__main__.py`. `world.py` draws the tests, `cells.py` trains and judges one cell, `matching.py` judges
those of a matching head, `compared.py` is the arithmetic between recipes, `page.py` writes docs/teaching/study.md.
"""
