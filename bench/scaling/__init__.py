"""What a hundred million scores cost: the work of models by arithmetic, and a simulation of the schedule
(`python -m bench.scaling`, docs/scaling.md)."""
