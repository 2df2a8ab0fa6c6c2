"""Scripts and styles of a published site: our ES modules as one classic script, our tokens as one stylesheet.

A page that is opened from disk loads no modules, so each file becomes a function that is called once, those that it
imports from before it. The files are the ones that the dashboard runs: `debias/exact.js`, `cells.js`, `heatmap.js`, …
"""

import json
import re
import tomllib
from pathlib import Path

from backend import paths

ASSETS = Path(__file__).parent / "assets"
PAGES = ASSETS.parent.parent
_IMPORT = re.compile(r'^import (\{[^}]*\}|\w+) from "(\.{1,2}/[^"]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ((?:async )?)function ?(?:\w+)? ?\(", re.MULTILINE)
#: Name in the script -> the stylesheet of a component that draws in a shadow root.
STYLES = {
    "cells": PAGES / "shared/drawing/cells.css",
    "heatmap": PAGES / "shared/drawing/heatmap.css",
    "curve": PAGES / "debias/curve.css",
    "finding": PAGES / "shared/drawing/finding.css",
}
#: What stands behind a component's own stylesheet: a published site is read on phones, too.
ON_PHONES = {
    "curve": "@media (max-width: 640px) { .rangetitle { right: 0; overflow: hidden; text-overflow: ellipsis; } "
    ".side { grid-template-columns: minmax(0, 1fr); } .hero .figure { min-width: 6.8rem; } "
    ".slider, div.since { flex-wrap: wrap; } .note { padding-left: 0; } }"
}
#: What Streamlit calls the colours of a theme, as components read them.
_THEME = {
    "--st-text-color": "textColor", "--st-background-color": "backgroundColor", "--st-primary-color": "primaryColor",
    "--st-secondary-background-color": "secondaryBackgroundColor", "--st-border-color": "borderColor",
    "--st-link-color": "linkColor",
}  # fmt: skip


def script() -> str:
    """The one script of the site."""
    parts: dict[Path, str] = {}
    _collect((ASSETS / "main.js").resolve(), parts)
    sheets = {name: path.read_text(encoding="utf-8") + ON_PHONES.get(name, "") for name, path in STYLES.items()}
    styles = json.dumps(sheets, ensure_ascii=False)
    return "\n".join(['"use strict";', "(() => {", f"const STYLES = {styles};", *parts.values(), "})();", ""])


def _collect(path: Path, parts: dict[Path, str]) -> None:
    if path in parts:
        return
    parts[path] = ""  # keeps its place from a circle
    text = path.read_text(encoding="utf-8")
    for _, found in _IMPORT.findall(text):
        _collect((path.parent / found).resolve(), parts)
    del parts[path]

    def imported(match: re.Match[str]) -> str:
        names, file = match.groups()
        module = _module((path.parent / file).resolve())
        return f"const {names} = {module}.standard;\n" if not names.startswith("{") else f"const {names} = {module};\n"

    given = [*_EXPORT.findall(text)]
    text = _IMPORT.sub(imported, text)
    text = re.sub(r"^export (?=(?:async )?(?:function|const|let|class)\b)", "", text, flags=re.MULTILINE)
    if _DEFAULT.search(text):
        text = _DEFAULT.sub(r"const standard = \1function (", text)
        given.append("standard")
    odd = re.search(r"^(?:import|export)\b.*", text, re.MULTILINE)
    if odd:
        raise ValueError(f'{path.name}: cannot join "{odd[0]}"; write: import {{ name }} from "./file.js";')
    parts[path] = f"const {_module(path)} = (() => {{\n{text}\nreturn {{ {', '.join(given)} }};\n}})();"


def _module(path: Path) -> str:
    """A name for a file, the same wherever it is imported."""
    return "module_" + re.sub(r"\W", "_", path.relative_to(PAGES).as_posix().removesuffix(".js"))


def stylesheet() -> str:
    """Tokens of the theme, the dashboard's own rules, then the site's."""
    theme = tomllib.loads((paths.ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    light, dark = theme["light"], theme["dark"]
    pairs = "\n".join(f"  {name}: light-dark({light[key]}, {dark[key]});" for name, key in _THEME.items())
    own = (
        (PAGES / "shared/frame/style.css")
        .read_text(encoding="utf-8")
        .replace(':root, .stApp, [role="dialog"] {', ":root {", 1)
    )
    site = (ASSETS / "site.css").read_text(encoding="utf-8")
    return f":root {{\n{pairs}\n}}\n{_fonts_css()}{own}\n{site}"


#: Family -> the beginning of its file's name among Streamlit's own fonts (SIL Open Font Licence).
FONTS = {"Source Sans": "SourceSansVF-Upright", "Source Serif": "SourceSerifVariable-Roman"}


def fonts() -> dict[str, bytes]:
    """The dashboard's typefaces, as Streamlit carries them; none where they are not found."""
    import streamlit

    folder = Path(streamlit.__file__).parent / "static/static/media"
    found = {}
    for family, start in FONTS.items():
        path = next(iter(sorted(folder.glob(f"{start}*.woff2"))), None)
        if path is not None:
            found[f"fonts/{family.replace(' ', '-').lower()}.woff2"] = path.read_bytes()
    return found


def _fonts_css() -> str:
    return "".join(
        f'@font-face {{ font-family: "{family}"; src: url("fonts/{family.replace(" ", "-").lower()}.woff2") '
        'format("woff2"); font-weight: 200 900; font-display: swap; }\n'
        for family in FONTS
    )
