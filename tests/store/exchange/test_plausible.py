"""What no run can say of itself is refused on import: dates to come, noise that swallows every margin, huge counts."""

from datetime import UTC, datetime

import pytest

from backend.store.exchange import plausible
from backend.store.exchange.write import write_bundle
from tests.store import writer
from tests.store.forged import Forged

NOW = datetime(2026, 11, 29, 1, tzinfo=UTC)


def record(**more):
    told = {"created": "2026-11-28T00:00:00+00:00", "updated": "2026-11-28T00:00:00+00:00"}
    return {"model": {"spec": "fake:ok"}} | told | more


SOUND = {
    "a clock that is hours ahead": record(updated="2026-11-29T23:00:00+00:00"),
    "another time zone": record(updated="2026-11-30T12:00:00+14:00"),
    "a session": record(sessions=[{"started": "2026-11-28T00:00:00+00:00", "finished": None}]),
    "what runs measure": record(
        batching={
            "itc": {"n": 12, "difference": 2e-7, "in_pools": 1e-4},
            "gen": {"n": 9, "difference": 0.02, "per_token": 0.003},
        }
    ),
    "samples": record(
        priors={
            "prior@noise:3": {"samples": 3},
            "prior@images:20@x-0a1b2c3d": {"samples": 20},
            "prior@lm:a": {"samples": 1},
            "prior@self": {},
        }
    ),
    "predictions": record(model={"spec": "predictions:mine"}, priors={"prior@predicted": {"samples": 7}}),
}
WRONG = {
    "updated": (record(updated="2099-01-01T00:00:00+00:00"), "updated is 2099-01-01, .* .here it is 2026-11-29"),
    "created": (record(created="2026-11-30T02:00:00+00:00"), "created is 2026-11-30, which is still to come"),
    "session": (record(sessions=[{}, {"finished": "2099-01-01T00:00:00+00:00"}]), "sessions.1.finished is 2099-01-01"),
    "cosines": (
        record(batching={"itc": {"n": 8, "difference": 1e9}}),
        "batching.itc.difference moves a score by 1e.09, and no two cosines",
    ),
    "in pools": (record(batching={"itc": {"n": 8, "in_pools": 3}}), "batching.itc.in_pools moves a score by 3"),
    "sums": (
        record(batching={"gen": {"n": 8, "per_token": 1e9}}),
        "batching.gen.per_token .* 1000 is more than any rounding",
    ),
    "handful": (record(batching={"itc": {"n": 10**9, "difference": 0.0}}), "1,000,000,000 scores of itc .* a handful"),
    "samples": (
        record(priors={"prior@noise:3": {"samples": 10**9}}),
        "prior@noise:3 has 1000000000 samples, .* it has 3",
    ),
    "one sample": (record(priors={"prior@self": {"samples": 2}}), "prior@self has 2 samples, and by its name it has 1"),
    "no number": (record(priors={"prior@self": {"samples": True}}), "has True samples"),
}


@pytest.mark.parametrize("told", SOUND.values(), ids=SOUND)
def test_what_runs_say_is_believed(told):
    plausible.check(told, NOW)


@pytest.mark.parametrize(("told", "said"), WRONG.values(), ids=WRONG)
def test_what_no_run_can_say_is_refused(told, said):
    with pytest.raises(ValueError, match=said):
        plausible.check(told, NOW)


def test_a_bundle_that_says_so_is_refused_whole(flipside, flipside_cache, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    folder = writer.write_run(elsewhere, writer.items(4), "", ["itc"])
    with monkeypatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(elsewhere))
        write_bundle(folder.name, next((elsewhere / "benchmarks").iterdir()).name, tmp_path / "run.zip")
    forged = Forged(tmp_path / "run.zip")
    forged.change("run.json", lambda told: told.update(updated="2099-01-01T00:00:00+00:00"))
    answer = flipside("import-results", str(forged.write(tmp_path / "forged.zip")))
    assert answer.code == 1
    assert "refused, nothing was imported: run.json: updated is 2099-01-01, which is still to come" in answer.err
    assert not (flipside_cache / "imported").exists() or not any((flipside_cache / "imported").rglob("run.json"))
    assert flipside("import-results", str(tmp_path / "run.zip")).code == 0
