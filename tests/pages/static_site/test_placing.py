"""Where a site is put: what is the user's own survives, and a place that cannot be written is said in a sentence."""

import errno
import json
from pathlib import Path
from typing import NoReturn

import pytest

from backend.errors import FlipsideError, UsageError
from pages.shared.data import stored
from pages.static_site import placing
from pages.static_site.build import Options, build
from pages.static_site.selection import Wanted
from tests.pages.static_site.conftest import Publish


def site(out: Path, *names: str) -> None:
    """Put a site of these files, whose content is their name."""
    aside = placing.begin(out)
    for name in names:
        (aside / name).parent.mkdir(parents=True, exist_ok=True)
        (aside / name).write_text(f"new {name}")
    (aside / "data").mkdir(exist_ok=True)
    (aside / placing.LIST).write_bytes(placing.listed(names))
    placing.put(aside, out)
    placing.clear(aside)


def held(out: Path) -> dict[str, str]:
    return {
        path.relative_to(out).as_posix(): path.read_text(errors="replace") for path in out.rglob("*") if path.is_file()
    }


def test_what_no_site_wrote_survives_and_what_is_gone_goes(tmp_path: Path) -> None:
    out = tmp_path / "site"
    site(out, "index.html", "data/b0.js", "pictures/old.webp")
    (out / ".git").mkdir()
    own = {".git/HEAD": "ref", "CNAME": "example.org", ".nojekyll": "", "pictures.txt": "mine", "data/mine.csv": "1"}
    for name, text in own.items():
        (out / name).write_text(text)
    site(out, "index.html", "data/b1.js")
    found = held(out)
    assert json.loads(found.pop(placing.LIST))["files"] == ["data/b1.js", placing.LIST, "index.html"]
    assert found == own | {"index.html": "new index.html", "data/b1.js": "new data/b1.js"}
    assert not (out / "pictures").exists()


def test_a_folder_of_a_web_host_is_as_good_as_empty(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CNAME").write_text("example.org")
    site(tmp_path, "index.html")
    assert held(tmp_path)["CNAME"] == "example.org"


def test_a_file_of_the_user_s_under_a_name_of_ours_stops_it(tmp_path: Path) -> None:
    site(tmp_path, "index.html")
    (tmp_path / "robots.txt").write_text("mine")
    before = held(tmp_path)
    with pytest.raises(UsageError, match=r"robots.txt would be replaced, and no earlier site wrote it"):
        site(tmp_path, "index.html", "robots.txt")
    placing.clear(next(tmp_path.glob(".flipside-aside-*")))
    assert held(tmp_path) == before


@pytest.mark.parametrize(
    "told",
    [
        "[",
        "[" * 100_000,
        "{}",
        '{"kind": "flipside site", "files": ["../x"]}',
        '{"kind": "flipside site", "files": [".git/HEAD"]}',
    ],
)
def test_a_list_that_is_not_as_written_deletes_nothing(tmp_path: Path, told: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / placing.LIST).write_text(told)
    with pytest.raises(UsageError, match="is not as a site writes it"):
        placing.begin(tmp_path)


def test_half_way_everything_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "site"
    site(out, "a.js", "b.js", "z.js")
    (out / "CNAME").write_text("example.org")
    before = held(out)
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name == "z.js" and self.parent != out and self.parent.name != "before":
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(FlipsideError, match="What was there before is as it was"):
        site(out, "a.js", "z.js", "n.js")
    placing.clear(next(out.glob(".flipside-aside-*")))
    assert held(out) == before


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    site(tmp_path, "index.html")
    left = tmp_path / ".flipside-aside-4194999"
    left.mkdir()
    (left / "x").write_text("half")
    site(tmp_path, "index.html")
    assert not left.exists()


@pytest.mark.parametrize("out", ["/proc/x", "/sys/flipside-site"])
def test_a_place_that_cannot_be_written_is_a_sentence(out: str) -> None:
    with pytest.raises(FlipsideError, match=f"--out {out}: the site cannot be written"):
        placing.begin(Path(out))


@pytest.mark.long
def test_a_site_again_leaves_the_user_s_files(publish: Publish, tmp_path: Path) -> None:
    done = publish("world~small")
    (done.out / "CNAME").write_text("example.org")
    before = set(held(done.out))
    build(stored.store(), Wanted(("world~small",)), Options(done.out))
    assert set(held(done.out)) == before
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    with pytest.raises(UsageError, match=r"holds other files \(thesis.tex\)"):
        build(stored.store(), Wanted(), Options(other))
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]
    with pytest.raises(UsageError, match="there is no folder"):
        build(stored.store(), Wanted(), Options(tmp_path / "none" / "site"))
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


@pytest.mark.long
def test_a_full_disk_leaves_the_earlier_site(publish: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
    done = publish("world~small")
    before = held(done.out)

    def full(self: Path, data: bytes) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(FlipsideError, match="No space left on device"):
            build(stored.store(), Wanted(("world~small",)), Options(done.out))
    assert held(done.out) == before


def test_a_link_to_a_folder_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    link = tmp_path / "public_html"
    link.symlink_to("www")
    site(link, "index.html", "data/b0.js")
    site(link, "index.html", "data/b1.js")
    assert link.is_symlink()
    assert sorted(held(tmp_path / "www")) == ["data/b1.js", placing.LIST, "index.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public_html", "www"]


def test_a_link_to_nothing_or_to_a_file_is_refused_in_a_true_sentence(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    for name, target, said in (
        ("gone", "nowhere", "is a link to nowhere, which is not there"),
        ("f", "a", "is a file"),
    ):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(UsageError, match=said):
            placing.begin(tmp_path / name)


def test_a_link_inside_the_folder_is_not_followed(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    site(out, "index.html", "data/b0.js")
    (elsewhere).mkdir()
    (out / "pictures").symlink_to(elsewhere)
    with pytest.raises(UsageError, match=r"pictures in it is a link to .*elsewhere"):
        site(out, "index.html", "pictures/1.webp")
    assert not list(elsewhere.iterdir())
