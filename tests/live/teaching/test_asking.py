"""Questions in processes of their own: answered once, given up for the next one, garbage and death as a sentence."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.live import supervisor
from backend.live.teaching import asking
from backend.live.teaching.asking import Answer, Questions

OK = "print('{\"n\": 1}')"
SLOW = "import time; time.sleep(100)"


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Questions]:
    """Each question's first word is a program."""
    started: list[subprocess.Popen[bytes]] = []

    def start_group(module: str, words: list[str], out: Path, log: Path, environment: dict[str, str]):  # type: ignore[no-untyped-def]
        assert (module, words[0]) == ("backend", "teach")
        assert environment["FLIPSIDE_LISTED_ONLY"] == "1"
        with out.open("wb") as said, log.open("ab") as told:
            command = [sys.executable, "-c", *words[1:]]
            started.append(subprocess.Popen(command, stdout=said, stderr=told, process_group=0))
        return started[-1]

    monkeypatch.setattr(supervisor, "start_group", start_group)
    found = Questions()
    found.started = started  # type: ignore[attr-defined]
    yield found
    for process in started:
        process.kill()
        process.wait()


def answered(questions: Questions, words: list[str], **more: object) -> Answer:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        answer = questions.look(words, "me", **more)  # type: ignore[arg-type]
        if answer.is_over:
            return answer
        time.sleep(0.02)
    pytest.fail("no answer")


def test_an_answer_is_kept_by_its_words(questions: Questions) -> None:
    first = questions.look([OK], "me")
    assert not first.is_over
    assert not first.waiting
    assert answered(questions, [OK]).document == {"n": 1}
    assert questions.look([OK], "another").document == {"n": 1}
    assert len(questions.started) == 1  # type: ignore[attr-defined]


def test_files_go_in_and_come_out(questions: Questions) -> None:
    program = "import sys; t = open(sys.argv[1]).read(); open(sys.argv[2], 'w').write(t * 2); print('{}')"
    words = [program, f"{asking.INPUT}a", f"{asking.OUTPUT}b"]
    answer = answered(questions, words, inputs={"a": b"xy"})
    assert answer.written == {"b": b"xyxy"}
    assert answered(questions, words, inputs={"a": b"z"}).written == {"b": b"zz"}  # other input, other question


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            "import sys; print('x\\nflipside: no such thing. Do this.', file=sys.stderr); sys.exit(2)",
            "no such thing. Do",
        ),
        ("import sys; sys.exit(3)", "exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "killed (signal 9)"),
        ("print('[]')", "could not be read"),
        ("print('{')", "could not be read"),
        ("raise SystemExit('last line')", "last line"),
    ],
)
def test_what_went_wrong_is_a_sentence(questions: Questions, program: str, said: str) -> None:
    answer = answered(questions, [program])
    assert said in answer.problem
    assert answer.document is None
    questions.again()
    assert not questions.look([program], "me").is_over  # asked anew


def test_the_next_question_of_a_session_ends_the_one_before(questions: Questions) -> None:
    questions.look([SLOW], "me")
    (slow,) = questions.started  # type: ignore[attr-defined]
    assert answered(questions, [OK]).document == {"n": 1}
    assert slow.wait(timeout=10) == -9


def test_following_asks_nothing(questions: Questions) -> None:
    assert questions.follow([SLOW]) is None
    questions.look([SLOW], "me")
    assert questions.follow([SLOW]) is not None
    answered(questions, [OK])
    assert questions.follow([SLOW]) is None
    assert len(questions.started) == 2  # type: ignore[attr-defined]


def test_more_questions_than_places_wait(questions: Questions) -> None:
    for owner in range(asking.AT_ONCE):
        questions.look([SLOW, str(owner)], f"session {owner}")
    assert questions.look([OK], "me").waiting
    questions.look([OK], "session 0")  # gives its slow one up, and a place with it
    assert answered(questions, [OK]).document == {"n": 1}


def test_no_folder_is_left(questions: Questions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answered(questions, [OK])
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    assert "could not be asked for" in questions.look([OK, "other"], "me").problem


def test_what_nobody_waits_for_is_stopped(questions: Questions) -> None:
    questions.look([SLOW], "me")
    other = questions.look([f"{SLOW} #"], "another")
    assert not other.is_over
    mine, theirs = questions.started  # type: ignore[attr-defined]
    questions.give_up("me")
    assert mine.wait(timeout=10) != 0
    assert theirs.poll() is None
    assert questions.follow([SLOW]) is None
    assert questions.follow([f"{SLOW} #"]) is not None
    questions.give_up("nobody")


def test_what_is_asked_in_passing_begins_once_it_has_stood_for_a_moment(
    questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed before: a glance at the form took both cores for ten seconds, and with them the pages opened next."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    first = questions.look([SLOW], "me", after=1.0, passing=True)
    assert not first.is_over
    assert not first.waiting, "it waits for nobody else"
    assert questions.started == []  # type: ignore[attr-defined]
    now = 100.9
    questions.look([SLOW, "a number typed"], "me", after=1.0, passing=True)
    now = 101.2
    assert questions.follow([SLOW]) is None
    assert questions.follow([SLOW, "a number typed"]) is not None
    assert questions.started == []  # type: ignore[attr-defined]
    now = 102.0
    questions.follow([SLOW, "a number typed"])
    assert len(questions.started) == 1  # type: ignore[attr-defined]


def test_what_is_asked_in_passing_is_given_up_once_nobody_looks(
    questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "LEFT", 0.05)
    questions.look([SLOW], "me", passing=True)
    questions.look([f"{SLOW} #"], "another")
    left, asked = questions.started  # type: ignore[attr-defined]
    assert left.wait(timeout=10) == -9, "by a thread: nobody asks anything any more"
    assert asked.poll() is None
    assert questions.follow([SLOW]) is None
    assert questions.follow([f"{SLOW} #"]) is not None


def test_nothing_is_left_of_what_is_asked_when_the_process_ends(tmp_path: Path) -> None:
    """Failed before: a dashboard that was stopped left the question's files, captions among them, and its process."""
    code = (
        "import pathlib, subprocess, sys\n"
        "from backend.live import supervisor\n"
        "from backend.live.teaching import asking\n"
        f"slow = lambda *_: subprocess.Popen([sys.executable, '-c', {SLOW!r}], process_group=0)\n"
        "supervisor.start_group = slow\n"
        "asking.shared().look(['x', '{input}/captions'], 'me', {'captions': b'a red ball'})\n"
        "[question] = asking.shared()._known.values()\n"
        "print(question.process.pid, (question.folder / 'captions').read_text())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    pid, _, captions = done.stdout.strip().partition(" ")
    assert captions == "a red ball"
    assert not list(tmp_path.glob("flipside-asked-*"))
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_what_a_killed_process_left_a_day_ago_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    old, new = tmp_path / "flipside-asked-old", tmp_path / "flipside-asked-new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "captions").write_text("a red ball")
    os.utime(old, (time.time() - 100_000,) * 2)
    asking.shared.__wrapped__()
    assert not old.exists()
    assert (new / "captions").exists()
