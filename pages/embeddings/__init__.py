"""Embeddings: maps of image and text vectors, and the modality gap.

Begin with `page.py`; `data.py` and `view.py` prepare the points, `scatter.py` is the component, `work.py` computes what
is missing, `picked.py` is a lasso's items.
"""
