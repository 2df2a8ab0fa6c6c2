"""The perturbations, one small file a family; `backend.perturb.REGISTRY` has a line for each.

Begin with `distraction` (the smallest) and `attributes`; what a model proposes comes in through `proposed`.
"""
