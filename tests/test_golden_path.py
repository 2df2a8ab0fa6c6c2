"""Model folder, `run`, Parquet, DuckDB, `report`, `export`: every number again by other code than ours.

Scores come again from transformers itself, one pair at a time; metrics from the exported CSV by tests/recounted.py. The
benchmark is a small edition of the world in a folder, with PNG files; the models are random weights in real
architectures. At the end the runs move to another cache, where the same report must come out.
"""

import contextlib
import hashlib
import io
import json
import re
import shlex
import zipfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests import recounted
from tests.zoo.base import IDS, TOWER, VISION, hf, image_processor, save

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

#: Scores in float32, one pair at a time against batches.
CLOSE = 1e-4
#: Cosines of a retrieval pool come from embeddings that are kept in float16.
HALF = 2e-3


def call(*arguments):
    """The command line, as typed; its standard output."""
    from backend.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    assert code == 0, f"{shlex.join(map(str, arguments))}\n{err.getvalue()}"
    return out.getvalue()


def report(model, *more):
    return json.loads(call("report", "--model", model, "--benchmark", "world", *more, "--json"))


def table(folder, model, what, *more):
    out = folder / f"{what}.csv"
    call("export", "--model", model, "--benchmark", "world", "--what", what, "--format", "csv", "--out", out, *more)
    return pd.read_csv(out, keep_default_na=False, na_values={"logprob": "", "sample": "", "n_tokens": "",
                       "image_index": "", "text_index": "", "text_index_b": "", "value": "", "margin": ""})  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A cache of this module's own, with no shipped results in it; restored before each test."""
    pytest.importorskip("torch")
    root = tmp_path_factory.mktemp("golden")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root / "cache"))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "shipped")
        call("world", "--items", "48", "--seed", "3", "--out", root / "edition")
        yield root


@pytest.fixture(autouse=True)
def cache_of_the_module(place, flipside_cache, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(place / "cache"))


@pytest.fixture(scope="module")
def edition(place):
    """The items as the edition's own file says, and picture files by key."""
    items = [json.loads(line) for line in (place / "edition" / "items.jsonl").read_text().splitlines()]
    files = {image["key"]: place / "edition" / image["file"] for item in items for image in item["images"]}
    return SimpleNamespace(items=items, files=files)


def tokenizer(edition):
    """Words of the edition; a text becomes [BOS] words [EOS]."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = sorted({word for item in edition.items for text in item["texts"] for word in text.lower().split()})
    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[BOS]", "[UNK]", "[EOS]", *words])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    core.post_processor = processors.TemplateProcessing(
        single="[BOS] $A [EOS]", special_tokens=[("[BOS]", 1), ("[EOS]", 3)]
    )
    named = {"pad_token": "[PAD]", "bos_token": "[BOS]", "eos_token": "[EOS]", "unk_token": "[UNK]"}
    named |= {"cls_token": "[BOS]", "sep_token": "[EOS]"}
    return hf().PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=40, **named)


@pytest.fixture(scope="module")
def models(place, edition):
    """name -> (spec, reference module): CLIP, BLIP captioner, BLIP matcher, each run through the command line."""
    words = tokenizer(edition)
    text = {**TOWER, **IDS, "vocab_size": len(words), "max_position_embeddings": 40}
    blip = hf().BlipConfig(
        text_config={**text, "sep_token_id": 3, "encoder_hidden_size": 32, "is_decoder": True},
        vision_config={**VISION, "initializer_range": 0.02}, image_text_hidden_size=24, projection_dim=24,
    )  # fmt: skip
    clip = hf().CLIPConfig(text_config=text, vision_config=VISION, projection_dim=24)
    made = {
        "clip": (lambda: hf().CLIPModel(clip), "CLIPImageProcessor", ("itc,t2t",)),
        "captioner": (
            lambda: hf().BlipForConditionalGeneration(blip), "BlipImageProcessor",
            ("gen,prior", "--prior", "noise:3"),
        ),
        "matcher": (lambda: hf().BlipForImageTextRetrieval(blip), "BlipImageProcessor", ("itm,itc",)),
    }  # fmt: skip
    found = {}
    for name, (make, pictures, kinds) in made.items():
        folder = place / name
        folder.mkdir()
        module = save(folder, make, words, image_processor(pictures))
        call("run", "--model", f"hf:{folder}", "--benchmark", "world", "--data", place / "edition", "--device", "cpu",
             "--kinds", *kinds)  # fmt: skip
        found[name] = SimpleNamespace(spec=f"hf:{folder}", module=module, words=words,
                                      pixels=hf().AutoImageProcessor.from_pretrained(folder))  # fmt: skip
    return found


@pytest.fixture(scope="module")
def exported(place, models):
    """name -> the exported tables."""
    found = {}
    for name, model in models.items():
        folder = place / f"{name}-tables"
        folder.mkdir()
        tables = {what: table(folder, model.spec, what) for what in ("scores", "items", "tokens", "outcomes")}
        found[name] = SimpleNamespace(**tables)
    return found


def texts_of(items):
    """item_id -> the texts that `text_index` counts: the item's own, in a pool those of all its items."""
    own = {row.item_id: json.loads(row.texts) for row in items.itertuples()}
    pool = [text for row in items.itertuples() if row.protocol == "retrieval" for text in own[row.item_id]]
    pooled = {row.item_id for row in items.itertuples() if row.protocol == "retrieval"}
    return own, {item_id: pool if item_id in pooled else texts for item_id, texts in own.items()}


def pixels(model, edition, items):
    """item_id -> the model's input for each of its pictures, from the PNG files."""
    return {
        row.item_id: [model.pixels(images=Image.open(edition.files[key]).convert("RGB"),
                                   return_tensors="pt")["pixel_values"] for key in json.loads(row.images)]
        for row in items.itertuples()
    }  # fmt: skip


def test_the_items_are_those_of_the_edition(edition, exported):
    for tables in exported.values():
        rows = tables.items.itertuples()
        assert [(row.item_id, json.loads(row.texts), json.loads(row.truth)) for row in rows] == [
            (item["item_id"], item["texts"], item["truth"]) for item in edition.items
        ]


def test_cosines_are_transformers_own(models, edition, exported):
    import torch

    clip, tables = models["clip"], exported["clip"]
    own, texts = texts_of(tables.items)
    inputs = pixels(clip, edition, tables.items)
    kinds = {"itc": 0, "t2t": 0}
    pooled = set(tables.items[tables.items["protocol"] == "retrieval"]["item_id"])
    with torch.no_grad():
        for row in tables.scores.itertuples():
            if row.kind == "itc":
                words = clip.words(texts[row.item_id][int(row.text_index)], return_tensors="pt")
                out = clip.module(input_ids=words["input_ids"], attention_mask=words["attention_mask"],
                                  pixel_values=inputs[row.item_id][int(row.image_index)])  # fmt: skip
                want = (out.image_embeds @ out.text_embeds.T).item()
            else:
                pair = [own[row.item_id][int(n)] for n in (row.text_index, row.text_index_b)]
                a, b = (embedding(clip, text) for text in pair)
                want = (a @ b.T).item()
            kinds[row.kind] += 1
            assert row.value == pytest.approx(want, abs=HALF if row.item_id in pooled else CLOSE), row
    triplets = (tables.items["protocol"] == "triplet").sum()
    assert kinds["t2t"] == 3 * triplets
    n_pool = len(pooled)
    n_texts = sum(len(own[item_id]) for item_id in pooled)
    cells = sum(
        len(json.loads(r.images)) * len(own[r.item_id]) for r in tables.items.itertuples() if r.item_id not in pooled
    )
    assert kinds["itc"] == cells + n_pool * n_texts


def embedding(clip, text):
    import torch

    words = clip.words(text, return_tensors="pt")
    blank = torch.zeros(1, 3, 32, 32)
    return clip.module(input_ids=words["input_ids"], attention_mask=words["attention_mask"],
                       pixel_values=blank).text_embeds  # fmt: skip


def test_match_log_odds_are_transformers_own(models, edition, exported):
    import torch

    matcher, tables = models["matcher"], exported["matcher"]
    _, texts = texts_of(tables.items)
    inputs = pixels(matcher, edition, tables.items)
    rows = tables.scores[tables.scores["kind"] == "itm"]
    assert len(rows) > 200
    with torch.no_grad():
        for row in rows.itertuples():
            words = matcher.words(texts[row.item_id][int(row.text_index)], return_tensors="pt")
            head = matcher.module(
                pixel_values=inputs[row.item_id][int(row.image_index)], input_ids=words["input_ids"],
                attention_mask=words["attention_mask"], use_itm_head=True,
            ).itm_score[0].double()  # fmt: skip
            assert row.value == pytest.approx((head[1] - head[0]).item(), abs=CLOSE), row


def caption(captioner, picture, text):
    """Tokens after [BOS], the final [EOS] among them, with their log-probabilities; by the model's own forward pass."""
    import torch

    ids = captioner.words(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = captioner.module(pixel_values=picture, input_ids=ids).logits[0]
    given = torch.log_softmax(logits.double(), -1)[:-1].gather(1, ids[0, 1:, None])[:, 0]
    return captioner.words.convert_ids_to_tokens(ids[0, 1:].tolist()), given.numpy()


def test_captions_and_their_tokens_are_transformers_own(models, edition, exported):
    captioner, tables = models["captioner"], exported["captioner"]
    _, texts = texts_of(tables.items)
    inputs = pixels(captioner, edition, tables.items)
    grouped = dict(list(tables.tokens.groupby(["item_id", "image_index", "text_index"])))
    rows, with_tokens = tables.scores[tables.scores["kind"] == "gen"], 0
    for row in rows.itertuples():
        picture, text = inputs[row.item_id][int(row.image_index)], texts[row.item_id][int(row.text_index)]
        tokens, given = caption(captioner, picture, text)
        assert row.n_tokens == len(tokens)
        assert row.value == pytest.approx(given.sum(), abs=CLOSE * len(tokens)), row
        stored = grouped.get((row.item_id, row.image_index, row.text_index))
        if stored is not None:
            with_tokens += 1
            assert stored["token"].tolist() == tokens
            assert stored["position"].tolist() == list(range(len(tokens)))
            np.testing.assert_allclose(stored["logprob"], given, atol=CLOSE)
            assert row.value == pytest.approx(stored["logprob"].sum(), abs=CLOSE)
    pooled = set(tables.items[tables.items["protocol"] == "retrieval"]["item_id"])
    assert with_tokens == (~rows["item_id"].isin(pooled)).sum() == len(grouped)


def test_the_prior_is_the_model_under_noise(models, exported):
    """Noise k is N(0, 1) in normalised pixels from the generator (seed, k), at input resolution."""
    import torch

    captioner, tables = models["captioner"], exported["captioner"]
    own, _ = texts_of(tables.items)
    noise = [torch.from_numpy(np.random.default_rng((0, k)).standard_normal((1, 3, 32, 32), dtype=np.float32))
             for k in range(3)]  # fmt: skip
    rows = tables.scores[tables.scores["kind"] == "prior"]
    assert len(rows) == 3 * sum(len(texts) for texts in own.values())
    memo = {}
    for row in rows.itertuples():
        key = own[row.item_id][int(row.text_index)], int(row.sample)
        if key not in memo:
            memo[key] = caption(captioner, noise[key[1]], key[0])
        tokens, given = memo[key]
        assert row.n_tokens == len(tokens)
        assert row.value == pytest.approx(given.sum(), abs=CLOSE * len(tokens)), row


def recomputed(tables, scored, kind, subset=None):
    """metric -> (value, n) as tests/recounted.py has it; no pool metrics where the items hold no pool."""
    items = tables.items if subset is None else tables.items[tables.items["subset"] == subset]
    found = {name: recounted.share(values) for name, values in recounted.verdicts(items, scored, kind).items()}
    if (items["protocol"] == "choice").any() and kind == "itm":
        found |= recounted.thresholded(items, scored)
    if (items["protocol"] == "retrieval").any() and kind != "t2t":
        found |= recounted.recalls(items, scored)
    return found


SETTINGS = [
    ("clip", "itc", ()),
    ("clip", "t2t", ()),
    ("matcher", "itm", ()),
    ("matcher", "itc", ()),
    ("captioner", "gen", ()),
    *[
        ("captioner", "gen", ("--alpha", alpha, "--prior", "noise:3", "--norm", norm))
        for norm in ("token", "sum", "paper-score")
        for alpha in ("0.5", "1")
    ],
]


@pytest.mark.parametrize(
    ("name", "kind", "more"),
    SETTINGS,
    ids=lambda value: value if isinstance(value, str) else " ".join(value) or "default",
)
def test_every_metric_again(models, exported, name, kind, more):
    tables = exported[name]
    found = report(models[name].spec, "--kind", kind, *more)
    if kind == "gen":
        alpha, norm = (float(more[1]), more[5]) if more else (0.0, "token")
        scored = recounted.debiased(tables.scores, tables.items, alpha, norm)
        assert found["setting"]["norm"] == norm
        assert found["setting"]["alpha"] == alpha
    else:
        scored = recounted.cells(tables.scores, kind)
    defined = {metric for metric, entry in found["metrics"].items() if entry["value"] is not None}
    want = recomputed(tables, scored, kind)
    assert defined == set(want)
    assert len(want) >= (3 if kind == "t2t" else 16)
    for metric, value in want.items():
        assert found["metrics"][metric]["value"] == pytest.approx(value, abs=1e-9), metric
    for subset, metrics in found["by"].items():
        want = recomputed(tables, scored, kind, subset)
        assert {metric for metric, entry in metrics.items() if entry["value"] is not None} == set(want)
        for metric, value in want.items():
            assert metrics[metric]["value"] == pytest.approx(value, abs=1e-9), (subset, metric)


def test_exported_outcomes_are_the_verdicts(exported):
    for name, kinds in (("clip", ("itc", "t2t")), ("matcher", ("itm", "itc"))):
        tables = exported[name]
        for kind in kinds:
            rows = tables.outcomes[tables.outcomes["kind"] == kind]
            for metric, values in recounted.verdicts(tables.items, recounted.cells(tables.scores, kind), kind).items():
                shown = rows[rows["metric"] == metric]
                assert shown["correct"].astype(str).str.lower().eq("true").tolist() == values, (kind, metric)


def test_a_changed_score_would_show(exported):
    """The comparison can fail: one score moved across its rival changes a recomputed metric."""
    tables = exported["clip"]
    scored = recounted.cells(tables.scores, "itc")
    before = recomputed(tables, scored, "itc")
    quad = next(row.item_id for row in tables.items.itertuples() if row.protocol == "quad")
    for values in ((1, 0, 0, 1), (0, 1, 1, 0)):
        scored[quad] = dict(zip([(0, 0), (0, 1), (1, 0), (1, 1)], values, strict=True))
        after = recomputed(tables, scored, "itc")
        if after["group_score"] != before["group_score"]:
            return
    pytest.fail("a quad that is right and one that is wrong give the same group score")


#: Vectors of pools, and of what else cosines are made of.
VECTORS = {"embeddings:image", "embeddings:text", "vectors:image", "vectors:text"}
#: Parts that a bundle must carry, and the settings under which both places must say the same.
MOVED = {
    "clip": ({"itc", "t2t", *VECTORS}, [("--kind", "itc"), ("--kind", "t2t")]),
    "captioner": (
        {"gen", "tokens:gen", "prior@noise:3"},
        [(), ("--kind", "gen", "--alpha", "0.7", "--prior", "noise:3"), ("--kind", "gen", "--by", "concept")],
    ),
    "matcher": ({"itm", "itc", *VECTORS}, [("--kind", "itm"), ("--kind", "itc")]),
}  # fmt: skip


def tree(root):
    """Every file of a cache that matters, by its content, imported ones as if they lay among one's own; the database is
    derived, the locks are empty."""
    return {
        str(path.relative_to(top)): hashlib.sha256(path.read_bytes()).hexdigest()
        for top in (root, root / "imported")
        for part in ("runs", "benchmarks")
        for path in sorted((top / part).rglob("*"))
        if path.is_file() and path.name != "lock"
    }


def _apart_from_origin(found):
    """A report without what says where its run is from, and where a command finds its items."""
    kept = {name: value for name, value in found.items() if name not in ("origin", "imported", "notes")}
    return json.loads(re.sub(r" --data [^` ]+", "", json.dumps(kept)))


@pytest.mark.parametrize("name", MOVED)
def test_a_run_moves_whole(models, place, name, tmp_path, monkeypatch):
    spec, (parts, settings) = models[name].spec, MOVED[name]
    here = [report(spec, *setting) for setting in settings]
    tables = {what: table(tmp_path, spec, what) for what in ("scores", "tokens", "outcomes", "items")}
    bundle = tmp_path / "run.zip"
    call("export", "--model", spec, "--benchmark", "world", "--what", "bundle", "--out", bundle)
    there = tmp_path / "elsewhere"
    monkeypatch.setenv("FLIPSIDE_CACHE", str(there))
    first = json.loads(call("import-results", bundle, "--json"))
    assert set(first["new"]) == parts
    assert first["known"] == []
    moved = [report(spec, *setting) for setting in settings]
    assert {found["origin"] for found in moved} == {"imported"}
    assert [_apart_from_origin(found) for found in moved] == [_apart_from_origin(found) for found in here]
    for what, frame in tables.items():
        pd.testing.assert_frame_equal(table(tmp_path, spec, what), frame)
    before, generation = tree(there), (there / "db" / "CURRENT").read_text()
    # What was said of the import, and which pictures were looked at, stays where it was said.
    assert {file for file in tree(place / "cache") if here[0]["run"] in file and not file.endswith("images.jsonl")} == {
        file for file in before if file.startswith("runs/") and not file.endswith("imported.json")
    }
    again = json.loads(call("import-results", bundle, "--json"))
    assert (again["new"], set(again["known"])) == ([], parts)
    assert tree(there) == before
    assert (there / "db" / "CURRENT").read_text() == generation
    # The bundle that the other place makes of it is the same run again.
    call("export", "--model", spec, "--benchmark", "world", "--what", "bundle", "--out", tmp_path / "back.zip")
    with zipfile.ZipFile(bundle) as one, zipfile.ZipFile(tmp_path / "back.zip") as other:
        assert (
            json.loads(one.read("bundle.json"))["files"].keys() == json.loads(other.read("bundle.json"))["files"].keys()
        )
        assert all(one.read(file) == other.read(file) for file in one.namelist() if file.startswith("runs/"))


@pytest.mark.parametrize("part", ["tokens_gen", "prior@noise_3", "gen-", "manifest.json", "run.json", "items.parquet"])
def test_a_tampered_bundle_is_refused_whole(models, tmp_path, monkeypatch, flipside, part):
    bundle, bad = tmp_path / "run.zip", tmp_path / "bad.zip"
    call("export", "--model", models["captioner"].spec, "--benchmark", "world", "--what", "bundle", "--out", bundle)
    changed = 0
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(bad, "w") as new:
        for file in old.namelist():
            data = old.read(file)
            if part in file and not changed:
                middle = len(data) // 2
                data, changed = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :], 1
            new.writestr(file, data)
    assert changed
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    answer = flipside("import-results", bad)
    assert answer.code == 1
    assert "does not match its checksum" in answer.err
    assert answer.err.count("\n") == 1
    left = [path.name for path in (tmp_path / "elsewhere").glob("*/*")]
    assert left in ([], ["begun.json"])  # says only that this cache keeps records of its own imports
