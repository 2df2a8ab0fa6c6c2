"""Rates with their uncertainty: of a run, of groups of items, of classes, of orders of asking, at thresholds.

Begin with `rates.py`.
"""
