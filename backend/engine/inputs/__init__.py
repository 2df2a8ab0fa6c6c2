"""What goes into a model: which items, their pictures decoded and known by digest, class names, sources of priors.

Begin with `selection` (which items) and `decode` (images ahead of the device).
"""
