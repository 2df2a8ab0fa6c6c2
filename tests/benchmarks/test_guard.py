from backend.benchmarks.base import Source
from backend.benchmarks.folder import Folder
from backend.benchmarks.guard import guarded
from backend.items import Item, Protocol, Skipped


def item(name):
    return Item(name, "s", Protocol.CHOICE, (), ("a", "b"), ((0, 0),), source="f.json:9")


def test_an_id_occurs_once_and_the_first_is_kept():
    entries = list(guarded(iter([item("s/1"), Skipped("f.json", "x", line=2), item("s/1"), item("s/2")]), Source(None)))
    assert [entry.item_id for entry in entries if isinstance(entry, Item)] == ["s/1", "s/2"]
    assert entries[2] == Skipped("f.json", "the id s/1 occurred before; the first one is kept", item="s/1")


def test_links_that_were_not_followed_are_named(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "images").symlink_to("/usr")
    folder = Folder(tmp_path / "data")
    assert folder.find("anything") is None
    (only,) = guarded(iter(()), Source(folder))
    assert isinstance(only, Skipped)
    assert only.item == "images"
    assert "FLIPSIDE_FOLLOW_LINKS=1" in only.reason
