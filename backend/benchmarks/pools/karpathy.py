"""COCO and Flickr30k captions, Karpathy's split: retrieval among the test images (5,000 and 1,000), both ways.

COCO's 5,000 test images have 25,010 captions, because some have six or seven. All of them are the default;
`--split test-5` takes the first five of each (25,000). Papers do either, and seldom say which.
"""

from functools import partial

from backend.benchmarks.base import Declaration, Judged, Official
from backend.benchmarks.pools import captions
from backend.items import Protocol
from backend.metrics.folds import fold_recalls

COCO_RELEASE = captions.Release(
    karpathy="dataset_coco.json",
    blip={split: f"coco_karpathy_{split}.json" for split in captions.SPLITS},
    clip_benchmark="coco_test_karpathy.json",
    prefer=("val2014", "train2014"),
)

#: "COCO 1K": five consecutive folds of 1,000 of the 5,000 test images.
FOLDS, FOLD = 5, 1000


def official(judged: Judged) -> list[Official]:
    """The 1K recalls beside the 5K ones; None where the run's pool is not the 5,000 test images."""
    if "_recall_at_" not in judged.metric or judged.pool is None or "test" not in judged.subset:
        return []
    name, how = f"{judged.metric}_1k", "mean over five consecutive folds of 1,000 test images (COCO 1K)"
    found = judged.pool("test")
    if found is None or len(found[0]) != FOLDS * FOLD:
        has = "is not scored as a whole" if found is None else f"has {len(found[0]):,} images, not 5,000"
        return [Official(name, None, 0, f"{how}; undefined: the pool {has}")]
    recalls = fold_recalls(*found, judged.metric, FOLD)
    return [Official(name, float(recalls.mean()), FOLDS * FOLD, how)]


COCO = Declaration(
    name="coco",
    title="COCO captions, retrieval (Karpathy split)",
    source="https://cs.stanford.edu/people/karpathy/deepimagesent/",
    revision="dataset_coco.json of caption_datasets.zip, or BLIP's and CLIP_benchmark's copies of it",
    licence="captions CC BY 4.0; images under Flickr's terms (as commonly stated)",
    citation="Lin et al., Microsoft COCO, ECCV 2014; split: Karpathy and Fei-Fei, CVPR 2015",
    protocols=dict.fromkeys(captions.SPLITS, Protocol.RETRIEVAL),
    read=partial(captions.read, COCO_RELEASE),
    check=partial(captions.check, COCO_RELEASE),
    data=COCO_RELEASE.names,
    images="val2014/ and train2014/ (COCO 2014), by file name",
    expected={"test": 5000},
    expected_in={
        "test-5": {"test": 5000},
        "val": {"val": 5000},
        "train": {"train": 113_287},
        "all": {"train": 113_287, "val": 5000, "test": 5000},
    },
    splits=captions.splits({"test": "5,000 images", "val": "5,000 images", "train": "113,287 images"}),
    default_split="test",
    official=official,
)


FLICKR30K_RELEASE = captions.Release(
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
    read=partial(captions.read, FLICKR30K_RELEASE),
    check=partial(captions.check, FLICKR30K_RELEASE),
    data=FLICKR30K_RELEASE.names,
    images="flickr30k-images/, by file name",
    splits=captions.splits({"test": "the test images", "val": "the validation images", "train": "the training images"}),
    default_split="test",
)
