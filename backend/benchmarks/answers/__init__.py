"""Benchmarks of statements and questions with an expected yes or no (`Protocol.ANSWERS`), one file a benchmark.

Begin with `vsr.py`, the simplest.
"""
