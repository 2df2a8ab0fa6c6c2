"""docs/perturbations.md is what scripts/gallery.py writes."""

import re

import pytest

from backend.perturb import names
from scripts import gallery

PAGE = gallery.PAGE.read_text(encoding="utf-8")


def test_the_gallery_is_current():
    assert gallery.replaced(PAGE, "gallery", gallery.gallery()) == PAGE, "run `make gallery`"


def test_every_perturbation_has_a_section_and_a_coverage():
    for name in names():
        assert PAGE.count(f"\n### {name}\n") == 1, "run `make gallery`"
        counted = re.search(rf"^\| `{name}` \| ([\d,]+ \| (> )?[\d.]+ %|not counted yet \|) ?\|$", PAGE, flags=re.M)
        assert counted, "run `make gallery`"


@pytest.mark.slow
def test_the_coverage_is_that_of_the_captions(shared_data):
    kinds = ["character_swap", "negative_colour", "negative_material", "swap_attributes", "fill_mask_noun"]
    for name, (n, of) in gallery.coverage(shared_data / "sugarcrepe", kinds).items():
        assert f"| `{name}` | {n:,} |" in PAGE, "run `make gallery`"
        assert f"over the {of:,} distinct true captions" in PAGE


def test_changed_places_are_set_off():
    assert gallery._marked("a blue car", ((2, 6),)) == "a **blue** car"
    assert gallery._marked("a car", ((1, 1),)) == "a car"
    assert gallery._marked("a | b", ((2, 3),)) == "a **\\|** b"


def test_without_sugarcrepe_what_was_counted_is_kept_and_what_is_new_gets_a_row(monkeypatch):
    assert gallery.with_uncounted(PAGE) == PAGE, "run `make gallery`"
    monkeypatch.setitem(gallery.REGISTRY, "brand_new", "nowhere:X")
    again = gallery.with_uncounted(PAGE)
    assert [line for line in again.splitlines() if line not in PAGE.splitlines()] == [
        "| `brand_new` | not counted yet | |"
    ]
