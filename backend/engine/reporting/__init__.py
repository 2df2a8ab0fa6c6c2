"""What a run says while it works and at its end, on standard error.

Begin with `progress`; `summary` is the last word, `waiting` the line for long silences.
"""
