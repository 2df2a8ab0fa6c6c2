"""docs/benchmarks.md is what scripts/importers.py writes, but for the day."""

import re

import pytest

from backend.benchmarks import declaration, names
from scripts import importers

PAGE = importers.PAGE.read_text(encoding="utf-8")


def table(name):
    begin, end = f"<!-- {name}: made by `make importers` -->", f"<!-- end of {name} -->"
    return PAGE.split(begin)[1].split(end)[0]


def test_every_importer_has_its_row_with_its_licence():
    rows = {row.split("`")[1]: row for row in table("importers").splitlines() if row.startswith("| [`")}
    assert list(rows) == names(), "run `make importers`"
    for name, row in rows.items():
        assert declaration(name).licence.replace("|", "\\|") in row, "run `make importers`"


@pytest.mark.slow
def test_the_tables_are_current(shared_data):
    assert shared_data.is_dir()  # the original files are counted in them
    again = importers.put(PAGE, "importers", importers.importers_table("1999-12-31"))
    again = importers.put(again, "taxonomy", importers.taxonomy_table())
    without_day = [re.sub(r"Counted on \d{4}-\d\d-\d\d", "", text) for text in (PAGE, again)]
    assert without_day[0] == without_day[1], "run `make importers`"


def test_without_the_original_files_their_rows_are_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(importers, "SHARED", tmp_path)
    assert importers.absent() == list(importers.ORIGINALS)
    monkeypatch.setattr(importers, "REGISTRY", dict.fromkeys(("winoground", *importers.ORIGINALS), ""))
    made = importers.rows_of(importers.importers_table("1999-12-31", PAGE))
    before = importers.rows_of(table("importers"))
    assert {name: made[name] for name in importers.ORIGINALS} == {name: before[name] for name in importers.ORIGINALS}
    assert made["winoground"] == before["winoground"]
    terms = importers.rows_of(importers.taxonomy_table(PAGE))
    kept = importers.rows_of(table("taxonomy"))
    for term, row in kept.items():
        for name in importers.ORIGINALS:
            assert (f" {name}," in row or f" {name} |" in row) == (
                f" {name}," in terms[term] or f" {name} |" in terms[term]
            )
