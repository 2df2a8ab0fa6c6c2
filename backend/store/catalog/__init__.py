"""What there is: benchmarks, runs, models, and which run answers a question.

Begin with `catalog.py`; `default_run.py` chooses.
"""
