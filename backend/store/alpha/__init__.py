"""α-debiasing of stored runs: exact curves, α*, sets of α by item, printed points, sampling errors.

Begin with `curves.py`.
"""
