"""What was deleted comes back exactly, and never over something newer."""

from pathlib import Path

import pytest

from backend.errors import FlipsideError
from backend.store.failures import notes, undo


def everything() -> dict[str, list[tuple[str, ...]]]:
    with notes.connected() as connection:
        return {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3").fetchall()
                for name in ("tags", "notes", "views")}  # fmt: skip


@pytest.mark.usefixtures("flipside_cache")
def test_tags_notes_and_views_come_back_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(notes, "now", lambda: "2020-01-01T00:00:00+00:00")
        notes.add_tag("b", "x/1", "odd")
        notes.add_tag("b", "x/1", "kept")
        notes.set_note("b", "x/1", "seen <twice>")
        notes.save_view("failures", "mine", {"model": ["clip"]})
    before = everything()
    gone = [undo.tag("b", "x/1", "odd"), undo.note("b", "x/1"), undo.view("failures", "mine")]
    assert notes.tags("b") == {"x/1": ["kept"]}
    assert notes.note("b", "x/1") == ""
    assert notes.views("failures") == {}
    for deleted in gone:
        undo.restore(deleted)
    assert everything() == before


@pytest.mark.usefixtures("flipside_cache")
def test_what_was_written_since_stays(flipside_cache: Path) -> None:
    notes.set_note("b", "x/1", "old")
    gone = undo.note("b", "x/1")
    notes.set_note("b", "x/1", "new")
    with pytest.raises(FlipsideError, match="another note was written"):
        undo.restore(gone)
    assert notes.note("b", "x/1") == "new"


@pytest.mark.usefixtures("flipside_cache")
def test_deleting_what_is_not_there_can_be_undone_too() -> None:
    undo.restore(undo.tag("b", "x/1", "none"))
    assert notes.tags("b") == {}
