"""Several systems on the same items, and checkpoints of one training.

Begin with `compare.py`.
"""
