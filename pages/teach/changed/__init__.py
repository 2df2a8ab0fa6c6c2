"""What a training fixed, broke and cost: two checkpoints of a series, and the plain training beside them.

Begin with `view.py`. `choice.py` says what stands against what, `data.py` asks the store, `said.py` says it in a
sentence and a small table, `flow.py` draws what became of what, `items.py` the items behind it, `by_concept.py` the
table, `ledger.py` what it cost, `lacking.py` what can be scored for it, `curves.py` the deviations, `example.py` what
ships.
"""
