"""What a browser user is told of the cache's folders: nothing but files' own names."""

from backend.live.uploads import own_uploads
from pages.shared.frame.header import trouble
from pages.shared.frame.hidden import hide


def test_files_of_the_cache_are_told_by_their_names(flipside_cache):
    laid = own_uploads.lay_aside(b"a,b\n", "my table.csv")
    assert hide(f"{laid}: line 2: no caption.") == "my table.csv: line 2: no caption."
    inputs = flipside_cache / "jobs" / "20261122-1" / "inputs" / "a.csv"
    assert hide(f"see {inputs}, then {inputs}: broken") == "see a.csv, then a.csv: broken"
    assert hide(f"{flipside_cache}/runs/1/manifest.json: damaged") == "runs/1/manifest.json: damaged"
    assert hide("/data/mine.csv: is the owner's own") == "/data/mine.csv: is the owner's own"


def test_an_error_on_a_page_hides_them(flipside_cache, monkeypatch):
    said = []
    monkeypatch.setattr("pages.shared.frame.header.st.error", lambda text, icon: said.append(text.replace("\\", "")))
    trouble(f"{own_uploads.lay_aside(b'a', 'x.csv')}: is empty.")
    assert said == ["x.csv: is empty."]
