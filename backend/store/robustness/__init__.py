"""Before and after edits of the captions: verdicts, recalls, the matrix of edits and models, the example that ships.

Begin with `robustness.py` and `editions.py`.
"""
