"""The table of sources: nothing in it is guessed, and nothing is fetched without a licence that allows it."""

import hashlib
import json
import re
from pathlib import Path, PurePosixPath

import pytest
from rich.filesize import decimal

from backend.benchmarks import REGISTRY
from backend.benchmarks.fetching.address import address_of, check_mirror
from backend.benchmarks.fetching.table import TABLE, source, sources
from backend.errors import UsageError

FILES = [
    pytest.param(known, file, id=f"{name}/{file.path}") for name, known in sources().items() for file in known.files
]
DOCS = Path(__file__).resolve().parents[3] / "docs" / "benchmarks.md"
OPEN = re.compile(r"^(MIT|Apache-2\.0|CC BY 4\.0)\b")


@pytest.mark.parametrize("name", REGISTRY)
def test_every_benchmark_is_in_it(name):
    assert name in sources(), f"write the entry of {name} in backend/benchmarks/fetching/sources.json"
    assert source(name).how


@pytest.mark.parametrize("known", sources().values(), ids=lambda known: known.name)
def test_what_has_files_has_a_licence_and_what_has_none_says_how(known):
    assert bool(known.files) == (known.status == "open")
    assert known.how.endswith(".")
    if known.status == "open":
        assert known.checked
        assert any(not file.optional for file in known.files)
        assert len({file.path for file in known.files}) == len(known.files)
    elif known.status not in ("ships", "yours"):
        assert known.source.startswith("https://")


@pytest.mark.parametrize(("known", "file"), FILES)
def test_a_files_entry(known, file):
    assert OPEN.match(file.licence)
    assert file.url.startswith("https://")
    path = PurePosixPath(file.path)
    assert not path.is_absolute()
    assert ".." not in path.parts
    assert file.path == str(path)
    assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256)
    assert file.md5 is None or re.fullmatch(r"[0-9a-f]{32}", file.md5)
    # A limit for every file, so that no server fills a disk.
    assert file.most


def test_branches_are_only_read_where_no_commit_is_known():
    """A file without a commit in its address may change; then it is told by its checksum, or by nothing."""
    pinned = {
        name for name, known in sources().items() for file in known.files if re.search(r"/[0-9a-f]{40}/", file.url)
    }
    assert pinned == {"sugarcrepe", "sugarcrepe_pp"}


@pytest.mark.parametrize("name", ["sugarcrepe", "valse"])
def test_sizes_and_checksums_are_those_of_the_original_files(name, shared_data):
    checked = 0
    for file in source(name).files:
        path = shared_data / name / file.path
        if path.exists():
            data = path.read_bytes()
            assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())
            checked += 1
        else:
            assert (file.size, file.sha256, file.md5) == (None, None, None)
    assert checked == {"sugarcrepe": 7, "valse": 3}[name]


def test_a_number_that_nobody_stated_is_null():
    raw = json.loads(TABLE.read_text(encoding="utf-8"))["benchmarks"]
    for entry in raw.values():
        for file in entry["files"]:
            assert {"path", "url", "what", "bytes", "sha256", "md5"} <= file.keys()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("winoground", "accept the conditions"),
        ("flickr30k", "sign up at https://forms.illinois.edu/sec/229675"),
        ("imagenet", "register at https://image-net.org"),
        ("visla", "states no licence" ),
        ("vl_checklist", "DATASETS.md"),
        ("crepe", "syst_hard_negatives.zip"),
        ("coco_fg", "MSCOCO_FG_ann.json"),
        ("flickr30k_fg", "sign up"),
        ("world", "ships with Flipside"),
        ("custom", "your own"),
    ],
)  # fmt: skip
def test_what_is_not_fetched_says_how_to_get_it(name, says):
    with pytest.raises(UsageError) as refused:
        source(name).chosen(())
    assert says.replace("states no licence", "state no licence") in str(refused.value)
    assert refused.value.exit_code == 2


def test_optional_files_are_asked_for_by_name():
    known = source("eqben")
    assert all(not file.optional for file in known.chosen(()))
    assert [file.path for file in known.chosen(("eqben_image_full.tar.gz",))] == ["eqben_image_full.tar.gz"]
    with pytest.raises(UsageError, match=r"Did you mean eqben_image_full\.tar\.gz"):
        known.chosen(("eqben_image.tar.gz",))


@pytest.mark.parametrize(
    "mirror", ["https://mirror.example.org/x", "http://127.0.0.1:8000", "http://localhost/x/", "http://[::1]:8/"]
)
def test_mirrors(mirror):
    check_mirror(mirror)
    file = source("sugarcrepe").files[0]
    assert address_of("sugarcrepe", file, mirror) == f"{mirror.rstrip('/')}/sugarcrepe/add_att.json"
    assert address_of("sugarcrepe", file, None) == file.url


@pytest.mark.parametrize(
    "mirror",
    ["http://example.org", "ftp://example.org", "/home/me", "https://", "https://me:word@example.org", "https://a/?x=1",
     "http://127.0.0.1.example.org/", "http://10.0.0.1/", "http://[bad", "https://a:b/", "", "file:///etc"],
)  # fmt: skip
def test_what_is_no_mirror(mirror):
    with pytest.raises(UsageError, match="expected an https address"):
        check_mirror(mirror)


@pytest.mark.parametrize("known", sources().values(), ids=lambda known: known.name)
def test_the_documentation_says_what_is_fetched(known):
    if known.status in ("ships", "yours"):
        return
    section = DOCS.read_text(encoding="utf-8").partition("## Getting the files")[2].partition("\n## ")[0]
    (row,) = [line for line in section.splitlines() if line.startswith("|") and f"`{known.name}`" in line]
    assert ("nothing" in row) == (known.status != "open")
    sizes = [file.size for file in known.files]
    if known.files and None not in sizes:
        assert f"{len(sizes)} files, {decimal(sum(sizes))}" in row
    for file in known.files:
        assert OPEN.match(file.licence)[1] in row
        assert (file.checksum or "no checksum known") in row
