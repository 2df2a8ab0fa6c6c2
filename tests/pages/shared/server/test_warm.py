"""Imported while nobody waits: all that the scripts of the pages name, nothing heavy, once a first page is drawn."""

import subprocess
import sys
from pathlib import Path

from pages.shared.server import warm

ROOT = Path(__file__).parents[4]
PAGES = sorted((ROOT / "pages").glob("*/page.py"))

_WARMED = """
import gc, sys
from pathlib import Path
from pages.shared.server import warm
thread = warm.rest(map(Path, sys.argv[1:]))
thread.join(0.5)
waits = "pages.equivariance.planes" not in sys.modules
warm.drawn()
thread.join(120)
assert not thread.is_alive()
assert waits, "it did not wait for the first page"
assert gc.get_freeze_count() > 100_000, gc.get_freeze_count()
heavy = [name for name in ("torch", "ray", "umap", "numba", "sklearn") if name in sys.modules]
assert not heavy, heavy
print(*sys.modules)
"""


def test_every_module_of_the_pages_is_there_after_the_first_one_was_drawn_and_nothing_heavy() -> None:
    given = [sys.executable, "-c", _WARMED, *map(str, PAGES)]
    done = subprocess.run(given, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    wanted = {name for script in PAGES for name in warm.imported(script.read_text(encoding="utf-8"))}
    assert {"pages.equivariance.planes", "pages.compare.parts", "pages.shared.frame.fold"} <= wanted
    assert wanted <= set(done.stdout.split())


def test_what_a_page_needs_next_is_imported_behind_it(tmp_path, monkeypatch) -> None:
    (tmp_path / "needed_for_the_next_answer.py").write_text("THERE = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    timer = warm.ahead("needed_for_the_next_answer")
    assert timer is not None
    timer.join(60)
    assert sys.modules.pop("needed_for_the_next_answer").THERE
    assert warm.ahead("sys") is None


def test_embeddings_brings_what_finds_clumps() -> None:
    """The page's last line names the library that `clumps.labels_of` imports from."""
    source = (ROOT / "pages/embeddings/page.py").read_text(encoding="utf-8")
    searched = (ROOT / "backend/store/enrichment/density.py").read_text(encoding="utf-8")
    assert 'warm.ahead("sklearn.cluster")' in source
    assert "from sklearn.cluster._hdbscan._linkage import" in searched
