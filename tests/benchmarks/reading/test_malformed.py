"""Every benchmark's files, broken in many ways: a clear message or sound items, nothing half-imported."""

import importlib
import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from backend.benchmarks import REGISTRY, declaration, load_benchmark
from backend.engine.inputs.selection import Selection
from backend.errors import FlipsideError
from backend.intake.survey import survey
from backend.items import Protocol
from tests.benchmarks import hostile
from tests.benchmarks.hostile import BINARY, TEXT, Imported, check, imported

#: Other forms that a benchmark's files come in.
FORMS = {
    "coco": ("write_blip", "write_clip_benchmark"),
    "flickr30k": ("write_clip_benchmark",),
    "eqben": ("write_parts", "write_pairs"),
    "winoground": ("write_parquet", "write_table"),
    "custom": ("write_lines", "write_list", "write_parquet"),
}
#: "name" or "name:form", for each form of each benchmark that reads files.
#: Parquet is slow: each look at a file starts a process of its own. Quicker tests of it: test_parquet_in.py.
NAMES = [
    pytest.param(case, marks=[pytest.mark.slow] if case.endswith("parquet") else [])
    for name in REGISTRY
    if declaration(name).needs_data
    for case in (name, *(f"{name}:{form}" for form in FORMS.get(name, ())))
]
DELIMITERS = {".csv": ",", ".tsv": "\t"}


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """case -> (folder, what it imports as, relative paths of the files that matter to it)."""
    made = {}

    def get(case):
        if case not in made:
            name, _, form = case.partition(":")
            folder = tmp_path_factory.mktemp(name) / "sample"
            folder.mkdir()
            getattr(importlib.import_module(f"tests.benchmarks.samples.{name}"), form or "write")(folder)
            found = imported(name, folder)
            assert found.error == ""
            assert found.items
            files = sorted(
                str(path.relative_to(folder))
                for path in folder.rglob("*")
                if path.suffix in (*TEXT, *BINARY) and path.is_file()
            )
            made[case] = folder, found, [file for file in files if _matters(name, folder, file, found)]
        return made[case]

    return get


def _matters(name: str, folder: Path, file: str, found: Imported) -> bool:
    """Whether the importer reads the file: without it there is something else, or nothing."""
    aside = folder.parent / "aside"
    (folder / file).rename(aside)
    try:
        return imported(name, folder).canonical != found.canonical
    finally:
        aside.rename(folder / file)


@pytest.fixture
def case(samples, tmp_path):
    """A copy of a sample to be broken: case -> (benchmark, folder, what the whole sample imports as, its files)."""

    def make(case):
        name = case.partition(":")[0]
        folder, found, files = samples(case)
        (tmp_path / "outside.jpg").write_bytes(b"outside")
        data = hostile.copied(folder, tmp_path / "data")
        here = imported(name, data)
        assert here.canonical == found.canonical
        return name, data, here, files

    return make


@pytest.mark.parametrize("form", NAMES)
def test_a_sample_is_sound(form, case):
    name, data, whole, files = case(form)
    check(whole, data)
    assert files or declaration(name).data, "its importer reads none of its files"


@pytest.mark.long
@pytest.mark.parametrize("form", NAMES)
def test_another_file_under_the_same_name(form, case):
    name, data, whole, files = case(form)
    for file in files:
        content = (data / file).read_bytes()
        for fault, broken in hostile.whole_files(content, Path(file).suffix):
            (data / file).write_bytes(broken)
            found = imported(name, data)
            check(found, data, file)
            assert found.canonical != whole.canonical, f"{file}: {fault} makes no difference"
        (data / file).write_bytes(content)


@pytest.mark.parametrize("form", NAMES)
def test_a_file_that_ends_too_early(form, case):
    name, data, whole, files = case(form)
    for file in files:
        content = (data / file).read_bytes()
        for fault, broken in hostile.cuts(content):
            (data / file).write_bytes(broken)
            found = imported(name, data)
            check(found, data, file)
            if Path(file).suffix in (".json", *BINARY):
                assert found.error, f"{file}, {fault}: was imported as if it were whole"
                assert Path(file).name in found.error
            elif not found.error and whole.items[0].protocol is not Protocol.CLASSIFY:  # a name is in every item
                # Only a line's own end can be missing from a file of lines.
                assert len(set(found.canonical) - set(whole.canonical)) <= max(1, _a_lines_items(whole))
        (data / file).write_bytes(content)


def _a_lines_items(whole: Imported) -> int:
    """How many items one line can change: all of a pool's where an image's captions stand on lines of their own."""
    return max(len(item.texts) for item in whole.items)


@pytest.mark.parametrize("form", NAMES)
def test_bytes_that_are_no_utf8(form, case):
    name, data, _, files = case(form)
    for file in files:
        if Path(file).suffix not in TEXT:
            continue
        content = (data / file).read_bytes()
        middle = len(content) // 2
        at = next((n for n in range(middle, len(content)) if content[n : n + 1].isalpha()), middle)
        for bad in (b"\xe9", b"\xff", b"\xc3(", b"\xed\xa0\x80"):
            (data / file).write_bytes(content[:at] + bad + content[at + 1 :])
            found = imported(name, data)
            check(found, data, file)
            assert "UTF-8" in found.error
            assert Path(file).name in found.error
        (data / file).write_bytes(content)


@pytest.mark.parametrize("form", NAMES)
def test_what_editors_do_to_a_file_changes_nothing(form, case):
    name, data, whole, files = case(form)
    for file in files:
        if Path(file).suffix not in TEXT:
            continue
        content = (data / file).read_bytes()
        for fault, same in hostile.harmless(content, Path(file).suffix):
            (data / file).write_bytes(same)
            found = imported(name, data)
            assert found.error == "", f"{file}, {fault}"
            assert found.canonical == whole.canonical, f"{file}, {fault}"
        (data / file).write_bytes(content)


@pytest.mark.long
@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("which", ["some", pytest.param("all", marks=pytest.mark.slow)])
def test_fields_with_something_else_in_them(form, which, case, tmp_path):
    name, data, _, files = case(form)
    outside = str(tmp_path / "outside.jpg")
    values = {
        fault: value.format(outside=outside) if isinstance(value, str) else value
        for fault, value in hostile.VALUES.items()
        if which == "all" or fault in hostile.SOME
    }
    for file in _one_of_each(data, files, most=9 if which == "all" else 2):
        with _alone(name, data, file, files):
            content = (data / file).read_bytes()
            for fault, broken in _field_faults(content, Path(file).suffix, values):
                (data / file).write_bytes(broken)
                try:
                    check(imported(name, data), data, file)
                except Exception as error:
                    error.add_note(f"{file}: {fault}")
                    raise
            (data / file).write_bytes(content)


@contextmanager
def _alone(name, data, file, files):
    """The file without the benchmark's other files where it can be read without them: that is quicker."""
    others = [other for other in files if other != file]
    kept = {other: (data / other).read_bytes() for other in others}
    for other in others:
        (data / other).unlink()
    found = imported(name, data)
    if found.error or not found.items:
        for other, content in kept.items():
            (data / other).write_bytes(content)
    yield
    for other, content in kept.items():
        (data / other).write_bytes(content)


def _one_of_each(data, files, most=3):
    """Files of different shape: the fields of a JSON file's first records, the kind of any other."""
    shapes = {}
    for file in files:
        kind = Path(file).suffix
        content = (data / file).read_bytes()
        fields = {at[-1] for at in hostile.leaves(json.loads(content))} if kind == ".json" else {file}
        shapes.setdefault((kind, *sorted(map(str, fields))), file)
    return sorted(shapes.values())[:: max(1, len(shapes) // most)][:most]


def _field_faults(content, suffix, values):
    if suffix == ".json":
        yield from _json_faults(json.loads(content), values)
    elif suffix == ".jsonl":
        first, _, rest = content.partition(b"\n")
        for fault, broken in _json_faults(json.loads(first), values):
            yield fault, broken + b"\n" + rest
    elif suffix in DELIMITERS:
        yield from hostile.cell_faults(content, DELIMITERS[suffix], values)


def _json_faults(document, values):
    for at in hostile.leaves(document):
        for fault, value in values.items():

            def change(container, key, value=value):
                container[key] = value

            yield f"{at}: {fault}", json.dumps(hostile.replaced(document, at, change)).encode()
        yield f"{at} is not there", json.dumps(hostile.replaced(document, at, hostile.dropped)).encode()


@pytest.mark.parametrize("form", NAMES)
def test_records_that_occur_twice(form, case):
    """The same keys and the same records once more: no id occurs twice, and nothing that was there is lost."""
    name, data, whole, files = case(form)
    for file in files:
        if Path(file).suffix != ".json":
            continue
        content = (data / file).read_bytes()
        document = json.loads(content)
        if isinstance(document, list):
            doubled = json.dumps([*document, *document])
        else:
            inner = json.dumps(document)[1:-1]
            doubled = f"{{{inner}, {inner}}}"
        (data / file).write_text(doubled)
        found = imported(name, data)
        check(found, data, file)
        if not found.error:
            assert {item.item_id for item in whole.items} <= {item.item_id for item in found.items}
        (data / file).write_bytes(content)


@pytest.mark.parametrize("form", NAMES)
def test_what_is_no_file_under_a_files_name(form, case):
    name, data, whole, files = case(form)
    for file in files:
        path = data / file
        content = path.read_bytes()
        for make in (
            Path.mkdir,
            os.mkfifo,
            lambda path: path.symlink_to("nowhere"),
            lambda path: path.symlink_to(path.name),
        ):
            path.unlink()
            make(path)
            found = imported(name, data)
            check(found, data, file)
            assert found.canonical != whole.canonical
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
            path.write_bytes(content)


@pytest.mark.parametrize("form", NAMES)
def test_links_out_of_the_folder_are_not_followed(form, case, tmp_path):
    name, data, _whole, files = case(form)
    for file in files:
        elsewhere = tmp_path / "elsewhere"
        (data / file).rename(elsewhere)
        (data / file).symlink_to(elsewhere)
        found = imported(name, data)
        check(found, data, file)
        said = found.error or " ".join(f"{entry.file} {entry.reason}" for entry in found.skipped)
        assert "FLIPSIDE_FOLLOW_LINKS" in said
        assert Path(file).name in said
        (data / file).unlink()
        elsewhere.rename(data / file)


@pytest.mark.parametrize("form", NAMES)
def test_folders_that_are_links_out_have_no_pictures(form, case, tmp_path, monkeypatch):
    name, data, whole, _ = case(form)
    folders = [path for path in data.iterdir() if path.is_dir()]
    if not folders or any(set(_suffixes(path)) & {*TEXT, *BINARY} for path in folders):
        pytest.skip("its pictures lie in no folder of their own")
    for number, path in enumerate(folders):
        moved = tmp_path / f"moved{number}"
        shutil.move(path, moved)
        path.symlink_to(moved)
    found = imported(name, data)
    check(found, data)
    if found.error:  # where the pictures' folders are the benchmark, as classes are
        assert "FLIPSIDE_FOLLOW_LINKS" in found.error
        return
    assert found.canonical == whole.canonical
    assert all(image.missing for item in found.items for image in item.images)
    assert {path.name for path in folders} <= {entry.item for entry in found.skipped}
    monkeypatch.setenv("FLIPSIDE_FOLLOW_LINKS", "1")
    followed = imported(name, data)
    assert [image.missing for item in followed.items for image in item.images] == [
        image.missing for item in whole.items for image in item.images
    ]


def _suffixes(folder):
    return [path.suffix for path in folder.rglob("*")]


@pytest.mark.long
@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("megabytes", [17, pytest.param(100, marks=pytest.mark.slow)])
def test_a_line_that_is_far_too_long(form, case, megabytes):
    """In a file of lines and in a text of a JSON record: refused or skipped, and the other records are read."""
    name, data, whole, files = case(form)
    for file in _one_of_each(data, files)[:2]:
        suffix, content = Path(file).suffix, (data / file).read_bytes()
        long = b"x" * (megabytes * 1_000_000)
        if suffix in (".jsonl", ".csv", ".tsv", ".txt"):
            (data / file).write_bytes(content.rstrip(b"\r\n") + b"\n" + long + b"\n")
        elif suffix == ".json":
            document = json.loads(content)
            at = next((at for at in hostile.leaves(document) if isinstance(_value(document, at), str)), None)
            if at is None:
                continue
            marked = json.dumps(hostile.replaced(document, at, lambda box, key: box.__setitem__(key, "LONG"))).encode()
            (data / file).write_bytes(marked.replace(b"LONG", long))
        else:
            continue
        found = imported(name, data)
        check(found, data, file)
        assert found.error or found.canonical != whole.canonical or suffix == ".json"
        (data / file).write_bytes(content)


def _value(document, at):
    for key in at:
        document = document[key]
    return document


@pytest.mark.parametrize("form", NAMES)
def test_nothing_is_half_imported(form, case, flipside, flipside_cache):
    """A file that breaks after its first records: `import` prints no document, and a run keeps nothing of it."""
    name, data, _whole, files = case(form)
    for file in files:
        content = (data / file).read_bytes()
        (data / file).write_bytes(
            content[: int(len(content) * 0.9)] + (b"" if Path(file).suffix == ".json" else b"\n\xff\xff")
        )
        broken = imported(name, data)
        if broken.error:
            answer = flipside("import", name, "--data", data, "--json")
            assert answer.code in (1, 2)
            assert answer.out == ""
            assert Path(file).name in answer.err
            with pytest.raises(FlipsideError):
                survey(load_benchmark(name, data), Selection(), flipside_cache / "runs", 0)
            # Pictures unpacked from Parquet are no part of an import: each is named by its own sha256.
            left = [path for path in flipside_cache.rglob("*") if path.is_file() and path.parent.name != "images"]
            assert [path for path in left if path.suffix != ".lock"] == []
        (data / file).write_bytes(content)
