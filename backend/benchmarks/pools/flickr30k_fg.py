"""Flickr30K-FG: 1,000 Flickr30k test images with finer captions among 6,867 images."""

from functools import partial

from backend.benchmarks.base import Declaration
from backend.benchmarks.pools import finegrained
from backend.items import Protocol

RELEASE = finegrained.Release(
    "Flickr30K_FG_ann.json", "Flickr30K_FG_img_filenames.npy", ("flickr30k-images", "unlabeled2017")
)

FLICKR30K_FG = Declaration(
    name="flickr30k_fg",
    title="Flickr30K-FG, fine-grained retrieval",
    source="https://github.com/cwj1412/MSCOCO-Flikcr30K_FG",
    revision="Annotations/ and Images/ of the repository",
    licence="none stated; images: Flickr30k (research only) and COCO 2017 unlabeled, under their own terms",
    citation="Chen, Yao and Jin, Rethinking Benchmarks for Cross-modal Image-text Retrieval, SIGIR 2023",
    protocols={finegrained.SUBSET: Protocol.RETRIEVAL},
    read=partial(finegrained.read, RELEASE),
    check=partial(finegrained.check, RELEASE),
    data=RELEASE.names,
    images="flickr30k-images/ for the annotated images, unlabeled2017/ for the 5,867 others",
    expected={finegrained.SUBSET: 1000},
)
