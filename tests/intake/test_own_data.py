"""Own data that is kept: found by its name, replaced only when asked, archives unpacked without surprises."""

import stat
import threading
import zipfile
from pathlib import Path

import pytest

from backend import paths, unpacking
from backend.benchmarks import load_benchmark
from backend.benchmarks.items_folder.folder import own_folder, own_names
from backend.errors import FlipsideError, UsageError
from backend.intake.own_data import save
from tests.benchmarks.samples.pictures import picture

TABLE = "image,caption,negative\npics/a.png,a red cube,a blue cube\npics/b.png,two cups,three cups\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "t.csv").write_text(TABLE)
    for name in "ab":
        picture(tmp_path / "set" / "pics" / f"{name}.png")
    return tmp_path / "set"


def zipped(folder: Path, name: str = "own.zip") -> Path:
    path = folder.parent / name
    with zipfile.ZipFile(path, "w") as out:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                out.write(file, f"top/{file.relative_to(folder)}")
    return path


def test_a_table_is_kept_and_found_by_its_name(folder):
    kept = save(folder / "t.csv", None, "my set")
    assert kept.benchmark.name == "custom:my-set"
    assert own_names() == ["custom:my-set"]
    found = load_benchmark("custom:my-set")
    assert [item.item_id for item in found] == ["t/1", "t/2"]
    assert found.content_hash() == kept.written.hash == load_benchmark("custom", folder / "t.csv").content_hash()
    assert found.about["mapping"]["t.csv"]["protocol"] == "choice"
    assert (paths.cache_dir() / "benchmarks" / kept.written.hash[:16] / "items.parquet").is_file()


def test_a_zip_is_unpacked_beside_its_items_and_needs_the_archive_no_more(folder):
    archive = zipped(folder)
    save(archive, None, "zipped")
    archive.unlink()
    items = list(load_benchmark("custom:zipped"))
    assert [Path(item.images[0].uri).is_file() for item in items] == [True, True]
    assert items[0].images[0].uri.startswith(str(own_folder("custom:zipped")))
    assert load_benchmark("custom:zipped").content_hash() == load_benchmark("custom", folder).content_hash()


def test_a_new_archive_replaces_the_old_one_and_its_pictures(folder):
    save(zipped(folder), None, "z")
    (folder / "t.csv").write_text(TABLE.splitlines()[0] + "\npics/a.png,one,other\n")
    kept = save(zipped(folder), None, "z")
    assert kept.replaced
    assert [item.texts[0] for item in load_benchmark("custom:z")] == ["one"]
    assert len(list(own_folder("custom:z").glob("from-*"))) == 1


def test_the_same_name_from_something_else_is_refused_unless_replaced(folder):
    save(folder / "t.csv", None, "mine")
    (folder / "other.csv").write_text(TABLE)
    with pytest.raises(UsageError, match=r"custom:mine is there already, made from t\.csv \(2 items\)"):
        save(folder / "other.csv", None, "mine")
    assert {item.subset for item in load_benchmark("custom:mine")} == {"t"}
    save(folder / "other.csv", None, "mine", replace=True)
    assert {item.subset for item in load_benchmark("custom:mine")} == {"other"}


def evil(path: Path, name: str, mode: int = stat.S_IFREG | 0o644) -> Path:
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("t.csv", TABLE)
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        out.writestr(info, "/etc/passwd")
    return path


@pytest.mark.parametrize(
    ("name", "mode", "says"),
    [
        ("../escape.png", stat.S_IFREG | 0o644, "leads out of its folder"),
        ("/escape.png", stat.S_IFREG | 0o644, "leads out of its folder"),
        ("pics/a.png", stat.S_IFLNK | 0o777, "is a link or a device"),
        ("t.csv", stat.S_IFREG | 0o644, "holds 't.csv' twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_that_is_not_harmless_leaves_nothing(tmp_path, name, mode, says):
    with pytest.raises(FlipsideError, match=says) as raised:
        save(evil(tmp_path / "evil.zip", name, mode), None, "evil")
    assert "evil.zip" in str(raised.value)
    assert own_names() == []
    assert not own_folder("custom:evil").exists()
    assert not (tmp_path.parent / "escape.png").exists()


def test_limits_of_an_archive(tmp_path, folder, monkeypatch):
    archive = zipped(folder)
    monkeypatch.setattr(unpacking, "MOST_ENTRIES", 2)
    with pytest.raises(UsageError, match="has more than 2 entries"):
        save(archive, None, "many")
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 cut")
    with pytest.raises(FlipsideError, match=r"no\.zip: cannot be read as a zip"):
        save(tmp_path / "no.zip", None, "no")


def test_an_archive_without_a_table_leaves_nothing(tmp_path):
    picture(tmp_path / "set" / "a.png")
    with pytest.raises(UsageError, match="expected a CSV, TSV"):
        save(zipped(tmp_path / "set"), None, "pictures")
    assert not own_folder("custom:pictures").exists()


def test_a_zip_cannot_name_files_of_this_machine(folder):
    secret = folder.parent / "secret.png"
    picture(secret)
    (folder / "t.csv").write_text(f"image,caption,negative\n{secret},a,b\npics/a.png,c,d\n")
    kept = save(zipped(folder), None, "nosy")
    assert [item.texts[0] for item in load_benchmark("custom:nosy")] == ["c"]
    assert "full path" in kept.found.skipped[0].reason


def test_sessions_that_save_at_once_wait_for_each_other(folder):
    archives = [zipped(folder, f"{n}.zip") for n in range(4)]
    problems: list[Exception] = []

    def one(path: Path) -> None:
        try:
            save(path, None, "together", replace=True)
        except Exception as error:  # noqa: BLE001 - a thread's error is asserted below
            problems.append(error)

    threads = [threading.Thread(target=one, args=(path,)) for path in archives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert all(Path(item.images[0].uri).is_file() for item in load_benchmark("custom:together"))


@pytest.mark.slow
def test_import_custom_keeps_maps_and_says_so(folder, flipside):
    done = flipside("import", "custom", "--data", folder, "--as", "mine", "--json")
    assert done.json["name"] == "custom:mine"
    assert (done.json["n_items"], done.json["n_images_missing"], done.json["protocol"]) == (2, 0, "choice")
    assert "t.csv was read as choice: caption = caption, negative = negative, image = image." in done.err
    assert flipside("run", "--model", "fake:ok", "--benchmark", "custom:mine", "--kinds", "itc").code == 0
    assert flipside("report", "--model", "fake:ok", "--benchmark", "custom:mine", "--json").json["n_items"] == 2
    wrong = flipside("import", "custom", "--data", folder, "--as", "mine", "--map", "caption=nothing")
    assert (wrong.code, "there is no column 'nothing'" in wrong.err) == (2, True)
    swapped = flipside("import", "custom", "--data", folder, "--as", "mine", "--map", "protocol=choice",
                       "--map", "caption=negative", "--map", "negative=caption")  # fmt: skip
    assert swapped.code == 0
    assert "custom:mine has changed" in swapped.err
    assert next(iter(load_benchmark("custom:mine"))).texts == ("a blue cube", "a red cube")


def test_its_options_are_for_own_data_only(flipside):
    done = flipside("import", "world", "--as", "mine")
    assert (done.code, "--as is for import custom" in done.err) == (2, True)


@pytest.mark.parametrize("label", ["🦊", ".", "../x", "", "a/b", "x" * 81])
def test_a_name_that_could_only_be_kept_as_another_is_refused_in_the_words_of_add_predictions(folder, label, flipside):
    with pytest.raises(UsageError, match=r"the name .*: a benchmark's name has 1 to 80 letters, digits, spaces and"):
        save(folder / "t.csv", None, label)
    done = flipside("import", "custom", "--data", folder / "t.csv", "--as", label)
    assert done.code == 2
    assert f"--as {label}: a benchmark's name has 1 to 80 letters, digits, spaces and . + - _ ( )" in done.err
    assert own_names() == []
    other = flipside("add-predictions", folder / "t.csv", "--as", label, "--benchmark", "custom:x")
    assert f"--as {label}: a system's name has 1 to 80 letters, digits, spaces and . + - _ ( )" in other.err


def test_an_accent_apart_from_its_letter_is_put_on_it(folder, flipside):
    """As macOS writes names of files: once, they were refused as no letters, which they look like."""
    apart, together = "cafe\u0301", "caf\u00e9"
    assert flipside("import", "custom", "--data", folder / "t.csv", "--as", apart).code == 0
    assert own_names() == [f"custom:{together}"]
    other = flipside("add-predictions", folder / "t.csv", "--as", apart, "--benchmark", f"custom:{together}")
    assert "a system's name has" not in other.err


def test_what_a_file_s_name_makes_a_label_is_one(folder):
    (folder / "t.csv").rename(folder / "(2) captions.csv")
    assert save(folder / "(2) captions.csv", None, "(2)-captions").benchmark.name == "custom:(2)-captions"
