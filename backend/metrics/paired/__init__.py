"""Two systems, or an item before and after an edit, on the same items: differences, tests, resampling.

Begin with `paired.py`.
"""
