"""Rows of Runs, Add: their states from stored jobs and runs alone."""

import pytest

from backend.live.jobs.record import Job
from pages.runs.add import estimate, rows, score, states
from pages.runs.add.states import Row, Subject
from pages.runs.history.groups import Run

MINE = Subject("custom:mine", "a" * 16, 12, 12, 24)


def job(number: int, verb: str, words: str, state: str) -> Job:
    at = f"2026-01-01T10:{number:02}:00+00:00"
    over = "" if state in ("queued", "running") else at
    return Job(f"j{number}", verb, tuple(words.split()), f"{verb} {number}", state, at, at, at, over)


def brings(state: str, number: int = 0, words: str = "custom --data {input}/mine.zip --as mine --json") -> Job:
    return job(number, "import", words, state)


def scores(number: int, state: str, model: str = "bundled:clip", on: str = "custom:mine") -> Job:
    return job(number, "run", f"--model {model} --benchmark {on} --kinds itc --json", state)


def run(model: str = "bundled:clip", name: str = "custom:mine", of: str = "a" * 16, minute: int = 30,
        complete: bool = True, origin: tuple[str, str] = ("computed", "")) -> Run:  # fmt: skip
    stamp = f"2026-01-01T10:{minute:02}:00+00:00"
    return Run(f"{model}{minute}", model, of, name, "", ("itc",), (), origin, ("",) * 5, 12, complete, stamp)


def row(jobs: list[Job], runs: list[Run] | None = None, here: bool = True) -> Row:
    (found,) = states.benchmark_rows([MINE] if here else [], jobs, runs or [], is_own=True)
    return found


@pytest.mark.parametrize(
    ("jobs", "runs", "here", "state"),
    [
        ([brings("queued")], [], False, states.BRINGING),
        ([brings("running")], [], False, states.BRINGING),
        ([brings("failed")], [], False, states.REFUSED),
        ([brings("cancelled")], [], False, states.REFUSED),
        ([brings("done")], [], True, states.READY),
        ([], [], True, states.READY),
        ([brings("done"), scores(1, "queued")], [], True, states.WAITING),
        ([brings("done"), scores(1, "running"), scores(2, "queued", "m")], [], True, states.SCORING),
        ([brings("done"), scores(1, "done"), scores(2, "running", "m")], [run()], True, states.SCORING),
        ([brings("done"), scores(1, "failed")], [], True, states.FAILED),
        ([brings("done"), scores(1, "lost"), scores(2, "done", "m")], [run("m")], True, states.FAILED),
        ([brings("done"), scores(1, "cancelled")], [], True, states.STOPPED),
        ([brings("done"), scores(1, "failed"), scores(2, "done")], [run()], True, states.SCORED),
        ([brings("done"), scores(1, "done")], [run()], True, states.SCORED),
        ([], [run()], True, states.SCORED),
        ([brings("running", 3), scores(1, "done")], [run()], True, states.BRINGING),
    ],
)
def test_the_state_of_a_row_follows_from_jobs_and_runs(
    jobs: list[Job], runs: list[Run], here: bool, state: str
) -> None:
    assert row(jobs, runs, here).state == state


def test_a_later_complete_run_overtakes_a_failure_and_an_earlier_one_does_not() -> None:
    assert row([scores(20, "failed")], [run(minute=30)]).state == states.SCORED
    assert row([scores(40, "failed")], [run(minute=30)]).state == states.FAILED
    assert row([scores(20, "failed")], [run(minute=30, complete=False)]).state == states.FAILED
    assert row([scores(20, "failed")], [run("other", minute=30)]).state == states.FAILED


def test_a_second_import_that_failed_is_said_beside_what_is_there() -> None:
    found = row([brings("done", 1), scores(2, "done"), brings("failed", 3)], [run()])
    assert found.state == states.SCORED
    assert [each.job_id for each in found.unfinished] == ["j3"]


def test_own_data_and_benchmarks_have_rows_of_their_own() -> None:
    jobs = [brings("running"), brings("running", 1, "visla --data /x --json"), brings("failed", 2, "visla --data /x")]
    own = states.benchmark_rows([], jobs, [], is_own=True)
    files = states.benchmark_rows([], jobs, [], is_own=False)
    assert [each.title for each in own] == ["custom:mine"]
    assert [(each.title, each.state) for each in files] == [("visla", states.REFUSED)]  # the latest of its imports


def test_edits_of_one_benchmark_are_one_row() -> None:
    editions = [Subject(f"world~typos@{n}", f"{n:016x}", 20, 20, 40) for n in range(3)]
    jobs = [scores(1, "done", on="world~typos@1"), scores(2, "running", on="world~typos@2")]
    (found,) = states.edit_rows(editions, jobs, [run(of=f"{1:016x}", name="world~typos@1")])
    assert (found.title, found.state, len(found.runs)) == ("3 edits of world", states.SCORING, 1)
    assert rows.facts(found) == "60 items · only 1 of the 3 scored by clip", (
        "the others are here, and in no other count"
    )


def test_predictions_and_bundles_have_rows() -> None:
    adds = [job(1, "add-predictions", "{input}/a.csv --as other --benchmark visla --json", "running")]
    stored = run("predictions:mine", "visla")
    found = states.prediction_rows(adds, [stored, run()])
    assert [(each.title, each.state) for each in found] == [
        ("other on visla", states.BRINGING), ("mine on visla", states.SCORED),
    ]  # fmt: skip
    came = run(origin=("imported", "gpu.zip"))
    fails = [job(1, "import-results", "/jobs/inputs/bad.zip --json", "failed")]
    assert [(each.title, each.state) for each in states.bundle_rows(fails, [came, run()])] == [
        ("bad.zip", states.REFUSED), ("gpu.zip", states.SCORED),
    ]  # fmt: skip


def test_words_of_a_job_that_are_not_there_are_no_error() -> None:
    odd = [job(1, "run", "--model", "done"), job(2, "import", "", "failed"), job(3, "add-predictions", "--as", "done")]
    assert states.benchmark_rows([MINE], odd, [], is_own=True)[0].state == states.READY
    assert states.benchmark_rows([], odd, [], is_own=False) == []
    assert len(states.prediction_rows(odd, [])) == 1
    assert len(states.model_rows(odd, [])) == 1


def test_the_time_is_worked_out_from_what_runs_took() -> None:
    records = [{"sessions": [{"scores": 100, "seconds": 10.0}, {"scores": 0, "seconds": 9.0}]}, {"sessions": "bad"},
               {"sessions": [7, {"scores": 400, "seconds": 10}]}, {}]  # fmt: skip
    assert estimate.pace(records) == 40.0
    assert estimate.pace([{}]) is None
    quads = Subject("q", "", 10, 20, 20)
    assert estimate.scores(["itc"], quads) == 40  # both pictures with both texts
    assert estimate.scores(["itc", "t2t"], MINE) == 48
    chosen = [("a", ["itc"]), ("b", ["itc"])]
    assert estimate.seconds(chosen, [MINE], {"a": 24.0, "b": 12.0}) == 2 * estimate.START + 1 + 2
    assert estimate.seconds(chosen, [MINE], {"a": 24.0, "b": None}) is None
    assert estimate.seconds(chosen, [MINE], {"a": 24.0, "b": 12.0}, at_once=8) == estimate.START + 1.5
    assert estimate.seconds(chosen, [MINE], {"a": 24.0, "b": 12.0}, 8, 3.0) == 3 * (estimate.START + 1.5)


def test_a_busy_machine_is_counted_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: what took minutes beside other work was promised in seconds."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("os.getloadavg", lambda: (6.0, 0.0, 0.0))
    assert estimate.busy() == 4.0
    assert estimate.words(60.0 * 4, estimate.busy()) == "about 4 min, as this machine is busy now"
    monkeypatch.setattr("os.getloadavg", lambda: (0.1, 9.0, 9.0))
    assert estimate.busy() == 1.0
    monkeypatch.delattr("os.getloadavg")  # Windows has none
    assert estimate.busy() == 1.0


def test_what_will_be_scored_is_what_the_items_have() -> None:
    """“All items, by itc, t2t, gen, itm” was said of quads, which have no t2t; the runs held itc, and itc, itm."""
    quads = Subject("q", "", 10, 20, 20, protocols=("quad",))
    both = [quads, Subject("t", "", 10, 10, 30, protocols=("triplet",))]
    clip = frozenset({"itc", "t2t"})
    assert score.kinds_on(clip, [quads]) == ["itc"]
    assert score.kinds_on(clip, both) == ["itc", "t2t"]
    assert score.kinds_on(frozenset({"t2t"}), [quads]) == []
    assert score.kinds_on(clip, [Subject("unknown")]) == ["itc", "t2t"]
    assert estimate.scores(["itc", "t2t"], quads) == 40
    asked = [("bundled:clip", ["itc"]), ("bundled:matcher", ["itc", "itm"])]
    assert score.by(asked) == ": clip by itc; matcher by itc, itm"


def test_the_models_chosen_first_are_one_for_each_way_of_judging() -> None:
    offered = {"clip": frozenset({"itc", "t2t"}), "bag": frozenset({"itc"}), "sentence": frozenset({"t2t"}),
               "captioner": frozenset({"gen", "prior"}), "matcher": frozenset({"itc", "itm"})}  # fmt: skip
    assert score.first(offered, with_pictures=True) == ["clip", "captioner", "matcher"]
    assert score.first(offered, with_pictures=False) == ["clip", "captioner"]
