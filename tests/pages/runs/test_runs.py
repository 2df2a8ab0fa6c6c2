"""Runs without a browser: its empty states, its old and new addresses, its forms, and what it says about jobs."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend import called
from backend.benchmarks import winoground_stub
from backend.live.jobs import jobs
from backend.live.jobs import record as jobs_record
from backend.live.jobs.record import Job
from backend.live.uploads import predicted
from pages.runs import results as runs_results
from pages.runs import subjects, view
from pages.runs.add import brought
from pages.runs.add.states import Subject
from pages.shared.data.frames import lines_of
from tests.pages.opening import unfolded
from tests.store import writer
from tests.store.writer import write_run

FORMS = ["score", "import", "perturb", "own", "predictions", "bundle", "real"]
Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def picks(page: AppTest) -> str:
    """The HTML of the matrix and the list."""
    found = [e.proto.json for e in page.get("bidi_component") if e.proto.component_name == "flipside_runs_picks"]
    return "".join(json.loads(said)["html"] for said in found)


def made(state: str, **values: object) -> Job:
    """A job on disk without any process."""
    at = jobs_record.now()
    job = Job(
        jobs_record.new_id(), "run", ("--model", "fake:ok"), f"a job that is {state}", state, at, at, at, at, 0, 1
    )
    job.folder.mkdir(parents=True)
    jobs_record.write(replace(job, **values))  # type: ignore[arg-type]
    return jobs_record.read(job.job_id)


@pytest.fixture(autouse=True)
def no_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    monkeypatch.setenv("FLIPSIDE_DATA", str(folder))
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok fake:raise")
    return folder


@pytest.mark.usefixtures("nothing_shipped")
def test_an_empty_store_says_what_to_do(visit: Visit) -> None:
    page = visit("runs")
    assert not page.exception
    assert "Nothing has been computed yet" in html(page)
    assert f"{called.on_pages()} run" in html(page)
    assert 'fs-job"' not in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("tab", ["", "computed", "add", *FORMS, "nonsense", "<script>"])
def test_every_address_that_the_page_ever_had_opens_where_it_belongs(tab: str, visit: Visit) -> None:
    page = visit("runs", **({"tab": tab} if tab else {}))
    assert not page.exception
    assert not page.error
    assert "<script>" not in html(page)
    assert "4 runs: 4 models on 1 benchmark; all complete" in html(page)
    says = {
        "import": "No benchmark was recognised", "perturb": "No perturbation chosen", "bundle": "a damaged bundle",
        "predictions": "Compare with any other system", "own": "shown with the first items", "add": "What do you have?",
    }  # fmt: skip
    uploads = "".join(str(each.proto.help) for each in page.get("file_uploader"))
    if tab in says:
        assert says[tab] in html(page) + uploads
    assert bool(picks(page)) == (tab not in ("add", *FORMS))  # History alone has the matrix
    assert page.session_state["runs-view"] == ("add" if tab in ("add", *FORMS) else "computed")
    chosen = [box.key for box in page.button if str(box.key).startswith("runs-add-")]
    assert len(chosen) == (7 if tab in ("add", *FORMS) else 0)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_run_has_an_address(visit: Visit) -> None:
    page = visit("runs", run="3" * 16)
    assert not page.exception
    assert f"run {'3' * 16}" in html(page)
    assert "The newest run" not in html(page)
    assert "runs-picked" in picks(page)
    assert "The newest run" in html(visit("runs"))
    unknown = visit("runs", run="<script>")
    assert not unknown.exception
    assert "The newest run" not in html(unknown)
    assert "This run is not here" in html(unknown)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_tile_opens_its_form_and_closes_it(visit: Visit) -> None:
    page = visit("runs", tab="add")
    page.button(key="runs-add-predictions").click().run()
    assert page.session_state["tab"] == "predictions"
    assert "Compare with any other system" in html(page)
    page.segmented_control(key="runs-view").set_value("computed").run()
    assert picks(page)
    page.segmented_control(key="runs-view").set_value("add").run()
    assert page.session_state["tab"] == "predictions"  # as it was left
    page.button(key="runs-add-predictions").click().run()
    assert "What do you have?" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_predictions_may_stand_on_item_numbers(
    visit: Visit, flipside_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Winoground's files are gated: beside fetched results its numbers are offered for predictions alone."""
    label = "winoground, by item number"
    assert label not in visit("runs", tab="predictions").selectbox(key="predictions-benchmark").options
    items = list(winoground_stub.stub())
    write_run(flipside_cache, items, "1" * 16, ["itc"], model="predictions:other", name="winoground")
    page = visit("runs", tab="predictions")
    assert label in page.selectbox(key="predictions-benchmark").options
    assert label not in visit("runs", tab="score").selectbox(key="score-benchmark").options
    scores = tmp_path / "scores.jsonl"
    lines = (
        f'{{"label": "{n}_c{c}_i{i}", "score": {1 + (c == i)}}}' for n in range(400) for c in (0, 1) for i in (0, 1)
    )
    scores.write_text("\n".join(lines), encoding="utf-8")
    found = predicted.glance([scores], "winoground", None)
    assert (found.matched, found.statements, found.n_items) == (1600, 1600, 400)
    monkeypatch.setattr("backend.intake.stubs.remembered", lambda name: tmp_path)
    assert subjects.stubs([]) == []  # its files were read here: they are what is offered


@pytest.mark.usefixtures("small")
def test_no_data_folder_says_where_to_make_one(visit: Visit, no_folders: Path) -> None:
    no_folders.rmdir()
    page = visit("runs", tab="import")
    assert not page.exception
    assert "There is no data folder yet" in html(page)
    assert "FLIPSIDE_DATA" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_command_follows_the_form(visit: Visit) -> None:
    page = unfolded(visit("runs", tab="score"), "runs-terminal-run")
    assert page.code[0].value.startswith(f"{called.on_pages()} run --model fake:ok --benchmark world --kinds itc,")
    page.segmented_control(key="score-how").set_value("a random sample of").run()
    page.number_input(key="score-n").set_value(50).run()
    page.number_input(key="score-seed").set_value(3).run()
    assert page.code[0].value.endswith("--sample 50 --seed 3")
    assert "--json" not in page.code[0].value


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_benchmark_in_a_data_folder_is_recognised(visit: Visit, no_folders: Path) -> None:
    (no_folders / "mine").mkdir()
    (no_folders / "mine" / "Generic_VISLA.tsv").touch()
    page = visit("runs", tab="import")
    assert not page.exception
    unfolded(page, "runs-terminal-import")
    assert f"import visla --data {no_folders / 'mine'}" in page.code[0].value


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_jobs_are_listed_with_what_to_do(visit: Visit) -> None:
    fine = made("done")
    failed = made("failed", exit_code=1)
    (failed.folder / "stderr").write_text("flipside: no such model <script>alert(1)</script>\n")
    made("running", pid=2**22 + 7, pid_started="never-1")
    page = visit("runs")
    assert not page.exception
    said = html(page)
    assert "no such model &lt;script&gt;" in said
    assert "its process is gone" in said.lower()
    resume = [button for button in page.button if button.key and button.key.startswith("resume-")]
    assert len(resume) == 2
    assert "a job that is done" not in said  # what did not go well stands first; it is in the fold of History
    assert any(box.label == "1 earlier job" for box in page.expander)
    assert fine.is_over
    removed = next(button for button in page.button if button.key == f"delete-{failed.job_id}")
    removed.click().run()
    assert not failed.folder.exists()
    assert "no such model" not in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_garbage_job_can_only_be_removed(visit: Visit) -> None:
    job = made("done")
    (job.folder / "job.json").write_text("{")
    page = visit("runs")
    assert not page.exception
    assert "is damaged" in html(page)
    assert not [button for button in page.button if button.key == f"resume-{job.job_id}"]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_job_that_was_removed_meanwhile_is_no_error(visit: Visit) -> None:
    job = made("cancelled")
    page = visit("runs")
    jobs.delete(job.job_id)
    next(button for button in page.button if button.key == f"resume-{job.job_id}").click().run()
    assert not page.exception
    assert any("there is no job" in toast.value for toast in page.toast)


@pytest.mark.slow
def test_the_page_loads_no_torch() -> None:
    code = (
        "import os, sys; os.environ['FLIPSIDE_LIVE_MODELS'] = 'bundled:clip'\n"
        "from tests.pages.opening import opened\n"
        "page = opened('runs', 60); page.query_params['tab'] = 'score'\n"
        "assert not page.run().exception\n"
        "sys.exit('torch' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_list_of_runs_says_where_each_is_from(small: Path, visit: Visit) -> None:
    assert small.is_dir()
    assert picks(visit("runs")).count("computed here") == 4


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"limit": 20}, "the first 20"),
        ({"sample": 50, "seed": 3}, "50 at random (seed 3)"),
        ({"subset": "a,b", "split": "test"}, "of a, b, split test"),
        ({}, "all"),
    ],
)
def test_which_items_a_run_has_in_words(line: dict[str, object], says: str) -> None:
    frame = pd.DataFrame([{"limit": None, "sample": None, "seed": 0, "subset": None, "split": None} | line])
    assert view.selection(lines_of(frame)[0]) == says


DOCUMENT = {
    "benchmark": "visla", "n_items": 3, "n_images": 2, "n_images_missing": 1, "n_texts": 9,
    "subsets": {"generic": 3}, "protocols": {"generic": "triplet"}, "files_missing": ["Spatial_VISLA.tsv"],
    "skipped": [{"file": "a.tsv", "line": 4, "reason": "blank"}, {"file": "b", "item": "7", "reason": "no image"}],
}  # fmt: skip


def test_what_an_import_found_is_set_against_what_was_expected() -> None:
    assert view.import_facts(DOCUMENT) == "3 items · 2 images (1 missing) · 9 texts · 2 records skipped"
    table = view.subsets_table(DOCUMENT, {"generic": 973, "spatial": 640})
    assert table[["subset", "items", "expected", ""]].values.tolist() == [
        ["generic", 3, 973, "≠"], ["spatial", 0, 640, "≠"],
    ]  # fmt: skip
    assert view.subsets_table(DOCUMENT, {"generic": 3})[""].tolist() == ["✓"]
    assert view.subsets_table(DOCUMENT, {})["expected"].isna().all()
    assert view.skipped_table(DOCUMENT)["where"].tolist() == ["line 4", "7"]
    said = runs_results.warnings(DOCUMENT)
    assert "1 of 2 images" in said[0]
    assert "Spatial_VISLA.tsv" in said[1]
    assert runs_results.warnings(DOCUMENT | {"doubted": ["t.csv: the cell"]})[2] == "t.csv: the cell"


def test_progress_in_words(flipside_cache: Path) -> None:
    job = made("running", pid=1, pid_started="x")
    share, words = view.progress(job)
    assert (share, words.startswith("starting, ")) == (None, True)
    log = job.folder / "stderr"
    log.write_text('{"progress": {"title": "t", "done": 300, "total": 1200, "seconds": 30, "unit": "scores"}}\n')
    assert view.progress(job) == (0.25, "300 of 1,200 scores, about 1 min 30 s left")
    log.write_text('{"progress": {"title": "t", "done": 300, "total": null, "seconds": 30, "unit": "records"}}\n')
    assert view.progress(job)[1].startswith("300 records, ")


@pytest.mark.slow
def test_rows_of_all_sorts_stand_beside_each_other(small: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that are anything, and rows that lead to the same place: each widget has a key of its own."""
    name, system = "small", "predictions:<b>x</b>"
    items = [item for item in writer.items(4) if item.images]
    write_run(small, items, "9" * 16, ["itc"], model=system, name=name)
    write_run(small, items, "8" * 16, ["itc"], model="fake:ok", name=name)
    made("failed", arguments=("--model", "fake:ok", "--benchmark", name), title="<img src=x> on small")
    made("done", verb="perturb", arguments=("--benchmark", name))
    made("failed", verb="import", arguments=("<i>bad</i>", "--data", "/x"))
    made("failed", verb="import-results", arguments=("/jobs/inputs/<b>.zip",))
    here = Subject(name, writer.write_benchmark(small, items, name), 4, 4, 8)
    monkeypatch.setattr(brought, "_imported", lambda: [here])
    monkeypatch.setattr(
        brought, "_own", lambda edited: [Subject(f"{name}~e", here.hash, 4, 4, 8)] if edited else [here]
    )
    page = visit("runs", tab="add")
    assert not page.exception
    assert not page.error
    said = html(page)
    for bad in ("<b>x</b>", "<i>bad</i>", "<img src=x>", "<b>.zip"):
        assert bad not in said
    assert "&lt;b&gt;x&lt;/b&gt; on small" in said
    links = [link.proto.label for link in page.get("page_link") if link.proto.label == "Open results"]
    assert len(links) >= 4  # own data, files, predictions, the model
    assert {"not added", "scored", "failed"} <= set(re.findall(r"</b>([a-z ]+)</span>", said))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_job_that_has_a_row_is_stopped_there_alone(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every job stood twice, with two Stops, and with two states for a moment."""
    words = ("--model", "fake:ok", "--benchmark", "small", "--kinds", "itc")
    job = replace(made("running"), state="running", title="ok on small: itc", arguments=words, finished="")
    earlier = replace(made("done"), arguments=words, title="the same, earlier", queued="2026-01-01T10:00:00+00:00")
    monkeypatch.setattr(jobs, "listing", lambda: [job, earlier])
    added = visit("runs", tab="score")
    stops = [str(each.key) for each in added.button if each.label == "Stop"]
    assert len(stops) == 1
    assert stops[0].startswith("runs-stop-score-")
    assert "ok on small: itc" in html(added)
    assert 'class="fs-job"><span class="fs-chip fs-none"><b>▶</b>running' not in html(added)
    assert "the same, earlier" not in html(added)
    assert "4 runs: 4 models on 1 benchmark; 1 job is not over" in html(added)
    assert [str(each.key) for each in visit("runs").button if each.label == "Stop"] == [f"stop-{job.job_id}"]
