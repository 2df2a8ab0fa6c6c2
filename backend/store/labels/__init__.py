"""Diagnosis labels of items, and the evidence that they rest on.

Begin with `diagnosis.py`.
"""
