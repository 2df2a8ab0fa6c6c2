"""Where a `py:` spec may run: typed, in Python, or listed by the owner; never from a page or from what is stored."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backend.called import typed
from backend.engine.storage import files
from backend.errors import UsageError
from backend.live.jobs import jobs, record
from backend.live.maps import maps, worker
from backend.live.maps.maps import Wanted
from backend.live.scoring import pool
from backend.models import kinds_of, load
from backend.models.own import permission

ROOT = Path(__file__).resolve().parents[3]
TRAP = """
    from pathlib import Path
    Path({mark!r}).touch()

    class Net:
        weights_id = "trap"

        def encode_text(self, texts):
            return [[1.0, 2.0]] * len(texts)

        encode_image = encode_text
"""


@pytest.fixture
def trap(written, tmp_path):
    """A spec whose code leaves a mark where it was run, and the mark."""
    mark = tmp_path / "was run"
    return f"{written(TRAP.format(mark=str(mark)))}:Net", mark


def refused(call, mark, *arguments):
    with pytest.raises(UsageError, match=r"code of one's own|code is run only where"):
        call(*arguments)
    assert not mark.exists()


def test_the_refusal_at_the_command_line_says_what_to_type(trap, tmp_path, monkeypatch):
    """A study's file is no word of the command. What it says, pasted into a shell, lists the code."""
    spec, mark = trap
    for asked in (spec, f"py:{tmp_path}/with blanks/net.py:Net", f"py:{tmp_path}/with $ and '/net.py:Net"):
        monkeypatch.delenv(permission.ALLOWED, raising=False)
        with typed(["study", "grid.toml"]), pytest.raises(UsageError, match="code is run only where") as told:
            permission.refuse(asked)
        command = str(told.value).partition("before the command: ")[2] + " sh -c 'printf %s \"$FLIPSIDE_PY_MODELS\"'"
        listed = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
        monkeypatch.setenv(permission.ALLOWED, listed)
        assert permission.is_listed(asked)
    assert not mark.exists()


def test_in_python_it_runs(trap):
    spec, mark = trap
    assert load(spec).kinds == {"itc", "t2t"}
    assert mark.exists()


def test_a_page_runs_only_what_the_owner_listed(trap, monkeypatch):
    spec, mark = trap
    for ask in (pool.guard, pool.kinds, lambda s: pool.Pool().use(s).__enter__()):
        for said in (spec, f" {spec}", f"{spec}#x", spec.replace("/mine", "/./mine")):
            refused(ask, mark, said)
    monkeypatch.setenv(permission.ALLOWED, f"py:other:Net '{spec}'")
    refused(pool.kinds, mark, f"{spec}#argument")
    refused(pool.kinds, mark, spec.replace(":Net", ":Other"))
    assert pool.kinds(spec) == {"itc", "t2t"}
    with pool.Pool().use(spec) as model:
        assert model.encode_texts(["a"]).shape == (1, 2)


def test_what_the_owner_offers_on_the_pages_is_listed_too(trap, monkeypatch):
    spec, _ = trap
    monkeypatch.setenv(permission.OFFERED, f"bundled:clip {spec}")
    assert pool.kinds(spec) == {"itc", "t2t"}


def test_the_answer_is_the_same_whether_or_not_there_is_a_file(tmp_path, trap):
    spec, _ = trap
    said = set()
    for each in (spec, f"py:{tmp_path}/none.py:Net"):
        with pytest.raises(UsageError) as error:
            pool.kinds(each)
        said.add(str(error.value).replace(each, "SPEC"))
    assert len(said) == 1


def test_a_relative_path_is_never_listed(monkeypatch, trap, tmp_path):
    spec, mark = trap
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(permission.ALLOWED, "py:mine.py:Net")
    refused(pool.kinds, mark, "py:mine.py:Net")
    refused(pool.kinds, mark, spec)


def test_a_list_with_a_broken_quote_is_a_sentence(monkeypatch):
    monkeypatch.setenv(permission.ALLOWED, "py:a:B 'py:c:D")
    with pytest.raises(UsageError, match=permission.ALLOWED):
        permission.is_listed("py:a:B")


def test_a_command_runs_what_stands_among_its_words(trap):
    spec, mark = trap
    with typed(["run", "--model", "hf:someone/else", "--prior", "lm:gpt2"]):
        refused(load, mark, spec)
        refused(kinds_of, mark, spec)
    with typed(["run", f"--model={spec}2"]):
        refused(load, mark, spec)
    for words in (["--model", spec], [f"--model={spec}"], ["--prior", f"noise:3,lm:{spec}"], ["--models", f"a,{spec}"]):
        with typed(words):
            assert load(spec).kinds
    assert load(spec).kinds  # back in Python


def test_a_process_started_by_a_page_checks_the_list_again(trap, monkeypatch):
    spec, mark = trap
    monkeypatch.setenv(permission.LISTED_ONLY, "1")
    with typed(["run", "--model", spec]):
        refused(load, mark, spec)
    refused(kinds_of, mark, spec)


def test_the_dashboard_s_process_runs_nothing_unlisted(trap, monkeypatch):
    spec, mark = trap

    class Runtime:
        @staticmethod
        def exists():
            return True

    monkeypatch.setitem(sys.modules, "streamlit.runtime", Runtime)
    refused(load, mark, spec)
    refused(kinds_of, mark, spec)


@pytest.mark.long
@pytest.mark.parametrize("how", ["started", "edited queue file", "resumed"])
def test_a_job_does_not_run_it(trap, how, flipside_cache, monkeypatch):
    spec, mark = trap
    monkeypatch.setenv("FLIPSIDE_JOBS", "1")
    words = ["--model", spec, "--benchmark", "world", "--kinds", "itc", "--limit", "2", "--json"]
    if how == "started":
        job = jobs.start("run", words)
    else:
        job = record.Job(record.new_id(), "run", tuple(words), "made", record.QUEUED, record.now(), record.now())
        if how == "resumed":
            job = record.changed(job, state=record.DONE, started=record.now(), finished=record.now(), exit_code=0)
        job.folder.mkdir(parents=True)
        record.write(job)
        jobs.resume(job.job_id) if how == "resumed" else jobs.advance()
    for _ in range(600):
        if jobs.find(job.job_id).is_over:
            break
        subprocess.run(["sleep", "0.2"], check=True)
    done = jobs.find(job.job_id)
    assert (done.state, done.exit_code) == (record.FAILED, 2)
    assert permission.ALLOWED in (done.folder / "stderr").read_text()
    assert not mark.exists()


def test_a_map_of_a_stored_run_does_not_run_it(trap, flipside_cache, monkeypatch):
    spec, mark = trap
    wanted = Wanted("0" * 16, spec, "", "float32", (), ("a", "b", "c"))
    refused(lambda: maps.start(None, 0, None, wanted), mark)
    place = flipside_cache / "request"
    place.mkdir()
    files.replace_json(place / maps.REQUEST, {"n_images": 0, "layout": None, "wanted": {
        "run": "0" * 16, "spec": spec, "weights": "", "dtype": "", "uris": [], "texts": ["a"]}})  # fmt: skip
    monkeypatch.setenv(permission.LISTED_ONLY, "1")
    assert worker.main(place) == 1
    assert permission.ALLOWED in (place / maps.PROBLEM).read_text()
    assert not mark.exists()


@pytest.mark.long
def test_both_kinds_of_process_get_the_mark(monkeypatch, flipside_cache):
    given = {}

    class StopError(OSError):
        pass

    def popen(command, **more):
        given[command[3]] = more["env"].get(permission.LISTED_ONLY)
        raise StopError

    from backend.live import supervisor
    from backend.live.jobs import runner

    monkeypatch.setattr(supervisor.subprocess, "Popen", popen)
    monkeypatch.setattr(runner.signal, "signal", lambda *_: None)
    job = record.Job(record.new_id(), "run", ("--model", "fake:ok"), created=record.now(), pid=os.getpid())
    job.folder.mkdir(parents=True)
    record.write(job)
    assert runner.main(job.job_id) == 1
    wanted = Wanted("0" * 16, "fake:ok", "", "float32", (), ("a", "b", "c"))
    with pytest.raises(StopError):
        maps.start(None, 0, None, wanted)
    assert given == {"backend": "1", "backend.live.maps.worker": "1"}


@pytest.mark.slow
def test_an_imported_record_runs_nothing(trap, flipside, flipside_cache, colours, tmp_path):
    """A bundle of a py: run travels, is imported and reported; its code is not run again by any of that."""
    from backend.engine.runner import run

    spec, mark = trap
    summary = run(spec, colours, ["itc"])
    mark.unlink()
    bundle = tmp_path / "bundle.zip"
    asked = ("--model", spec, "--benchmark", "colours", "--run", summary.run_id)
    assert flipside("export", *asked, "--what", "bundle", "--out", bundle).code == 0
    environment = {**os.environ, "FLIPSIDE_CACHE": str(tmp_path / "other")}
    done = subprocess.run(
        [sys.executable, "-m", "backend", "import-results", str(bundle)], cwd=ROOT, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert flipside("report", "--model", spec, "--benchmark", "colours", "--json").code == 0
    assert not mark.exists()


def test_a_question_about_a_stored_run_is_refused_on_its_page(trap, colours, flipside_cache):
    from backend.engine.runner import run

    spec, mark = trap
    summary = run(spec, colours, ["itc"])
    mark.unlink()
    stored = json.loads((summary.run_dir / "run.json").read_text())["model"]["spec"]
    assert (permission.ALLOWED in score_of(stored).problem, mark.exists()) == (True, False)


def score_of(spec):
    from PIL import Image

    from backend.live.scoring.scoring import score

    return score(pool.Pool(), spec, [Image.new("RGB", (4, 4))], ("a",), "")


def test_a_proposer_that_was_not_typed_does_not_run(trap):
    from backend.models.proposers import load_proposer

    spec, mark = trap
    with typed(["perturb", "world", "--proposer", "lm:gpt2"]):
        refused(load_proposer, mark, "analogy", spec)
        refused(load_proposer, mark, "fill-mask", spec)


def test_a_path_that_leads_elsewhere_behind_a_link_is_not_the_listed_one(trap, tmp_path, monkeypatch):
    spec, mark = trap
    listed, other = tmp_path / "listed", tmp_path / "other" / "deep"
    listed.mkdir()
    other.mkdir(parents=True)
    for folder in (listed, other.parent):
        (folder / "mine.py").write_bytes(Path(spec.removeprefix("py:").rpartition(":")[0]).read_bytes())
    (listed / "link").symlink_to(other)
    monkeypatch.setenv(permission.LISTED_ONLY, "1")
    monkeypatch.setenv(permission.ALLOWED, f"py:{listed}/mine.py:Net")
    refused(load, mark, f"py:{listed}/link/../mine.py:Net")
    assert load(f"py:{listed}/../listed/./mine.py:Net").kinds


def test_a_word_that_only_mentions_it_permits_nothing(trap):
    spec, mark = trap
    for words in (["--note", f"about {spec}"], ["--note", f"x={spec}"], [f"{spec} too"], [f"py:x:{spec}"]):
        with typed(["run", *words]):
            refused(load, mark, spec)


@pytest.mark.parametrize(
    ("verb", "words"),
    [("sql", ("select 1",)), ("dashboard", ()), ("run", ("--model", "hf:x", "--trust-remote-code"))],
)
def test_a_queue_file_starts_no_other_verb_and_no_code_of_a_model_s_folder(verb, words, flipside_cache, monkeypatch):
    from backend.live import supervisor
    from backend.live.jobs import runner

    monkeypatch.setattr(supervisor, "start_group", lambda *_: pytest.fail("was started"))
    monkeypatch.setattr(runner.signal, "signal", lambda *_: None)
    job = record.Job(record.new_id(), verb, words, created=record.now(), pid=os.getpid())
    job.folder.mkdir(parents=True)
    record.write(job)
    assert runner.main(job.job_id) == 1
    assert "what no page starts" in (job.folder / "stderr").read_text()
    assert record.read(job.job_id).state == record.FAILED
