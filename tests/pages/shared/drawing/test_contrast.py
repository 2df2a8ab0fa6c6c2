"""Every text of ours can be read: at least 4.5 to 1 (WCAG 2) in light and dark, measured from the stylesheets."""

import re
import tomllib
from pathlib import Path

import pytest

from pages.shared.drawing import signs
from pages.shared.drawing.colours import CIVIDIS, DIVERGING, along, ink_on

ROOT = Path(__file__).resolve().parents[4]
THEME = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
CSS = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "pages").rglob("*.css")))
SCHEMES = ("light", "dark")
#: Class -> (colour mixed into the background behind it, its share), as style.css has them.
TINTS = {"right": ("#009e73", 0.09), "wrong": ("#d55e00", 0.09), "near": ("#e69f00", 0.11)}


def rgb(colour: str) -> tuple[float, float, float]:
    return int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255


def luminance(colour: tuple[float, float, float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    """The WCAG ratio, 1 to 21."""
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def variable(name: str, scheme: str) -> str:
    """A colour of style.css, which writes light-dark(paper, night)."""
    found = re.search(rf"--fs-{name}: light-dark\((#[0-9a-f]{{6}}), (#[0-9a-f]{{6}})\)", CSS)
    assert found, f"--fs-{name} is not in style.css"
    return found[1 + SCHEMES.index(scheme)]


def grounds(scheme: str) -> dict[str, str]:
    """What texts stand on."""
    theme = THEME[scheme]
    side = theme["sidebar"]
    return {
        "page": theme["backgroundColor"],
        "fields": theme["secondaryBackgroundColor"],
        "sidebar": side["backgroundColor"],
        "sidebar's fields": side["secondaryBackgroundColor"],
        "panel": variable("panel", scheme),
        "faint": variable("faint", scheme),
    }


def test_the_measure_is_that_of_the_standard() -> None:
    assert contrast(rgb("#000000"), rgb("#ffffff")) == pytest.approx(21)
    assert contrast(rgb("#777777"), rgb("#ffffff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_texts_on_every_ground(scheme: str) -> None:
    theme = THEME[scheme]
    inks = {"text": theme["textColor"], "link": theme["linkColor"], "quiet": variable("quiet", scheme)}
    low = {
        (ink, ground): round(contrast(rgb(inks[ink]), rgb(colour)), 2)
        for ink in inks
        for ground, colour in grounds(scheme).items()
    }
    assert min(low.values()) >= 4.5, {pair: ratio for pair, ratio in low.items() if ratio < 4.5}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("verdict", TINTS)
def test_verdicts_on_their_tint(scheme: str, verdict: str) -> None:
    tint, share = TINTS[verdict]
    assert f".fs-{verdict} {{ color: var(--fs-{verdict});" in CSS
    assert f"color-mix(in srgb, {tint} {100 * share:.0f}%, transparent)" in CSS
    ink = rgb(variable(verdict, scheme))
    for name, colour in grounds(scheme).items():
        if name in ("page", "panel", "fields"):
            behind = tuple(t * share + g * (1 - share) for t, g in zip(rgb(tint), rgb(colour), strict=True))
            assert contrast(ink, (behind[0], behind[1], behind[2])) >= 4.5, name


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_accent_as_text(scheme: str) -> None:
    theme = THEME[scheme]
    for ground in (theme["backgroundColor"], theme["sidebar"]["backgroundColor"]):
        assert contrast(rgb(theme["primaryColor"]), rgb(ground)) >= 4.5


@pytest.mark.parametrize("scale", [CIVIDIS, DIVERGING])
def test_numbers_on_the_colours_of_cells(scale: tuple[str, ...]) -> None:
    lowest = min(contrast(rgb(ink_on(colour)), rgb(colour)) for k in range(1001) for colour in [along(scale, k / 1000)])
    assert lowest >= 4.5


SHEETS = [
    *(f"shared/{sheet}.css" for sheet in ("frame/style", "drawing/explore", "drawing/heatmap", "drawing/gallery")),
    "runs/style.css",
    "tour/tour.css",
]


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_text_is_faded(sheet: str) -> None:
    """An opacity below one takes from the contrast that is measured above."""
    css = (ROOT / "pages" / sheet).read_text(encoding="utf-8")
    assert re.findall(r"[^-]opacity:\s*0?\.\d+", css) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_tour_s_button(scheme: str) -> None:
    """It has the theme's colour; its ink is the sheet's own."""
    found = re.search(
        r"button\.primary \{[^}]*background: var\(--st-primary-color\); color: light-dark\((#\w{6}), (#\w{6})\)",
        (ROOT / "pages/tour/tour.css").read_text(encoding="utf-8"),
    )
    assert found
    assert contrast(rgb(THEME[scheme]["primaryColor"]), rgb(found[1 + SCHEMES.index(scheme)])) >= 4.5


def test_a_disabled_button_is_not_written_in_the_ink_of_the_accent() -> None:
    """Its ground is the page's, on which white was not to be seen."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL))
    inks = {
        one.strip(): body
        for selector, body in rules
        for one in re.split(r",(?![^(]*\))", selector)
        if "stBaseButton-primary" in one and re.search(r"(?<![-\w])color: (?!inherit)", body)
    }
    disabled = {one for one in inks if ":disabled" in one}
    assert disabled
    assert all("color: var(--fs-quiet)" in inks[one] for one in disabled)
    assert all(":enabled" in one for one in inks.keys() - disabled)


def test_no_text_of_ours_is_faded() -> None:
    """A colour that was measured is not thinned afterwards: only lines, areas and a slider under its picture are."""
    shapes = {
        ".cmp-band", ".fs-range-bar i", ".fs-range-bar s", ".curve", ".band", "line.since", ".plane .won",
        ".fs-swipe-stage input", '.legend button[aria-pressed="false"] .sample',
    }  # fmt: skip
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL))
    faded = {
        one.strip()
        for selector, body in rules
        for one in selector.split(",")
        if re.search(r"(?<![-\w])opacity:\s*(0?\.\d+|0)\s*(;|$)", body)
    }
    assert faded == shapes


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["BALANCE", "STRENGTH"])
def test_no_cell_of_a_heat_map_sinks_into_the_page(scheme: str, name: str) -> None:
    """Every cell stands off the page, the extremes most of all, and its number can be read on it."""
    scale = getattr(signs, name)[SCHEMES.index(scheme)]
    ground = rgb(THEME[scheme]["backgroundColor"])
    off = [contrast(rgb(along(scale, k / 100)), ground) for k in range(101)]
    assert min(off) >= 1.3
    ends = (off[0], off[-1]) if name == "BALANCE" else (off[-1],)
    assert min(ends) >= 7
    middle = 50 if name == "BALANCE" else 0
    assert off[middle:] == sorted(off[middle:])
    assert off[: middle + 1] == sorted(off[: middle + 1], reverse=True)
    assert min(contrast(rgb(ink_on(along(scale, k / 100))), rgb(along(scale, k / 100))) for k in range(101)) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_darkest_score_of_a_matrix_has_a_rim(scheme: str) -> None:
    """Cividis is near black at its lower end, as the page is by night: the rim of a cell stands off the panel, or the
    cell does."""
    found = re.search(r"\.fs-matrix td \{ box-shadow: inset 0 0 0 1px light-dark\((#\w{6}), (#\w{6})\)", CSS)
    assert found
    rim, panel = rgb(found[1 + SCHEMES.index(scheme)]), rgb(variable("panel", scheme))
    for colour in (*CIVIDIS, *DIVERGING):
        assert max(contrast(rim, panel), contrast(rgb(colour), panel)) >= 1.8, colour
