"""ARO as published, with made-up content: two VG files with further fields, two caption files in BLIP's shape."""

import json
from pathlib import Path

from tests.benchmarks.samples.pictures import picture

BOX = {"bbox_x": 10, "bbox_y": 5, "bbox_w": 30, "bbox_h": 20, "image_id": 7, "obj1_name": "cup"}


def relation(name: str, image: str = "1111.jpg", **other: object) -> dict[str, object]:
    return {
        "image_path": image, **BOX, "relation_name": name,
        "true_caption": f"the cup is {name} the plate", "false_caption": f"the plate is {name} the cup", **other,
    }  # fmt: skip


def attribution(first: str, second: str, image: str = "1111.jpg") -> dict[str, object]:
    return {
        "image_path": image, **BOX, "attributes": [first, second],
        "true_caption": f"the {first} cup and the {second} table",
        "false_caption": f"the {second} cup and the {first} table",
    }  # fmt: skip


def write(folder: Path) -> None:
    """Four relations (one of them malformed), 28 attributions, five captions of each order part."""
    relations = [
        relation("to the left of"),
        relation("near"),
        relation("holding", bbox_w=0),
        relation("holding", "2.jpg"),
    ]
    (folder / "visual_genome_relation.json").write_text(json.dumps(relations))
    pairs = [attribution("red", "wooden") for _ in range(25)] + [attribution("small", "old") for _ in range(3)]
    (folder / "visual_genome_attribution.json").write_text(json.dumps(pairs))
    captions = ["A black dog and a white cat sit on the old sofa.", "Dogs.", "Two men ride brown horses!"]
    coco = [
        {"image": "val2014/COCO_val2014_000000000001.jpg", "caption": captions},
        {"image": "val2014/COCO_val2014_000000000002.jpg", "caption": ["A red bus near a tall tree.", "A bus"]},
    ]
    (folder / "coco_karpathy_test.json").write_text(json.dumps(coco))
    flickr = [{"image": "flickr30k-images/1000.jpg", "caption": [*captions, "A girl in a blue dress.", "Girl"]}]
    (folder / "flickr30k_test.json").write_text(json.dumps(flickr))
    picture(folder / "images" / "1111.jpg")
    picture(folder / "val2014" / "COCO_val2014_000000000001.jpg")
