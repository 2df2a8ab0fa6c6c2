"""VSR's zero-shot test file as it is published, with made-up content."""

import json
from pathlib import Path

from tests.benchmarks.samples.pictures import picture

STATEMENTS = [
    ("000000000001.jpg", "The cup is on the mat.", 1, "on"),
    ("000000000001.jpg", "The mat is on the cup.", 0, "on"),
    ("000000000002.jpg", "The boat is left of the pier.", 1, "left of"),
]


def write(folder: Path) -> None:
    """The file, and its two pictures in COCO's folder."""
    lines = []
    for number, (image, caption, label, relation) in enumerate(STATEMENTS):
        link = f"http://images.cocodataset.org/train2017/{image}"
        votes = {"vote_true_validator_id": [2] * label, "vote_false_validator_id": [3] * (1 - label)}
        words = {"image": image, "image_link": link, "caption": caption, "label": label, "relation": relation}
        lines.append(json.dumps(words | {"subj": "a", "obj": "b", "annotator_id": number} | votes))
    (folder / "zeroshot_test.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for number in (1, 2):
        picture(folder / "train2017" / f"{number:012d}.jpg", number)
