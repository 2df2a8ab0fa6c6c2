"""The view that trains, without a browser: the empty form, what cannot be done, and the trainings in each state.

No training runs in here, and no estimate is asked for: a stand-in answers.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.live.jobs import jobs, record
from backend.live.jobs.record import Job
from backend.live.teaching import asking, trainings
from backend.live.teaching.asking import Answer
from backend.live.teaching.words import Wish
from backend.live.uploads.model_folders import taught_dir
from backend.teach.training import following
from pages.shared.frame.plain import plain
from tests.pages.opening import APP

Visit = Callable[..., AppTest]
WISH = Wish("bundled:clip", "eqsim", fresh=40, concepts=("attribute",), steps=12)
ESTIMATE = {
    "examples": 600, "quads": 300, "with_negatives": 600, "held_out": 200, "skipped": {"images are missing": 3},
    "estimate": {"numbers": 61600, "seconds": 10.0, "memory": 998e6, "disk": 7e6, "free": 77e9},
}  # fmt: skip


class Answers:
    """Answers at once, and keeps what was asked."""

    def __init__(self) -> None:
        self.answer = Answer(1.0, document=ESTIMATE)
        self.asked: list[list[str]] = []
        self.given_up: list[str] = []

    def look(self, words: list[str], owner: str, inputs: object = None, **_: object) -> Answer:
        self.asked.append(list(words))
        return self.answer

    def follow(self, words: list[str], inputs: object = None) -> Answer | None:
        return self.answer if list(words) in self.asked else None

    def give_up(self, owner: str) -> None:
        self.given_up.append(owner)

    def again(self) -> None:
        """Nothing is kept."""


@pytest.fixture(autouse=True)
def answers(monkeypatch: pytest.MonkeyPatch, nothing_shipped: None) -> Answers:
    found = Answers()
    monkeypatch.setattr(asking, "shared", lambda: found)
    monkeypatch.setattr(jobs, "advance", lambda: None)
    monkeypatch.setattr(jobs, "_free", lambda _: 0)
    return found


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def errors(page: AppTest) -> list[str]:
    assert not page.exception
    return [str(each.value) for each in page.error]


def ended(job: Job, state: str, log: str = "") -> None:
    with record.locked():
        (job.folder / "stderr").write_text(log)
        record.write(record.changed(job, state=state, started=record.now(), finished=record.now(), exit_code=1))


def begun(name: str, steps: int = 12) -> Path:
    folder = taught_dir() / name
    folder.mkdir(parents=True, exist_ok=True)
    told = {"model": "bundled:clip", "recipe": {"name": "eqsim"}, "series": name, "plan": {"steps": 12}}
    following.write(folder, told)
    lines = [{"step": n, "loss": 1.0 / n, "retrieval": 0.5, "gamma": 0.05, "abs_c": 0.01, "abs_r": 0.02}
             for n in range(1, steps + 1)]  # fmt: skip
    (folder / "checkpoint.pt").touch()
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_an_empty_cache_shows_the_form_and_what_it_takes(visit: Visit, answers: Answers) -> None:
    page = visit("teach", view="train")
    assert errors(page) == []
    said = html(page)
    assert "Trainings" not in said
    assert "<b>10 s</b> of steps, and judging 200 held-out items about 8 times" in said
    assert "<b>61,600</b> numbers are trained" in said
    assert "3 items left out: images are missing." in said
    assert "are not marked “trained on”" in said
    start = next(button for button in page.button if button.label == "Start")
    assert not start.disabled
    assert answers.asked[0][-2:] == ["--dry-run", "--json"]
    assert answers.asked[0][answers.asked[0].index("--steps") + 1] == "100"


def test_the_estimate_holds_judging_too(visit: Visit, answers: Answers) -> None:
    document = {**ESTIMATE, "estimate": {**ESTIMATE["estimate"], "judging": 5.0}}  # type: ignore[dict-item]
    answers.answer = Answer(1.0, document=document)
    # 100 steps of 0.1 s, and held-out items judged once in 13 steps and at the beginning
    assert "<b>50 s</b> of steps, and judging 200 held-out items about 8 times" in html(visit("teach", view="train"))


def test_start_waits_for_no_estimate(visit: Visit, answers: Answers) -> None:
    answers.answer = Answer(3.0)
    page = visit("teach", view="train")
    assert errors(page) == []
    assert "measuring its first batch" in html(page)
    start = next(button for button in page.button if button.label == "Start")
    assert not start.disabled
    start.click().run()
    assert [each.name for each in trainings.listing()] == ["clip-eqsim-100-baseline", "clip-eqsim-100"]
    assert len(answers.given_up) == 1, "what still measures is stopped"


def test_beside_a_training_nothing_is_measured_unasked(visit: Visit, answers: Answers) -> None:
    """Failed before: an estimate loaded the model a second time beside the training, and measured its slowness."""
    page = visit("teach", view="train", teach_pairs="50", teach_steps="30")
    next(button for button in page.button if button.label == "Start").click().run()
    asked = set(map(tuple, answers.asked))
    page.number_input(key="teach_pairs").set_value(60).run()
    assert errors(page) == []
    assert set(map(tuple, answers.asked)) == asked
    assert not next(button for button in page.button if button.label == "Start").disabled
    page.button(key="teach-measure").click().run()
    assert len(set(map(tuple, answers.asked)) - asked) == 1
    assert "of memory at its peak" in html(page)
    assert "teach-measure" not in [button.key for button in page.button]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("teach_steps", 0, "Steps: 1 to 100,000."), ("teach_steps", 10**9, "Steps: 1 to 100,000."),
        ("teach_pairs", 3, "Minimal pairs: 4 to 100,000."), ("teach_batch", 1, "Batch: 2 to 4,096."),
        ("teach_rank", 513, "Rank of the adapters: 0 to 512."),
        ("teach_rate", 2.0, "Learning rate: 0.0000001 to 1."), ("teach_seed", -1, "Seed: 0 to 999,999,999."),
    ],
)  # fmt: skip
def test_a_number_outside_its_bounds_is_a_sentence_at_once(visit: Visit, key: str, value: float, said: str) -> None:
    page = visit("teach", view="train")
    page.session_state["teach-more"] = True
    page.run()
    page.number_input(key=key).set_value(value).run()
    assert errors(page) == [plain(said)]
    assert next(button for button in page.button if button.label == "Start").disabled
    assert page.number_input(key=key).value == value  # it stays, to be mended


def test_fields_that_few_change_are_drawn_once_their_fold_is_opened_and_stay(visit: Visit, answers: Answers) -> None:
    page = visit("teach", view="train")
    assert "teach_batch" not in [field.key for field in page.number_input]
    assert "--batch 16" in " ".join(answers.asked[-1])
    unfold(page, "teach-more", opened=True)
    page.number_input(key="teach_batch").set_value(8).run()
    unfold(page, "teach-more", opened=False)
    assert page.number_input(key="teach_batch").value == 8
    assert "--batch 8" in " ".join(answers.asked[-1])


def test_a_number_that_a_closed_fold_hides_is_told_of(visit: Visit) -> None:
    page = visit("teach", view="train")
    unfold(page, "teach-more", opened=True)
    page.number_input(key="teach_rank").set_value(9999).run()
    unfold(page, "teach-more", opened=False)
    assert any("outside its bounds" in said for said in errors(page))


def test_another_view_and_back_leaves_the_form_as_it_was(visit: Visit, answers: Answers) -> None:
    page = visit("teach", view="train")
    unfold(page, "teach-more", opened=True)
    page.number_input(key="teach_batch").set_value(12).run()
    page.number_input(key="teach_steps").set_value(8).run()
    page.radio(key="teach_by").set_value("svlc").run()
    for view in ("what-if", "train"):
        page.segmented_control(key="view").set_value(view).run()
    said = " ".join(answers.asked[-1])
    assert "--recipe svlc" in said
    assert page.number_input(key="teach_steps").value == 8
    assert "--batch 12" in said


def test_a_link_names_what_stands_in_the_fold(visit: Visit, answers: Answers) -> None:
    page = visit("teach", view="train", teach_batch="12", teach_seed="3", teach_rate="0.001")
    page.run()
    said = " ".join(answers.asked[-1])
    assert "--batch 12" in said
    assert "--seed 3" in said
    assert "--learning-rate 0.001" in said


def unfold(page: AppTest, key: str, *, opened: bool) -> None:
    """As a click on the fold's label does."""
    page.session_state[key] = opened
    page.session_state["_folds_open"] = {key: opened}
    page.run()


def test_a_link_opens_the_form_as_it_was(visit: Visit, answers: Answers) -> None:
    page = visit("teach", view="train", teach="bundled:matcher", teach_by="binding", teach_pairs="50",
                 teach_steps="30", teach_concepts=["size", "count"])  # fmt: skip
    assert errors(page) == []
    words = " ".join(answers.asked[-1])
    assert "--model bundled:matcher --recipe binding --fresh 50 --concepts count,size" in words
    assert next(field for field in page.text_input if field.label == "Name").value == "matcher-binding-30"


def test_start_makes_a_job_and_its_baseline_behind_it(visit: Visit) -> None:
    page = visit("teach", view="train", teach_pairs="50", teach_steps="30")
    next(button for button in page.button if button.label == "Start").click().run()
    assert errors(page) == []
    found = trainings.listing()
    assert [each.name for each in found] == ["clip-eqsim-30-baseline", "clip-eqsim-30"]
    assert trainings.baseline_of(found[1], found) == found[0]
    assert found[1].job is not None
    assert found[1].job.title == "Teach by eqsim: clip on 50 pairs of attribute, 30 steps"
    said = html(page)
    assert "clip-eqsim-30" in said
    assert "waiting" in said
    assert "Its baseline has been started already: clip-eqsim-30-baseline" in said


@pytest.mark.parametrize("name", ["a/b", "🙂", "../../x", " "])
def test_a_name_that_is_none_is_a_sentence(visit: Visit, name: str) -> None:
    page = visit("teach", view="train")
    next(field for field in page.text_input if field.label == "Name").set_value(name).run()
    assert any("1 to 60 letters" in said for said in errors(page)) or not name.strip()
    assert next(button for button in page.button if button.label == "Start").disabled or not name.strip()
    assert jobs.listing() == []


def test_what_the_command_line_refuses_is_its_sentence_and_nothing_starts(visit: Visit, answers: Answers) -> None:
    answers.answer = Answer(3.0, problem="recipe svlc needs positives: generate some first, or take the recipe neg.")
    page = visit("teach", view="train", teach_by="svlc")
    assert any("needs positives" in said for said in errors(page))
    assert next(button for button in page.button if button.label == "Start").disabled
    assert any(button.label == "Generate captions" for button in page.button)


@pytest.mark.parametrize("document", [{}, {"estimate": 3}, {**ESTIMATE, "estimate": {"numbers": "x"}}])
def test_an_estimate_that_is_none_is_a_sentence(visit: Visit, answers: Answers, document: dict[str, object]) -> None:
    answers.answer = Answer(3.0, document=document)
    assert any("could not be read" in said for said in errors(visit("teach", view="train")))


def test_a_disk_that_is_too_small_is_a_sentence(visit: Visit, answers: Answers) -> None:
    told = {**ESTIMATE, "estimate": {**ESTIMATE["estimate"], "free": 1e6}}  # type: ignore[dict-item]
    answers.answer = Answer(3.0, document=told)
    page = visit("teach", view="train")
    assert any("7 MB of disk and 1 MB are free" in said for said in errors(page))
    assert next(button for button in page.button if button.label == "Start").disabled


def test_a_running_a_stopped_a_failed_and_a_done_training(visit: Visit) -> None:
    for state, log in (
        (record.CANCELLED, ""),
        (record.FAILED, "--- attempt 1\nflipside: step 4: the loss is no number. Begin anew.\n"),
        (record.LOST, ""),
        (record.DONE, ""),
    ):
        ended(trainings.start(WISH, state, f"t {state}"), state, log)
        begun(state, 4 if state != record.DONE else 12)
    (taught_dir() / "done" / "merged").mkdir()
    (taught_dir() / "done" / "merged" / "teach.json").write_text(json.dumps({"step": 12}))
    (taught_dir() / "done" / "merged" / "config.json").write_text(json.dumps({"architectures": ["CLIPModel"]}))
    (taught_dir() / "done" / "merged" / "model.safetensors").write_bytes(b"weights")
    for state, wanted, button in (
        (record.CANCELLED, "Stopped on request", "Resume"),
        (record.FAILED, "step 4: the loss is no number. Begin anew.", "Resume"),
        (record.LOST, "Its process is gone without a word", "Resume"),
        (record.DONE, "12 steps", "Score"),
    ):
        page = visit("teach", view="train", training=state)
        assert errors(page) == []
        assert wanted in html(page), state
        assert button in [each.label for each in page.button], state
        assert "Delete" in [each.label for each in page.button]


def test_damaged_files_of_a_training_are_no_traceback(visit: Visit) -> None:
    for name in ("a", "b"):
        trainings.start(WISH, name, name)
        begun(name)
    (taught_dir() / "a" / "lesson.json").write_bytes(b"\xff{")
    (taught_dir() / "a" / "log.jsonl").write_bytes(
        b'{"step": 1, "loss": 1e999}\n\xff\xfe\n{"step": 2, "held_out": 3}\n'
    )
    (taught_dir() / "b" / "log.jsonl").write_text('{"step": 1, "loss": null}\n' * 3)
    for name in ("a", "b"):
        assert errors(visit("teach", view="train", training=name)) == []


def test_a_training_that_there_is_not_is_left_out(visit: Visit) -> None:
    assert errors(visit("teach", view="train", training="../../etc", teach="py:os:system", teach_by="x")) == []


def test_a_training_is_deleted_and_put_back(visit: Visit) -> None:
    ended(trainings.start(WISH, "mine", "t"), record.CANCELLED)
    page = visit("teach", view="train")
    next(button for button in page.button if button.label == "Delete").click().run()
    assert errors(page) == []
    assert trainings.listing() == []
    next(button for button in page.button if button.label == "Undo").click().run()
    assert [each.name for each in trainings.listing()] == ["mine"]


@pytest.mark.slow
def test_the_form_needs_no_torch() -> None:
    code = (
        "import sys; from backend.live.teaching import asking; asking.Questions._advance = lambda self: None\n"
        "from tests.pages.opening import opened\n"
        "page = opened('teach'); page.query_params['view'] = 'train'\n"
        "assert not page.run().exception and any(b.label == 'Start' for b in page.button)\n"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=APP.parent, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_no_model_is_a_sentence(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    monkeypatch.setattr("backend.live.teaching.teachable.offered", lambda: ([], ["fake:ok"]))
    assert not visit("teach", view="train").exception
