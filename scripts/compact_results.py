"""Make scores small enough to ship: `python -m scripts.compact_results ROOT [--pairs]` (scripts/results.sh).

A run keeps vectors of a similarity, of which every caption has a cosine with every image; they take ten times the room
of the cosines with sixteen images, and eight of other subsets. What ships holds these alone, as a part of pairs, and
all scores under other images rounded to twelve significant bits (one part in eight thousand), since half precision
vectors know no more. Cosines are rounded to 1/65536 and log-probabilities to 1/8192 nat, far below what the product
shows of them; P(match) and vectors of pools stay as they are, other vectors are left out (they take ten times the room
of their cosines; Embeddings computes them in seconds). Each part is one file. With `--pairs` only the scores of the
items' own pairs are kept, a tenth of the room: neither retrieval's vectors nor other images' scores, which `run` scores
again.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from backend.benchmarks import load_benchmark
from backend.engine import SCORING
from backend.engine.inputs.kept_vectors import PARTS as KEPT
from backend.engine.inputs.others import PREFIX, VECTORS, Others
from backend.engine.inputs.selection import Selection
from backend.engine.storage import files, shards
from backend.errors import FlipsideError
from backend.intake.survey import Survey, survey
from backend.items import Benchmark
from backend.other_images import DEFAULT

BITS = 12
#: Images of other subsets, in all: of a share of a subset four would do.
ELSEWHERE = 8
#: Steps of cosines and of log-probabilities in nats, by part; those of P(t) stand under `prior`.
STEPS = {"itc": 2.0**-16, "t2t": 2.0**-16, "gen": 2.0**-13, "prior": 2.0**-13}
TOKENS = STEPS["gen"]


def rounded(values: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """The nearest numbers of `BITS` significant bits.

    >>> rounded(np.array([1.0, 1 / 3])).tolist()
    [1.0, 0.3333740234375]
    """
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    found: npt.NDArray[np.float32] = np.ldexp(np.round(np.ldexp(mantissa, BITS)), exponent - BITS).astype(np.float32)
    return found


def compact(root: Path, benchmark: Benchmark) -> None:
    """Every run on a benchmark below a root, in place; one that is small already stays as it is."""
    found = survey(benchmark, Selection(), root)
    for run_dir in shards.run_dirs(root):
        manifest = shards.read_manifest(run_dir)
        record = files.read_json(run_dir / shards.RECORD)
        if VECTORS[0] in manifest["parts"]:
            if record["benchmark"]["hash"] != found.content_hash:
                raise FlipsideError(f"{run_dir}: a run on another benchmark than {benchmark.name}. Score it again.")
            others = Others(found, DEFAULT, record["selection"]["seed"] or 0)
            entry = shards.write_shard(run_dir, f"{PREFIX}itc", 0, _cosines(run_dir, manifest, found, others))
            manifest["parts"][f"{PREFIX}itc"] = {"complete": True, "scoring": SCORING, "shards": [entry]}
            for part in VECTORS:
                del manifest["parts"][part]
                record["counterfactual"].pop(part)
            record["counterfactual"][f"{PREFIX}itc"] = others.about(others.items, every=False)
        for part in KEPT:
            manifest["parts"].pop(part, None)
        for part, known in manifest["parts"].items():
            known["shards"] = [_in_one(run_dir, manifest, part)]
        files.replace_json(run_dir / shards.RECORD, record)
        shards.write_manifest(run_dir, manifest)
        kept = {entry["file"] for part in manifest["parts"].values() for entry in part["shards"]}
        for path in run_dir.glob("*.parquet"):
            if path.name not in kept:
                path.unlink()


def pairs_alone(root: Path) -> None:
    """Every run below a root without the parts of retrieval and of other images, in place."""
    for run_dir in shards.run_dirs(root):
        manifest = shards.read_manifest(run_dir)
        for part in [name for name in manifest["parts"] if name.startswith((PREFIX, "embeddings:"))]:
            for entry in manifest["parts"].pop(part)["shards"]:
                (run_dir / entry["file"]).unlink()
        record = files.read_json(run_dir / shards.RECORD)
        record.pop("counterfactual", None)
        files.replace_json(run_dir / shards.RECORD, record)
        shards.write_manifest(run_dir, manifest)


def _in_one(run_dir: Path, manifest: shards.Manifest, part: str) -> shards.ShardEntry:
    table = shards.read_part(run_dir, part, manifest)
    columns: dict[str, Any] = {name: table[name] for name in table.column_names}
    step = STEPS.get(part.partition("@")[0])
    if part.startswith(PREFIX):
        columns["value"] = rounded(table["value"].to_numpy())
    elif part.startswith("tokens:"):
        said = table["logprobs"].combine_chunks()
        columns["logprobs"] = pa.ListArray.from_arrays(said.offsets, pa.array(on_grid(said.values.to_numpy(), TOKENS)))
    elif step:
        columns["value"] = on_grid(table["value"].to_numpy(), step)
    return shards.write_shard(run_dir, part, 0, columns)


def on_grid(values: npt.NDArray[np.floating], step: float) -> npt.NDArray[np.float32]:
    """The nearest multiples of a step that is a power of two.

    >>> on_grid(np.array([1 / 3, -2.0]), 1 / 8).tolist()
    [0.375, -2.0]
    """
    found: npt.NDArray[np.float32] = (np.round(np.asarray(values, dtype=np.float64) / step) * step).astype(np.float32)
    return found


def _vectors(run_dir: Path, manifest: shards.Manifest, part: str) -> dict[tuple[int, int], npt.NDArray[np.float32]]:
    table = shards.read_part(run_dir, part, manifest)
    numbers, index = table["item_no"].to_pylist(), table["index"].to_pylist()
    vectors = np.stack(table["vector"].to_numpy()).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return dict(zip(zip(numbers, index, strict=True), vectors, strict=True))


def _cosines(run_dir: Path, manifest: shards.Manifest, found: Survey, others: Others) -> dict[str, Any]:
    """The rows of the part of pairs."""
    texts, images = (_vectors(run_dir, manifest, part) for part in VECTORS)
    rows = [
        (number, image, text, float(texts[number, text] @ images[image, 0]), -1)
        for number in others.items.tolist()
        for image in [*others.wanted(number).tolist(), *_elsewhere(found, others, number)]
        for text in range(len(found.items[number].texts))
    ]
    names = ("item_no", "image_item", "text_index", "value", "n_tokens")
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _elsewhere(found: Survey, others: Others, number: int) -> list[int]:
    """The first images of other subsets' draws that an item's captions may be scored under: whether shares depend on
    which images are taken (backend/store/reasons/sources.py)."""
    item, pools = found.items[number], others.drawn.pools
    away = [name for name in pools if name != item.subset]
    first = max(1, ELSEWHERE // max(1, len(away)))
    return [
        int(image)
        for name in away
        for image in pools[name].numbers[:first][others.drawn.elsewhere(number, item.texts, name, first)]
    ]


if __name__ == "__main__":
    try:
        compact(Path(sys.argv[1]), load_benchmark("world"))
        if "--pairs" in sys.argv[2:]:
            pairs_alone(Path(sys.argv[1]))
    except (IndexError, FlipsideError) as error:
        sys.exit(f"python -m scripts.compact_results ROOT [--pairs]: {error}")
