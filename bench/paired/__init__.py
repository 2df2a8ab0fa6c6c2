"""The engine against the loop that everyone writes first and against the bare forward pass of unique inputs: whole
processes on the same inputs, by CPU seconds, paired in one run (`python -m bench.paired`)."""
