"""The engine: plan → deduplicate → batch → shard → resume.

`runner.run` scores a model on a benchmark and commits Parquet shards (docs/architecture.md); `shards` reads them back.
Importing this package loads neither torch nor pyarrow.
"""

#: Part of every run id: raised when the same inputs would give other scores or another shard layout.
FORMAT = 1
