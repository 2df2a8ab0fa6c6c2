"""Predictions that were taken in part are a job that is done: the page has said which are not."""

import json
from dataclasses import replace

import pytest

from backend.live.jobs import output
from backend.live.jobs.record import FAILED, LOG, OUT, RUNNING, Job


@pytest.fixture
def job(flipside_cache):
    made = Job("20260101T000000000000-abcdef", "add-predictions", ("x.csv",), "Add", state=RUNNING)
    made.folder.mkdir(parents=True)
    return made


@pytest.mark.parametrize(
    ("verb", "code", "said", "taken"),
    [
        ("add-predictions", 1, {"run": "ab", "unmatched": [{}]}, True),
        ("add-predictions", 1, {}, False),
        ("add-predictions", 1, None, False),
        ("add-predictions", 2, {"run": "ab"}, False),
        ("run", 1, {"run": "ab"}, False),
    ],
)
def test_taken_in_part(job, verb, code, said, taken):
    if said is not None:
        (job.folder / OUT).write_text(json.dumps(said))
    assert output.took_part(replace(job, verb=verb), code) is taken


def test_what_was_said_before_anything_was_scored_is_no_reason_why_it_failed(job):
    """“For 16 other images are needed” stood where pictures could not be read."""
    lost = replace(job, verb="run", state=FAILED, exit_code=1)
    (job.folder / LOG).write_text(
        "flipside: note: itm of mine: every reason is uncertain, for 16 other images are needed and there are 5.\n"
        "flipside: 2 items of 6 left out, for an image of each cannot be read.\n"
        "flipside: item mine/1 left out: a.png: is no picture\n"
    )
    assert output.reason(lost) == "2 items of 6 left out, for an image of each cannot be read."
    (job.folder / LOG).write_text("flipside: note: no reason can be certain.\n")
    assert "no reason can be certain" in output.reason(lost)
