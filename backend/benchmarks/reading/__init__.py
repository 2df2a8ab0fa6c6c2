"""Other people's files, one record at a time: found by name, bounded, never evaluated. No benchmark stands in here.

Begin with `folder` (files by name below --data) and `records` (JSON, JSON Lines, CSV); `guard` holds
for every benchmark.
"""
