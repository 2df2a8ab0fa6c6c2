"""What becomes a benchmark or a run without a model of ours: own data, other systems' predictions, perturbed editions.

`survey.py` is the one pass over a benchmark that all of them, and the engine, begin with.
"""
