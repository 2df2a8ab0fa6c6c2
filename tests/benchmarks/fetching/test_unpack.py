"""Archives, honest and not: what is unpacked lies in one new folder, or nothing is."""

import io
import stat
import tarfile
import zipfile

import pytest

from backend import unpacking
from backend.benchmarks.fetching.trouble import FileError
from backend.benchmarks.fetching.unpack import is_archive, unpack
from tests.benchmarks.fetching.server import Served


def tar(path, *entries, mode="w:gz"):
    """entries: (name, bytes) or a TarInfo."""
    with tarfile.open(path, mode) as out:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                out.addfile(entry)
            else:
                info = tarfile.TarInfo(entry[0])
                info.size = len(entry[1])
                out.addfile(info, io.BytesIO(entry[1]))
    return path


def zipped(path, *entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in entries:
            out.writestr(name, data)
    return path


def special(name, kind, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(params=["a.tar.gz", "a.tgz", "a.tar", "a.zip"])
def archive(request, tmp_path):
    path = tmp_path / "in" / request.param
    path.parent.mkdir()

    def make(*entries):
        if path.suffix == ".zip":
            return zipped(path, *entries)
        return tar(path, *entries, mode="w" if path.suffix == ".tar" else "w:gz")

    return make


def test_an_honest_archive(archive):
    made = archive(("images/1.jpg", b"one"), ("images/deep/2.jpg", b"two"), ("é.txt", b""))
    folder = unpack(made)
    assert folder == made.parent / "a"
    assert contents(folder) == {"images/1.jpg": b"one", "images/deep/2.jpg": b"two", "é.txt": b""}
    assert {path.name for path in made.parent.iterdir()} == {made.name, "a"}


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt", "..", "a\\..\\out.txt"])
def test_names_that_lead_out(archive, tmp_path, name):
    made = archive(("fine.txt", b"fine"), (name, b"bad"))
    with pytest.raises(FileError, match="a name that leads out"):
        unpack(made)
    assert {path.name for path in made.parent.iterdir()} == {made.name}
    assert not list(tmp_path.rglob("out.txt"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice(archive):
    made = archive(("a.txt", b"1"), ("a.txt", b"2"))
    with pytest.raises(FileError, match="twice"):
        unpack(made)
    assert {path.name for path in made.parent.iterdir()} == {made.name}


def test_what_is_there_stays(archive):
    made = archive(("a.txt", b"new"))
    (made.parent / "a").mkdir()
    (made.parent / "a" / "a.txt").write_bytes(b"mine")
    with pytest.raises(FileError, match="is there already and stays"):
        unpack(made)
    assert contents(made.parent / "a") == {"a.txt": b"mine"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar(tmp_path, kind):
    made = tar(tmp_path / "a.tar", ("fine.txt", b"fine"), special("bad", kind, "fine.txt"))
    with pytest.raises(FileError, match="is a link or a device"):
        unpack(made)
    assert {path.name for path in tmp_path.iterdir()} == {"a.tar"}


def test_a_link_and_a_file_behind_it(tmp_path):
    made = tar(tmp_path / "a.tar", special("out", tarfile.SYMTYPE, str(tmp_path)), ("out/b.txt", b"bad"))
    with pytest.raises(FileError, match="is a link or a device"):
        unpack(made)
    assert not (tmp_path / "b.txt").exists()


def test_a_link_in_a_zip(tmp_path):
    link = zipfile.ZipInfo("bad")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(FileError, match="is a link or a device"):
        unpack(zipped(tmp_path / "a.zip", (link, "/etc/passwd")))
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip"}


def test_a_bomb_is_stopped(archive, monkeypatch):
    monkeypatch.setattr(unpacking, "AT_LEAST", 1 << 20)
    monkeypatch.setattr(unpacking, "MOST_TIMES", 0)
    made = archive(*[(f"{n}", bytes(1 << 18)) for n in range(5)])
    with pytest.raises(FileError, match="unpacks to more than 1,048,576 bytes"):
        unpack(made)
    assert {path.name for path in made.parent.iterdir()} == {made.name}


def test_a_lying_entry_is_stopped(tmp_path, monkeypatch):
    """A zip whose directory says 10 bytes where 1 MB comes: zipfile itself reads no more than is said, and says so."""
    monkeypatch.setattr(unpacking, "AT_LEAST", 1000)
    monkeypatch.setattr(unpacking, "MOST_TIMES", 0)
    made = zipped(tmp_path / "a.zip", ("big", bytes(1 << 20)))
    data = bytearray(made.read_bytes())
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.index(mark) + place
        data[at : at + 4] = (10).to_bytes(4, "little")
    made.write_bytes(bytes(data))
    with pytest.raises(FileError, match=r"damaged|more than it says"):
        unpack(made)
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip"}


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.7])
def test_a_cut_archive(archive, keep):
    made = archive(("a.txt", bytes(range(256)) * 500))
    whole = made.read_bytes()
    made.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(FileError, match=r"damaged|cannot be unpacked"):
        unpack(made)
    assert {path.name for path in made.parent.iterdir()} == {made.name}


def test_a_killed_process_left_half(archive):
    made = archive(("a.txt", b"new"))
    aside = made.with_name(f".unpacking-{made.name}")
    aside.mkdir()
    (aside / "a.txt").write_bytes(b"old")
    assert contents(unpack(made)) == {"a.txt": b"new"}


def test_what_is_an_archive():
    assert [is_archive(name) for name in ("a.json", "a.tar.gz", "b/a.zip", "a.gz")] == [False, True, True, False]


def test_fetched_and_unpacked(server, file, get, tmp_path):
    body = tar(tmp_path / "made.tar.gz", ("images/1.jpg", b"one")).read_bytes()
    server.files["/a.tar.gz"] = Served(body)
    outcome = get(file("a.tar.gz", body=body), unpacking=True)
    assert (outcome.state, outcome.unpacked) == ("fetched", str(tmp_path / "to" / "a"))
    assert contents(tmp_path / "to" / "a") == {"images/1.jpg": b"one"}
    again = get(file("a.tar.gz", body=body), unpacking=True)
    assert (again.state, again.unpacked) == ("already there", str(tmp_path / "to" / "a"))


def test_fetched_and_not_unpackable(server, file, get, there):
    body = b"\x1f\x8bno"
    server.files["/a.tar.gz"] = Served(body)
    outcome = get(file("a.tar.gz", body=body), unpacking=True)
    assert outcome.state == "failed"
    assert "is damaged" in outcome.reason
    assert there() == {"a.tar.gz"}


def test_what_is_no_whole_archive_is_not_kept(server, file, get, there, archive):
    made = archive(("a.txt", bytes(range(256)) * 500), ("b.txt", b"b" * 1000))
    if made.suffix == ".tar":
        pytest.skip("a bare tar has no check sum")
    whole = made.read_bytes()
    path = f"fetched{''.join(made.suffixes)}"
    flipped = bytearray(whole)
    flipped[len(whole) // 3] ^= 1
    for body in (b"no archive at all", whole[: len(whole) // 2], bytes(flipped)):
        server.files[f"/{path}"] = Served(body)
        assert "is no whole archive" in get(file(path, body=None)).reason
    assert there() == set()
    server.files[f"/{path}"] = Served(whole)
    assert get(file(path, body=None)).verified == "size"
