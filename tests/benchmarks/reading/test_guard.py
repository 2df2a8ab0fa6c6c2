from backend.benchmarks.base import Source
from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.guard import guarded
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


def test_a_reason_can_be_printed_and_is_not_too_long(tmp_path):
    wild = Skipped("f.json", "a\x1b[31m" + "b" * 5000, item="x\u202ey\n")
    (only,) = guarded(iter([wild]), Source(None))
    assert only.reason == "a\ufffd[31m" + "b" * 294 + "…"
    assert only.item == "x\ufffdy\ufffd"
    assert (only.file, only.line) == ("f.json", None)


def test_a_link_to_itself_is_no_file(tmp_path):
    (tmp_path / "f.json").symlink_to("f.json")
    (tmp_path / "g").symlink_to(".")
    (tmp_path / "h.json").write_text("")
    folder = Folder(tmp_path)
    assert folder.find("f.json") is None
    assert folder.find("h.json") == tmp_path / "h.json"
