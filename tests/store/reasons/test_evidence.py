"""What is kept of reasons, read as Arrow, against the database's rows one by one."""

import numpy as np
import pytest

from backend.protocols import Protocol
from backend.store.reasons import evidence
from tests.store.conftest import ONE


def same(found, expected):
    """Whether a value of a frame is that of a row; what is missing there is NaN here."""
    if isinstance(expected, list):
        return np.array_equal(found, expected)
    if expected is None:
        return found is None or found != found
    return type(expected)(found) == expected or (expected != expected and found != found)


@pytest.mark.parametrize("protocol", [Protocol.QUAD, Protocol.CHOICE, Protocol.TRIPLET])
def test_a_table_is_what_the_rows_say(scored, patchy, protocol):
    of_quads = [(patchy, ONE, kind) for kind in ("itc", "itm", "gen") if protocol == Protocol.QUAD]
    for store, run_id, kind in [*((*scored, kind) for kind in ("itc", "itm", "gen")), *of_quads]:
        run = store.run(run_id)
        found = evidence.kept(run, kind, protocol)
        rows = store.cursor().execute(
            """SELECT i.item_id, i.subset, i.cluster, e.* FROM evidence e JOIN items i
            ON i.benchmark = ? AND i.item_no = e.item_no WHERE run_id = ? AND kind = ? AND e.protocol = ?
            ORDER BY e.item_no""",
            [run.benchmark, run_id, kind, str(protocol)],
        )
        names = [column[0] for column in rows.description]
        expected = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
        assert len(found) == len(expected) > 0
        for own, row in zip(found.to_dict("records"), expected, strict=True):
            assert [name for name, value in own.items() if not same(value, row[name])] == []
        numbers = evidence.numbers(store, run_id, kind, protocol, ("q", "cell", "reason"))
        assert numbers.column_names == ["item_no", "q", "cell", "reason"]
        for name in numbers.column_names:
            assert all(same(a, b) for a, b in zip(found[name], numbers[name].to_pylist(), strict=True))


def test_nothing_was_kept_of_another_kind(patchy):
    assert evidence.kept(patchy.run(ONE), "t2t", Protocol.QUAD).empty
    assert len(evidence.numbers(patchy, ONE, "t2t", Protocol.QUAD, ("gamma", "cell"))) == 0
