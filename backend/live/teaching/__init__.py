"""Trainings that pages start: their words, what they are going to need, the trainings there are. No torch in here.

Begin with `trainings.py`.
"""
