"""Predictions that were taken in part are a job that is done: the page has said which are not."""

import json
from dataclasses import replace

import pytest

from backend.live.jobs import output
from backend.live.jobs.record import OUT, RUNNING, Job


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
