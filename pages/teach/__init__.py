"""Teach: what trainings elsewhere changed, before and after.

Begin with `page.py`; the checkpoints' curves and the items won and lost are Compare's.
"""
