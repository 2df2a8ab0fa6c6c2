"""The engine: plan → deduplicate → batch → shard → resume.

`runner.run` scores a model on a benchmark and commits Parquet shards (docs/architecture.md); `shards` reads them back.
Importing this package loads neither torch nor pyarrow.
"""

#: Part of every run id: raised when the same inputs would give other scores or another shard layout.
FORMAT = 1

#: The version of the scores: raised by hand when the same model gives another score for the same image and text than
#: before (what is scored, how a picture is read, how the world is drawn), never for a new kind or a faster way. Scores
#: of another version are not taken over (reuse.py), and runs of another version have other ids.
SCORING = 1
#: The version of the results that ship and say none: tests/bundled recomputes them, so this is the version that it
#: holds them against. Raise it together with SCORING once `make results` has scored them anew.
SHIPPED = 1
