"""Public results of real models, as runs: what there is, who made it, on which terms, and how it is brought here.

`winoground.csv` is the table of Winoground's 58 score files: model, head, kind, transformation, size and sha256.
"""
