"""Flickr30k captions as Karpathy and as CLIP_benchmark have them, with made-up content."""

import json
from pathlib import Path

from PIL import Image

IMAGES = {
    "1000001.jpg": ("test", ["Two men, one hat.", "Men.", "A man and a man", "Hat", 'He says "no, never".']),
    "1000002.jpg": ("train", [f"A child {n}." for n in range(5)]),
    "1000003.jpg": ("test", [f"A horse {n}." for n in range(5)]),
}


def write(folder: Path) -> None:
    """The original: `dataset_flickr30k.json`, which has neither `filepath` nor `cocoid`; pictures beside it."""
    records = [
        {
            "sentids": list(range(5 * number, 5 * number + 5)),
            "imgid": number,
            "sentences": [{"tokens": text.split(), "raw": text, "imgid": number, "sentid": n}
                          for n, text in enumerate(captions)],
            "split": split,
            "filename": name,
        }
        for number, (name, (split, captions)) in enumerate(IMAGES.items())
    ]  # fmt: skip
    (folder / "dataset_flickr30k.json").write_text(json.dumps({"images": records, "dataset": "flickr30k"}))
    (folder / "flickr30k-images").mkdir()
    for name in IMAGES:
        Image.new("RGB", (8, 8), (int(name[6]) * 60, 20, 20)).save(folder / "flickr30k-images" / name)


def write_clip_benchmark(folder: Path) -> None:
    """`flickr30k_test_karpathy.txt`: a header, then `<name>,<caption>` without quotes."""
    rows = [f"{name},{text}" for name, (split, texts) in IMAGES.items() if split == "test" for text in texts]
    (folder / "flickr30k_test_karpathy.txt").write_text("\n".join(["image,caption", *rows]) + "\n")
