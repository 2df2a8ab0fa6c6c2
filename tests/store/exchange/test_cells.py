"""A part that says it is complete has every cell of its items, and rows, tokens and numbers that its kind can have."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from backend.engine.storage import schema, shards
from backend.store.exchange import cells, row_forms
from backend.store.exchange.write import write_bundle
from tests.store import writer
from tests.store.forged import Forged, put

ITEMS = writer.items(4)
POOL = [number for number, item in enumerate(ITEMS) if item.subset == "retrieval"]
PRIOR = "prior@noise:3"


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """The bundle of an honest run with tokens, verdicts, a labelled pool and scores under other images."""
    root = tmp_path_factory.mktemp("elsewhere")
    folder = writer.write_run(root, ITEMS, "", ["itc", "t2t", "gen", PRIOR, "prior@self"])
    rng = np.random.default_rng(0)
    verdicts = []
    for number, item in enumerate(ITEMS):
        pairs = {"triplet": [(0, 2), (1, 2)], "quad": [(0, 1)]}.get(item.protocol, [(0, t) for t in (1, 2)])
        pairs = [(a, b) for a, b in pairs if b < len(item.texts) and item.protocol != "retrieval"]
        verdicts += [(number, i, a, b, -1, 0.5, -1) for i in range(len(item.images)) for a, b in pairs]
    writer.add_part(folder, "verdict", verdicts)
    writer.add_part(folder, "itm", writer_rows("itm", rng) + pool_rows())
    manifest = shards.read_manifest(folder)
    gen = shards.read_part(folder, "gen", manifest).to_pylist()
    tokens = {
        "item_no": np.array([row["item_no"] for row in gen], np.int32),
        **{name: [row[name] for row in gen] for name in ("image_index", "text_index", "sample")},
        "tokens": [["a"] * row["n_tokens"] for row in gen],
        "logprobs": [[row["value"] / row["n_tokens"]] * row["n_tokens"] for row in gen],
    }
    manifest["parts"]["tokens:gen"] = {
        "complete": True,
        "shards": [shards.write_shard(folder, "tokens:gen", 0, tokens)],
    }
    choices = [number for number, item in enumerate(ITEMS) if item.subset == "choice"]
    under = [(n, m, t, -8.0, 5) for n in choices for m in choices if m != n for t in range(len(ITEMS[n].texts))]
    columns = dict(zip(schema.UNDER_OTHERS.names, zip(*under, strict=True), strict=True))
    columns["item_no"] = np.array(columns["item_no"], np.int32)
    entry = shards.write_shard(folder, "counterfactual:gen", 0, columns)
    manifest["parts"]["counterfactual:gen"] = {"complete": True, "shards": [entry]}
    shards.write_manifest(folder, manifest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        write_bundle(folder.name, next((root / "benchmarks").iterdir()).name, root / "run.zip")
    return root / "run.zip"


def writer_rows(kind, rng):
    found = [writer.score_rows(kind, n, item, rng, 1.0) for n, item in enumerate(ITEMS) if n not in POOL]
    return [row for rows in found for row in rows]


def pool_rows():
    """Each image of the pool with each of its texts."""
    return [(n, 0, t, -1, -1, 0.5, -1) for n in POOL for t in range(sum(len(ITEMS[m].texts) for m in POOL))]


def kept(keep):
    return lambda table: table.filter(keep(table))


def only(column, value):
    return kept(lambda table: pc.equal(table[column], value))


def but_first(table):
    return table.slice(1)


def filled(column, value):
    def change(table):
        place = table.schema.get_field_index(column)
        field = table.schema.field(column)
        return table.set_column(place, field, pa.array([value] * table.num_rows, field.type))

    return change


def but_one_of_pool(table):
    """Without the last text of the pool's first image."""
    return table.filter(pc.invert(pc.and_(pc.equal(table["item_no"], POOL[0]), pc.equal(table["text_index"], 7))))


def own_image(table):
    return put(table, "image_item", table["item_no"][0].as_py())


def scaled(table):
    values = [[each * 1.01 for each in row] for row in table["logprobs"].to_pylist()]
    return table.set_column(5, "logprobs", pa.array(values, pa.list_(pa.float32())))


def longer(table):
    return put(put(table, "tokens", ["a"]), "logprobs", [-1.0])


LACK = "says that it is complete, and lacks scores of"
FORGED = {
    "one text of many": ("gen", only("text_index", 0), f"part gen {LACK} 16 items"),
    "one image of two": ("itc", only("image_index", 0), f"part itc {LACK} 8 items"),
    "one cell": ("itc", but_first, f"part itc {LACK} 1 items"),
    "one pair of texts": ("t2t", only("text_index_b", 1), f"part t2t {LACK} 4 items"),
    "one text of a prior": ("prior@self", only("text_index", 0), f"part prior@self {LACK} 16 items"),
    "one sample of three": (PRIOR, only("sample", 0), f"part {PRIOR} {LACK} 16 items"),
    "one verdict of two": ("verdict", only("text_index", 0), f"part verdict {LACK} 4 items"),
    "one vector of two": ("embeddings:text", only("index", 0), f"part embeddings:text {LACK} 4 items"),
    "one cell of a pool": ("itm", but_one_of_pool, f"part itm {LACK} 1 items of its pools"),
    "no tokens": ("gen", filled("n_tokens", 0), "has a sum over no tokens in part gen"),
    "unknown tokens": (PRIOR, filled("n_tokens", -1), f"has a sum over no tokens in part {PRIOR}"),
    "no tokens under others": ("counterfactual:gen", filled("n_tokens", 0), "has a sum over no tokens in part counter"),
    "above 0": ("gen", lambda t: put(t, "value", 0.5), "has a log-probability above 0 in part gen"),
    "above 0 under others": ("counterfactual:gen", lambda t: put(t, "value", 0.5), "has a log-probability above 0"),
    "no cosine": ("itc", lambda t: put(t, "value", 1.5), "has a cosine beyond 1 in part itc"),
    "no cosine of texts": ("t2t", lambda t: put(t, "value", -1.5), "has a cosine beyond 1 in part t2t"),
    "no image": ("gen", lambda t: put(t, "image_index", -1), "names no image in part gen"),
    "an image": (PRIOR, lambda t: put(t, "image_index", 0), f"names an image in part {PRIOR}"),
    "a sample": ("gen", lambda t: put(t, "sample", 7), "has a sample in part gen, which has none"),
    "another sample": (PRIOR, lambda t: put(t, "sample", 3), f"has a sample that part {PRIOR} does not have"),
    "a second text": ("gen", lambda t: put(t, "text_index_b", 0), "names a second text in part gen"),
    "no second text": ("t2t", lambda t: put(t, "text_index_b", -1), "compares no two texts in part t2t"),
    "its own image": ("counterfactual:gen", own_image, "has a score under its own image"),
    "another sum": ("tokens:gen", scaled, "item 0 has tokens in part tokens:gen that sum to"),
    "another length": ("tokens:gen", longer, "item 0 has 1 tokens in part tokens:gen, and part gen says 3"),
    "lacking tokens": ("tokens:gen", but_first, "item 0 has a score in part gen whose tokens part tokens:gen lacks"),
    "a token above 0": ("tokens:gen", lambda t: put(t, "logprobs", [1.0, -9.0, 1.0]), "log-probability above 0"),
}  # fmt: skip


@pytest.mark.parametrize(("part", "change", "said"), FORGED.values(), ids=FORGED)
def test_what_no_engine_writes_is_refused(flipside, honest, tmp_path, part, change, said):
    forged = Forged(honest)
    forged.rows(part, change)
    answer = flipside("import-results", forged.write(tmp_path / "forged.zip"))
    assert (answer.code, said in answer.err) == (1, True), answer.err


def test_the_honest_one_is_taken(flipside, honest):
    answer = flipside("import-results", honest, "--json")
    assert answer.code == 0, answer.err
    assert len(answer.json["new"]) == 11


def test_what_is_named_as_left_out_or_not_complete_may_lack_cells(flipside, honest, tmp_path):
    forged = Forged(honest)
    forged.rows("itc", but_first)
    forged.rows("t2t", only("text_index_b", 1))
    forged.change("manifest.json", lambda m: m["parts"]["itc"].update(left_out={"image missing": 1}))
    forged.change("manifest.json", lambda m: m["parts"]["t2t"].update(complete=False))
    answer = flipside("import-results", forged.write(tmp_path / "said.zip"))
    assert answer.code == 0, answer.err


RUNS = {
    "fake": ("fake:ok", "itc,itm,gen,vqa,verdict,t2t", "--prior", "noise:2", "--counterfactual", "3"),
    "pairwise": ("fake:pairwise", "itc"),
    "captioner": ("bundled:captioner", "gen,prior", "--prior", "lm:bundled:lm,images:2", "--counterfactual", "2"),
    "matcher": ("bundled:matcher", "itc,itm,t2t", "--counterfactual", "2"),
    "blind": ("bundled:lm", "prior"),
    "texts": ("bundled:sentence", "t2t"),
}


@pytest.mark.slow
@pytest.mark.parametrize("words", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("which", [("--sample", 60), ("--limit", 30, "--subset", "triplet"), ("--subset", "retrieval")])
def test_what_the_engine_writes_travels(flipside, flipside_cache, tmp_path, words, which):
    """Pools in part and whole, limits and samples, tokens and priors, scores under other images."""
    model, kinds, *more = words
    made = flipside("run", "--model", model, "--benchmark", "world", "--kinds", kinds, *more, *which, "--json")
    if made.code == 2:  # nothing for this kind in that subset
        return
    assert made.code == 0, made.err
    (folder,) = (flipside_cache / "runs").iterdir()
    (head,) = (flipside_cache / "benchmarks").iterdir()
    write_bundle(folder.name, head.name, tmp_path / "run.zip")
    parts = set(shards.read_manifest(folder)["parts"])
    for name in ("runs", "benchmarks", "db"):
        shutil.rmtree(flipside_cache / name, ignore_errors=True)
    taken = flipside("import-results", tmp_path / "run.zip", "--json")
    assert taken.code == 0, taken.err
    assert set(taken.json["new"]) == parts


def test_tokens_of_no_scores_are_refused(flipside, honest, tmp_path):
    forged = Forged(honest)
    names = [name for name in forged.files if name.startswith(f"{forged.run}/gen-")]
    for name in names:
        del forged.files[name]
    forged.change("manifest.json", lambda m: m["parts"].pop("gen"))
    answer = flipside("import-results", forged.write(tmp_path / "orphan.zip"))
    assert "it has part tokens:gen without part gen" in answer.err


def test_predictions_have_their_own_units_and_samples():
    one, none = np.array([1]), np.array([-1])
    value = np.array([30.0], np.float32)
    assert not any(wrong.any() for wrong, _ in row_forms.value_wrong("itc", value, none, "predictions:theirs"))
    assert any(wrong.any() for wrong, _ in row_forms.value_wrong("itc", value, none, "hf:a/b"))
    assert not any(wrong.any() for wrong, _ in row_forms.value_wrong("itm", value, none, "hf:a/b"))
    assert not any(w.any() for w, _ in row_forms.cell_wrong("gen", one, none, one, "predictions:theirs"))
    assert any(w.any() for w, _ in row_forms.cell_wrong("gen", one, none, one, "hf:a/b"))


def test_how_often_a_prior_is_sampled():
    assert [cells.samples_of(part) for part in ("prior@images:20@a-0a1b2c3d", "prior@self", "gen")] == [20, None, None]
