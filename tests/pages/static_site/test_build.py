"""What a published site holds, and what it never does."""

import inspect
import json
import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from backend.errors import FlipsideError
from backend.intake.real.score_files import score_files
from backend.store import queries
from backend.store.queries import Setting
from pages.overview import notice
from pages.shared.data import stored
from pages.static_site import charts, pictures
from pages.static_site.build import Options, build
from pages.static_site.selection import Wanted
from tests.pages import results
from tests.pages.static_site.conftest import HOSTILE, Publish, unpacked
from tests.pages.static_site.sentences import inflated
from tests.store.writer import write_run

pytestmark = pytest.mark.long


def texts_of(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.js"))


def test_a_site_is_a_page_a_script_and_data(publish: Publish) -> None:
    done = publish("world~small", pictures=True)
    files = {path.relative_to(done.out).as_posix() for path in done.out.rglob("*") if path.is_file()}
    assert {"index.html", "flipside.js", "flipside.css", "mark.svg", "data/site.js", "data/b0.js"} <= files
    html = (done.out / "index.html").read_text()
    assert "script-src 'self'" in html
    assert "unsafe" not in html
    assert not re.search(r"<script(?! src)|\son\w+=|style=", html)
    script = (done.out / "flipside.js").read_text()
    assert not re.search(r"^\s*(import|export) |\bfetch\(|new Worker|XMLHttpRequest|\beval\(", script, re.MULTILINE)
    assert (done.out / "flipside.js").read_text().count("function exactCurve(") == 1
    assert done.size == sum((done.out / name).stat().st_size for name in files if not name.startswith("pictures/"))
    shown = {uri for item in results.world(40) for uri in (image.uri for image in item.images)}
    assert 0 < done.n_pictures <= len(shown)
    assert len(list((done.out / "pictures").iterdir())) == done.n_pictures
    assert not done.left_out


def test_its_arrays_are_the_store_s(publish: Publish) -> None:
    done = publish("world~small")
    data, store = unpacked(done.out / "data/b0.js"), stored.store()
    runs = dict(zip(*(queries.runs(store)[name] for name in ("model", "run_id")), strict=True))
    compared = 0
    for side, packed in zip(data["sides"], data["verdicts"], strict=True):
        frame = queries.outcomes(store, runs[side["model"]], Setting(side["kind"]))
        for metric, of in packed["metrics"].items():
            own = frame[(frame["metric"] == metric) & (frame["query"] == -1)].sort_values("item_no")
            ids = [data["items"]["ids"][k] for k in np.frombuffer(b64decode(of["at"]), "<i4")]
            assert ids == list(own["item_id"])
            verdict = np.frombuffer(b64decode(of["verdict"]), "<i1")
            assert (verdict == 1).tolist() == own["correct"].fillna(False).tolist()
            margin = np.frombuffer(b64decode(of["margin"]), "<f4")
            np.testing.assert_array_equal(margin, own["margin"].to_numpy(np.float32))
            compared += len(own)
    assert compared > 300


def test_captions_are_data_and_never_markup(publish: Publish) -> None:
    done = publish("world~small", hostile=True)
    for path in (done.out / "data").iterdir():
        assert "<" not in path.read_text(encoding="utf-8"), f"{path.name} holds a sign that could begin markup"
    texts = unpacked(done.out / "data/b0-texts.js")
    assert any(text.replace("\u0001", "").replace("\u0002", "").endswith(HOSTILE) for item in texts for _, text in item)


@pytest.mark.parametrize("name", ["winoground", "visla", "vl_checklist", "custom:mine", "unknown"])
def test_captions_of_others_are_left_out_and_nothing_quotes_them(publish: Publish, name: str) -> None:
    done = publish(name, pictures=True)
    assert done.n_pictures == 0
    assert not (done.out / "data/b0-texts.js").exists()
    assert unpacked(done.out / "data/b0.js")["items"]["hasTexts"] is False
    assert any("Captions and pictures are not in here" in line for line in done.left_out)
    from tests.pages.static_site.sentences import all_sentences

    said = texts_of(done.out) + all_sentences(done.out)
    for item in results.world(40):
        for text in item.texts:
            assert text not in said


@pytest.mark.parametrize(("name", "there"), [("visla", True), ("winoground", False)])
def test_tags_of_gated_files_are_left_out(publish: Publish, name: str, there: bool) -> None:
    done = publish(name)
    items = unpacked(done.out / "data/b0.js")["items"]
    assert bool(items["concepts"]["words"]) is there
    assert len(unpacked(done.out / "data/b0.js")["items"]["ids"]) == 40
    assert any("Concepts of single items" in line for line in done.left_out) is not there


def test_own_captions_go_along_where_they_are_asked_for(publish: Publish) -> None:
    done = publish("custom:mine", own_data=True, pictures=True)
    assert unpacked(done.out / "data/b0.js")["items"]["hasTexts"] is True
    assert done.n_pictures > 0


def test_without_scores_there_are_neither_margins_nor_alpha_nor_their_sentences(publish: Publish) -> None:
    done = publish("world~small", about={"scores_may_be_published": False})
    data = unpacked(done.out / "data/b0.js")
    assert all(not of["margin"] for side in data["verdicts"] for of in side["metrics"].values())
    assert not any(data["alpha"].values())
    assert not any(side["margins"] for side in data["sides"])
    from tests.pages.static_site.sentences import all_sentences

    assert not re.search(r"margin [+−]|cosine\)|binding [+−]", all_sentences(done.out))
    assert any(np.frombuffer(b64decode(side["reason"]), "<i1").max() >= 0 for side in data["verdicts"])
    assert any("Scores" in line for line in done.left_out)


def test_runs_fetched_as_verdicts_alone_give_no_number_of_an_item(publish: Publish, flipside_cache: Path) -> None:
    publish("world~small")
    for record in (flipside_cache / "runs").glob("*/run.json"):
        said = json.loads(record.read_text())
        if said["model"]["spec"] == results.STRONG:
            said["model"]["public"] = score_files()[0].described()
            record.write_text(json.dumps(said))
    st.cache_resource.clear()
    out = flipside_cache / "site"
    done = build(stored.store(), Wanted(("world~small",)), Options(out))
    data = unpacked(out / "data/b0.js")
    kept = {side["key"]: side["margins"] for side in data["sides"]}
    assert set(kept.values()) == {True, False}
    for side, verdicts in zip(data["sides"], data["verdicts"], strict=True):
        assert side["margins"] is (side["model"] != results.STRONG)
        assert all(bool(of["margin"]) is side["margins"] for of in verdicts["metrics"].values())
    assert not any(curves for key, curves in data["alpha"].items() if not kept[key])
    assert any("Scores and margins of" in line and "were fetched on terms" in line for line in done.left_out)
    for at, side in enumerate(data["sides"]):
        said = unpacked(out / f"data/b0-why-{at}.js")
        lines = [line for name in ("said", "rest", "findings") for line in inflated(said[name])]
        assert bool(re.search(r"margin [+−]|cosine\)|binding [+−]", "\n".join(lines))) is side["margins"]


def test_a_folder_of_this_computer_stops_it_and_nothing_is_written(
    publish: Publish, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pages.static_site.tables.kind_name", lambda _kind: f"{Path.home()}/secret")
    with pytest.raises(FlipsideError, match="nothing was written"):
        publish("world~small")
    assert not (tmp_path / "site").exists()


def test_a_prior_s_folder_gets_a_name(publish: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PRIORS", ["prior@lm:lm:/data/of/mine/opt"])
    done = publish("world~small")
    curves = [curve for own in unpacked(done.out / "data/b0.js")["alpha"].values() for curve in own]
    assert {curve["prior"] for curve in curves} == {"lm:local:opt", "lm:fake:blind"}
    assert "/data/of/mine" not in texts_of(done.out)


def test_pictures_are_small_and_carry_nothing_but_pixels(tmp_path: Path) -> None:
    from PIL import Image

    picture = Image.new("RGB", (640, 320), "#2f5d8a")
    exif = picture.getexif()
    exif[0x010E] = "my name"
    for name in ("a.jpg", "b.jpg"):
        picture.save(tmp_path / name, exif=exif)
    uris = [str(tmp_path / name) for name in ("a.jpg", "b.jpg", "missing.jpg")]
    found = pictures.write(uris, tmp_path / "out")
    assert list(found) == uris[:2]
    assert len(set(found.values())) == 1, "the same picture under two names is written once"
    written = (tmp_path / "out" / next(iter(found.values()))).read_bytes()
    assert b"my name" not in written
    assert Image.open(tmp_path / "out" / next(iter(found.values()))).size == (192, 96)


def test_only_items_with_a_verdict_are_published(flipside_cache: Path, nothing_shipped: None, tmp_path: Path) -> None:
    items = results.world(40)
    judged = [item for item in items if item.subset == "relation"]
    part = {"split": None, "subset": "relation", "limit": None, "sample": None, "seed": 0}
    write_run(flipside_cache, items, "1" * 16, ["itm"], model=results.STRONG, name="world~small", selection=part)
    done = build(stored.store(), Wanted(runs=("1" * 16,)), Options(tmp_path / "site", pictures=True))
    data = unpacked(done.out / "data/b0.js")
    assert data["items"]["ids"] == [item.item_id for item in judged]
    assert (
        done.benchmarks[0]["n_items"] == unpacked(done.out / "data/site.js")["benchmarks"][0]["n"] == len(judged) < 40
    )
    assert done.n_pictures <= len({image.uri for item in judged for image in item.images})
    assert len(unpacked(done.out / "data/b0-texts.js")) == len(judged)
    parts = data["overview"]["hero"]["parts"]
    assert [(part["title"], part["missing"]) for part in parts] == [("Quads", [])]  # no protocol that the run has not


def test_nobody_is_sent_to_a_page_that_a_site_has_not(publish: Publish) -> None:
    done = publish("world~small")
    facts = json.dumps(unpacked(done.out / "data/b0.js")["overview"]["notice"])
    assert len(facts) > 100
    # Few items are below chance beyond chance here: Overview's sentence that names a page is read from its source.
    told = "The rate does not say why: open the cell, or Equivariance."
    assert told in inspect.getsource(notice)
    facts += charts._in_site(told)
    assert not re.search(r"\b(Equivariance|Embeddings|Robustness|Try it|Granularity|Atlas|Runs)\b", facts)


def test_a_repeat_of_a_system_that_is_not_in_the_site_is_not_told(publish: Publish, flipside_cache: Path) -> None:
    publish("winoground")
    said = {"name": "b", "source": "S", "system": "B", "head": "itc", "repeats": "predictions:a", "how_it_repeats": "x"}
    for record in (flipside_cache / "runs").glob("*/run.json"):
        known = json.loads(record.read_text())
        known["model"]["public"] = said
        record.write_text(json.dumps(known))
    st.cache_resource.clear()
    build(stored.store(), Wanted(("winoground",)), Options(flipside_cache / "site"))
    assert "repeats" not in (flipside_cache / "site/data/site.js").read_text()


def test_whose_scores_these_are_is_said(publish: Publish, flipside_cache: Path) -> None:
    publish("winoground")
    for at, record in enumerate(sorted((flipside_cache / "runs").glob("*/run.json"))):
        said = json.loads(record.read_text())
        said["model"]["public"] = score_files()[at].described()
        record.write_text(json.dumps(said))
    st.cache_resource.clear()
    build(stored.store(), Wanted(("winoground",)), Options(flipside_cache / "site"))
    (about,) = unpacked(flipside_cache / "site/data/site.js")["benchmarks"]
    assert about["fetched"]["models"] == about["models"]
    said = json.dumps(about["fetched"], ensure_ascii=False)
    for words in (
        "juletx/spatial-reasoning at commit 85f6c2a33fe5",
        "MIT notice",
        "terms of these scores are not stated",
    ):
        assert words in said


def test_items_without_scores_are_named_to_who_writes_and_to_who_reads(publish: Publish, flipside_cache: Path) -> None:
    """Every verb that prints rates said so; a site gave the same rates and did not."""
    publish("world~small")
    for manifest in (flipside_cache / "runs").glob("*/manifest.json"):
        said = json.loads(manifest.read_text())
        for kind in {"itc", "gen"} & said["parts"].keys():
            said["parts"][kind]["left_out"] = {"image cannot be read": 2}
        manifest.write_text(json.dumps(said))
    st.cache_resource.clear()
    done = build(stored.store(), Wanted(("world~small",)), Options(flipside_cache / "site"))
    (about,) = unpacked(flipside_cache / "site/data/site.js")["benchmarks"]
    lines = [line for line in about["withheld"] if "and so in no rate: 2" in line]
    assert {line.partition("of kind ")[2].partition(",")[0] for line in lines} == {"itc", "gen"}
    assert [f"world~small: {line}" for line in lines] == done.left_out
    assert "strong" in " ".join(lines)


def test_an_own_run_has_no_source_to_name(publish: Publish) -> None:
    done = publish("world~small")
    (about,) = unpacked(done.out / "data/site.js")["benchmarks"]
    assert about["fetched"] == {"models": 0, "facts": [], "terms": []}


def test_kinds_stand_in_the_order_of_the_names(publish: Publish) -> None:
    done = publish("world~small")
    pairs = unpacked(done.out / "data/b0.js")["pairs"]
    one = next(pair for pair in pairs if {pair["a"].split("\t")[1], pair["b"].split("\t")[1]} == {"itc", "gen"})
    kinds = [{"itc": "similarity", "gen": "generation"}[pair.split("\t")[1]] for pair in (one["b"], one["a"])]
    assert f"; {kinds[0]} against {kinds[1]}; " in one["finding"]
    assert one["finding"].startswith(one["b"].split("\t")[0])


def test_where_alpha_cancels_no_alpha_is_best(publish: Publish) -> None:
    done = publish("world~small")
    curves = [curve for own in unpacked(done.out / "data/b0.js")["alpha"].values() for curve in own]
    assert {curve["metric"] for curve in curves if curve["cancels"]} == {"image_score"}
    for curve in curves:
        for group in curve["groups"].values():
            assert (group["best"] is None) is curve["cancels"]
            assert group["finding"].startswith("No α changes") is curve["cancels"]


def test_the_best_is_tested_against_the_next_on_the_same_items(publish: Publish) -> None:
    done = publish("world~small")
    said = unpacked(done.out / "data/b0.js")["overview"]["heatFinding"]
    assert re.search(r"more often than .* points \[.*\]: .*p [<=] .*all items that both have judged", said)
