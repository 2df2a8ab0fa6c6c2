"""What a run's id and a benchmark's hash are made of: nothing of this machine, and the same as ever.

The ids stand here as words besides tests/golden/values: a renewal alone hides no change. Who raises FORMAT or SCORING
(backend/engine) means to change them, and edits this file by hand.
"""

import hashlib
import json

import pyarrow.parquet as pq
import pytest

from backend.engine.storage.identity import run_id
from backend.paths import BUNDLED
from tests.golden.kept import check_value
from tests.golden.write_samples import picture, tables

WORLD = "f8eadc93235c650081f4ae4bb9900f56b96f9c0526663d2d29816388901b5929"
SHIPPED = {
    "bundled:clip-bag": "cc57468f2604eba7",
    "bundled:clip-young": "4c136a1831c3a33c",
    "bundled:sentence": "d19b22d920775361",
    "bundled:clip-relational": "6c8164e8607ec483",
    "bundled:clip": "ed8561a8f3063c0e",
    "bundled:matcher": "9b2121f31de21579",
    "bundled:lm": "57e3e0ee1da55b82",
    "bundled:captioner": "e9ce18ca28a0a9a1",
}
#: The hash of the tables in write_samples.py, however they are packed and wherever they lie.
SAMPLE = "bccb0f14a28e4f04e124a10ac8f6f1bf31c2a142d43f97ecddcfb20f6b6429ca"
#: Kinds, priors, batches and the device extend a run; what is selected, seeds and weights make another.
WHOLE = "7413ade622f273e9"
RUNS = {
    "--kinds itc": WHOLE,
    "--kinds t2t,gen,itc": WHOLE,
    "--kinds gen,prior --prior noise:2 --prior images:3": WHOLE,
    "--kinds itc --batch 3 --device cpu --dtype float16": WHOLE,
    "--kinds itc --subset choices,quads": "c021901ab30cb962",
    "--kinds itc --subset quads --subset choices": "c021901ab30cb962",
    "--kinds itc --limit 3": "ff0ef533c34f3404",
    "--kinds itc --sample 5": "f2020aa738a3eb22",
    "--kinds itc --sample 5 --seed 7": "25720a2d3457f930",
    "--kinds itc --seed 7": "650404962b6a44b5",
    "--kinds itc --split test": "4a6da98d0cf950c9",
    "--kinds itc --split all": WHOLE,
}
OTHERS = {"fake:constant": "cad1c1c6bb7b6550", "fake:ok/itc": WHOLE, "fake:pairwise": "c270632fa483881f"}
#: A made-up model, from which ingredients are changed one by one.
MODEL = {
    "spec": "hf:some/where", "family": "dual", "weights_sha256": "0" * 64, "preprocessing": {"images": {"size": 224}},
    "dtype": "float32", "device": "cpu", "versions": {"torch": "1.0"}, "seed": 3,
}  # fmt: skip
NOTHING = {"split": None, "subset": None, "limit": None, "sample": None, "seed": 0}


def records(root):
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(root.glob("runs/*/run.json"))}


def recipe(record):
    """The id by code of this file's own, from a stored record."""
    model = record["model"]
    said = {
        "weights": model["weights_sha256"], "benchmark": record["benchmark"]["hash"],
        "preprocessing": model["preprocessing"], "dtype": model["dtype"], "selection": record["selection"], "format": 1,
    }  # fmt: skip
    if record.get("scoring", 1) != 1:
        said["scoring"] = record["scoring"]
    if record.get("pictures"):
        said["pictures"] = record["pictures"]["sha256"]
    text = json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("root", ["results", "editions"])
def test_ids_of_what_ships_follow_from_the_records(root):
    found = records(BUNDLED / root)
    for name, record in found.items():
        pictures = record.get("pictures", {}).get("sha256", "")
        again = run_id(
            record["model"], record["benchmark"]["hash"], record["selection"], record.get("scoring", 1), pictures
        )
        assert name == record["run"] == recipe(record) == again
    if root == "results":
        assert {record["model"]["spec"]: name for name, record in found.items()} == SHIPPED
    check_value(f"ids-{root}", {name: [r["model"]["spec"], r["benchmark"]["name"]] for name, r in found.items()})


@pytest.mark.parametrize("root", ["results", "editions"])
def test_hashes_of_what_ships_follow_from_the_items(root):
    found = {}
    for folder in sorted((BUNDLED / root / "benchmarks").iterdir()):
        head = json.loads((folder / "benchmark.json").read_text())
        rows = pq.read_table(folder / "items.parquet").to_pylist()
        digest = hashlib.sha256()
        for row in rows:
            truth = row["truth"] if isinstance(row["truth"], list) else json.loads(row["truth"])
            line = [row["item_id"], row["protocol"], row["image_keys"], row["texts"], truth]
            digest.update(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        assert digest.hexdigest() == head["hash"]
        assert folder.name == head["hash"][:16]
        assert head["n_items"] == len(rows)
        found[head["name"]] = [head["hash"], len(rows)]
    if root == "results":
        assert found == {"world": [WORLD, 4830]}
    check_value(f"hashes-{root}", found)


def test_the_world_has_the_hash_that_ships():
    from backend.benchmarks import load_benchmark

    assert load_benchmark("world").content_hash() == WORLD


def test_ingredients():
    """Weights, preprocessing, dtype, items, selection, scoring and pictures count; spec, device and versions do not."""
    assert run_id(MODEL, "f" * 64, NOTHING) == "365fdf766ba8b4ec"
    same = MODEL | {"spec": "/a/folder", "family": "x", "device": "cuda", "versions": {}, "seed": 9, "kinds": ["itc"]}
    assert run_id(same, "f" * 64, NOTHING) == run_id(MODEL, "f" * 64, NOTHING)
    changed = {
        "weights": run_id(MODEL | {"weights_sha256": "1" * 64}, "f" * 64, NOTHING),
        "preprocessing": run_id(MODEL | {"preprocessing": {"images": {"size": 336}}}, "f" * 64, NOTHING),
        "dtype": run_id(MODEL | {"dtype": "float16"}, "f" * 64, NOTHING),
        "items": run_id(MODEL, "e" * 64, NOTHING),
        "limit": run_id(MODEL, "f" * 64, NOTHING | {"limit": 5}),
        "picked": run_id(MODEL, "f" * 64, NOTHING | {"items": {"n": 2, "sha256": "0" * 16}}),
        "scoring": run_id(MODEL, "f" * 64, NOTHING, 2),
        "pictures": run_id(MODEL, "f" * 64, NOTHING, 1, "a" * 64),
    }
    assert len({*changed.values(), run_id(MODEL, "f" * 64, NOTHING)}) == len(changed) + 1
    assert changed["dtype"] == "8158cec0afbd7a7c"
    check_value("ids-ingredients", changed)


@pytest.fixture
def sample(tmp_path):
    """The tables of the samples in a folder, with their pictures."""
    (tmp_path / "pictures").mkdir()
    for name, text in tables().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for k in range(6):
        (tmp_path / "pictures" / f"p{k}.png").write_bytes(picture(f"p{k}"))
        (tmp_path / "pictures" / f"j{k}.jpg").write_bytes(picture(f"j{k}", "JPEG"))
    return tmp_path


@pytest.mark.long
def test_ids_of_fake_runs(sample, flipside, flipside_cache):
    """Every option that selects, on a small benchmark of one's own, by the verb."""
    found = {}
    for options in RUNS:
        found[options] = ran(flipside, sample, "fake:ok", options)
    others = {model: ran(flipside, sample, model, "--kinds itc") for model in OTHERS}
    check_value("ids-fake", found | others)
    assert {options: said["run"] for options, said in found.items()} == RUNS
    assert {model: said["run"] for model, said in others.items()} == OTHERS
    stored = records(flipside_cache)
    assert set(stored) == {*RUNS.values(), *OTHERS.values()}
    for name, record in stored.items():
        assert recipe(record) == name
        assert record["benchmark"]["hash"] == SAMPLE


def ran(flipside, data, model, options):
    answer = flipside("run", "--model", model, "--benchmark", "custom", "--data", data, *options.split(), "--json")
    assert answer.code == 0, answer.err
    rows = {part: entry["rows"] for part, entry in answer.json["parts"].items()}
    return {"run": answer.json["run"], "n_items": answer.json["n_items"], "rows": rows}


def test_the_id_of_predictions(sample, flipside, tmp_path):
    """Made of what was said, in whatever order the rows come."""
    lines = [f"choices/c{k},{'true' if k % 3 else 'false'}" for k in range(6)]
    for given in (lines, lines[::-1]):
        answers = tmp_path / "answers.csv"
        answers.write_text("\n".join(["item_id,correct", *given]) + "\n", encoding="utf-8")
        said = flipside(
            "add-predictions", answers, "--as", "other", "--benchmark", "custom", "--data", sample, "--json"
        )
        assert said.code == 0, said.err
        assert said.json["run"] == "df0fb3c67f3a98ce"


@pytest.mark.slow
def test_the_libraries_of_today_give_the_id_that_ships():
    """The preprocessing of a loaded model is an ingredient: a library that describes it otherwise makes other runs."""
    from backend.models import load

    for spec in ("bundled:clip", "bundled:matcher"):
        assert run_id(load(spec).describe(), WORLD, NOTHING) == SHIPPED[spec]
