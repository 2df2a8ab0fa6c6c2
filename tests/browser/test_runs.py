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
from playwright.sync_api import Browser, Locator, Page, expect

from backend.kinds import Kind
from backend.live.jobs import record
from backend.live.supervisor import is_alive
from scripts.dashboard import choose as choose_from
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
    """A job at the top of the page."""
    return page.locator(".st-key-runs-jobs .fs-job").filter(has_text=title).first


def row(page: Page, title: str) -> Locator:
    """What was brought, below the form."""
    return page.locator('[class*="st-key-runs-row-"]').filter(has_text=title).first


def stop(place: Locator) -> None:
    """Press Stop as a person does: again where nothing is seen to happen, for on a busy machine a press can wait long
    (docs/runs.md)."""
    button = place.get_by_role("button", name="Stop").first
    button.click(timeout=LONG)
    for _ in range(2):
        try:
            expect(place).to_contain_text(re.compile("stopping|stopped"), timeout=10_000)
        except AssertionError:
            if button.count() and button.is_enabled():
                button.click()
        else:
            return


def release(pill: Locator) -> None:
    """Press what is pressed, as a person does: again where nothing is seen to happen."""
    for _ in range(3):
        pill.click()
        try:
            expect(pill).to_have_attribute("aria-pressed", "false", timeout=10_000)
        except AssertionError:
            continue
        return
    expect(pill).to_have_attribute("aria-pressed", "false")


def unfold(page: Page, label: str) -> None:
    fold = page.locator("details").filter(has=page.locator("summary", has_text=label)).first
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
        settled(page)


def choose(page: Page, label: str, option: str) -> None:
    choose_from(
        page, page.get_by_role("combobox", name=label).first, page.get_by_role("option", name=option, exact=True)
    )


def start_scoring(page: Page, model: str, how: str = "the first") -> None:
    choose(page, "Model", model)
    unfold(page, "More")
    page.get_by_role("radio", name=how, exact=True).click()
    settled(page)
    page.get_by_role("button", name="Start", exact=True).click()


def runs_shown(page: Page) -> int:
    line = page.locator(".fs-seen", has_text=re.compile(r"^[\d,]+ runs?:"))
    expect(line).to_be_visible(timeout=LONG)
    settled(page)
    return int(line.inner_text().split(" ")[0].replace(",", ""))


def shows(page: Page, runs: int) -> None:
    expect(page.locator(".fs-seen")).to_contain_text(re.compile(rf"^{runs} runs"), timeout=LONG)


def test_a_model_is_scored_and_its_run_is_listed(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs")
    before = runs_shown(page)
    page.get_by_role("radio", name="Add").click()
    page.get_by_role("button", name="A model to score").click()
    expect(page).to_have_url(re.compile("tab=score"))
    start_scoring(page, "fake:ok")
    scored = row(page, "ok on world")
    expect(scored.get_by_role("link", name="Open results")).to_be_visible(timeout=LONG)
    expect(scored).to_contain_text("scored")
    page.get_by_role("radio", name="History").click()
    expect(page).not_to_have_url(re.compile("tab="))
    shows(page, before + 1)
    expect(job(page, "ok on world")).to_contain_text("took")
    shown = page.locator(".st-key-runs-shown")
    expect(shown).to_contain_text("The newest run", ignore_case=True)
    expect(shown).to_contain_text("ok on world")
    expect(shown.get_by_role("link", name="Open its failures")).to_be_visible()
    unfold(page, "The command that goes on with it")
    expect(page.get_by_test_id("stCode").first).to_contain_text("--limit 200")
    page.get_by_role("button", name="Details").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("--model fake:ok --benchmark world")
    expect(dialog).to_contain_text("The end of its log")


@pytest.mark.journey
def test_own_data_is_scored_and_opened_without_leaving_its_row(page: Page, dashboard: Any) -> None:
    """Upload, save, score, reload in between; take it away and back; open the results."""
    open_page(page, dashboard, "runs?tab=own")
    page.locator("input[type=file]").set_input_files([mine()])  # type: ignore[list-item]
    page.get_by_role("button", name="Save as a benchmark").click(timeout=LONG)
    brought = row(page, "custom:mine")
    expect(brought).to_contain_text("no scores yet", timeout=LONG)
    expect(brought).to_contain_text("2 items · 2 pictures")
    expect(page.get_by_role("button", name="Save as a benchmark")).to_have_count(0)  # the form is empty again
    expect(brought.get_by_test_id("stMultiSelect")).to_contain_text("ok")  # chosen for one
    brought.get_by_role("button", name="Score 1 model on it").click()
    expect(brought.get_by_role("progressbar")).to_be_visible(timeout=LONG)
    page.reload()
    link = brought.get_by_role("link", name="Open results")
    expect(link).to_be_visible(timeout=LONG)
    expect(brought).to_contain_text("scored by fake:ok")
    brought.get_by_role("button", name="Remove").click()
    bar = page.locator(".st-key-fs-deleted")
    expect(bar).to_contain_text("custom:mine", timeout=LONG)
    bar.get_by_role("button", name="Undo").click()
    expect(bar).to_have_count(0, timeout=LONG)
    link.click(timeout=LONG)
    expect(page).to_have_url(re.compile(r"failures\?.*benchmark=custom%3Amine"), timeout=LONG)
    expect(page.locator(".fs-header h1")).to_be_visible(timeout=LONG)


def test_a_cell_of_the_matrix_shows_its_run(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs")
    settled(page)
    cell = page.locator(".runs-matrix td button").last
    title = cell.get_attribute("title") or ""
    cell.click()
    expect(page).to_have_url(re.compile("run=[0-9a-f]{16}"), timeout=LONG)
    expect(page.locator(".st-key-runs-shown h3")).to_contain_text(title.partition(" on ")[0])
    expect(page.locator(".runs-matrix button.runs-picked")).to_have_attribute("title", title)
    expect(page.locator(".runs-list tr.runs-picked")).to_have_count(1)
    page.reload()
    expect(page.locator(".runs-matrix button.runs-picked")).to_have_attribute("title", title, timeout=LONG)


def test_a_running_job_is_seen_stopped_and_resumed_by_another_session(
    page: Page, dashboard: Any, browser: Browser
) -> None:
    open_page(page, dashboard, "runs?tab=score")
    start_scoring(page, "fake:slow", "all items")
    lasting = row(page, "slow on world")
    expect(lasting).to_contain_text("scoring", timeout=LONG)
    expect(lasting).to_contain_text(re.compile("[1-9][0-9,]* of [0-9,]+ scores, about .* left"), timeout=LONG)
    expect(lasting.get_by_role("progressbar")).to_be_visible()
    expect(job(page, "slow on world")).to_have_count(0)  # its row alone tells it
    expect(page.locator(".fs-seen")).to_contain_text("1 job is not over")
    other = browser.new_context().new_page()
    open_page(other, dashboard, "runs")
    expect(job(other, "slow on world")).to_contain_text("running", timeout=LONG)
    stop(other.locator(".st-key-runs-jobs"))
    expect(lasting).to_contain_text("Stopped on request", timeout=LONG)
    other.context.close()
    lasting.get_by_role("button", name="Resume").click()
    expect(lasting).to_contain_text("scoring", timeout=LONG)
    stop(lasting)
    expect(lasting).to_contain_text("Stopped on request", timeout=LONG)


def test_several_jobs_show_how_far_they_are_together(page: Page, dashboard: Any, browser: Browser) -> None:
    open_page(page, dashboard, "runs?tab=score")
    start_scoring(page, "fake:slow", "all items")
    slow = row(page, "slow on world")
    expect(slow).to_contain_text("scoring", timeout=LONG)
    history = browser.new_context().new_page()
    open_page(history, dashboard, "runs")
    expect(job(history, "slow on world")).to_contain_text("running", timeout=LONG)
    bar = history.locator(".st-key-runs-queue")
    expect(bar).to_have_count(0)  # one job has its own bar
    start_scoring(page, "fake:ok")
    expect(bar).to_contain_text(re.compile(r"[0-9]+ of [2-9] jobs over"), timeout=LONG)
    expect(bar.get_by_role("progressbar")).to_be_visible()
    stop(slow)
    expect(slow).to_contain_text("Stopped on request", timeout=LONG)
    expect(bar).to_have_count(0, timeout=LONG)
    history.context.close()


def test_a_failing_job_says_why(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=score")
    start_scoring(page, "fake:raise")
    failed = row(page, "raise on world")
    expect(failed).to_contain_text("fails on purpose", timeout=LONG)
    expect(failed).to_contain_text("failed")


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
    unfold(page, "The same in a terminal")
    expect(page.get_by_test_id("stCode").first).to_contain_text("import visla --data")
    page.get_by_role("button", name="Import", exact=True).click()
    brought = row(page, "visla")
    expect(brought).to_contain_text("no scores yet", timeout=LONG)
    expect(brought).to_contain_text("What the import found: 1 record left out, 2 pictures missing")
    expect(brought).to_contain_text("2 items · 2 images (2 missing) · 6 texts · 1 record skipped", timeout=LONG)
    expect(brought).to_contain_text("images are missing")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download 1 skipped record as CSV").first.click()
    assert "Generic_VISLA.tsv,line 3,empty column" in Path(download.value.path()).read_text(encoding="utf-8")
    expect(page.locator(".fs-caption", has_text="visla is here already, with 2 items")).to_be_visible(timeout=LONG)
    expect(brought.get_by_role("button", name="Score 1 model on it")).to_be_visible()


def test_a_damaged_bundle_is_refused_in_one_sentence(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=bundle")
    buffer = BytesIO()
    with ZipFile(buffer, "w") as bundle:
        bundle.writestr("notes.txt", "no bundle")
    file = {"name": "gpu.zip", "mimeType": "application/zip", "buffer": buffer.getvalue()}
    page.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
    page.get_by_role("button", name="Import", exact=True).click()
    refused = row(page, "gpu.zip")
    expect(refused).to_contain_text("not added", timeout=LONG)
    expect(refused.locator("p").first).to_contain_text("gpu.zip")


def test_a_job_is_taken_off_the_list(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs")
    settled(page)
    listed = dashboard.cache / "jobs"
    before = {path.parent.name for path in listed.glob("*/job.json")}
    title = page.locator(".st-key-runs-jobs strong").first.inner_text()
    page.locator(".st-key-runs-jobs").get_by_role("button", name="Remove").first.click()
    expect(page.locator(".st-key-fs-deleted")).to_contain_text(f"Deleted the job {title}", timeout=LONG)
    reads(page, lambda: len(before - {path.parent.name for path in listed.glob("*/job.json")}), 1)


def mine() -> dict[str, Any]:
    """A zip of two pictures and a table whose columns' names tell what is what."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as out:
        out.writestr(
            "mine/captions.csv",
            "image,caption,negative\npics/0.png,a red dot,a blue dot\npics/1.png,a blue dot,a red dot\n",
        )
        for number, colour in enumerate(("red", "blue")):
            picture = BytesIO()
            Image.new("RGB", (60, 40), colour).save(picture, "PNG")
            out.writestr(f"mine/pics/{number}.png", picture.getvalue())
    return {"name": "mine.zip", "mimeType": "application/zip", "buffer": buffer.getvalue()}


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
    expect(page.locator(".st-key-runs-form")).to_contain_text("shown with the first items before anything is saved")
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
    expect(row(page, "custom:dots")).to_contain_text("no scores yet", timeout=LONG)
    page.get_by_role("button", name="Model", exact=True).click()
    settled(page)
    page.get_by_role("combobox", name="Benchmark").first.click()
    expect(page.get_by_role("option", name="custom:dots", exact=True)).to_be_visible()


def test_a_benchmark_is_perturbed_after_a_look_at_its_captions(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=perturb")
    expect(page.locator(".st-key-runs-form")).to_contain_text("No perturbation chosen")
    choose(page, "Benchmark", "visla")
    page.get_by_role("button", name="Character swap", exact=True).click()
    shown = page.locator(".fs-panel", has_text="Character swap")
    expect(shown).to_contain_text("meaning-preserving · brittleness paper")
    expect(shown.locator("mark.fs-diff").first).to_be_visible()
    expect(shown).to_contain_text(re.compile("edits [1-9][0-9]* of [0-9]+"))
    page.get_by_role("button", name="Make the editions").click()
    expect(row(page, "1 edit of visla")).to_contain_text("no scores yet", timeout=LONG)
    page.get_by_role("button", name="Model", exact=True).click()
    settled(page)
    page.get_by_role("combobox", name="Benchmark").first.click()
    expect(page.get_by_role("option", name="visla~character_swap", exact=True)).to_be_visible()


def test_what_a_form_holds_stays_while_another_one_or_another_page_is_open(page: Page, dashboard: Any) -> None:
    """It was as it ships again without a word, and Start would have run another model."""
    open_page(page, dashboard, "runs?tab=score")
    choose(page, "Model", "fake:slow")
    pill = page.get_by_role("button", name="matching (itm)")
    expect(pill).to_have_attribute("aria-pressed", "true")
    settled(page)
    release(pill)
    settled(page)
    page.get_by_role("button", name="Edits", exact=True).click()
    negation = page.get_by_role("button", name="Negation", exact=True)
    negation.click()
    expect(page.locator(".fs-panel", has_text="Negation")).to_be_visible()
    settled(page)
    for back in ("Model", "Edits", "Model"):
        page.get_by_role("button", name=back, exact=True).click()
        settled(page)
        if back == "Edits":
            expect(page.locator(".fs-panel", has_text="Negation")).to_be_visible()
        else:
            expect(page.get_by_role("combobox", name="Model").first).to_have_value("fake:slow")
            expect(pill).to_have_attribute("aria-pressed", "false")
    sidebar = page.get_by_test_id("stSidebarNavLink")
    sidebar.filter(has_text="Failures").click()
    expect(page).to_have_url(re.compile("/failures"))
    settled(page)
    sidebar.filter(has_text="Runs").click()
    expect(page.get_by_role("combobox", name="Model").first).to_have_value("fake:slow")
    expect(pill).to_have_attribute("aria-pressed", "false")


def test_a_narrow_window_keeps_everything_in_sight(page: Page, dashboard: Any) -> None:
    page.set_viewport_size({"width": 900, "height": 1000})
    for tab in ("computed", "add", "score", "import", "perturb", "own", "predictions", "bundle", "real"):
        open_page(page, dashboard, f"runs?tab={tab}")
        settled(page)
        over = "(main => main.scrollWidth - main.clientWidth)(document.querySelector('[data-testid=stMain]'))"
        reads(page, lambda over=over: page.evaluate(over), lambda pixels: pixels <= 0)  # type: ignore[misc]


def test_predictions_are_looked_at_and_added(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs?tab=predictions")
    expect(page.locator(".st-key-runs-form")).to_contain_text("Compare with any other system")
    choose(page, "Benchmark", "visla")
    rows = "generic/1,0,0.9\ngeneric/1,1,0.8\ngeneric/1,2,0.1\ngeneric/3,0,0.2\ngeneric/3,1,0.1\ngeneric/3,2,0.5\n"
    text = "item_id,text_index,value\n" + rows + "generic/77,0,1\n"
    file = {"name": "other.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
    panel = page.locator(".st-key-runs-form")
    expect(panel).to_contain_text("6 of 7 statements belong to an item of visla: similarity (itc) for 2 items")
    expect(panel).to_contain_text("1 statement belongs to none")
    add = page.get_by_role("button", name="Add", exact=True)
    expect(add).to_be_disabled()
    box = page.get_by_label("Name of the system")
    box.fill("other")
    box.press("Enter")
    expect(add).to_be_enabled()
    add.click()
    row(page, "other on visla").get_by_role("link", name="Open results").click(timeout=LONG)
    expect(page).to_have_url(re.compile("failures.*model=predictions%3Aother"), timeout=LONG)
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
    panel = page.locator(".st-key-runs-form")
    expect(panel).to_contain_text("6 of 6 statements")
    expect(panel).not_to_contain_text("probabilities by the column")
    unfold(page, "More")
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
    expect(row(page, "probable on visla")).to_contain_text("scored", timeout=LONG)
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
    open_page(page, dashboard, "runs")
    title = page.locator(".st-key-runs-jobs strong").first.inner_text()
    page.locator(".st-key-runs-jobs").get_by_role("button", name="Remove").first.click()
    expect(bar).to_contain_text(title, timeout=LONG)
    bar.get_by_role("button", name="Undo").click()
    expect(page.locator(".st-key-runs-jobs strong").first).to_have_text(title, timeout=LONG)


def test_a_run_is_deleted_and_put_back(page: Page, dashboard: Any) -> None:
    open_page(page, dashboard, "runs")
    before = runs_shown(page)
    kept = sorted(path.name for path in (dashboard.cache / "runs").iterdir() if path.is_dir())
    settled(page)
    page.get_by_role("button", name="Delete run").click(timeout=LONG)  # the newest
    bar = page.locator(".st-key-fs-deleted")
    expect(bar).to_contain_text("Deleted the run", timeout=LONG)
    shows(page, before - 1)
    assert len([path for path in (dashboard.cache / "runs").iterdir() if path.is_dir()]) == len(kept) - 1
    bar.get_by_role("button", name="Dismiss").click()
    expect(bar).to_have_count(0, timeout=LONG)
    open_page(page, dashboard, "runs")  # the way back is there without the bar, too
    page.get_by_text("Recently deleted:").click()
    page.locator('[class*="st-key-undo-"] button').first.click(timeout=LONG)
    shows(page, before)
    assert sorted(path.name for path in (dashboard.cache / "runs").iterdir() if path.is_dir()) == kept


def test_uploaded_files_are_deleted_and_put_back(page: Page, dashboard: Any) -> None:
    folder = dashboard.cache / "uploads"
    folder.mkdir(exist_ok=True)
    Image.new("RGB", (8, 8), "red").save(folder / "dot.png")
    open_page(page, dashboard, "runs?tab=own")
    said = page.get_by_text("Uploaded files", exact=True)
    expect(said).to_be_visible(timeout=LONG)
    page.locator(".st-key-uploads-delete button").first.click()
    bar = page.locator(".st-key-fs-deleted")
    expect(bar).to_contain_text("Deleted the uploaded files", timeout=LONG)
    expect(said).to_have_count(0, timeout=LONG)
    assert not (folder / "dot.png").exists()
    bar.get_by_role("button", name="Undo").click()
    expect(said).to_be_visible(timeout=LONG)
    assert (folder / "dot.png").exists()
