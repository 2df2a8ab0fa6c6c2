"""The blind audit from stored P(t) against a slow count, item by item; what the sentence on Overview says."""

import numpy as np
import pytest

from backend.items import ImageRef, Item, Protocol
from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.reasons import blind_audit
from backend.store.reasons.blind_audit import Audit, put_first
from pages.overview import blind as page
from tests.store import writer


def log_p(store, run_id):
    """item id -> mean log P a token of its texts, from the stored rows."""
    rows = store.cursor().execute(
        """SELECT i.item_id, s.text_index, s.value / s.n_tokens FROM scores s JOIN runs r USING (run_id)
        JOIN items i ON i.benchmark = r.benchmark AND i.item_no = s.item_no
        WHERE s.run_id = ? AND s.part = 'prior@self' ORDER BY i.item_no, s.text_index""", [run_id],
    ).fetchall()  # fmt: skip
    found = {}
    for item_id, text, value in rows:
        found.setdefault(item_id, {})[text] = value
    return {item_id: [texts[k] for k in sorted(texts)] for item_id, texts in found.items()}


def solves(values, truth, triplet):
    """Whether one scorer finds the truth (triplets: the negative) where text `truth` is it."""
    others = [value for k, value in enumerate(values) if k != truth]
    return values[truth] < min(others) if triplet else values[truth] > max(others)


@pytest.mark.long
def test_share_accuracy_and_exchange_are_those_of_a_slow_count(flipside_cache, monkeypatch):
    items, rows = writer.items(40), writer.score_rows
    monkeypatch.setattr(writer, "score_rows", lambda *given: [(*row[:6], 3) for row in rows(*given)])  # one length
    for number, model in enumerate(("fake:one", "fake:two", "fake:three")):
        writer.write_run(flipside_cache, items, f"{number:016x}", ["prior@self"], model=model, seed=number)
    store = open_store()
    scores = [log_p(store, f"{number:016x}") for number in range(3)]
    hash_ = q.benchmarks(store)["hash"].iloc[0]
    found = {audit.subset: audit for audit in blind_audit.audits(store, hash_)}
    assert set(found) == {"choice", "triplet"}
    for subset, audit in found.items():
        triplet, share = subset == "triplet", []
        names = [item.item_id for item in items if item.subset == subset]
        own, exchanged = np.zeros((3, len(names))), [[], [], []]
        for at, name in enumerate(names):
            first = 2 if triplet else 0
            rest = [k for k in range(len(scores[0][name])) if k != first]
            right = {k: [solves(each[name], k, triplet) for each in scores] for k in (first, *rest)}
            own[:, at] = right[first]
            for k in rest:
                for scorer in range(3):
                    exchanged[scorer].append(right[k][scorer])
            luck = sum(sum(right[k]) >= 2 for k in rest) / len(rest)
            share.append((sum(right[first]) >= 2) - luck)
        assert audit.n == len(names) == 40
        assert audit.share == pytest.approx(np.mean(share))
        assert audit.ci95[0] < audit.share < audit.ci95[1]
        assert [s.accuracy.value for s in audit.scorers] == pytest.approx(own.mean(axis=1))
        assert [s.exchanged for s in audit.scorers] == pytest.approx([np.mean(each) for each in exchanged])
        assert audit.solvable == ()  # random scores solve nothing by more than luck
    html = page.table(list(found.values()))
    assert html.count("<tr>") == 3
    assert "no more items than by luck" in page.sentence(found["triplet"])


@pytest.mark.long
def test_a_benchmark_that_texts_alone_solve(flipside_cache, monkeypatch):
    """The truth is always the likelier text: all is solved, and item by item."""
    items = [
        Item(f"c/{k}", "c", Protocol.CHOICE, (ImageRef(f"{k}.png", ""),), (f"a {k}", f"b {k}"), ((0, 0),), {}, f"w:{k}")
        for k in range(60)
    ]
    rows = writer.score_rows

    def likelier(kind, number, item, rng, skill):
        return [(*row[:5], -3.0 - 3.0 * row[2] + 0.1 * rng.normal(), 3) for row in rows(kind, number, item, rng, skill)]

    monkeypatch.setattr(writer, "score_rows", likelier)
    for number in range(2):
        writer.write_run(flipside_cache, items, f"{number:016x}", ["prior@self"], model=f"fake:{number}", seed=number)
    store = open_store()
    (audit,) = blind_audit.audits(store, q.benchmarks(store)["hash"].iloc[0])
    assert (audit.share, len(audit.solvable), audit.scorers[0].exchanged) == (1.0, 60, 0.0)


@pytest.mark.long
def test_one_scorer_gives_its_accuracy_and_no_share(flipside_cache):
    items = writer.items(20)
    writer.write_run(flipside_cache, items, "1" * 16, ["prior@self"], model="fake:one")
    store = open_store()
    found = blind_audit.audits(store, q.benchmarks(store)["hash"].iloc[0])
    assert [(len(a.scorers), a.share, a.ci95, a.solvable, a.n) for a in found] == [(1, None, None, (), 0)] * 2
    assert "two blind scorers are needed" in page.table(found)


def test_missing_texts_and_ties_are_not_won():
    nan = np.nan
    assert put_first(np.array([[-1.0, -1.0]]), False).tolist() == [[0.0, 0.0]]
    assert np.isnan(put_first(np.array([[nan, -1.0], [-1.0, nan]]), False)).all()
    assert put_first(np.array([[-1.0, -2.0, -3.0]]), True).tolist() == [[1.0, 0.0, 0.0]]
    assert np.isnan(put_first(np.array([[-1.0, nan, -3.0]]), True)).all()


@pytest.mark.parametrize(
    ("share", "ci95", "says"),
    [(0.4, (0.3, 0.5), "at least 30.0 % of the items can be solved without the image: less those whose foil is found, "
      "40.0 % [30.0, 50.0] (n = 50)"),
     (-0.4, (-0.5, -0.3), "the texts mislead"), (0.0, (-0.1, 0.1), "no more items than by luck")],
)  # fmt: skip
def test_what_is_said_of_a_share(share, ci95, says):
    assert says in page.sentence(Audit("a", Protocol.CHOICE, (), 50, share, ci95, ()))
