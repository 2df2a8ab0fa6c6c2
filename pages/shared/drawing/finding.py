""" "Copy as finding": one sentence with its numbers, a link to the view, and the chart as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pages.shared.drawing import component

_component = component.load("flipside_finding", Path(__file__).with_suffix(".js"), html='<div id="finding"></div>')


def draw(
    said: str, key: str, chart: str = "", name: str = "finding", *, link: Mapping[str, str | Sequence[str]],
    page: str = "", note: str = "",
) -> None:  # fmt: skip
    """The button, where there is something to say. said: of `backend.finding.Finding`; chart: the key of the element
    that is pictured, "" for none; name: of the picture's file, without its ending.

    link: what the copied link has to name because the sentence speaks of it, defaults too (`address.named`); it is
    merged into the page's own address. page: another page's name in addresses, whose link consists of `link` alone.
    note: what the button's tip adds, such as why there is no picture (`handing_on.picture`).
    """
    if said:
        _component(data=data(said, chart, name, link, page, note), key=f"finding-{key}")


def data(
    said: str, chart: str, name: str, link: Mapping[str, str | Sequence[str]], page: str = "", note: str = ""
) -> dict[str, Any]:
    """What the component reads.

    >>> found = data("a beats b.", "cells-world", "flipside-cells", {"model": "bundled:clip", "subset": ["a", "b"]})
    >>> found["chart"], found["link"]
    ('.st-key-cells-world', [['model', ['bundled:clip']], ['subset', ['a', 'b']]])
    """
    named = [[key, [said] if isinstance(said, str) else list(said)] for key, said in link.items()]
    return {
        "said": said, "chart": f".{component.class_of(chart)}" if chart else "", "name": name, "link": named,
        "page": page, "note": note,
    }  # fmt: skip
