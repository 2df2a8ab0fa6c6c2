"""MSCOCO-FG: 5,000 COCO test images with finer captions among 31,244 images."""

from functools import partial

from backend.benchmarks.base import Declaration
from backend.benchmarks.pools import finegrained
from backend.items import Protocol

RELEASE = finegrained.Release("MSCOCO_FG_ann.json", "MSCOCO_FG_img_filenames.npy", ("val2014", "unlabeled2017"))

COCO_FG = Declaration(
    name="coco_fg",
    title="MSCOCO-FG, fine-grained retrieval",
    source="https://github.com/cwj1412/MSCOCO-Flikcr30K_FG",
    revision="Annotations/ and Images/ of the repository",
    licence="none stated; images: COCO 2014 and COCO 2017 unlabeled, under COCO's own terms",
    citation="Chen, Yao and Jin, Rethinking Benchmarks for Cross-modal Image-text Retrieval, SIGIR 2023",
    protocols={finegrained.SUBSET: Protocol.RETRIEVAL},
    read=partial(finegrained.read, RELEASE),
    check=partial(finegrained.check, RELEASE),
    data=RELEASE.names,
    images="val2014/ for the annotated images, unlabeled2017/ for the 26,244 others",
    expected={finegrained.SUBSET: 5000},
)
