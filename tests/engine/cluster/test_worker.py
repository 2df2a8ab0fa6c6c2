import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from backend import __version__
from backend.engine import SCORING
from backend.engine.cluster import worker
from backend.engine.cluster.job import How, Job, Share, packed
from backend.engine.inputs.selection import Selection
from backend.engine.plan import make_plan
from backend.errors import FlipsideError
from backend.intake.survey import survey
from backend.items import Kind
from backend.models import load
from backend.models.fake import FakeModel
from tests.engine.cluster.fakes import FakeRay, Handle
from tests.engine.samples import mixed

HOW = How("fake:ok", "auto", "auto", 0)


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    monkeypatch.setattr(worker, "ray", FakeRay)
    monkeypatch.setattr(worker, "use_threads", lambda _: None)


@pytest.fixture
def plan(tmp_path):
    return make_plan(survey(mixed(tmp_path / "p", 3), Selection(), tmp_path / "root"), [Kind.ITC], [])


def begun(plan, board=None, how=HOW, **job):
    said = {"details": {}, "stages": ("itc",), "threads": 1} | job
    if "said" not in said:
        said["said"] = load(how.spec).describe()
    made = Job(how, packed(plan), plan.survey.items.shared, **said)
    return worker.Worker(made, np.frombuffer(plan.survey.items.data, np.uint8), Handle(board or worker.Board()))


def asked(made, number=0, items=(0, 1)):
    share = Share(number, {"itc": np.array(items, np.int32)})
    return pickle.loads(made({"share": [pickle.dumps(share)]})["scored"][0])  # noqa: S301 - our own


@pytest.mark.long
def test_a_worker_decodes_in_processes_where_the_run_says_so(plan):
    plain, other = begun(plan), begun(plan, processes=1)
    assert plain.decoder._processes is None
    assert other.decoder._processes.workers == 1
    assert asked(other).window.rows == asked(plain).window.rows
    other.decoder.close()


def test_a_window_is_scored_and_what_it_took_is_told(plan):
    found = asked(begun(plan))
    assert {row[0] for row in found.window.rows["itc"]} == {0, 1}
    assert found.asked == {
        "images_encoded": 2,
        "texts_encoded": 6,
        "pairs_scored": 0,
        "priors_scored": 0,
        "images_decoded": 2,
    }
    assert not found.error


def test_a_window_knows_nothing_of_the_one_before(plan):
    made = begun(plan)
    assert asked(made).asked == asked(made, 1).asked


def test_nothing_is_begun_once_somebody_has_asked_to_stop(plan):
    board = worker.Board()
    made = begun(plan, board)
    board.stop()
    found = asked(made)
    assert found.skipped
    assert not found.window.rows


def test_a_window_that_keeps_ending_its_process_is_named_in_the_end(plan):
    board = worker.Board()
    made = begun(plan, board)
    for _ in range(worker.TRIES):
        board.begin(0)
    assert "begins with item tri/0 has ended its process 3 times" in asked(made).error
    assert not asked(made, 1).error


def test_a_stage_that_failed_elsewhere_is_not_asked_for(plan):
    board = worker.Board()
    made = begun(plan, board)
    board.fail(["itc"])
    assert asked(made).window.rows == {}


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ({"version": ("0.0.1", SCORING)}, f"has Flipside {__version__}"),
        ({"version": (__version__, SCORING + 1)}, "Install the same version on every machine"),
        ({"details": {"prior@noise:1": {}}}, "are not those of the machine on which the run was looked at"),
    ],
)
def test_a_process_that_is_not_like_the_first_says_so(plan, job, says):
    assert says in asked(begun(plan, **job)).error


def test_other_libraries_are_refused(plan):
    said = load("fake:ok").describe() | {"versions": {"numpy": "1.0"}}
    assert "differs from the one that the run was begun with in versions" in asked(begun(plan, said=said)).error


def test_a_model_that_cannot_be_loaded_is_told_by_the_first_window(plan, monkeypatch):
    monkeypatch.setattr(FakeModel, "load", lambda _: 1 / 0)
    found = asked(begun(plan, said={}))
    assert "ZeroDivisionError" in found.error
    assert "Traceback" in found.traceback


def test_the_scout_says_what_a_run_needs_to_know(plan):
    scout = worker.Scout(HOW)
    said = scout.look((__version__, SCORING))
    assert said["described"] == load("fake:ok").describe()
    assert said["memory"] > 1 << 20
    job = SimpleNamespace(plan=packed(plan), shared={}, stages=())
    assert scout.priors(job, np.frombuffer(plan.survey.items.data, np.uint8))["details"] == {}


def test_the_scout_says_what_is_wrong_with_a_model():
    said = worker.Scout(How("fake:nothing", "auto", "auto", 0)).look((__version__, SCORING))
    assert (said["exit_code"], "no fake mode 'nothing'" in said["error"]) == (2, True)
    with pytest.raises(FlipsideError):
        worker.refuse_version(("0", 0), "here")
