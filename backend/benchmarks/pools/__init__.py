"""Retrieval pools: COCO and Flickr30k in Karpathy's split, and their fine-grained editions.

Begin with `captions`, which reads the split; `finegrained` adds finer captions and images that no caption belongs to.
"""
