"""A run against a server: killed half-way it goes on, and what cannot be had is refused before anything is stored."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.ledger import Pace
from backend.errors import UsageError
from tests.engine.samples import mixed, rows
from tests.models.endpoint.server import Server, taste

SMALL = Pace(cells=4, first_cells=4, rows=8)
KINDS = ["vqa", "gen", "prior", "verdict"]
PRIORS = ["images:2"]


@pytest.mark.slow
def test_a_server_that_dies_costs_nothing_that_was_committed(server: Server, tmp_path: Path) -> None:
    server.chooses = taste
    benchmark = mixed(tmp_path / "p", 2)
    whole = run(server.spec, benchmark, KINDS, priors=PRIORS, root=tmp_path / "whole")
    assert whole.exit_code == 0, whole.failed
    n = len(server.asked)
    left = [n // 2]

    def dies(_: Server) -> Any:
        left[0] -= 1
        return None if left[0] > 0 else (503, {}, {"error": {"message": "restarting"}})

    server.after = dies
    broken = run(server.spec, benchmark, KINDS, priors=PRIORS, root=tmp_path / "broken", pace=SMALL)
    assert broken.exit_code == 1
    assert all("answers 503: restarting" in why for why in broken.failed.values())
    assert shards.verify(broken.run_dir) == []
    kept = {part: len(found) for part, found in rows(broken.run_dir).items()}
    assert sum(kept.values()) > 0
    server.after, server.asked = None, []
    done = run(server.spec, benchmark, KINDS, priors=PRIORS, root=tmp_path / "broken")
    assert done.exit_code == 0
    assert done.run_id == whole.run_id
    assert rows(done.run_dir) == rows(whole.run_dir)
    assert len(server.asked) < n
    assert (done.run_dir / "run.json").read_text().count("the server's: not seen") == 1


def test_a_server_that_is_gone_is_not_asked_item_by_item(server: Server, tmp_path: Path) -> None:
    from backend.models import load

    mine = load(server.spec)
    mine.batch_size = 1
    server.after = lambda _: (503, {}, b"")
    server.asked.clear()
    found = run(mine, mixed(tmp_path / "p", 4), ["vqa"], root=tmp_path)
    assert found.exit_code == 1
    assert len(server.asked) == 5  # the attempts of one request


def test_one_bad_item_is_named(server: Server, tmp_path: Path) -> None:
    """The server refuses one text (too long, say): the item is named."""
    good = server.answer

    def refuses(path: str, body: dict[str, Any]) -> Any:
        if "foil 1" in json.dumps(body):
            return 400, {}, {"error": {"message": "maximum context length exceeded"}}
        return good(path, body)

    server.answer = refuses  # type: ignore[method-assign]
    found = run(server.spec, mixed(tmp_path / "p", 2), ["vqa"], root=tmp_path)
    assert found.exit_code == 1
    assert "vqa stopped at item choice/0" in found.failed["vqa"]
    assert "refuses the request (400: maximum context length exceeded)" in found.failed["vqa"]


def test_noise_and_absent_kinds_are_refused_before_anything_is_stored(server: Server, tmp_path: Path) -> None:
    benchmark = mixed(tmp_path / "p", 1)
    for kinds, says in ((["gen", "prior"], "Use --prior images:N or lm:SPEC"), (["itc"], "gives no itc; it gives gen")):
        with pytest.raises(UsageError, match=says):
            run(server.spec, benchmark, kinds, root=tmp_path / "root")
    server.shows_prompt = False
    with pytest.raises(UsageError, match="gives no gen; it gives vqa"):
        run(server.spec, benchmark, ["gen"], root=tmp_path / "root")
    assert not list((tmp_path / "root").glob("runs/*/*.parquet"))
    assert not list((tmp_path / "root").glob("runs/*/run.json"))


def test_bounded_odds_stand_in_the_record(server: Server, tmp_path: Path) -> None:
    def hide(answer: dict[str, Any]) -> dict[str, Any]:
        for choice in answer.get("choices", ()):
            for place in (choice["logprobs"] or {}).get("content", ()):
                place["top_logprobs"] = [e for e in place["top_logprobs"] if "Yes" not in e.values()]
        return answer

    server.after = lambda _: hide
    found = run(server.spec, mixed(tmp_path / "p", 1), ["vqa"], root=tmp_path)
    assert found.exit_code == 0
    record = json.loads((found.run_dir / "run.json").read_text())
    assert record["sessions"][-1]["remarks"]["vqa_bounds"] > 0


@pytest.mark.slow
def test_the_verbs(server: Server, flipside: Any) -> None:
    world = ("--benchmark", "world", "--subset", "relation", "--limit", "2")
    done = flipside("run", "--model", server.spec, *world, "--kinds", "vqa", "--json")
    assert done.code == 0, done.err
    assert done.json["parts"]["vqa"]["complete"] is True
    told = flipside("report", "--model", server.spec, "--benchmark", "world", "--run", done.json["run"], "--json")
    assert told.json["setting"]["kind"] == "vqa"
    assert told.json["metrics"]["group_score"]["n"] == 2
    listed = flipside("models", "--json").json["families"]
    assert any(f["name"] == "endpoint" and f["kinds"] == ["gen", "prior", "verdict", "vqa"] for f in listed)
    gone = flipside("run", "--model", "endpoint:http://127.0.0.1:9/v1#m", *world, "--kinds", "vqa")
    assert gone.code == 1
    assert "cannot be reached (connection refused)" in gone.err
    assert "Traceback" not in gone.err
    wrong = flipside("run", "--model", server.spec.replace("#tiny", "#none"), *world, "--kinds", "vqa")
    assert wrong.code == 2
    assert "It serves tiny, other" in wrong.err
    looked = flipside("doctor", "--model", server.spec)
    assert "scores are finite and depend on nothing but their own image and text" in looked.out + looked.err


@pytest.mark.slow
def test_verdicts_from_the_command_line(server: Server, flipside: Any, flipside_cache: Path) -> None:
    """A server without log-probabilities: run, report, export, its record, and what it says when prose begins."""
    server.chooses, server.shows_prompt, server.tops = taste, False, 0
    world = ("--model", server.spec, "--benchmark", "world")
    for subset, metric in (("relation", "text_score"), ("triplet", "i2t_accuracy"), ("choice", "accuracy")):
        done = flipside("run", *world, "--subset", subset, "--limit", "3", "--kinds", "verdict", "--json")
        assert done.code == 0, done.err
        told = flipside("report", *world, "--run", done.json["run"], "--json").json
        assert told["setting"]["kind"] == "verdict"
        assert told["metrics"][metric]["n"] == 3
        assert told["metrics"][metric]["published"] is None
        assert "deviations" not in told
    record = json.loads((flipside_cache / "runs" / done.json["run"] / "run.json").read_text())
    assert record["sessions"][-1]["remarks"]["verdict"]["contests"] == done.json["parts"]["verdict"]["rows"]
    shown = flipside("report", *world, "--run", told["run"])
    assert "pc, pf, threshold_accuracy, min_pc_pf, auroc are undefined for verdict" in shown.out
    asked = flipside("run", *world, "--subset", "retrieval", "--limit", "3", "--kinds", "verdict")
    assert asked.code == 2
    assert "verdict is asked of triplets, choices and quads only" in asked.err
    good = len(server.asked)
    server.chooses = lambda *case: taste(*case) if len(server.asked) < good + 12 else "The image shows shapes"
    prose = flipside("run", *world, "--subset", "count", "--limit", "40", "--kinds", "verdict")
    assert prose.code == 1
    assert "name neither, such as 'The image shows shapes'; tiny cannot be judged by verdict.\n" in prose.err
    assert "Nothing was scored. Mend that and run again." in prose.err
