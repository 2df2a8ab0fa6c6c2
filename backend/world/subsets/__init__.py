"""The world's subsets, one file each: scenes and captions to items.

Begin with `choice`; quads are minimal pairs, `retrieval` a pool, `triplet` two paraphrases and a near copy.
"""
