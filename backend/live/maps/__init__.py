"""Maps of vectors (UMAP) made in a process of their own, and how they are laid out.

Begin with `maps.py`.
"""
