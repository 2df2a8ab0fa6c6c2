"""Flickr30K-FG: the same shape as MSCOCO-FG."""

from tests.benchmarks.samples.coco_fg import write_flickr as write

__all__ = ["write"]
