"""The bars of cells: what the component is given."""

from dataclasses import replace

from backend.protocols import Protocol
from pages.shared.data.cell_bars import Bar, Missing
from pages.shared.drawing import cells

QUADS = {"right": (40, 5), "outvoted_by_caption": (0, 3), "outvoted_by_image": (10, 30), "outvoted_by_both": (20, 10),
         "no_binding": (30, 70)}  # fmt: skip


def a_bar(model: str = "bundled:clip", group: str = "attribute", low: float = 0.2) -> Bar:
    return Bar(Protocol.QUAD, model, "itc", group, QUADS, 100, 0.4, low, 0.6, "cosine")


def test_a_bar_is_its_cells_and_their_luck() -> None:
    (part,) = cells.view([a_bar(), a_bar(group="count")], [])["parts"]
    (panel,) = part["panels"]
    assert part["legend"][0]["name"] == "right"
    row = panel["rows"][0]
    assert [(p["text"], round(p["share"], 2), round(p["luck"], 3)) for p in row["parts"]] == [
        ("40", 0.4, 0.125), ("10", 0.1, 1.0), ("20", 0.2, 0.5), ("30", 0.3, 0.0),  # an empty cell has no part
    ]  # fmt: skip
    assert row["parts"][0]["id"] == "bundled:clip\titc\tattribute\tright"
    assert "luck alone would put 30 there" in row["parts"][1]["tip"]
    assert "luck" not in row["parts"][-1]["tip"]
    assert (row["least"], row["ends"]) == ("at least 20.0 % bind", "40.0 % [20.0, 60.0]")


def test_no_claim_where_the_interval_holds_zero() -> None:
    assert cells.least(a_bar(low=-0.1)) == ("binding not seen", "40.0 % [−10.0, 60.0]")


def test_one_panel_a_model_or_one_for_all_on_a_single_subset() -> None:
    many = [a_bar(model, group) for model in ("bundled:clip", "bundled:matcher") for group in ("attribute", "count")]
    assert [len(p["rows"]) for p in cells.view(many, [])["parts"][0]["panels"]] == [2, 2]
    one = [a_bar("bundled:clip"), a_bar("bundled:matcher")]
    (panel,) = cells.view(one, [])["parts"][0]["panels"]
    assert [row["label"] for row in panel["rows"]] == ["clip", "matcher"]


def test_protocols_stand_apart_and_no_key_is_shown() -> None:
    lacking = Missing(Protocol.CHOICE, "bundled:clip", "itc", "its captions were not scored", "flipside run --x")
    quads, choices = cells.view([a_bar()], [lacking])["parts"]
    assert (quads["title"], choices["title"], choices["panels"]) == ("Quads", "Choices", [])
    assert choices["missing"] == [{"name": "clip (similarity)", "why": lacking.why, "commands": [lacking.command]}]
    said = str({**quads, "panels": [{**panel, "rows": [
        {**row, "parts": [{**part, "id": ""} for part in row["parts"]]} for row in panel["rows"]]}
        for panel in quads["panels"]]})  # fmt: skip
    assert not [key for key in ("outvoted_by", "no_binding", "itc") if key in said]


def test_a_bar_says_why_none_of_its_items_is_certified() -> None:
    bar = replace(a_bar(), certified={"right": 0, "no_binding": 30}, notes=("None of the 40 right is certified: …",))
    row = cells.view([bar, a_bar(group="count")], [])["parts"][0]["panels"][0]["rows"][0]
    assert row["notes"] == ["None of the 40 right is certified: …"]
    assert (
        "40 of 100 (40.0 %); luck alone would put 5 there; of 0 of them the evidence certifies “right”."
        in row["parts"][0]["tip"]
    )
    assert "no binding seen by the scores alone, 30 of" in (tip := row["parts"][-1]["tip"])
    assert "of 30 of them the evidence certifies “no binding beyond luck” (and of items in other cells" in tip


def test_a_line_a_model_and_a_bar_a_subset_of_every_protocol() -> None:
    choice = replace(
        a_bar(low=-0.1),
        protocol=Protocol.CHOICE,
        group="choice",
        counts={"grounded": (50, 5), "by_bias": (0, 0), "outvoted": (30, 10), "no_evidence": (20, 60)},
    )
    other = a_bar("bundled:matcher", "count")
    told = {("bundled:matcher", "itc"): ("model?m", "what it is"), ("bundled:clip", "itc"): ("", ""),
            ("bundled:lm", "prior"): ("", "")}  # fmt: skip
    drawn = cells.matrix([a_bar(), choice, other], [], told)["matrix"]
    assert [(column["title"], column["group"]) for column in drawn["columns"]] == [
        ("attribute", "quads"), ("count", "quads"), ("choice", ""),
    ]  # fmt: skip
    first, second = drawn["rows"]  # in the order in which they are told, without those that have no bar
    assert (first["label"], first["href"], first["tip"]) == ("matcher", "model?m", "what it is")
    assert [cell and cell["brief"] for cell in first["cells"]] == [None, "≥ 20.0 %", None]
    assert [cell and cell["brief"] for cell in second["cells"]] == ["≥ 20.0 %", None, "not seen"]
    assert [cell and cell["state"] for cell in second["cells"]] == ["bound", None, "not-seen"]
    assert [legend["title"] for legend in drawn["legends"]] == ["Quads", "Choices"]
    assert "these 3 bars" in drawn["read"]


def test_one_model_alone_has_one_legend_for_equal_cells_and_says_once_what_is_missing() -> None:
    lacking = [Missing(of, "bundled:clip", "itc", "not scored", "flipside run") for of in
               (Protocol.CHOICE, Protocol.TRIPLET)]  # fmt: skip
    quads, others = cells.of_one([a_bar(), a_bar(group="count")], lacking)["parts"]
    assert (quads["title"], quads["short"], len(quads["panels"][0]["rows"])) == ("Quads", True, 2)
    assert quads["panels"][0]["title"] == ""
    assert (others["title"], others["panels"], len(others["missing"])) == ("Choices and triplets", [], 1)


def test_each_reason_is_said_once_with_its_models_each_once() -> None:
    def lacking(model: str, why: str, *protocols: Protocol, kind: str = "itc") -> list[Missing]:
        return [Missing(of, model, kind, why, f"run {model}" * (kind == "itc")) for of in protocols]

    not_scored, none = "the captions of this run have not been scored", "a choice was made"
    both = (Protocol.CHOICE, Protocol.TRIPLET)
    missing = [
        *lacking("bundled:clip", not_scored, *both), *lacking("bundled:matcher", not_scored, *both),
        *lacking("bundled:matcher", not_scored, *both, kind="itm"), *lacking("bundled:captioner", not_scored, *both),
        *lacking("predictions:v", none, Protocol.TRIPLET, kind="verdict"),
    ]  # fmt: skip
    first, second = cells.matrix([a_bar()], missing, {})["matrix"]["missing"]
    assert first["name"] == (
        "clip and captioner (similarity) on choices and triplets; "
        "matcher (similarity and matching) on choices and triplets"
    )
    assert first["why"] == "the captions of these runs have not been scored"
    assert first["commands"] == ["run bundled:clip", "run bundled:matcher", "run bundled:captioner"]
    assert second == {"name": "v (forced choice) on triplets", "why": none, "commands": []}
