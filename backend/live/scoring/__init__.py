"""Scores for what is on a page: the shared models, every kind, verdicts, regions, words, rankings.

Begin with `scoring.py` and `pool.py`.
"""
