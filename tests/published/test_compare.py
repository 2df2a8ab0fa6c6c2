"""Which printed numbers stand beside ours: only the same model, items, metric and score setting."""

from dataclasses import replace

import pytest

from backend import published
from backend.published import Ours

CLIP = published.names_of("hf:openai/clip-vit-base-patch32")[0]
MINILM = published.names_of("st:sentence-transformers/all-MiniLM-L6-v2")[0]
BLIP_ITM = published.names_of("hf:Salesforce/blip-itm-base-coco")[0]


def ours(names, benchmark, subsets, kind, **more):
    return Ours(names, "spec", benchmark, frozenset(subsets), more.pop("whole", False), more.pop("split", None), kind,
                **more)  # fmt: skip


def said(matches):
    return [(match.printed.paper, match.printed.table, round(100 * match.printed.value, 2)) for match in matches]


def test_one_number_in_several_tables_is_listed_in_order():
    mine = ours(MINILM, "visla", ["generic"], "t2t")
    assert said(published.matches(mine, "t2t_accuracy")) == [("visla", "Table 2", 58.89)]
    assert said(published.matches(mine, "p2_n_accuracy")) == [("visla", "Table 3", 60.12), ("visla", "Table 5", 60.12)]
    clip = ours(CLIP, "visla", ["spatial"], "itc")
    assert said(published.matches(clip, "i2t_accuracy")) == [
        ("visla", "Table 4", 44.69), ("visla", "Table 7", 44.69), ("visla", "Table 9", 44.69),
    ]  # fmt: skip


def test_the_difference_is_ours_minus_print():
    match = published.matches(ours(MINILM, "visla", ["generic"], "t2t"), "t2t_accuracy")[0]
    entry = match.beside(0.6)
    assert entry["difference"] == pytest.approx(0.6 - 0.5889)
    assert {"value", "paper", "table", "difference", "model", "note", "caveats"} <= set(entry)
    assert match.beside(None)["difference"] is None


def test_other_kinds_are_never_compared():
    by_itm = ours(BLIP_ITM, "visla", ["generic"], "itm")
    assert said(published.matches(by_itm, "i2t_accuracy"))[0] == ("visla", "Table 4", 58.38)
    by_itc = replace(by_itm, kind="itc")
    assert published.matches(by_itc, "i2t_accuracy") == []
    reasons = published.refusals(by_itc, ["i2t_accuracy"])
    assert any("it was measured by itm, this is itc" in reason for reason in reasons)


def test_other_items_are_never_compared():
    mine = ours(MINILM, "visla", ["generic"], "t2t")
    for other in (
        replace(mine, subsets=frozenset({"generic", "spatial"}), whole=True),
        replace(mine, benchmark="sugarcrepe_pp"),
        replace(mine, split="dev"),
        replace(mine, obstacle="this run scored only a part."),
        replace(mine, names=()),
    ):
        assert published.matches(other, "t2t_accuracy") == []
    assert published.refusals(replace(mine, obstacle="only a part."), ["t2t_accuracy", "p1_n_accuracy"]) == [
        "No published number beside ours: only a part."
    ]
    assert "is on split all, this run on dev" in published.refusals(replace(mine, split="dev"), ["t2t_accuracy"])[0]
    assert published.refusals(replace(mine, names=()), ["t2t_accuracy"]) == []


def test_a_whole_benchmark_in_one_number():
    clip = published.names_called("eqsim:METER")
    mine = ours(clip, "winoground", ["anything"], "itm", whole=True)
    assert said(published.matches(mine, "group_score")) == [("eqsim", "Table 2", 11.99)]
    assert published.matches(replace(mine, whole=False), "group_score") == []


def test_a_benchmarks_own_score_is_compared_on_its_split_only():
    mine = ours(CLIP, "vl_checklist", ["any"], "itc", split="official", default_split="all")
    assert said(published.matches(mine, "accuracy/Object"))[0] == ("svlc", "Table 1", 81.58)
    assert said(published.matches(mine, "accuracy/Relation"))[0] == ("svlc", "Table 1", 63.05)
    match = published.matches(mine, "accuracy/Object")[0]
    assert "inferred, not stated" in match.beside(0.8)["note"]
    assert published.matches(mine, "accuracy") == []  # pooled over the files, which nobody prints
    for other in (replace(mine, split=None), replace(mine, kind="itm"), replace(mine, obstacle="only a part.")):
        assert published.matches(other, "accuracy/Object") == []
    refused = published.refusals(replace(mine, split=None), ["accuracy/Object"])
    assert any("it is on split official, this run on all" in reason for reason in refused)


def test_a_benchmark_that_comes_in_splits_is_compared_on_the_one_read_by_default():
    meter = published.names_called("eqsim:METER")
    mine = ours(meter, "valse", ["any"], "itm", whole=True, default_split="valid")
    assert [paper for paper, _, _ in said(published.matches(mine, "min_pc_pf"))] == ["eqsim"]
    assert published.matches(replace(mine, split="valid"), "min_pc_pf") != []
    assert published.matches(replace(mine, split="all"), "min_pc_pf") == []


def test_several_parts_in_one_number():
    blip = published.names_called("BLIP-ITM")
    mine = ours(blip, "sugarcrepe", ["swap_obj", "swap_att"], "itm")
    assert said(published.matches(mine, "accuracy")) == [("visualgptscore", "Table 1(c)", 81.3)]
    assert published.matches(replace(mine, subsets=frozenset({"swap_obj"})), "accuracy") == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, True),
        ({"norm": "paper-score"}, True),
        ({"prior": "noise:1"}, True),
        ({"norm": "sum"}, False),
        ({"prior": "images:20"}, False),
        ({"prior": "noise:10"}, False),
        ({"alpha": 0.9}, False),
        ({"alpha": 0.0}, False),
        ({"kind": "itm"}, False),
    ],
)
def test_generative_rows_need_alpha_prior_and_norm(changes, found):
    names = published.names_called("visualgptscore:VisualGPTScore (alpha=1)")
    mine = ours(names, "coco", ["test"], "gen", whole=True, alpha=1.0, prior="noise:3", norm="token")
    matches = published.matches(replace(mine, **changes), "i2t_recall_at_1")
    assert said(matches) == ([("visualgptscore", "Table 3(a)", 46.2)] if found else [])


def test_alpha_nought_needs_no_prior():
    names = published.names_called("VisualGPTScore (alpha=0)")
    mine = ours(names, "coco", ["test"], "gen", whole=True, norm="token", prior="images:20")
    assert said(published.matches(mine, "i2t_recall_at_1")) == [("visualgptscore", "Table 3(a)", 19.7)]


def test_an_alpha_of_each_benchmark():
    names = published.names_called("VisualGPTScore (alpha=alpha_val*)")
    mine = ours(names, "coco", ["test"], "gen", whole=True, alpha=0.819, prior="noise:2", norm="token")
    assert said(published.matches(mine, "i2t_recall_at_1")) == [("visualgptscore", "Table 3(a)", 48.0)]
    assert published.matches(replace(mine, benchmark="flickr30k"), "i2t_recall_at_1") == []
    other = replace(mine, benchmark="flickr30k", alpha=0.719)
    assert said(published.matches(other, "i2t_recall_at_1")) == [("visualgptscore", "Table 3(a)", 63.6)]


def test_tuned_alphas_without_a_value_are_not_compared():
    names = published.names_called("Ours (alpha=alpha*)")
    mine = ours(names, "sugarcrepe", ["add_obj", "add_att"], "gen", alpha=0.5, prior="noise:3", norm="token")
    assert published.matches(mine, "accuracy") == []
    assert "tuned" in published.refusals(mine, ["accuracy"])[0]


def test_a_caveat_can_forbid_the_comparison():
    for number in published.everything():
        if not number.comparable:
            column = published.column_of(number)
            assert column.how == "none"


def test_an_unstated_kind_is_compared_only_at_the_owners_word():
    names = published.names_called("FLAVA")
    mine = ours(names, "eqben", ["eqbensd"], "itc")
    assert published.matches(mine, "text_score") == []
    asked = replace(mine, how="published-as")
    found = published.matches(asked, "text_score")
    assert said(found)[0][:2] == ("eqsim", "Table 3")
    assert "does not say with which kind" in found[0].beside(0.5)["note"]


def test_the_benchmarks_own_paper_comes_first():
    names = published.names_called("METER")
    mine = ours(names, "eqben", ["eqbensd"], "itm")
    assert [match.printed.paper for match in published.matches(mine, "group_score")] == ["eqsim", "eqsim"]
    assert [match.printed.table for match in published.matches(mine, "group_score")] == ["Table 3", "Table 11"]
