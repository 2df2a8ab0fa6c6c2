"""Items: one in full, cards of many, captions, pictures, neighbours, vectors.

Begin with `detail.py`.
"""
