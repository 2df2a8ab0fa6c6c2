"""VL-CheckList as it is published, with made-up content: lists of [image, {"POS": [...], "NEG": [...]}]."""

import json
from pathlib import Path

from tests.benchmarks.samples.sugarcrepe import pictures

COLOURS = [
    ["VG_100K/11.jpg", {"POS": ["green bench"], "NEG": ["white bench"]}],
    ["VG_100K_2/12.jpg", {"POS": ["red cup"], "NEG": ["red cup "]}],  # can never be won, and stays
    ["VG_100K/13.jpg", {"POS": ["black dog"], "NEG": [" dog"]}],  # a phrase without its beginning, and stays
    ["VG_100K/11.jpg", {"POS": ["green bench"], "NEG": ["white bench"]}],  # an exact duplicate, and stays
]
SWIG = [
    [
        "pouring_1.jpg",
        {"POS": ["a man pours tea", "a person pours tea", "one pours tea"], "NEG": ["a man pours a hat", "b", "c"]},
    ],
]
FILES = {
    "Attribute/vg/color": COLOURS,
    "Attribute/vaw/color": COLOURS[:1],
    "Attribute/vg/action": [["VG_100K/11.jpg", {"POS": ["running dog"], "NEG": ["sleeping dog"]}]],
    "Relation/vg/action": [["VG_100K/11.jpg", {"POS": ["dog chasing cat"], "NEG": ["dog washing cat"]}]],
    "Relation/vg/spatial": [["VG_100K/11.jpg", {"POS": ["cup ON table"], "NEG": ["cup IN table"]}]],
    "Relation/swig_action": SWIG,
    "Object/Size/vg_size/vg_subj_small": [["VG_100K_2/12.jpg", {"POS": ["cup ON table"], "NEG": ["hat ON table"]}]],
    "Object/Size/swig_size/swig_agent/swig_agent_small": SWIG,
    "Object/Size/swig_size/swig_place/swig_place_small": [],
    "Object/Location/hake_location/hake_obj_mid": [
        ["hake_images_20190730/9.jpg", {"POS": ["person hold cup"], "NEG": ["person hold pen"]}]
    ],
}


def write(folder: Path) -> None:
    """`data/`, a result file that is none of the benchmark's, and three of five pictures."""
    for subset, entries in FILES.items():
        path = folder / "data" / f"{subset}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(entries))
    (folder / "output").mkdir()
    (folder / "output" / "Attribute_color_vg.json").write_text('{"total_acc": 0.5}')
    pictures(folder / "vg" / "VG_100K", ("11.jpg",))
    pictures(folder / "vg" / "VG_100K_2", ("12.jpg",))
    pictures(folder / "swig", ("pouring_1.jpg",))
