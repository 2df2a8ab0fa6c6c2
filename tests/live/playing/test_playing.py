"""Covers, meanings and recipes: what playing with one experiment rests on."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from backend.errors import UsageError
from backend.images import open_image
from backend.live.playing import covering, meaning, others, recipes
from backend.live.playing import play as played
from backend.live.playing.play import Play
from backend.live.playing.recipes import Kept, Recipe
from backend.live.scoring.examples import BY_NAME
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import score
from backend.perturb.base import Effect
from backend.world.fitting import said
from backend.world.scenes import Scene
from backend.world.truth import holds

BINDING, TRAP = BY_NAME["binding"], BY_NAME["prior-trap"]
KEEPS, CHANGES = str(Effect.PRESERVING), str(Effect.CHANGING)


def test_a_cover_is_pils_own_fill_with_the_mean() -> None:
    rng = np.random.default_rng(1)
    image = Image.fromarray(rng.integers(0, 256, (37, 53, 3), dtype=np.uint8), "RGB")
    box = (5, 7, 30, 21)
    mean = tuple(int(value) for value in np.asarray(image, dtype=np.float64).mean(axis=(0, 1)).round())
    expected = image.copy()
    ImageDraw.Draw(expected).rectangle((box[0], box[1], box[2] - 1, box[3] - 1), fill=mean)
    found = covering.covered(image, box)
    assert found.tobytes() == expected.tobytes()
    assert image.tobytes() != found.tobytes()
    assert covering.share(box, image.size) == pytest.approx(25 * 14 / (37 * 53))


def test_a_dragged_box_is_put_into_the_picture() -> None:
    assert covering.fitted([30.4, 40, 10, -5], (50, 60)) == (10, 0, 30, 40)
    for wrong in (
        [1, 2, 3],
        [1, 1, 1.4, 40],
        [0, 0, 50, 60],
        ["a", 0, 3, 4],
        [float("nan"), 0, 9, 9],
        [1e9, 0, 2e9, 9],
    ):
        with pytest.raises(UsageError):
            covering.fitted(wrong, (50, 60))


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ("a red circle and a blue star", "a blue star and a red circle", KEEPS),
        ("a red circle and a blue star", "a blue circle and a red star", CHANGES),
        ("two pink stars", "a pair of pink stars", KEEPS),
        ("a big dog", "a large dog", KEEPS),
        ("a big dog", "a small dog", CHANGES),
        ("a big dog", "a nice dog", meaning.UNKNOWN),
    ],
)
def test_what_an_edit_does_to_the_meaning(before: str, after: str, effect: str) -> None:
    assert meaning.effect(before, after) == effect


def test_edits_together_are_known_only_where_each_is() -> None:
    assert meaning.together([KEEPS, CHANGES]) == CHANGES
    assert meaning.together([KEEPS, meaning.UNKNOWN, CHANGES]) == meaning.UNKNOWN
    base = ("a big dog", "a red cat")
    assert Play(("a huge dog", "a red cat")).effect(base) == meaning.UNKNOWN
    assert Play(("a nice dog", "a red cat"), told={0: KEEPS}).effect(base) == KEEPS
    assert Play(("a small dog", "a red cat"), told={0: KEEPS}).effect(base) == CHANGES  # what is known goes first
    assert Play(base).effect(base) == ""


def test_truth_of_a_scene_is_the_worlds_own() -> None:
    scene = Scene.decode(BINDING.images[0])
    for text in (*BINDING.texts, "a red circle", "a red circle to the left of a blue star", "two red circles"):
        assert meaning.true_of(BINDING.images[0], text) is holds(said(text), scene)  # type: ignore[arg-type]
    assert meaning.true_of("local:abc", BINDING.texts[0]) is None
    assert meaning.true_of("world:nonsense", BINDING.texts[0]) is None


def _recipe(kind: str, words: int, area: float) -> Recipe:
    return Recipe(kind, ("a",), {}, {}, words, area, "", True, False)


def test_the_smallest_recipe_of_each_kind_is_kept() -> None:
    kept: Kept = {}
    who = ("fake:ok", "itc")
    assert not recipes.keep(kept, who, None)
    assert recipes.keep(kept, who, _recipe(CHANGES, 2, 0.0))
    assert recipes.keep(kept, who, _recipe(CHANGES, 1, 0.4))  # fewer words go before any area
    assert not recipes.keep(kept, who, _recipe(CHANGES, 1, 0.4))
    assert recipes.keep(kept, who, _recipe(CHANGES, 1, 0.1))
    assert recipes.keep(kept, who, _recipe(KEEPS, 3, 0.0))
    assert {kind: each.size for kind, each in kept[who].items()} == {CHANGES: (1, 0.1), KEEPS: (3, 0.0)}


@pytest.mark.parametrize("spec", ["fake:ok/itc", "fake:ok/itm", "fake:ok/gen"])
def test_a_recipe_really_turns_the_answer_when_it_is_scored_again(spec: str) -> None:
    """Edits are tried one after another; each recipe that is kept, scored alone by a fresh pool, turns the answer."""
    image = open_image(TRAP.images[0])
    kind = spec.partition("/")[2]
    tried = [
        "the scene has four hearts",
        "the scene has five hearts",
        "the scene has two stars",
        "a heart",
        "a red star",
    ]
    plays = [Play((text, TRAP.texts[1])) for text in tried] + [
        Play(TRAP.texts, {0: (10 * k, 5 * k, 120 + 10 * k, 90 + 12 * k)}) for k in range(8)
    ]

    def answer(play: Play, pool: Pool) -> recipes.Answer | None:
        images, keys = play.pictures([image], [TRAP.images[0]])
        return recipes.answer(score(pool, spec, images, play.texts, "", keys).judged(kind), "choice")

    warm = Pool()
    before, kept = answer(Play(TRAP.texts), warm), Kept()
    for play in plays:
        recipes.keep(kept, (spec, kind), recipes.made(TRAP.texts, play, [image.size], before, answer(play, warm)))
    assert kept
    for own in kept[spec, kind].values():
        again = answer(own.play(), Pool())
        assert again == own.after
        assert again != before


def test_a_recipe_says_what_was_done() -> None:
    base = ("a red cube", "a blue cube")
    play = Play(("a green cube", "a blue cube"), {1: (0, 0, 5, 4)})
    found = recipes.made(base, play, [(10, 10), (10, 10)], True, False)
    assert found is not None
    assert (found.what, found.words, found.area, found.kind) == ("red → green, covers 20 %", 1, 0.2, CHANGES)
    assert recipes.made(base, play, [(10, 10), (10, 10)], True, True) is None
    assert recipes.made(base, Play(("a blue cube", "a blue cube")), [(10, 10)], True, False) is None
    assert recipes.made(base, play, [(10, 10), (10, 10)], None, True) is None
    cover = recipes.made(base, Play(base, {0: (0, 0, 5, 4)}), [(10, 10)], True, False)
    assert cover is not None
    assert (cover.kind, cover.words) == (recipes.COVER, 0)
    assert played.told(base, Play(("a big red cube", "a cube")), []) == "+ big, blue → –"


def test_answers_on_a_grid_and_ties() -> None:
    assert recipes.answer(np.array([[0.3, 0.1], [0.2, 0.4]]), "grid") == (0, 1)
    assert recipes.answer(np.array([[0.3, 0.3], [0.2, 0.4]]), "grid") is None
    assert recipes.answer(np.array([[0.3, 0.3]]), "choice") is False  # a tie counts as wrong
    assert recipes.answer(np.array([[0.3, np.nan]]), "choice") is None
    assert recipes.answer(np.array([[0.3]]), "grid") is None


def test_other_scenes_fit_none_of_the_captions() -> None:
    codes = others.scenes(TRAP.images[0], TRAP.texts)
    assert len(codes) == len(set(codes)) == others.N
    for code in codes:
        assert not any(holds(said(text), Scene.decode(code)) for text in TRAP.texts)  # type: ignore[arg-type]
    assert others.scenes("local:x", TRAP.texts) == []


def test_under_other_scenes_is_the_arithmetic_of_the_margins() -> None:
    image, pool = open_image(TRAP.images[0]), Pool()
    own = {"itc": score(pool, "fake:ok/itc", [image], TRAP.texts, "", TRAP.images).judged("itc")}
    codes = others.scenes(TRAP.images[0], TRAP.texts)
    found = others.under_others(pool, "fake:ok/itc", own, codes, TRAP.texts, "choice")["itc"]
    each = [score(Pool(), "fake:ok/itc", [open_image(c)], TRAP.texts, "", [c]).matrices["itc"][0] for c in codes]
    margins = [float(row[0] - row[1]) for row in each]
    assert found.m == pytest.approx(float(own["itc"][0, 0] - own["itc"][0, 1]))
    assert found.b == pytest.approx(np.mean(margins))
    assert found.g == pytest.approx(found.m - found.b)
    assert found.n == 16
    assert found.same == sum((m > 0) == (found.m > 0) for m in margins)
    assert others.under_others(pool, "fake:ok/itc", own, codes, TRAP.texts, "quad") == {}
