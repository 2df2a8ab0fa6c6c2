"""Runs in a real Chromium: score a model, stop and resume it, import a benchmark, bring a bundle."""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from backend.kinds import Kind
from backend.live.jobs import record
from backend.live.supervisor import is_alive
from tests.browser.stored import open_page, reads, settled

pytestmark = pytest.mark.browser

HEADER = "filename\tcaption\tsecond positive\tnegative_caption\r\n"
ROWS = "1.jpg\ta cat on a mat\ta mat under a cat\ta mat on a cat\r\n2.jpg\tone\t\ttwo\r\n3.jpg\tx\ty\tz\r\n"
#: A job's process has to start, import its libraries and end.
LONG = 180_000


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one benchmark: three records, one of them broken, no images."""
    root = tmp_path_factory.mktemp("given") / "benchmarks"
    (root / "mine").mkdir(parents=True)
    (root / "mine" / "Generic_VISLA.tsv").write_bytes((HEADER + ROWS).encode())
    return root


@pytest.fixture(scope="module")
def dashboard(serve: Callable[..., Any], data: Path) -> Iterator[Any]:
    given = serve(FLIPSIDE_DATA=str(data), FLIPSIDE_LIVE_MODELS="fake:ok fake:slow fake:raise", FLIPSIDE_JOBS="2")
    yield given
    with pytest.MonkeyPatch.context() as patch:  # jobs outlive their dashboard
        patch.setenv("FLIPSIDE_CACHE", str(given.cache))
        for job in record.every():
            for pid, started in ((job.pid, job.pid_started), (job.child, job.child_started)):
                if is_alive(pid, started):
                    os.kill(pid, signal.SIGKILL)


def job(page: Page, title: str) -> Locator:
    return page.locator(".fs-job").filter(has_text=title).first


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).first.click()
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


def start_scoring(page: Page, model: str, how: str = "the first") -> None:
    choose(page, "Model", model)
    page.get_by_role("radio", name=how, exact=True).click()
    settled(page)
    page.get_by_role("button", name="Start", exact=True).click()


def runs_shown(page: Page) -> int:
    line = page.locator(".fs-caption", has_text="runs, the latest first")
    expect(line).to_be_visible(timeout=LONG)
    settled(page)
    return int(line.inner_text().split(" ")[0])


@pytest.mark.journey
def test_a_model_is_scored_and_its_run_is_listed(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs")
    before = runs_shown(page)
    page.get_by_role("tab", name="Score a model").click()
    expect(page).to_have_url(re.compile("tab=score"))
    start_scoring(page, "fake:ok")
    done = job(page, "fake:ok on world")
    expect(done).to_contain_text("done", timeout=LONG)
    expect(done).to_contain_text("took")
    page.get_by_role("tab", name="Computed").click()
    expect(page).not_to_have_url(re.compile("tab="))
    expect(page.locator(".fs-caption", has_text=f"{before + 1} runs, the latest first")).to_be_visible(timeout=LONG)
    page.get_by_test_id("stDataFrame").first.click(position={"x": 20, "y": 52})  # the first row's box
    expect(page.get_by_role("tabpanel")).to_contain_text("fake:ok on world · run")
    expect(page.get_by_test_id("stCode").first).to_contain_text("--limit 200")
    expect(page.get_by_role("link", name="Its failures")).to_be_visible()
    page.get_by_role("button", name="Details").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("--model fake:ok --benchmark world")
    expect(dialog).to_contain_text("The end of its log")


def test_a_running_job_is_seen_stopped_and_resumed_by_another_session(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=score")
    start_scoring(page, "fake:slow", "all items")
    mine = job(page, "fake:slow on world")
    expect(mine).to_contain_text("running", timeout=LONG)
    expect(mine).to_contain_text(re.compile("[1-9][0-9,]* of [0-9,]+ scores, about .* left"), timeout=LONG)
    expect(page.get_by_test_id("stProgress").first).to_be_visible()
    other = page.context.browser.new_context().new_page()  # type: ignore[union-attr]
    open_page(other, dashboard, "runs")
    expect(job(other, "fake:slow on world")).to_contain_text("running", timeout=LONG)
    other.get_by_role("button", name="Stop").first.click()
    expect(job(other, "fake:slow on world")).to_contain_text("stopped", timeout=LONG)
    expect(mine).to_contain_text("Stopped on request", timeout=LONG)
    other.context.close()
    page.get_by_role("button", name="Resume").first.click()
    expect(mine).to_contain_text("running", timeout=LONG)
    page.get_by_role("button", name="Stop").first.click()
    expect(mine).to_contain_text("stopped", timeout=LONG)


def test_several_jobs_show_how_far_they_are_together(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=score")
    start_scoring(page, "fake:slow", "all items")
    slow = job(page, "fake:slow on world")
    expect(slow).to_contain_text("running", timeout=LONG)
    bar = page.locator(".st-key-runs-queue")
    expect(bar).to_have_count(0)  # one job has its own bar
    start_scoring(page, "fake:ok")
    expect(bar).to_contain_text(re.compile(r"[0-9]+ of [2-9] jobs over, about .* left in all"), timeout=LONG)
    expect(bar.get_by_role("progressbar")).to_be_visible()
    page.get_by_role("button", name="Stop").first.click()
    expect(slow).to_contain_text("stopped", timeout=LONG)
    expect(bar).to_have_count(0, timeout=LONG)


def test_a_failing_job_says_why(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=score")
    start_scoring(page, "fake:raise")
    failed = job(page, "fake:raise on world")
    expect(failed).to_contain_text("failed", timeout=LONG)
    expect(failed).to_contain_text("fails on purpose")


def test_a_model_that_is_typed_is_checked_before_it_can_start(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=score")
    box = page.get_by_role("combobox", name="Model").first
    box.click()
    box.fill("endpoint:http://127.0.0.1:9/v1#m")
    box.press("Enter")
    expect(page.get_by_test_id("stAlertContentError")).to_contain_text("only public https servers")
    expect(page.get_by_role("button", name="Start", exact=True)).to_have_count(0)


def test_a_benchmark_is_imported_with_what_was_left_out(page: Page, dashboard: Any, data: Path) -> None:
    open_page(page, dashboard, "runs?tab=import")
    place = page.get_by_role("combobox", name="Benchmark and folder")
    expect(place).to_have_value("visla · in benchmarks/mine", timeout=LONG)
    expect(page.locator(".fs-declared")).to_contain_text("Generic_VISLA.tsv")
    expect(page.get_by_test_id("stCode").first).to_contain_text("import visla --data")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(job(page, "Import visla from benchmarks/mine")).to_contain_text("done", timeout=LONG)
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("2 items · 2 images (2 missing) · 6 texts · 1 record skipped", timeout=LONG)
    expect(panel).to_contain_text("images are missing")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download 1 skipped records as CSV").first.click()
    assert "Generic_VISLA.tsv,line 3,empty column" in Path(download.value.path()).read_text(encoding="utf-8")
    expect(page.locator(".fs-caption", has_text="visla is here already, with 2 items")).to_be_visible(timeout=LONG)
    page.get_by_role("tab", name="Score a model").click()
    page.get_by_role("combobox", name="Benchmark").first.click()
    expect(page.get_by_role("option", name="visla", exact=True)).to_be_visible()


def test_a_damaged_bundle_is_refused_in_one_sentence(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=bundle")
    buffer = BytesIO()
    with ZipFile(buffer, "w") as bundle:
        bundle.writestr("notes.txt", "no bundle")
    file = {"name": "gpu.zip", "mimeType": "application/zip", "buffer": buffer.getvalue()}
    page.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
    page.get_by_role("button", name="Import", exact=True).click()
    refused = job(page, "Import the bundle gpu.zip")
    expect(refused).to_contain_text("failed", timeout=LONG)
    expect(refused).to_contain_text("gpu.zip")


def test_a_job_is_taken_off_the_list(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs")
    settled(page)
    listed = dashboard.cache / "jobs"
    before = {path.parent.name for path in listed.glob("*/job.json")}
    title = page.locator(".fs-job strong").first.inner_text()
    page.get_by_role("button", name="Remove").first.click()
    expect(page.locator(".st-key-fs-deleted")).to_contain_text(f"Deleted the job {title}", timeout=LONG)
    reads(page, lambda: len(before - {path.parent.name for path in listed.glob("*/job.json")}), 1)


def dots() -> dict[str, Any]:
    """A zip of two pictures and a table whose columns' names tell nothing."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as out:
        rows = "one.png,a red dot,a blue dot\ntwo.png,a blue dot,\ntwo.png,one dot,two dots\n"
        out.writestr("set/table.csv", "file,good,wrong\n" + rows)
        for name, colour in (("one", "red"), ("two", "blue")):
            picture = BytesIO()
            Image.new("RGB", (60, 40), colour).save(picture, "PNG")
            out.writestr(f"set/pics/{name}.png", picture.getvalue())
    return {"name": "dots.zip", "mimeType": "application/zip", "buffer": buffer.getvalue()}


def test_own_data_is_mapped_previewed_and_saved(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=own")
    expect(page.locator(".fs-empty")).to_contain_text("Bring your own items")
    page.locator("input[type=file]").set_input_files([dots()])  # type: ignore[list-item]
    expect(page.get_by_test_id("stAlertContentInfo")).to_contain_text("do not tell what is what")
    save = page.get_by_role("button", name="Save as a benchmark")
    expect(save).to_be_disabled()
    page.get_by_role("button", name="Which column is what").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("combobox", name="image")).to_have_value(re.compile("file"))
    expect(dialog.get_by_role("button", name="Use this")).to_be_disabled()
    dialog.get_by_role("combobox", name="caption:").first.click()
    page.get_by_role("option", name=re.compile("^good")).click()
    settled(page)
    dialog.get_by_test_id("stMultiSelect").locator("input").click()
    page.get_by_role("option", name=re.compile("^wrong")).click()
    settled(page)
    expect(dialog.locator(".fs-card")).to_have_count(2)
    expect(dialog.locator(".fs-card img").first).to_be_visible()
    expect(dialog).to_contain_text("1 record before the last of them is no item")
    page.keyboard.press("Escape")  # the list of options
    dialog.get_by_role("button", name="Use this").click()
    expect(page.locator(".fs-card")).to_have_count(2)
    save.click()
    expect(job(page, "Save dots.zip as custom:dots")).to_contain_text("done", timeout=LONG)
    page.get_by_role("tab", name="Score a model").click()
    page.get_by_role("combobox", name="Benchmark").first.click()
    expect(page.get_by_role("option", name="custom:dots", exact=True)).to_be_visible()


def test_a_benchmark_is_perturbed_after_a_look_at_its_captions(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=perturb")
    expect(page.locator(".fs-empty")).to_contain_text("No perturbation chosen")
    choose(page, "Benchmark", "visla")
    page.get_by_role("button", name="Character swap", exact=True).click()
    shown = page.locator(".fs-panel", has_text="Character swap")
    expect(shown).to_contain_text("meaning-preserving · brittleness paper")
    expect(shown.locator("mark.fs-diff").first).to_be_visible()
    expect(shown).to_contain_text(re.compile("edits [1-9][0-9]* of [0-9]+"))
    page.get_by_role("button", name="Make the editions").click()
    expect(job(page, "Perturb visla: Character swap")).to_contain_text("done", timeout=LONG)
    page.get_by_role("tab", name="Score a model").click()
    page.get_by_role("combobox", name="Benchmark").first.click()
    expect(page.get_by_role("option", name="visla~character_swap", exact=True)).to_be_visible()


def test_a_narrow_window_keeps_everything_in_sight(page: Page, dashboard: Any) -> None:
    page.set_viewport_size({"width": 900, "height": 1000})
    for tab in ("computed", "score", "import", "perturb", "own", "predictions", "bundle"):
        open_page(page, dashboard, f"runs?tab={tab}")
        settled(page)
        over = "(main => main.scrollWidth - main.clientWidth)(document.querySelector('[data-testid=stMain]'))"
        reads(page, lambda over=over: page.evaluate(over), lambda pixels: pixels <= 0)  # type: ignore[misc]


def test_predictions_are_looked_at_and_added(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=predictions")
    expect(page.locator(".fs-empty")).to_contain_text("Compare with any other system")
    choose(page, "Benchmark", "visla")
    rows = "generic/1,0,0.9\ngeneric/1,1,0.8\ngeneric/1,2,0.1\ngeneric/3,0,0.2\ngeneric/3,1,0.1\ngeneric/3,2,0.5\n"
    text = "item_id,text_index,value\n" + rows + "generic/77,0,1\n"
    file = {"name": "other.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("6 of 7 statements belong to an item of visla: similarity (itc) for 2 items")
    expect(panel).to_contain_text("1 statement belongs to none")
    add = page.get_by_role("button", name="Add", exact=True)
    expect(add).to_be_disabled()
    box = page.get_by_label("Name of the system")
    box.fill("other")
    box.press("Enter")
    expect(add).to_be_enabled()
    add.click()
    expect(job(page, "Add predictions:other on visla")).to_contain_text("done", timeout=LONG)
    open_page(page, dashboard, "failures?benchmark=visla&model=predictions:other")
    expect(page.locator(".fs-count")).to_contain_text("1", timeout=LONG)
    expect(page.locator(".fs-card-head", has_text="generic/3").first).to_be_visible(timeout=LONG)


def test_probabilities_and_ids_from_0_are_said_before_anything_is_added(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=predictions")
    choose(page, "Benchmark", "visla")
    cells = [(n, text) for n in (1, 3) for text in (0, 1, 2)]
    right = "item_id,text_index,prob\n" + "".join(f"generic/{n},{text},0.{n + text}\n" for n, text in cells)
    files = [
        {"name": name, "mimeType": "text/csv", "buffer": said.encode()}
        for name, said in (("right.csv", right), ("from-0.csv", right.replace("generic/3", "generic/0")))
    ]
    upload = page.locator("input[type=file]")
    upload.set_input_files(files[:1])  # type: ignore[arg-type]
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("6 of 6 statements")
    expect(panel).not_to_contain_text("probabilities by the column")
    choose(page, "Scores that name no kind are", f"matching (itm): {Kind.ITM.info.formula}")
    expect(panel).to_contain_text("The 6 numbers of itm were read as probabilities by the column 'prob'")
    choose(page, "Numbers of itm and vqa are", "log-odds")
    expect(panel).not_to_contain_text("probabilities by the column")
    add = page.get_by_role("button", name="Add", exact=True)
    box = page.get_by_label("Name of the system")
    box.fill("probable")
    box.press("Enter")
    expect(add).to_be_enabled()
    add.click()
    expect(job(page, "Add predictions:probable on visla")).to_contain_text("done", timeout=LONG)
    models = [json.loads(path.read_text())["model"] for path in dashboard.cache.glob("runs/*/run.json")]
    (added,) = [model for model in models if model["spec"] == "predictions:probable"]
    assert "transformations" not in added
    open_page(page, dashboard, "runs?tab=predictions")
    choose(page, "Benchmark", "visla")
    upload.set_input_files(files[1:])  # type: ignore[arg-type]
    expect(panel).to_contain_text("The ids seem to count from 0 ('generic/0' is among them")
    box.fill("probable")
    box.press("Enter")
    expect(add).to_be_disabled()


def test_what_is_deleted_comes_back_by_undo(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=own")
    row = page.locator('[class*="st-key-own-delete"] button').first
    expect(row).to_be_visible(timeout=LONG)
    kept = sorted(path.name for path in (dashboard.cache / "own").iterdir())
    row.click()
    bar = page.locator(".st-key-fs-deleted")
    expect(bar).to_contain_text("Deleted the own benchmark", timeout=LONG)
    reads(page, lambda: len([*(dashboard.cache / "own").iterdir()]), len(kept) - 1)
    bar.get_by_role("button", name="Undo").click()
    expect(bar).to_have_count(0, timeout=LONG)
    reads(page, lambda: sorted(path.name for path in (dashboard.cache / "own").iterdir()), kept)
    settled(page)
    title = page.locator(".fs-job strong").first.inner_text()
    page.get_by_role("button", name="Remove").first.click()
    expect(bar).to_contain_text(title, timeout=LONG)
    bar.get_by_role("button", name="Undo").click()
    expect(page.locator(".fs-job strong").first).to_have_text(title, timeout=LONG)


def test_a_run_is_deleted_and_put_back(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs")
    before = runs_shown(page)
    kept = sorted(path.name for path in (dashboard.cache / "runs").iterdir() if path.is_dir())
    settled(page)
    page.get_by_test_id("stDataFrame").first.click(position={"x": 20, "y": 52})  # the first row's box
    page.get_by_role("button", name="Delete this run").click(timeout=LONG)
    bar = page.locator(".st-key-fs-deleted")
    expect(bar).to_contain_text("Deleted the run", timeout=LONG)
    expect(page.locator(".fs-caption", has_text=f"{before - 1} runs, the latest first")).to_be_visible(timeout=LONG)
    assert len([path for path in (dashboard.cache / "runs").iterdir() if path.is_dir()]) == len(kept) - 1
    bar.get_by_role("button", name="Dismiss").click()
    expect(bar).to_have_count(0, timeout=LONG)
    open_page(page, dashboard, "runs")  # the way back is there without the bar, too
    page.get_by_text("Recently deleted:").click()
    page.locator('[class*="st-key-undo-"] button').first.click(timeout=LONG)
    expect(page.locator(".fs-caption", has_text=f"{before} runs, the latest first")).to_be_visible(timeout=LONG)
    assert sorted(path.name for path in (dashboard.cache / "runs").iterdir() if path.is_dir()) == kept


def test_uploaded_files_are_deleted_and_put_back(page: Page, dashboard: Any) -> None:
    folder = dashboard.cache / "uploads"
    folder.mkdir(exist_ok=True)
    Image.new("RGB", (8, 8), "red").save(folder / "dot.png")
    open_page(page, dashboard, "runs?tab=own")
    said = page.get_by_role("tabpanel").get_by_text("Uploaded files", exact=True)
    expect(said).to_be_visible(timeout=LONG)
    page.locator(".st-key-uploads-delete button").first.click()
    bar = page.locator(".st-key-fs-deleted")
    expect(bar).to_contain_text("Deleted the uploaded files", timeout=LONG)
    expect(said).to_have_count(0, timeout=LONG)
    assert not (folder / "dot.png").exists()
    bar.get_by_role("button", name="Undo").click()
    expect(said).to_be_visible(timeout=LONG)
    assert (folder / "dot.png").exists()
