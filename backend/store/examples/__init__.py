"""Results that ship and are taken into the cache on request: perturbed editions, and the taught models.

Begin with `example.py`.
"""
