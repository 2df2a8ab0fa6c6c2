"""EqBen's editions with made-up content: quads of all seven folders, as every published file has them."""

import json
from pathlib import Path
from typing import Any

from backend.benchmarks.eqben_files import PARTS
from tests.benchmarks.samples.pictures import picture

COLOURS = ((200, 40, 40), (40, 40, 200))


def quad(part: str, n: int, spelt: str = "") -> dict[str, Any]:
    """One quad; spelt "_": image_0 as in Winoground's style."""
    suffix = "npy" if part == "eqbenyoucook2" else "png"
    images = [f"{part}/video{n}/00000{k}.{suffix}" for k in (1, 2)]
    captions = [f"the {part} cup {n} is {colour}." for colour in ("red", "blue")]
    fields = zip(("image", "image", "caption", "caption"), (0, 1, 0, 1), images + captions, strict=True)
    return {f"{name}{spelt}{k}": value for name, k, value in fields}


def all_quads(each: int = 2, spelt: str = "") -> list[dict[str, Any]]:
    return [quad(part, n, spelt) for part in PARTS for n in range(each)]


def write(folder: Path) -> None:
    """The full annotation: 14 quads, two a folder, one more that is malformed; images of the light archive."""
    (folder / "private_info_global.json").write_text(json.dumps([*all_quads(), {"image0": "eqbensd/9.png"}]))
    images(folder)


def images(folder: Path, suffix: str = ".jpg") -> None:
    """Quad 0 of every folder; .png becomes `suffix`, as in the light archive."""
    for part in PARTS:
        record = quad(part, 0)
        for k, colour in enumerate(COLOURS):
            path = folder / "image" / record[f"image{k}"]
            picture(path.with_suffix(suffix) if path.suffix == ".png" else path, colour)


def write_parts(folder: Path) -> None:
    """The sub-datasets' own files, as the loaders of EqBen's repository read them."""

    def listed(record: dict[str, Any]) -> dict[str, Any]:
        return record | {f"caption{k}": [record[f"caption{k}"], "another caption, unused"] for k in (0, 1)}

    def bare(record: dict[str, Any]) -> dict[str, Any]:  # relative to the sub-dataset's folder
        return record | {f"image{k}": record[f"image{k}"].partition("/")[2] for k in (0, 1)}

    ag = [listed(quad("eqbenag", n)) for n in range(2)]
    (folder / "eqbenag_global_ann.json").write_text(json.dumps({"AB.mp4": {"person": ag[:1], "cup": ag[1:]}}))
    cooking = [quad("eqbenyoucook2", n) for n in range(2)]
    (folder / "eqbenyoucook2.json").write_text(json.dumps({"v1": cooking[:1], "v2": cooking[1:]}))
    (folder / "eqbengebc").mkdir()
    (folder / "eqbengebc" / "gebc_filtered.json").write_text(json.dumps({"v1": [bare(quad("eqbengebc", 0))]}))
    (folder / "eqbensd.json").write_text(json.dumps([quad("eqbensd", 0)]))


def write_pairs(folder: Path, key: bool = True) -> list[int]:
    """The shuffled list of pairs; with its key the two private files. Returns the permutation."""
    pairs, info = [], []
    for number, record in enumerate(all_quads()):
        for cell in ("c0i0", "c0i1", "c1i0", "c1i1"):
            pairs.append({"image": record[f"image{cell[3]}"], "caption": record[f"caption{cell[1]}"]})
            info.append({"dataset": record["image0"].partition("/")[0], "name": cell, "sample_cnt": number})
    order = [(at * 17 + 5) % len(pairs) for at in range(len(pairs))]
    (folder / "ann_json_finegrained_random.json").write_text(json.dumps([pairs[place] for place in order]))
    if key:
        (folder / "src_file").mkdir()
        (folder / "src_file" / "private_info.json").write_text(json.dumps(info))
        (folder / "src_file" / "private_random_idx.json").write_text(json.dumps(order))
    return order
