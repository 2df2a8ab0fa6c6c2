"""COCO and Flickr30k captions in the three shapes that go round, with made-up content."""

import json
from pathlib import Path

from PIL import Image

#: Karpathy's shape: (filepath, name, split, captions). The third test image has six captions.
IMAGES = [
    ("val2014", "COCO_val2014_000000000011.jpg", "test", ["A red cup.", "A cup, red.", "cup", "One cup.", "The cup!"]),
    ("train2014", "COCO_train2014_000000000012.jpg", "train", [f"A dog {n}." for n in range(5)]),
    ("val2014", "COCO_val2014_000000000013.jpg", "restval", [f"A cat {n}." for n in range(5)]),
    ("val2014", "COCO_val2014_000000000014.jpg", "val", [f"A bird {n}." for n in range(5)]),
    ("val2014", "COCO_val2014_000000000015.jpg", "test", [f"A boat {n}." for n in range(5)]),
    ("val2014", "COCO_val2014_000000000016.jpg", "test", [f"A tree {n}." for n in range(6)]),
]
TEST = [entry for entry in IMAGES if entry[2] == "test"]


def write(folder: Path) -> None:
    """The original: `dataset_coco.json`, and pictures under `val2014` and `train2014`."""
    records = []
    for number, (place, name, split, captions) in enumerate(IMAGES):
        sentences = [
            {"tokens": text.lower().strip(".!").split(), "raw": text, "imgid": number, "sentid": 10 * number + n}
            for n, text in enumerate(captions)
        ]
        records.append(
            {
                "filepath": place,
                "sentids": [s["sentid"] for s in sentences],
                "filename": name,
                "imgid": number,
                "split": split,
                "sentences": sentences,
                "cocoid": int(name[-16:-4]),
            }
        )
    (folder / "dataset_coco.json").write_text(json.dumps({"images": records, "dataset": "coco"}))
    pictures(folder)


def pictures(folder: Path) -> None:
    """A tiny picture for each image, but not for the last one."""
    for number, (place, name, _, _) in enumerate(IMAGES[:-1]):
        (folder / place).mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (40 * number, 100, 200 - 40 * number)).save(folder / place / name)


def write_blip(folder: Path) -> None:
    """BLIP's files: one record an image, in the training file one a caption."""
    for split in ("test", "val"):
        records = [{"image": f"{place}/{name}", "caption": texts} for place, name, s, texts in IMAGES if s == split]
        (folder / f"coco_karpathy_{split}.json").write_text(json.dumps(records))
    rows = [
        {"image": f"{place}/{name}", "caption": text, "image_id": f"coco_{int(name[-16:-4])}"}
        for place, name, split, texts in IMAGES
        if split in ("train", "restval")
        for text in texts
    ]
    (folder / "coco_karpathy_train.json").write_text(json.dumps(rows[::2] + rows[1::2]))


def write_clip_benchmark(folder: Path) -> None:
    """CLIP_benchmark's file, in the shape of COCO captions: annotations in another order than the images."""
    images = [{"id": int(name[-16:-4]), "file_name": name} for _, name, _, _ in TEST]
    captions = [
        {"image_id": int(name[-16:-4]), "id": n, "caption": text}
        for n, (name, text) in enumerate((name, text) for _, name, _, texts in reversed(TEST) for text in texts)
    ]
    document = {"info": {}, "licenses": [], "images": images, "annotations": captions}
    (folder / "coco_test_karpathy.json").write_text(json.dumps(document))
