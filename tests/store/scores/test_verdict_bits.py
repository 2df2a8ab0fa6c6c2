"""Verdicts as bits, against the table that they come from."""

import numpy as np

from backend.store.scores import verdict_bits


def test_bits_say_what_the_outcomes_say(asked):
    cursor = asked.cursor()
    runs = [run for (run,) in cursor.execute("SELECT DISTINCT run_id FROM outcomes").fetchall()]
    found = {}
    for metric in verdict_bits.metrics(asked.cursor(), runs):
        for bits in verdict_bits.read(asked.cursor(), runs, metric):
            numbers = bits.first + np.flatnonzero(bits.there)
            words = np.array(bits.words)[bits.reasons()]
            for number in numbers.tolist():
                at = number - bits.first
                correct = bool(bits.right[at]) if bits.judged[at] else None
                found[bits.run_id, bits.kind, metric, number] = correct, str(words[at])
    rows = cursor.execute(
        """SELECT run_id, kind, metric, item_no, correct, reason FROM outcomes
        WHERE metric NOT IN (SELECT metric FROM outcomes WHERE query >= 0)"""
    ).fetchall()
    # Of the metrics of one item the headline keeps its reason.
    kept = verdict_bits.WORDED
    assert found == {tuple(key): (correct, reason if key[2] in kept else "") for *key, correct, reason in rows}
    assert {correct for correct, _ in found.values()} >= {True, False}
    assert len({reason for _, reason in found.values()}) > 1


def test_how_many_items_were_judged_is_kept(asked):
    cursor = asked.cursor()
    counted = cursor.execute(
        """SELECT run_id, kind, count(DISTINCT item_no) FROM outcomes GROUP BY run_id, kind
        UNION ALL SELECT run_id, '', count(DISTINCT item_no) FROM outcomes GROUP BY run_id ORDER BY ALL"""
    ).fetchall()
    assert cursor.execute("SELECT run_id, kind, items FROM judged ORDER BY ALL").fetchall() == counted


def test_packed_bits_say_the_same(asked):
    cursor = asked.cursor()
    runs = [run for (run,) in cursor.execute("SELECT DISTINCT run_id FROM outcomes").fetchall()]
    n = cursor.execute("SELECT max(item_no) + 1 FROM items").fetchone()[0]
    compared = set()
    for metric in verdict_bits.metrics(asked.cursor(), runs):
        read = list(verdict_bits.read(asked.cursor(), runs, metric))
        packed = list(verdict_bits.packed(asked.cursor(), runs, metric, n))
        assert [(each.run_id, each.kind) for each in read] == [each[:2] for each in packed]
        for bits, (_, _, *columns) in zip(read, packed, strict=True):
            for wanted, column in zip((bits.there, bits.judged, bits.right), columns, strict=True):
                whole = np.zeros(n, dtype=bool)
                whole[bits.first : bits.first + len(wanted)] = wanted
                assert np.unpackbits(column, count=n).astype(bool).tolist() == whole.tolist()
                compared.add(bits.first % 8)
    assert {0} < compared  # both ways to place them were taken


def test_a_counter_counts():
    rng = np.random.default_rng(0)
    rows = rng.random((77, 1001)) < rng.random(1001)
    count = verdict_bits.Counter()
    for row in rows:
        count.add(np.packbits(row))
    assert count.of(1001).tolist() == rows.sum(axis=0).tolist()
    assert verdict_bits.Counter().of(3).tolist() == [0, 0, 0]
