"""What docs/performance.md says of now is what docs/measured.md has: figures that are copied by hand go stale."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE, MEASURED = ((DOCS / name).read_text("utf-8") for name in ("performance.md", "measured.md"))
MILLION = "## Waits in the browser, a million outcomes"
BUNDLED = "## Waits in the browser, bundled results"


def waits(section: str) -> dict[tuple[str, str], tuple[int, int]]:
    """(page, what) -> median and largest, ms, of a section of measured.md."""
    part = MEASURED.split(section, 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"^\| (\w+) \| (first visit|again|filters) \| \d+ \| (\d+) \| (\d+) \|", part, re.MULTILINE)
    return {(page, what): (int(median), int(largest)) for page, what, median, largest in found}


def of_page() -> dict[str, list[str]]:
    """Page -> its three cells in the table of waits of performance.md, without the bold."""
    part = PAGE.split("| page | first visit, ms |", 1)[1].split("\n\n", 1)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines()[2:]]
    return {row[0].lower().replace(" ", "_"): [cell.replace("**", "") for cell in row[1:]] for row in rows}


def test_the_waits_of_now_are_the_measured_ones():
    measured, told = waits(MILLION), of_page()
    assert {page for page, _ in measured} == set(told)
    for page, (first, again, filters) in told.items():
        for what, cell in (("first visit", first), ("again", again), ("filters", filters)):
            if (page, what) not in measured:
                assert not cell, f"{page}, {what}: performance.md has a figure and measured.md none"
                continue
            median, largest = measured[page, what]
            now = cell.rpartition("→")[2].strip()
            expected = f"{median} ({largest})" if what == "filters" else str(median)
            assert now == expected, f"{page}, {what}: performance.md says {now}, measured.md {expected}"


def test_what_misses_is_named_and_only_that():
    """Pages whose filters' median is above 300 ms, by name and figure, in the paragraph that says so."""
    for section, name in ((BUNDLED, "the bundled results"), (MILLION, "the million")):
        filters = {page: median for (page, what), (median, _) in waits(section).items() if what == "filters"}
        missed = {page: median for page, median in filters.items() if median > 300}
        said = re.search(rf"above 300 ms on {name}: [^.]*\.", PAGE)
        assert said, f"performance.md does not say what is missed on {name}"
        told = {page.lower().replace(" ", "_"): int(ms) for page, ms in re.findall(r"\*([\w ]+)\* \((\d+)\)", said[0])}
        assert told == missed, f"on {name}"


def test_starts_and_memory_are_the_measured_ones():
    first, later, page, again, memory = (
        re.search(rf"\| {what} \| ([\d.]+) ?(?:s|MB) \|", MEASURED)[1]
        for what in (
            "Start on an empty cache, to the first heat map", "Later starts, to the first heat map",
            "Start on an empty cache, to the page itself", "Later starts, to the page itself",
            "Memory of a server that has loaded no model",
        )
    )  # fmt: skip
    for row in (f"| {first} s | 3 s |", f"| {later} s | 2 s |", f"| {page} and {again} s |"):
        assert row in PAGE
    assert f"{memory} MB once all pages' code is there" in PAGE
