import subprocess
import sys

import numpy as np
import pytest

from backend.images import open_image
from backend.items import Kind
from backend.live.scoring import judging
from backend.live.scoring.examples import EXAMPLES
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import ModelScores, Tokens, score
from backend.world import Scene, split_of
from backend.world.language.words import VOCABULARY

IMAGES = [open_image(uri) for uri in EXAMPLES[0].images]
TEXTS = list(EXAMPLES[0].texts)


@pytest.fixture
def pool() -> Pool:
    return Pool()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_examples_are_unseen_scenes_in_the_models_own_words(example) -> None:  # type: ignore[no-untyped-def]
    assert example.layout in judging.layouts(len(example.images), len(example.texts))
    for uri in example.images:
        assert split_of(Scene.decode(uri)) == "test"
    assert {word for text in example.texts for word in text.split()} <= set(VOCABULARY)


def test_every_kind_of_a_model_is_scored(pool: Pool) -> None:
    scores = score(pool, "fake:ok", IMAGES, TEXTS, "noise:3")
    assert {kind: m.shape for kind, m in scores.matrices.items()} == {
        Kind.ITC: (2, 2), Kind.ITM: (2, 2), Kind.VQA: (2, 2), Kind.GEN: (2, 2)}  # fmt: skip
    assert scores.t2t is not None
    assert scores.t2t.shape == (2, 2)
    for kind in ("itm", "vqa"):
        assert np.all((scores.matrices[kind] > 0) & (scores.matrices[kind] < 1))
        odds = scores.judged(kind)
        assert scores.matrices[kind] == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)
    with pool.use("fake:ok") as model:
        assert scores.matrices["itc"] == pytest.approx(
            model.encode_images(IMAGES) @ model.encode_texts(TEXTS).T, abs=1e-6
        )
        (_, logprobs), *_ = model.caption_logprobs([IMAGES[1]], [TEXTS[0]])
    assert scores.matrices["gen"][1, 0] == pytest.approx(logprobs.mean(), abs=1e-6)
    assert scores.gen_tokens[1][0].logprobs == pytest.approx(logprobs)


def test_the_prior_is_equation_13_on_the_models_own_noise(pool: Pool) -> None:
    scores = score(pool, "fake:ok", IMAGES, TEXTS, "noise:3")
    with pool.use("fake:ok") as model:
        sums = model.prior_from(model.noise_images(3, 0), TEXTS)
    counts = np.array([len(text.split()) + 1 for text in TEXTS])
    assert scores.prior == pytest.approx(np.log(np.exp(sums).mean(axis=0)) / counts, abs=1e-5)
    assert scores.prior_tokens[0].tokens == scores.gen_tokens[0][0].tokens


@pytest.mark.parametrize("source", ["images:4", "lm:fake:ok/prior"])
def test_other_prior_sources(pool: Pool, source: str) -> None:
    scores = score(pool, "fake:ok", IMAGES, TEXTS, source)
    assert scores.prior_source == source
    assert scores.prior is not None
    assert np.isfinite(scores.prior).all()


@pytest.mark.parametrize("source", ["noise:0", "noise:99", "images:x", "weather"])
def test_a_senseless_prior_source_is_refused(pool: Pool, source: str) -> None:
    assert "no prior source" in score(pool, "fake:ok", IMAGES, TEXTS, source).problem


def test_a_model_that_takes_no_null_images_keeps_its_other_scores(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    from backend.errors import UsageError

    with pool.use("fake:ok") as model:

        def refuse(n: int, seed: int) -> None:
            raise UsageError("fake:ok takes no null images.")

        monkeypatch.setattr(model, "noise_images", refuse)
    scores = score(pool, "fake:ok", IMAGES, TEXTS, "noise:3")
    assert scores.no_prior == "fake:ok takes no null images."
    assert scores.problem == ""
    assert scores.prior is None
    assert scores.matrices["gen"].shape == (2, 2)


def test_a_blind_model_gives_its_prior(pool: Pool) -> None:
    scores = score(pool, "fake:ok/prior", IMAGES, TEXTS, "noise:3")
    assert scores.matrices == {}
    assert scores.prior is not None
    assert scores.prior_source == "itself"


@pytest.mark.parametrize(
    ("spec", "says"), [("fake:raise", "on purpose"), ("fake:okay", "fake mode"), ("nonsense", "nonsense")]
)
def test_a_failing_model_is_one_sentence(pool: Pool, spec: str, says: str) -> None:
    problem = score(pool, spec, IMAGES, TEXTS, "noise:3").problem
    assert says in problem
    assert "\n" not in problem


def test_a_constant_model_ties_and_a_nan_model_has_no_verdict(pool: Pool) -> None:
    constant = judging.verdicts(score(pool, "fake:constant", IMAGES, TEXTS, "noise:3").judged("itm"), "quad")
    assert [(v.correct, v.tie) for v in constant] == [(False, True)] * 4
    nothing = judging.verdicts(score(pool, "fake:nan", IMAGES, TEXTS, "noise:3").judged("itm"), "quad")
    assert [v.correct for v in nothing] == [None] * 4


def made(gen: list[list[float]], prior: list[float]) -> ModelScores:
    tokens = tuple(tuple(Tokens(("x",), np.array([value])) for value in row) for row in gen)
    return ModelScores("made", {"gen": np.array(gen)}, gen_tokens=tokens, prior=np.array(prior))


def test_flips_are_exact() -> None:
    scores = made([[-2.0, -1.5, -4.0]], [-3.0, -1.0, -3.0])
    (flip,) = judging.flips(scores, "choice")
    assert flip.points(1) == [0.25]
    assert not flip.right_at(0.25)
    assert flip.right_at(np.nextafter(0.25, 1))
    lines = judging.comparisons(scores, "choice")
    assert [name for name, _, _ in lines] == ["true over foil 1", "true over foil 2"]
    assert lines[0][1:] == (-0.5, 2.0)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 0.77, 1.0, 1.6])
@pytest.mark.parametrize(("layout", "shape"), [("quad", (2, 2)), ("triplet", (1, 3)), ("choice", (1, 4))])
def test_flips_agree_with_judging_at_any_alpha(alpha: float, layout: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        scores = made(rng.normal(size=shape).tolist(), rng.normal(size=shape[1]).tolist())
        assert scores.prior is not None
        debiased = scores.matrices["gen"] - alpha * scores.prior
        by_hand = {v.metric: v.correct for v in judging.verdicts(debiased, layout)}
        assert {flip.metric: flip.right_at(alpha) for flip in judging.flips(scores, layout)} == by_hand
        lines = all(margin + slope * alpha > 0 for _, margin, slope in judging.comparisons(scores, layout))
        assert lines == by_hand["text_score" if layout == "quad" else next(iter(by_hand))]


def test_deviations_of_a_quad_by_hand() -> None:
    found = {name: values for name, *values in judging.deviations(np.array([[4.0, 2.0], [1.0, 8.0]]))}
    assert found["v1"][0] == 1.0
    assert found["v2_text"][0] == -5.0
    assert found["v2_image"][0] == -3.0
    assert found["v1"][1] == pytest.approx(1 / np.std([4, 2, 1, 8]))
    assert found["v1"][2] == 0.5


@pytest.mark.parametrize(
    ("counts", "first"), [((2, 2), "quad"), ((1, 3), "triplet"), ((1, 2), "choice"), ((2, 3), "grid"), ((0, 2), "grid")]
)
def test_layouts(counts: tuple[int, int], first: str) -> None:
    assert judging.layouts(*counts)[0] == first


@pytest.mark.long
def test_live_imports_no_torch_before_a_model_is_loaded() -> None:
    code = (
        "import sys, backend.live.uploads.uploads;"
        "from backend.live.scoring import examples, judging, scoring;"
        "sys.exit('torch' in sys.modules or 'streamlit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
