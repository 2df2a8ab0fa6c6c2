"""`flipside export`: the columns of every table in every format and for every protocol, and what a bundle holds."""

import csv
import io
import json
import re
import zipfile
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.golden.calls import call, check_document
from tests.golden.conftest import MODEL
from tests.golden.kept import check_columns, check_shape

WHAT = ("scores", "outcomes", "items", "tokens", "close-pairs")
#: Protocol -> where there are runs of it.
PROTOCOLS = {
    "triplet": ("mixed", "tri"), "quad": ("mixed", "quad"), "choice": ("mixed", "choice"),
    "retrieval": ("mixed", "pool"), "classify": ("elevater", None), "grounding": ("video_grounding", None),
    "verdicts": ("custom:set", None),
}  # fmt: skip
HEX = re.compile(r"[0-9a-f]{8,64}")


@pytest.fixture
def export(stored, tmp_path):
    def write(benchmark: str, what: str, form: str = "csv", subset: str | None = None):
        out = tmp_path / f"{what}.{form}"
        model = "predictions:sys" if benchmark.startswith("custom") else MODEL
        more = ("--subset", subset) if subset else ()
        more += () if what in ("bundle", "verdicts") else ("--format", form)
        answer = call("export", "--model", model, "--benchmark", benchmark, "--what", what, "--out", out, *more)
        assert answer.code == 0, answer.err
        return out

    return write


@pytest.mark.long
@pytest.mark.parametrize("what", WHAT)
def test_columns_in_every_format(export, what):
    """In their order, but in lines of JSON: keys have none, and one that is null need not be there."""
    subset = "pool" if what == "close-pairs" else None
    table = pq.read_table(export("mixed", what, "parquet", subset))
    check_columns(f"export/{what}-csv", _header(export("mixed", what, "csv", subset)))
    check_columns(f"export/{what}-parquet", [f"{each.name} {each.type}" for each in table.schema])
    metadata = [key.decode() for key in table.schema.metadata or {} if key.startswith(b"flipside.")]
    metadata += [key.decode() for key in pq.read_metadata(export("mixed", what, "parquet", subset)).metadata or {}]
    named = sorted({key for key in metadata if key.startswith("flipside.")})
    check_shape(f"export/{what}-parquet-metadata", dict.fromkeys(named, "string"))
    lines = export("mixed", what, "jsonl", subset).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    check_document(f"export/{what}-jsonl", rows, ("[].tags",))


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_has_the_same_columns(export, protocol):
    benchmark, subset = PROTOCOLS[protocol]
    for what in ("scores", "outcomes", "items"):
        check_columns(f"export/{what}-csv", _header(export(benchmark, what, "csv", subset)))


@pytest.mark.slow
def test_which_metrics_outcomes_have(export):
    """Of each protocol, under each kind: names that scripts filter by."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for protocol, (benchmark, subset) in PROTOCOLS.items():
        with export(benchmark, "outcomes", "csv", subset).open(newline="", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                found.setdefault(protocol, {}).setdefault(row["kind"], {})[row["metric"]] = "outcome"
    ordered = {protocol: {kind: dict(sorted(of.items())) for kind, of in sorted(kinds.items())}
               for protocol, kinds in found.items()}  # fmt: skip
    check_shape("export/outcomes-metrics", ordered)


@pytest.mark.long
def test_a_bundle(export):
    """Its files, the columns of those that are tables, the keys of those that are documents."""
    files: list[str] = []
    with zipfile.ZipFile(export("mixed", "bundle", "zip")) as archive:
        for name in sorted(archive.namelist()):
            plain = HEX.sub("HASH", name)
            data = archive.read(name)
            files.append(plain)
            if name.endswith(".parquet"):
                schema = pq.read_schema(io.BytesIO(data))
                check_columns(f"bundle/{_part(plain)}", [f"{column.name} {column.type}" for column in schema])
            else:
                _document(plain, json.loads(data))
    check_shape("bundle/files", dict.fromkeys(files, "file"))


def _part(name: str) -> str:
    """`runs/HASH/itc-0-HASH.parquet` -> `itc`, with what a name of a file may hold."""
    return re.sub(r"[^\w@]+", "-", re.sub(r"(-\d+)?(-HASH)?\.parquet$", "", name.rpartition("/")[2]))


def _document(name: str, document: dict[str, Any]) -> None:
    named = {
        "bundle.json": ("files",),
        "manifest.json": ("parts", "parts.*.left_out"),
        "benchmark.json": ("subsets", "protocols"),
        "run.json": ("priors", "sessions.[].versions", "sessions.[].failed"),
    }[name.rpartition("/")[2]]
    for session in document.get("sessions", ()):  # null where the code is in no repository
        session["commit"] = session["commit"] or ""
    check_document(f"bundle/{name.rpartition('/')[2].removesuffix('.json')}", document, named)


def _header(path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as rows:
        return next(csv.reader(rows))
