"""Jobs that can never succeed are told from those that may, by what the real verbs say of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.live.jobs.hopeless import is_hopeless
from backend.live.jobs.record import CANCELLED, FAILED, LOG, OUT, Job

TABLE = "image,caption,foil\na.png,dogs,cats\n"


@pytest.fixture
def failed(flipside_cache: Path, flipside: Callable[..., Any]) -> Callable[..., Job]:
    """A verb called as a job calls it, and the failed job that it leaves."""
    del flipside_cache

    def call(verb: str, *words: str) -> Job:
        answer = flipside(verb, *words, "--json")
        job = Job("20260101T000000000000-abcdef", verb, (*words, "--json"), "A job", FAILED, exit_code=answer.code)
        job.folder.mkdir(parents=True, exist_ok=True)
        (job.folder / OUT).write_text(answer.out)
        (job.folder / LOG).write_text(f"--- attempt 1, now\n{answer.err}")
        return job

    return call


def test_predictions_are_never_run(failed: Callable[..., Job]) -> None:
    """It failed with “has no weights, so it cannot be run”, and Resume stood beside it."""
    job = failed("run", "--model", "predictions:one", "--benchmark", "world", "--kinds", "itc")
    assert job.exit_code == 2
    assert is_hopeless(job)
    assert not is_hopeless(replace(job, state=CANCELLED))


def test_kinds_that_no_item_has(failed: Callable[..., Job]) -> None:
    words = ("--model", "fake:ok", "--benchmark", "world", "--limit", "3", "--subset", "relation")
    assert is_hopeless(failed("run", *words, "--kinds", "t2t"))


def test_an_edit_that_applies_to_none(failed: Callable[..., Job], flipside: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text(TABLE)
    assert flipside("import", "custom", "--data", tmp_path / "few.csv").code == 0
    job = failed("perturb", "--benchmark", "custom:few", "--kinds", "character_swap,synonym_adjective")
    assert job.exit_code == 1
    assert is_hopeless(job)
    (job.folder / OUT).write_text((job.folder / OUT).read_text().replace('"proposer": null', '"proposer": {"a": 1}'))
    assert not is_hopeless(job)  # a server may answer another day
    (job.folder / OUT).write_text("{")
    assert not is_hopeless(job)


def test_what_somebody_may_bring_still_can_be_resumed(failed: Callable[..., Job], tmp_path: Path) -> None:
    job = failed("run", "--model", "fake:ok", "--benchmark", "visla", "--data", str(tmp_path / "moved"))
    assert job.exit_code == 2
    assert not is_hopeless(job)
    assert not is_hopeless(replace(job, exit_code=-9))


def test_a_training_without_a_number(failed: Callable[..., Job]) -> None:
    job = replace(failed("runs"), verb="teach", state=FAILED, exit_code=1)
    (job.folder / LOG).write_text("flipside: step 4: the loss or its gradient is no number (loss nan). Begin anew.\n")
    assert is_hopeless(job)
    (job.folder / LOG).write_text("flipside: the disk is full.\n")
    assert not is_hopeless(job)
