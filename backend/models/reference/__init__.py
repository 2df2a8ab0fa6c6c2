"""The reference library's own forward pass, one item at a time, for each family: what `doctor --model` and
`make fidelity` hold an adapter against.

The tree mirrors the adapters': `captioning/blip.py` here checks `captioning/blip.py` there. Nothing in here calls an
adapter's code: a reference loads tokenizer and processor itself, pads nothing, batches nothing and caches nothing.
"""
