"""Flickr30k, Karpathy's split: retrieval among 1,000 test images with five captions each, both ways."""

from functools import partial

from backend.benchmarks.base import Declaration
from backend.benchmarks.pools import captions
from backend.items import Protocol

RELEASE = captions.Release(
    karpathy="dataset_flickr30k.json",
    blip={split: f"flickr30k_{split}.json" for split in captions.SPLITS},
    clip_benchmark="flickr30k_test_karpathy.txt",
    prefer=("flickr30k-images", "flickr30k_images"),
)

FLICKR30K = Declaration(
    name="flickr30k",
    title="Flickr30k captions, retrieval (Karpathy split)",
    source="https://cs.stanford.edu/people/karpathy/deepimagesent/",
    revision="dataset_flickr30k.json of caption_datasets.zip, or BLIP's and CLIP_benchmark's copies of it",
    licence="research and education only; images on request from their owners (as commonly stated)",
    citation="Young et al., From image descriptions to visual denotations, TACL 2014; split: Karpathy and Fei-Fei",
    protocols=dict.fromkeys(captions.SPLITS, Protocol.RETRIEVAL),
    read=partial(captions.read, RELEASE),
    check=partial(captions.check, RELEASE),
    data=RELEASE.names,
    images="flickr30k-images/, by file name",
    splits=captions.splits({"test": "the test images", "val": "the validation images", "train": "the training images"}),
    default_split="test",
)
