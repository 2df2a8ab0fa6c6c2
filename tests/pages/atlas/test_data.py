"""Which rates of the store are set beside the Atlas', and on which axes people can stand."""

from pathlib import Path

import numpy as np
import pytest

from backend.benchmarks import winoground_stub
from backend.published.atlas import measures
from backend.published.atlas.reading import Atlas
from pages.atlas import card, data, options, view
from pages.atlas.data import Own
from pages.atlas.view import View
from tests.pages.atlas.conftest import SPEC, X, Y
from tests.store.writer import write_run


@pytest.mark.usefixtures("scored")
def test_own_rates_are_those_of_the_store_where_all_is_the_same() -> None:
    (found,) = data.own()
    assert (found.model, found.kind) == (SPEC, "itc")
    assert set(found.rates) == {f"winoground::{side}" for side in ("text", "image", "group")}
    from backend.store import queries
    from pages.shared.data import stored

    run = stored.chosen()["winoground"].runs[SPEC]
    rates = queries.rates(stored.store(), run, queries.Setting("itc"), "subset").set_index("metric")["value"]
    for side in ("text", "image", "group"):
        value, ends = found.rates[f"winoground::{side}"]
        assert value == pytest.approx(100 * rates[f"{side}_score"])
        assert ends is not None
        assert ends[0] < value < ends[1]
    assert view.stars(View(X, Y), [found]) == [(found, found.of(X), found.of(Y))]
    assert view.stars(View(X, measures.measures()[measures.TASKS]), [found]) == []


@pytest.mark.usefixtures("nothing_shipped")
def test_a_part_of_a_benchmark_is_not_the_same(flipside_cache: Path) -> None:
    items = list(winoground_stub.stub())[:200]
    write_run(flipside_cache, items, "1" * 16, ["itc"], model=SPEC, seed=1, name="winoground")
    assert data.own() == []


def test_the_switch_for_people_says_where_it_does_nothing() -> None:
    both = {"winoground::text": (89.5, None), "winoground::image": (88.5, None)}
    crowd = Own("predictions:people", "score", data.PEOPLE, both)
    assert options._stands(crowd, "winoground::text", "winoground::image")
    assert not options._stands(crowd, "winoground::text", measures.TASKS)
    assert not options._stands(crowd, measures.TASKS, measures.COMPOSITION)


def test_a_place_that_several_share_is_called_so(atlas: Atlas) -> None:
    names = [f"{each.arch} {each.pretrained}" for each in atlas.entries]
    shared = [
        (measure, row)
        for measure in measures.benchmarks() for row in range(len(names))
        if int((measure.of(atlas) == measure.of(atlas)[row]).sum()) > 1
    ]  # fmt: skip
    alone = np.ones((len(measures.benchmarks()), len(names)), bool)
    for measure, row in shared:
        others = int((measure.of(atlas) == measure.of(atlas)[row]).sum()) - 1
        assert data.sharing(measure, atlas)[row] == others
        assert f"(shared with {others} other" in card.to_copy(atlas, row, (measure, measure), [], {})
        assert f"<td>{data.ranks(measure, atlas)[row]}=</td>" in card.profile(atlas, row)
        alone[measures.benchmarks().index(measure), row] = False
    assert shared
    column, row = np.argwhere(alone)[0]
    measure = measures.benchmarks()[column]
    assert data.sharing(measure, atlas)[row] == 0
    assert "shared" not in card.to_copy(atlas, int(row), (measure, measure), [], {}).partition("; Ranks best")[0]
