"""Charts of P(t) and accuracy over the number of null images, counted again from the stored rows."""

from math import exp, log

import pytest

from backend.store.alpha import prior_shapes
from backend.store.build.reader import open_store
from pages.debias import prior_shapes as page
from tests.store import writer

RUN = "a" * 16


def rows_of(store, part):
    """(item id, sample, text) -> (value, n_tokens) of the choices."""
    found = store.cursor().execute(
        """SELECT i.item_id, coalesce(s.sample, 0), s.text_index, s.value, s.n_tokens FROM scores s
        JOIN runs r USING (run_id) JOIN items i ON i.benchmark = r.benchmark AND i.item_no = s.item_no
        WHERE s.run_id = ? AND s.part = ? AND i.protocol = 'choice'""", [RUN, part],
    ).fetchall()  # fmt: skip
    return {(item, max(0, sample), text): (value, n) for item, sample, text, value, n in found}


@pytest.fixture
def made(flipside_cache):
    writer.write_run(flipside_cache, writer.items(30), RUN, ["gen", "prior@noise:4"], skill=1.0)
    return open_store()


@pytest.mark.long
def test_the_chart_counts_every_caption_once(made):
    found = prior_shapes.shape(made, RUN, "noise:4", "choice")
    sums = rows_of(made, "prior@noise:4")
    each = {}
    for item, _, text in sums:
        values = [sums[item, k, text] for k in range(4)]
        each[item, text] = log(sum(exp(value) for value, _ in values) / 4) / values[0][1]
    truths = [value for (_, text), value in each.items() if text == 0]
    foils = [value for (_, text), value in each.items() if text]
    assert (found.n_truths, found.n_foils) == (len(truths), len(foils))
    for counted, values in ((found.truths, truths), (found.foils, foils)):
        for k, number in enumerate(counted):
            last = k == len(counted) - 1
            inside = [v for v in values if found.edges[k] <= v and (v < found.edges[k + 1] or last)]
            assert len(inside) == number
    pairs = [(each[item, 0], value) for (item, text), value in each.items() if text]
    assert found.likelier == pytest.approx(sum(foil > truth for truth, foil in pairs) / len(pairs))
    assert (found.n_pairs, found.n_items) == (len(pairs), len({item for item, text in each if text}))
    low, high = found.ci95 or (1.0, 0.0)
    assert low <= found.likelier <= high
    assert low < high  # though every foil is the likelier one here
    drawn = page.shape_spec(found)["data"]["values"]
    assert sum(row["share"] for row in drawn) == pytest.approx(2.0)


@pytest.mark.long
def test_accuracy_over_the_number_of_null_images(made):
    found = prior_shapes.few_images(made, RUN, "noise:4", "choice")
    gen, sums = rows_of(made, "gen"), rows_of(made, "prior@noise:4")
    items = sorted({item for item, *_ in gen})
    assert [few.images for few in found] == [0, 1, 2, 3, 4]
    for few in found:
        right = 0
        for item in items:
            score = {}
            for text in (t for i, _, t in gen if i == item):
                value, n = gen[item, 0, text]
                prior = (
                    log(sum(exp(sums[item, k, text][0]) for k in range(few.images)) / few.images) if few.images else 0
                )
                score[text] = (value - prior) / n
            right += score[0] > max(value for text, value in score.items() if text)
        assert few.accuracy.n == len(items) == 30
        assert few.accuracy.value == pytest.approx(right / len(items))
    assert len({few.accuracy.value for few in found}) > 1
    assert len(page.few_spec({"noise": found})["data"]["values"]) == 5


@pytest.mark.long
def test_where_there_is_nothing_to_draw(made):
    assert prior_shapes.shape(made, RUN, "images:3", "choice") is None
    assert prior_shapes.shape(made, RUN, "noise:4", "relation") is None
    assert prior_shapes.few_images(made, RUN, "noise:4", "triplet") == []
