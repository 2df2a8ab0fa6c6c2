"""Ways through the pages that several tests need: each is gone once, and what it drew stays in `visits.SEEN`."""

import csv
import io
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.live import real_results
from backend.live.jobs import record
from backend.paths import cache_dir
from backend.store.failures import selections
from tests.golden.pages.visits import SEEN, rerun, visit
from tests.pages import results
from tests.pages.teach.train.test_view import begun
from tests.published.atlas import made
from tests.store.writer import write_run

#: Pages by the addresses that their first views have here; an item's page shows nothing without one.
FIRST_VIEWS: dict[str, dict[str, str]] = {
    "overview": {}, "try-it": {}, "failures": {}, "equivariance": {}, "debias": {}, "robustness": {}, "embeddings": {},
    "compare": {}, "atlas": {}, "teach": {}, "runs": {}, "item": {"item": "attribute/7"},
    "model": {"model": "bundled:captioner"},
    "not-found": {"address": "fialures<b>"},
}  # fmt: skip
#: The bundled world, as it is called in sets of picked items.
WORLD = "f8eadc93235c6500"
PICKED = ("attribute/7", "relation/12", "count/3")
#: Views that draw what first views do not: tabs, modes, choices that bring others.
FURTHER: tuple[tuple[str, dict[str, str | list[str]]], ...] = (
    ("overview", {"by": "concept"}),
    ("overview", {"example": "attribute/6"}),
    ("model", {"model": "bundled:clip", "kind": "itc", "by": "concept"}),
    ("failures", {"model": "bundled:captioner", "kind": "gen", "other": "bundled:matcher", "view": "table"}),
    ("failures", {"item": "attribute/7", "show": "all"}),
    ("failures", {"model": "bundled:captioner", "kind": "gen", "alpha": "0.87", "prior": "lm:bundled:lm"}),
    ("try-it", {"example": "binding", "now": ["a green circle and a blue star", "a blue circle and a red star"],
                "cover": "1:20,20,90,90"}),
    ("try-it", {"mode": "rank"}),
    ("try-it", {"mode": "many"}),
    ("try-it", {"i": "world:1.hgbpLK.tbbsgi", "t": ["a green heart", "a blue heart"], "as": "choice"}),
    ("debias", {"subset": "attribute", "metric": "text_score"}),
    ("debias", {"subset": "choice"}),
    ("equivariance", {"rows": "subsets"}),
    ("equivariance", {"item": "attribute/7", "worst": "v1"}),
    ("robustness", {"tab": "brittle"}),
    ("robustness", {"tab": "granularity", "set_b": "world~negation"}),
    ("robustness", {"tab": "finer"}),
    ("robustness", {"tab": "edits"}),
    ("embeddings", {"part": "retrieval", "map": "pca", "pin": "image:0:retrieval/1"}),
    ("embeddings", {"lasso": "t05555555580005555800080005555aaaa"}),
    ("embeddings", {"lasso": "c0"}),
    ("embeddings", {"part": "all", "map": "pca"}),  # where every colouring is offered
    ("compare", {"a": "gen bundled:captioner", "b": "gen-alpha bundled:captioner", "series": "clip"}),
    ("compare", {"weights": "subsets", "parts": "reasons", "protocol": "choice", "which": "lost", "by": "subset",
                 "more": "itm bundled:matcher"}),
    ("equivariance", {"worst": "swapped", "planes": "bundled:clip|itc"}),
    ("teach", {"view": "train"}),
    ("teach", {"view": "train", "teach_batch": "8"}),
    ("teach", {"view": "what-if"}),
    ("teach", {"view": "what-if", "item": "attribute/7", "model": "bundled:clip", "kind": "itc"}),
    ("not-found", {}),
    *(("runs", {"tab": tab}) for tab in ("computed", "score", "import", "perturb", "own", "predictions", "bundle")),
    ("runs", {"tab": "add"}),
    ("overview", {"glossary": "quad"}),
)  # fmt: skip


#: The Atlas, where there is a file of rates.
ATLAS = ("atlas", {"x": "winoground::text"})
#: Steps of the guided visit.
TOUR = (("overview", "1"), ("failures", "2"), ("item", "3"), ("item", "4"))


@cache
def toured(page: str, step: str) -> AppTest:
    """A page at a step of the guided visit."""
    return visit(page, tour=step)


@cache
def first_view(page: str) -> AppTest:
    """A page as a link to its bare address opens it."""
    return visit(page, **FIRST_VIEWS[page])


@cache
def further() -> None:
    """All of `FURTHER`."""
    for page, query in FURTHER:
        visit(page, **query)
    first, held = SEEN.page, selections.keep(WORLD, PICKED, "golden").key
    visit("equivariance", picked=held)
    visit("failures", set=held)
    app = visit("teach")
    app.session_state["teach-curves"] = True
    rerun(app)
    _atlas()
    SEEN.page = first


def _atlas() -> None:
    """The Atlas with a made-up file of rates in place of the fetched one, and a model's page with its place in it."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = made.write(Path(folder) / "atlas.csv")
        known = sha256(path.read_bytes()).hexdigest()
        patch.setattr(real_results, "atlas_file", lambda: (path, known))
        visit(ATLAS[0], **ATLAS[1])
        patch.setattr("pages.model.atlas_place.row_of", lambda model, system, atlas: 0)
        visit("model", **FIRST_VIEWS["model"])  # first_view keeps its first one


def press(page: AppTest, key: str) -> AppTest:
    """A page after a click."""
    page.button(key=key).click()
    return rerun(page)


@contextmanager
def fakes(models: str) -> Iterator[None]:
    """Scripted models in place of the bundled ones on Try it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_LIVE_MODELS", models)
        yield


#: The links that `tried` opens.
TRIED = ("try-it?example=prior-trap", "try-it?mode=rank&n=12", "try-it?mode=many")


@cache
def tried() -> None:
    """Try it: scored, explained, ranked, and an example of many items. What it uploads goes again: Runs offers to
    delete uploaded files to every later visit."""
    with fakes("fake:ok fake:ok/itc,t2t"):
        page = press(visit("try-it", example="prior-trap"), "try-score")
        for panel in ("words", "tokens", "regions"):
            page.session_state[f"try-why-{panel}"] = True
            rerun(page)
        page = press(visit("try-it", mode="rank", n="12"), "try-rank")
        page.session_state["try-rank-table"] = True
        rerun(page)
    with fakes("fake:ok"):
        press(visit("try-it", mode="many"), "try-batch-quads")
    shutil.rmtree(cache_dir() / "uploads")


def job(verb: str, document: object) -> str:
    """A job that is over and has printed a document; its id."""
    at = record.now()
    made = record.Job(
        record.new_id(), verb, ("--json",), f"golden {verb}", "done", at, at, at, at, 0, 1
    )  # fmt: skip
    made.folder.mkdir(parents=True)
    record.write(replace(made))
    (made.folder / record.OUT).write_text(json.dumps(document), encoding="utf-8")
    return made.job_id


#: What jobs print whose results can be taken away from Runs.
SKIPPED = [{"file": "a.tsv", "line": 4, "reason": "blank"}, {"file": "b.tsv", "item": "7", "reason": "no image"}]
DOCUMENTS = {
    "import": {
        "benchmark": "visla", "n_items": 3, "n_images": 2, "n_images_missing": 1, "n_texts": 9,
        "subsets": {"generic": 3}, "protocols": {"generic": "triplet"}, "files_missing": [], "skipped": SKIPPED,
    },
    "add-predictions": {
        "model": "predictions:mine", "benchmark": "world", "matched": 2, "parts": {"itc": {"rows": 2}},
        "unmatched": SKIPPED,
    },
    "report": {"model": "fake:ok", "n": 3},
}  # fmt: skip


@contextmanager
def other_cache(folder: Path) -> Iterator[Path]:
    """A cache of made-up results instead of the bundled ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(folder))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: folder / "none")
        st.cache_resource.clear()
        st.cache_data.clear()
        yield folder
    st.cache_resource.clear()
    st.cache_data.clear()


def ended_jobs(folder: Path) -> None:
    """Runs, with the result of each job of `DOCUMENTS` opened."""
    with other_cache(folder):
        results.write(folder, results.world(60))
        for verb, document in DOCUMENTS.items():
            known = job(verb, document)
            press(visit("runs"), f"details-{known}")


#: The link that `trainings` opens.
TRAINING = "teach?view=train&training=golden"


def trainings(folder: Path) -> None:
    """Teach: a training whose curves are drawn, and captions that are generated and looked through."""
    with other_cache(folder):
        results.write(folder, results.world(60))
        begun("golden")
        visit("teach", view="train", training="golden")
        page = press(visit("teach", view="train", teach_by="svlc", teach_pairs="20"), "teach-generate")
        for _ in range(240):
            if page.get("download_button"):
                return
            time.sleep(0.5)
            rerun(page)
    raise AssertionError("no captions were generated within two minutes")


def two_benchmarks(folder: Path) -> None:
    """All benchmarks at once on Failures; and on Overview one that papers print numbers of, with such a model."""
    some = [item for item in results.world(200) if item.subset == "triplet"]
    # As many as the original release has, or nothing that is printed may stand beside.
    triplets = [replace(some[k % len(some)], item_id=f"generic/{k}", subset="generic") for k in range(973)]
    with other_cache(folder):
        results.write(folder, results.world(60))
        known = "st:sentence-transformers/all-MiniLM-L6-v2"
        write_run(folder, triplets, "5" * 16, ["t2t"], model=known, name="visla", step=1000)
        visit("failures", benchmark="all")
        app = visit("overview", benchmark="visla")
        app.session_state["overview-printed"] = True
        rerun(app)


def columns(text: str | bytes) -> list[str]:
    """The header of a CSV file."""
    text = text.decode() if isinstance(text, bytes) else text
    return next(csv.reader(io.StringIO(text)))
