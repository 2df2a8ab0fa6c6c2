"""What a caption means and how it says it: meanings, grammar, words, foils.

Begin with `meanings` (what is said) and `grammar` (how); whether it is true of a scene: ../truth.
"""
