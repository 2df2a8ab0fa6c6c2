"""The one way to load a component of ours: its script, joined with what that imports, and its stylesheet.

Streamlit takes one script as a text, in which files cannot import each other. In the folder they are ES modules all the
same, as a linter and an editor read them; `joined` puts them one behind the other and takes `import` and `export` out.
"""

import hashlib
import re
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components import v2

HERE = Path(__file__).parent
#: Draws HTML with SVG in it, as `data["html"]`, into the element marked `data-drawn`.
DRAWN = HERE / "drawn.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[^"]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)
#: What a line at the edge declares: one name, or several in brackets, each with what stands before its comma.
_NAME = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (?:(\w+)|[\[{]([^\]}]*)[\]}] =)", re.MULTILINE)
_OF_SEVERAL = re.compile(r"(\w+)\s*(?=,|$)")


def load(name: str, script: Path, *, html: str, style: Path | None = None, isolate_styles: bool = True) -> Any:
    """Declare a component and return what draws it, as `streamlit.components.v2.component` does.

    script: its ES module with the default export; style: its stylesheet, by default the file beside the script with the
    same name, where there is one; html: what the script finds to draw in, a constant; isolate_styles: False to draw
    outside a shadow root, with the page's own stylesheet.
    """
    sheet = style or script.with_suffix(".css")
    css = sheet.read_text(encoding="utf-8") if style or sheet.is_file() else None
    drawing = v2.component(name, html=html, css=css, js=joined(script), isolate_styles=isolate_styles)

    def draw(*, key: str, **more: Any) -> Any:
        return drawing(key=known_by(key), **more)

    return draw


def known_by(key: str) -> str:
    """What Streamlit knows an element of ours by. Keys hold names of models, benchmarks and items, and Streamlit
    refuses two underscores in a row, which it puts between a key and an event: such a key is told by a digest beside
    it.

    >>> known_by("heat-world-subset"), known_by("heat-my__data-subset"), known_by("swipe-q_")
    ('heat-world-subset', 'heat-my_data-subset~8c320a67', 'swipe-q~3445de4f')
    """
    if "__" not in key and not key.endswith("_"):
        return key
    return f"{re.sub('_+', '_', key).strip('_')}~{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def class_of(key: str) -> str:
    """The CSS class of the element that Streamlit draws under a key.

    >>> class_of("plane-bundled:clip-itc-all")
    'st-key-plane-bundled-clip-itc-all'
    """
    return f"st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key.strip())}"


def state(key: str) -> Any:
    """What a component sent that is drawn under this key; None before it is drawn."""
    return st.session_state.get(known_by(key))


def joined(script: Path) -> str:
    """A script with all that it imports in one text, each file once and before those that use it.

    Imports are of the form `import { a, b } from "./file.js";`, at the beginning of a line. Raises ValueError for any
    other, and where two files declare the same name.
    """
    parts: dict[Path, str] = {}
    _collect(script.resolve(), parts)
    owner: dict[str, Path] = {}
    for path, text in parts.items():
        for declared in _declared(text):
            if declared in owner:
                raise ValueError(
                    f"{path.name} declares {declared}, and so does {owner[declared].name}, which is joined with it: "
                    "give one another name, or import it"
                )
            owner[declared] = path
    return "\n".join(parts.values())


def _declared(text: str) -> list[str]:
    """The names that a script declares outside of all blocks.

    >>> _declared("const one = 1;\\nconst [two, three] = [2, 3];\\nlet { of: four, five } = six;\\n  let inner = 7;")
    ['one', 'two', 'three', 'four', 'five']
    """
    return [name for one, several in _NAME.findall(text) for name in ([one] if one else _OF_SEVERAL.findall(several))]


def _collect(path: Path, parts: dict[Path, str]) -> None:
    if path in parts:
        return
    text = path.read_text(encoding="utf-8")
    for found in _IMPORT.findall(text):
        _collect((path.parent / found).resolve(), parts)
    text = _EXPORT.sub("", _IMPORT.sub("", text))
    odd = re.search(r"^(?:import\b|export (?!default\b)).*", text, re.MULTILINE)
    if odd:
        raise ValueError(f'{path.name}: cannot join "{odd[0]}"; write: import {{ name }} from "./file.js";')
    parts[path] = text
