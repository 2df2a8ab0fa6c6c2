"""What is over-represented among some of a benchmark's items: their traits, a selection on a map, clumps of a map.

Begin with `traits.py`.
"""
