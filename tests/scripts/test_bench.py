"""`make bench`: what parts say is gathered into one page, and what is not measured anew stays."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.promises import Promise, gathered, say, table
from scripts import bench

KEPT = Promise("a start", 1.5, 2.0, "s", bound=1.2, by="an empty page")
MISSED = Promise("an import", 800_000, 1e6, "scores/s", least=True)


def part(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str) -> None:
    """The only part there is, a module that runs some lines."""
    (tmp_path / "a_part.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{bench.ROOT}")
    monkeypatch.setattr(bench, "others", lambda: 0.0)
    monkeypatch.setattr(bench.first, "found", lambda: tmp_path)
    monkeypatch.setattr(bench, "PARTS", {"one": bench.Part("One", "a_part"), "two": bench.Part("Two", "a_part")})


def run(out: Path, **more: str) -> int:
    with pytest.raises(SystemExit) as ended:
        bench.main(out=out, full=False, **{"only": "", **more})
    return int(ended.value.code or 0)


def test_figures_are_gathered_out_of_what_else_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    sys.stdout.write("before\n")
    say(KEPT, MISSED)
    sys.stdout.write("after\n")
    assert gathered(capsys.readouterr().out) == ([KEPT, MISSED], "before\nafter")


def test_what_misses_its_promise_stands_first() -> None:
    rows = list(table([KEPT, MISSED]))[1:]
    assert rows == [
        "| an import | 800,000 scores/s | at least 1,000,000 scores/s: **missed by 20 %** |  |",
        "| a start | 1.50 s | at most 2 s: kept | 1.20 s, an empty page: 1.2 × |",
    ]


def test_the_page_holds_every_part_and_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(monkeypatch, tmp_path, f"from bench.promises import *\nprint('| x |\\n|---|\\n| 7 |')\nsay({KEPT!r})\n")
    out = tmp_path / "measured.md"
    assert run(out) == 0
    page = out.read_text()
    assert page.count("| a start | 1.50 s |") == 1
    assert "## One" in page
    assert "## Two" in page
    assert "| 7 |" in page
    (tmp_path / "a_part.py").write_text("import sys\nprint('no table')\nsys.exit(3)\n")
    assert run(out, only="two") == 1
    page = out.read_text()
    assert page.count("| a start | 1.50 s |") == 1, "the part that was not run keeps its figure"
    assert "ended with 3, for it **failed** before its end" in page
    assert "```\nno table\n```" in page
    assert run(out, only="one") == 1
    assert out.read_text().count("no table") == 2


def test_of_what_two_parts_measure_the_last_figure_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(monkeypatch, tmp_path, f"from bench.promises import *\nsay({KEPT!r})\n")
    monkeypatch.setattr(bench, "PARTS", bench.PARTS | {"more": bench.Part("More", "a_part", again=True)})
    out = tmp_path / "measured.md"
    assert run(out) == 0
    known = bench.kept(out)
    assert list(known) == ["one", "two"], "what measures the same again is taken where it is named"
    missed = replace(KEPT, value=9.0)
    for earlier, later, counts in (("01", "02", KEPT), ("02", "01", missed), ("01", "01", KEPT)):
        known["one"] = replace(known["one"], promises=[missed], when=f"2026-01-{earlier} 10:00")
        known["two"] = replace(known["two"], promises=[KEPT], when=f"2026-01-{later} 10:00")
        assert bench.newest(known) == [counts]


def test_nothing_is_measured_where_the_set_up_is_of_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(monkeypatch, tmp_path, "raise SystemExit(9)")
    monkeypatch.setattr(bench.first, "found", lambda: None)
    with pytest.raises(SystemExit, match="set up for other code"):
        bench.main(only="one", out=tmp_path / "measured.md", full=False)
    assert not (tmp_path / "measured.md").exists()


def test_a_busy_machine_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(monkeypatch, tmp_path, "")
    for taken, busy in ((0.02, False), (0.5, True)):
        monkeypatch.setattr(bench, "others", lambda taken=taken: taken)
        run(tmp_path / "measured.md", only="one")
        assert ("upper bounds" in (tmp_path / "measured.md").read_text()) is busy


def test_an_unknown_part_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="--only nothing: expected some of starts, "):
        bench.main(only="nothing", out=tmp_path / "measured.md", full=False)


def test_every_part_is_a_module_that_can_be_run() -> None:
    for each in bench.PARTS.values():
        path = bench.ROOT / Path(*each.module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


@pytest.mark.skipif(not Path("/proc/stat").is_file(), reason="Linux says how busy its processors are")
def test_what_others_take_is_seen() -> None:
    work = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        assert bench.others(1.0) > 0.5
    finally:
        for each in work:
            each.kill()
            each.wait()


@pytest.mark.parametrize("only", [",", " , ", "one, nothing"])
def test_parts_are_named_or_refused(tmp_path: Path, only: str, monkeypatch: pytest.MonkeyPatch) -> None:
    part(monkeypatch, tmp_path, "")
    with pytest.raises(SystemExit, match=r"--only .*: expected some of one, two"):
        bench.main(only=only, out=tmp_path / "measured.md", full=False)
    assert run(tmp_path / "measured.md", only="one, two") == 0


@pytest.mark.parametrize("harm", ["{", "[]", '{"one": {}}', '{"one": 3}', '{"one": {"promises": 3}}'])
def test_a_damaged_file_beside_the_page_is_named(tmp_path: Path, harm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    part(monkeypatch, tmp_path, "")
    (tmp_path / "measured.json").write_text(harm)
    with pytest.raises(SystemExit, match=r"measured\.json: is not what this command wrote"):
        bench.main(only="one", out=tmp_path / "measured.md", full=False)
    assert (tmp_path / "measured.json").read_text() == harm


def test_what_cannot_be_written_is_said_before_anything_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(monkeypatch, tmp_path, "raise SystemExit(9)")
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit, match="cannot be written"):
        bench.main(only="one", out=tmp_path / "file" / "measured.md", full=False)
    with pytest.raises(SystemExit, match=r"ends with \.md"):
        bench.main(only="one", out=tmp_path / "measured.json", full=False)


def test_a_line_that_only_looks_like_a_figure_stays() -> None:
    said = 'promise: {\npromise: []\npromise: {"what": 1}'
    assert gathered(said) == ([], said)
