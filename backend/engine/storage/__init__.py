"""What the engine writes: shards, their manifest, run.json and the run's id. Nothing in here knows a model.

Begin with `shards` (commit, read, prove) and `record` (what a run's id is made of); `files` writes aside and renames.
"""
