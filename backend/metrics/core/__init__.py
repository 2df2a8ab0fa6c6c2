"""What every metric stands on: the one comparison, array checks, chance levels, the registry, the one door to
verdicts.

Begin with `registry.py` and `compare.py`.
"""
