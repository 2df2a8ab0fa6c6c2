"""The line of plain English: what was measured, before and after, and nothing that was not."""

from pages.teach.train.seen import sentence

BEFORE = {
    "n_quads": 200,
    "group_score": 0.62,
    "gamma": 0.05,
    "abs_c": 0.01,
    "abs_r": 0.03,
    "n_images": 400,
    "text_r1": 0.5,
}
AFTER = BEFORE | {"group_score": 0.8, "gamma": 0.07, "abs_r": 0.02, "text_r1": 0.45}


def test_nothing_is_said_before_anything_is_known() -> None:
    assert sentence([], 60) == ""
    assert sentence([{"step": 0}], 60) == ""


def test_before_the_first_step() -> None:
    assert sentence([{"step": 0, "held_out": BEFORE}], 60) == (
        "Before the first step, on held-out items: group score 62.0 [55.1, 68.4] of 100, n = 200; caption found for an "
        "image (R@1) 50.0 of 100."
    )


def test_held_out_pairs_before_and_after_with_their_baseline() -> None:
    log = [{"step": 0, "held_out": BEFORE}, {"step": 10, "loss": 1.0, "held_out": AFTER}, {"step": 12, "loss": 1.0}]
    plain = [{"step": 0, "held_out": BEFORE}, {"step": 10, "held_out": BEFORE | {"group_score": 0.64}}]
    assert sentence(log, 60, plain) == (
        "After 12 of 60 steps, on held-out items, judged at step 10: γ 0.05 → 0.07, |c| 0.01, |r| 0.03 → 0.02 "
        "(means, untested); group score 62.0 [55.1, 68.4] → 80.0 [73.9, 85.0] of 100, n = 200; the baseline at "
        "this step 64.0; caption found for an image (R@1) 50.0 → 45.0 of 100."
    )
    assert "baseline" not in sentence(log, 60, [{"step": 9, "held_out": BEFORE}])


def test_a_change_inside_the_intervals_is_no_claim() -> None:
    small = BEFORE | {"group_score": 0.65}
    said = sentence([{"step": 0, "held_out": BEFORE}, {"step": 5, "loss": 1.0, "held_out": small}], 5)
    assert "(the intervals overlap)" in said
    assert "judged at" not in said


def test_without_held_out_items_the_batches_speak() -> None:
    log = [{"step": n, "loss": 1.0, "gamma": 0.01 * n, "abs_c": 0.02, "abs_r": -0.01 * n} for n in range(1, 21)]
    assert sentence(log, 40) == (
        "After 20 of 40 steps, in the batches, by the means of the first and the last 2 steps: γ 0.015 → 0.195, "
        "|c| 0.02, |r| −0.015 → −0.195 (means, untested)."
    )


def test_without_quads_the_loss_speaks() -> None:
    log = [{"step": 1, "loss": 2.0, "gamma": None}, {"step": 2, "loss": 1.5, "gamma": None}]
    assert sentence(log, 9) == "After 2 of 9 steps, the loss went from 2 to 1.5."


def test_a_loss_that_has_not_moved_went_nowhere() -> None:
    """“the loss went from 0.673 to 0.673” was said."""
    log = [{"step": 1, "loss": 0.67301, "gamma": None}, {"step": 2, "loss": 0.67299, "gamma": None}]
    assert sentence(log, 9) == (
        "After 2 of 9 steps, the loss is 0.673 at the first step and at the last one: to three digits it has not "
        "changed."
    )
    assert sentence(log[:1], 9) == "After 1 of 9 steps, the loss is 0.673."


def test_choices_speak_by_their_accuracy() -> None:
    held = {"n_choices": 50, "accuracy": 0.5}
    said = sentence([{"step": 0, "held_out": held}, {"step": 2, "loss": 1.0, "held_out": held}], 2)
    assert said == (
        "After 2 of 2 steps, on held-out items: accuracy 50.0 [36.6, 63.4] → 50.0 [36.6, 63.4] of 100, n = 50."
    )


def test_a_damaged_log_makes_no_trouble() -> None:
    for held in (
        {},
        {"n_quads": 5, "group_score": 1e9, "gamma": 1e300},
        {"n_quads": -5, "group_score": 0.5, "gamma": 0},
        {"n_quads": 0, "group_score": 0.5, "gamma": 0.1},
        {"gamma": 0.1},
        {"group_score": 0.1},
    ):
        log = [{"step": 0, "held_out": held}, {"step": 3, "held_out": held}, {"step": 4}]
        assert isinstance(sentence(log, 2), str)
