"""What protocols are called for people."""

#: Protocol -> its items, in words.
PROTOCOLS = {
    "quad": "quads",
    "triplet": "triplets",
    "choice": "choices",
    "retrieval": "retrieval",
    "classify": "classification",
    "grounding": "grounding",
}
