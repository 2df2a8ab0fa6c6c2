"""Everything that has to be seen on a GPU, in one command: `python -m bench.gpu` (docs/gpu.md)."""
