"""The parts of publishing that need no store: names, guard, selection's words, the bundle."""

from pathlib import Path

import pytest

from backend.benchmarks import REGISTRY
from backend.benchmarks.publishing import allowed
from backend.errors import FlipsideError
from pages.static_site import bundle, guard, packing


@pytest.mark.parametrize(
    ("spec", "known"),
    [
        ("hf:/home/me/models/mini", False),
        ("st:~/models/mini", False),
        ("py:my_model.py:Class", False),
        ("endpoint:http://10.0.0.7:8000/v1#llava", False),
        ("lm:./opt", False),
        ("hf:openai/clip-vit-base-patch32", True),
        ("openclip:ViT-B-32/laion2b", True),
        ("bundled:clip", True),
        ("predictions:clip", True),
    ],
)
def test_a_spec_that_names_a_place_gets_a_name(spec: str, known: bool) -> None:
    names = guard.public([spec], {spec: "mini"})
    assert names[spec] == (spec if known else "local:mini")


def test_two_places_of_one_name_are_told_apart_and_renamed_everywhere() -> None:
    specs = ["hf:/a/mini", "hf:/a/mini/best"]
    names = guard.public(specs, dict.fromkeys(specs, "mini"))
    assert list(names.values()) == ["local:mini", "local:mini (2)"]
    told = guard.renamed({"id": "hf:/a/mini/best\titc", "list": ["hf:/a/mini"]}, names)
    assert told == {"id": "local:mini (2)\titc", "list": ["local:mini"]}


def test_the_guard_reads_every_file() -> None:
    guard.check({"a.js": b"nothing here"}, ["/data/secret"])
    with pytest.raises(FlipsideError, match=r"b\.js would name the folder /data/secret"):
        guard.check({"a.js": b"", "b.js": b'"x /data/secret/y"'}, ["/data/secret/"])
    with pytest.raises(FlipsideError, match=str(Path.home())):
        guard.check({"a.js": str(Path.home()).encode()}, [])


def test_nothing_but_the_world_may_be_handed_on_unasked() -> None:
    free = [name for name in REGISTRY if allowed(name).texts or allowed(name).pictures]
    assert free == ["world"]


def test_a_script_of_data_cannot_end_itself() -> None:
    written = packing.script("a", {"text": "</script><!--\u2028", "none": float("nan"), "rate": 1 / 3})
    assert b"<" not in written
    assert "\u2028".encode() not in written
    assert b'"none":null' in written
    assert b'"rate":0.333333' in written


def test_the_bundle_takes_each_file_once_and_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    text = bundle.script()
    assert text.count("export default") == 0
    assert text.count("const module_shared_drawing_dom = ") == 1
    assert text.index("const module_debias_exact = ") < text.index("const module_static_site_assets_debias = ")


def test_the_stylesheet_has_both_themes() -> None:
    sheet = bundle.stylesheet()
    assert "--st-background-color: light-dark(#fdfdfb, #14181c)" in sheet
    assert ".stApp, [role" not in sheet
    assert "--fs-quiet" in sheet
