"""One model's card: its rates here against print, what is missing, what is known of it."""

from backend.published.atlas import measures
from backend.published.atlas.reading import Atlas
from pages.atlas import card, data
from pages.atlas.data import Own
from tests.pages.atlas.conftest import SPEC, X, Y


def test_the_difference_to_print_and_what_is_missing(atlas: Atlas) -> None:
    own = [
        Own(SPEC.replace("32", "32-quickgelu"), "itc", "", {"winoground::text": (30.75, (26.4, 35.4))}),
        Own(SPEC, "itm", "", {"winoground::image": (99.0, None)}), Own("fake:ok", "itc", "", {}),
    ]  # fmt: skip
    fetched = Own("predictions:clip", "itc", "CLIP ViT-B/32", {"winoground::text": (31.0, None)})
    mine = card.of_weights([*own, fetched], atlas.entries[0])
    assert mine == [own[0], fetched]  # the same weights by the Atlas' own kind, whoever scored them
    printed = atlas.rates[0, atlas.column["winoground::text"]]
    html = str(card.differences(atlas, 0, mine, {own[0].model: "quick", "predictions:clip": "clip"}))
    assert "<td>quick</td>" in html
    assert "<td>clip</td>" in html
    assert f"{printed:.2f}" in html
    assert f"{abs(30.75 - printed):.2f}" in html
    assert "[26.4, 35.4]" in html
    lines = card.commands(SPEC, ["winoground::text"])
    assert len(lines) == 7  # Winoground, too: two of its three columns are missing
    assert all(f"--model {SPEC} --benchmark" in line and "--kinds itc" in line for line in lines)
    whole = {f"winoground::{side}" for side in ("text", "image", "group")}
    assert not any("winoground" in line for line in card.commands(SPEC, whole))


def test_what_is_known_of_a_model(atlas: Atlas) -> None:
    base, negclip = card.known(atlas, 0), card.known(atlas, 3)
    assert "The base of NegCLIP, CE-CLIP, DAC-LLM." in base
    assert any(line.startswith("Taught from ViT-B-32 openai: captions of COCO") for line in negclip)
    ranks = {each.title: int(data.ranks(each, atlas)[3]) for each in measures.benchmarks()}
    assert f"Ranks best, {min(ranks.values())} of {len(atlas.entries)}, by " in negclip[-1]
    assert data.ranks(X, atlas)[int(X.of(atlas).argmax())] == 1


def test_a_model_is_copied_with_what_it_rests_on(atlas: Atlas) -> None:
    n = len(atlas.entries)
    own = [Own("predictions:clip", "itc", "CLIP ViT-B/32", {"winoground::text": (30.75, (26.4, 35.4))})]
    names = {"predictions:clip": "clip"}
    model = card.to_copy(atlas, 0, (X, Y), own, names)
    rate, place = X.of(atlas)[0], data.ranks(X, atlas)[0]
    assert f"ViT-B-32 openai: Winoground: text {rate:.2f} % [" in model
    assert f"], place {place} of {n}; Winoground: image " in model
    assert "of 1 rate stored here clip is farthest from print in Winoground: text, 30.75 % [26.4, 35.4] here" in model
    mine = card.own_to_copy(own[0], atlas, names)
    assert mine.startswith("clip: Winoground: text 30.75 % [26.4, 35.4], place ")
    assert f"of {n + 1} (n = {n + 1} models; stored here; " in mine
