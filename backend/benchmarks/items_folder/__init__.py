"""The one folder format of items: one's own, perturbed editions, exports. Tables that are mapped onto it: ../custom.

Begin with `folder` (benchmark.json, items.jsonl) and `records` (one item as one object); `perturbed` makes editions.
"""
