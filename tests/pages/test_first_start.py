"""What a first start does not load: the wait for the first picture is mostly Python's imports."""

import ast
import subprocess
import sys
from pathlib import Path

from pages.overview import first_picture
from pages.shared.server import warm

ROOT = Path(__file__).parents[2]
#: What takes a tenth of a second or more to import.
SLOW = ("pandas", "pyarrow", "scipy", "sklearn", "torch", "ray", "requests", "pydantic", "backend.store.build.derive")
#: Parts of libraries that the first page uses otherwise.
PARTS = ("scipy.stats", "scipy.sparse", "scipy.optimize")


def loaded_by(code: str) -> set[str]:
    """The names of all modules that are loaded once the code has run in a process of its own, without those that
    Streamlit loads by itself."""
    said = "import sys\nimport streamlit.web.cli, uvicorn\nbefore = set(sys.modules)\n"
    run = f"{said}{code}\nprint('\\n'.join(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", run], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_the_server_gives_out_the_interface_before_it_loads_what_pages_draw_with():
    served = next(
        each for each in ast.parse((ROOT / "app.py").read_text(encoding="utf-8")).body if isinstance(each, ast.If)
    )
    imports = "\n".join(ast.unparse(each) for each in served.orelse if isinstance(each, ast.Import | ast.ImportFrom))
    assert "pages.shared.server" in imports
    loaded = loaded_by(imports)
    assert "pages.shared.server.warm" in loaded
    assert not loaded & {*SLOW}


def test_the_picture_of_last_time_needs_nothing_slow():
    loaded = loaded_by("from pages.overview import first_picture")
    assert "pages.shared.drawing.heatmap" in loaded
    assert not loaded & {*SLOW, "numpy", "duckdb", "PIL", first_picture.PAGE}


def test_what_is_loaded_ahead_is_what_the_first_page_needs_and_nothing_slow_besides():
    loaded = loaded_by(f"import {first_picture.PAGE}")
    assert {"pandas", "scipy.special", "pages.overview.view", "pages.shared.drawing.heatmap"} <= loaded
    assert "pages.overview.page" not in loaded  # a script, that draws as it is imported
    assert not loaded & ({*SLOW, *PARTS} - {"pandas", "pyarrow", "scipy"})


def test_every_page_s_own_imports_are_brought_ahead():
    assert {path.parent.name for path in warm.SCRIPTS} >= {"overview", "try_it", "failures", "compare", "runs"}
    names = {name for path in warm.SCRIPTS for name in warm.imported(path.read_text(encoding="utf-8"))}
    assert {first_picture.PAGE, "pages.overview.first_picture", "pages.compare.answer"} <= names
