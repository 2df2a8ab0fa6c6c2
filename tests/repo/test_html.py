"""No text reaches a page as HTML unescaped: one door, and no way of making HTML but Markup with what is filled in."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: The door itself, and what builds no page: the model's own words, file formats, the command line.
DOOR = ROOT / "pages" / "shared" / "frame" / "style.py"
TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*(?=[\s>/])")
FILES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")), *sorted((ROOT / "backend").rglob("*.py"))]


def faults(source: str, *, html: bool = True) -> Iterator[str]:
    """What a file does that it may not. html: whether f-strings with tags are looked for, too."""
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Import(names=names) if any(name.name in ("html", "cgi") for name in names):
                yield f"{line}: html.escape: markupsafe escapes by itself"
            case ast.ImportFrom(module="html"):
                yield f"{line}: html.escape: markupsafe escapes by itself"
            case ast.keyword(arg="unsafe_allow_html", value=value) if not (
                isinstance(value, ast.Constant) and value.value is False
            ):
                yield f"{value.lineno}: unsafe_allow_html: draw it by frame.style.show"
            case ast.Attribute(attr="html", value=ast.Name(id="st")):
                yield f"{line}: st.html: draw it by frame.style.show, a stylesheet by frame.style.sheet"
            case ast.Call(func=ast.Name(id="Markup"), args=[given, *_]) if not isinstance(given, ast.Constant):
                yield f"{line}: Markup of what is no constant trusts it unescaped: Markup('…{{}}…').format(text)"
            case ast.JoinedStr(values=values) if html:
                if TAG.search("".join(str(v.value) if isinstance(v, ast.Constant) else "x" for v in values)):
                    yield f"{line}: HTML in an f-string escapes nothing: Markup('…{{}}…').format(text)"
        for part in _filled(node) if html else ():
            if isinstance(part, ast.Constant) and TAG.search(str(part.value)):
                yield f"{line}: HTML filled by % or + or str.format escapes nothing: Markup('…').format(text)"


def _filled(node: ast.AST) -> Iterator[ast.AST]:
    """The texts that this expression fills or joins without their having become Markup."""
    match node:
        case ast.BinOp(left=left, op=ast.Mod() | ast.Add(), right=right):
            yield from (left, right)
        case ast.Attribute(value=value, attr="format" | "format_map" | "join"):
            yield value


@pytest.mark.long
def test_nothing_escapes_by_hand_or_forgets_to() -> None:
    found = []
    for path in FILES:
        name = str(path.relative_to(ROOT))
        html = name.startswith("pages/")
        if path != DOOR:
            found += [f"{name}:{fault}" for fault in faults(path.read_text(encoding="utf-8"), html=html)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "from html import escape",
        "import html",
        "st.markdown(text, unsafe_allow_html=True)",
        "st.markdown(text, unsafe_allow_html=wanted)",
        "st.html(text)",
        "draw = st.html",
        "Markup(text)",
        "Markup(f'<b>{text}</b>')",
        "show(f'<b>{text}</b>')",
        "x = '<b>' + text",
        "x = '<b>%s</b>' % text",
        "x = '<b>{}</b>'.format(text)",
        "x = '<br>'.join(texts)",
    ],
)
def test_each_of_these_is_found(line: str) -> None:
    assert list(faults(line)) != []


def test_what_is_made_well_is_let_through() -> None:
    assert list(faults("x = Markup('<b>{}</b>').format(text) + Markup('<br>')\ny = f'{n} < {m}'\nz = Markup()")) == []
