"""How components are loaded: scripts joined in order, clashes refused, every one of them read by V8."""

import ast
import re
from pathlib import Path

import pytest

from pages.shared.drawing import component
from tests.pages.scripts import PAGES, Script, runnable

DRAWN = sorted(p for p in PAGES.rglob("*.js") if "export default" in p.read_text(encoding="utf-8"))


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / "main.js"


def test_what_is_imported_stands_before_and_once(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { a } from "./one.js";\nimport { b } from "./two.js";\nexport default () => a + b;\n',
        one='import { b } from "./two.js";\nexport const a = b + 1;\n',
        two="export const b = 1;\n",
    )
    text = component.joined(main)
    assert text.index("const b = 1") < text.index("const a = b + 1") < text.index("export default")
    assert text.count("const b = 1") == 1
    assert "import" not in text


@pytest.mark.parametrize("line", ["const rest = 2;", "const [of, rest] = [1, 2];", "let { of, all: rest } = a;"])
def test_two_of_a_name_are_refused_with_both_files(tmp_path: Path, line: str) -> None:
    main = write(
        tmp_path, main='import { a } from "./one.js";\nfunction rest() {}\nexport default () => a;\n',
        one=f"export const a = 1;\n{line}\n",
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"main\.js declares rest, and so does one\.js"):
        component.joined(main)


@pytest.mark.parametrize("line", ['import all from "./one.js";', 'import * as one from "./one.js";', "export { a };"])
def test_other_ways_to_import_are_refused(tmp_path: Path, line: str) -> None:
    main = write(tmp_path, main=f"const a = 1;\n{line}\nexport default () => a;\n", one="export const b = 1;\n")
    with pytest.raises(ValueError, match=re.escape(line)):
        component.joined(main)


@pytest.mark.parametrize("script", DRAWN, ids=lambda path: path.stem)
def test_every_script_is_read_by_an_engine(script: Path) -> None:
    assert "const drawn = " in runnable(script)
    Script(str(script.relative_to(PAGES)))


@pytest.mark.long
def test_every_component_is_loaded_here_and_every_script_is_used() -> None:
    loads, used = 0, set()
    for path in PAGES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "component.py":
            continue
        others = re.findall(r"components\.v2(?! import manifest_scanner)|import v2", text)
        assert not others, f"{path}: load it by component.load"
        for call in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)):
            if ast.unparse(call.func) == "component.load":
                loads += 1
                said = ast.unparse(call.args[1])
                named = re.search(r"'(\w+\.js)'", said)
                used.add(component.DRAWN if said == "component.DRAWN" else path.parent / named[1] if named
                         else path.with_suffix(".js"))  # fmt: skip
    assert loads == 32
    assert used == set(DRAWN)
