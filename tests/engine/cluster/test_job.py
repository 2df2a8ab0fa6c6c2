import pickle

import numpy as np
import pytest

from backend.engine import planned
from backend.engine.cluster.job import packed, unpacked
from backend.engine.inputs.selection import Selection
from backend.engine.plan import make_plan
from backend.intake.survey import survey
from backend.items import Kind
from tests.engine.samples import mixed


@pytest.fixture
def plan(tmp_path):
    found = survey(mixed(tmp_path / "p", 3), Selection(), tmp_path / "root")
    return make_plan(found, [Kind.ITC, Kind.GEN], [], counterfactual=2)


def test_a_plan_is_the_same_elsewhere_and_its_items_are_read_where_they_lie(plan):
    data = np.frombuffer(plan.survey.items.data, np.uint8)
    found = unpacked(packed(plan), data, plan.survey.items.shared)
    assert [found.survey.items[n] for n in range(len(plan.survey))] == [
        plan.survey.items[n] for n in range(len(plan.survey))
    ]
    assert np.shares_memory(found.survey.items.data, data)
    assert [stage.parts for stage in found.stages] == [stage.parts for stage in plan.stages]
    mine, its = ([w.tolist() for w in planned.windows(each, 8)] for each in (plan, found))
    assert mine == its
    for here, there in zip(plan.stages, found.stages, strict=True):
        for number in here.items.tolist():
            item = plan.survey.items[number]
            assert found.images(there, item) == plan.images(here, item)


def test_the_items_travel_apart(plan):
    text = plan.survey.items[0].texts[0].encode()
    assert text in bytes(plan.survey.items.data)
    assert text not in packed(plan)


def test_what_is_no_plan_is_refused(plan):
    with pytest.raises(pickle.UnpicklingError, match="a plan was expected, found list"):
        unpacked(pickle.dumps([1]), np.frombuffer(plan.survey.items.data, np.uint8), {})
