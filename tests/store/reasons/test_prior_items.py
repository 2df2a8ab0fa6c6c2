"""Won, lost and what is certain of a run's choices, from stored scores against a slow count and planted priors."""

from dataclasses import replace

import numpy as np
import pytest

from backend.items import ImageRef, Item, Protocol
from backend.metrics.alpha.gains import Gain
from backend.metrics.reasons.language_prior import language_prior
from backend.prior_names import prior_name
from backend.store.alpha.effective import prior_samples
from backend.store.build.reader import open_store
from backend.store.reasons import prior_items
from backend.store.reasons.prior_items import Found
from pages.debias import prior_items as page
from pages.shared.frame.tips import column_head
from scripts.planted_worlds import spoken
from tests.store import writer

RUN, BLIND = "a" * 16, "b" * 16
N, TOKENS = 400, 5


def choices():
    return [
        Item(f"c/{k}", "c", Protocol.CHOICE, (ImageRef(f"{k}.png", ""),), (f"a {k}", f"b {k}"), ((0, 0),), {}, f"w:{k}")
        for k in range(N)
    ]


@pytest.fixture
def planted(flipside_cache, monkeypatch):
    """Every item: evidence of the image (half of them none) and a prior of 4 nats a token for one of its texts."""
    rng = np.random.default_rng(1)
    evidence = np.where(np.arange(N) % 2, 3.0, 0.0) + rng.standard_normal(N)
    prior = rng.choice([-4.0, 4.0], N)  # of the foil over the truth

    def rows(kind, number, item, _rng, _skill):
        of_text = [-9.0, -9.0 + prior[number]]
        if kind.startswith("prior@"):
            return [(number, -1, t, -1, 0, TOKENS * of_text[t], TOKENS) for t in (0, 1)]
        seen = [of_text[0] + evidence[number], of_text[1]]
        return [(number, 0, t, -1, -1, TOKENS * seen[t], TOKENS) for t in (0, 1)]

    monkeypatch.setattr(writer, "score_rows", rows)
    writer.write_run(flipside_cache, choices(), RUN, ["gen"], model="fake:ok")
    writer.write_run(flipside_cache, choices(), BLIND, ["prior@self"], model="fake:blind")
    return open_store(), evidence, prior


@pytest.mark.long
def test_won_lost_and_certain_items(planted):
    store, evidence, prior = planted
    (found,) = prior_items.of_run(store, RUN, "lm:fake:blind")
    before, after = evidence - prior > 0, evidence > 0
    assert (found.change.n, found.change.won, found.change.lost) == (
        N, int((after & ~before).sum()), int((before & ~after).sum())
    )  # fmt: skip
    assert (found.known, found.samples) == (N, None)
    labelled = np.array([int(name.removeprefix("c/")) for name in found.items])
    assert len(labelled) > 20
    assert (prior[labelled] > 0).all()
    assert not before[labelled].any()
    assert (labelled % 2 == 1).mean() > 0.85  # where the image does say something
    mean, low, high = found.exchanged
    assert low <= mean <= high < found.change.won
    assert "more than taking away any prior wins" in page.sentence(found)
    assert "certain" in page.table([found])


@pytest.mark.long
def test_triplets_and_quads_by_their_own_verdicts(flipside_cache, monkeypatch):
    """The planted worlds of `make planted`, written as a run stores them."""
    worlds = {
        "t": (Protocol.TRIPLET, 3, ((0, 0), (0, 1)), 1), "q": (Protocol.QUAD, 2, ((0, 0), (1, 1)), 2),
    }  # fmt: skip
    drawn = {name: spoken(0, 4.0, protocol=protocol) for name, (protocol, *_) in worlds.items()}

    def item(name, k):
        protocol, texts, truth, images = worlds[name]
        refs = tuple(ImageRef(f"{name}{k}-{i}.png", "") for i in range(images))
        return Item(f"{name}/{k}", name, protocol, refs, tuple(f"{t} {k}" for t in range(texts)), truth, {}, "w")

    def rows(kind, number, item, _rng, _skill):
        gen, samples, _ = drawn[item.subset]
        k = int(item.item_id[2:])
        if kind.startswith("prior@"):
            return [(number, -1, t, -1, s, v, 10) for s, of in enumerate(samples[:, k]) for t, v in enumerate(of)]
        table = gen[k].reshape(len(item.images), -1)
        return [(number, i, t, -1, -1, value, 10) for i, row in enumerate(table) for t, value in enumerate(row)]

    monkeypatch.setattr(writer, "score_rows", rows)
    writer.write_run(flipside_cache, [item(n, k) for n in worlds for k in range(600)], RUN, ["gen", "prior@images:16"])
    for found in prior_items.of_run(open_store(), RUN, "images:16"):
        gen, samples, planted = drawn[found.subset]
        protocol, texts, *_ = worlds[found.subset]
        want = language_prior(gen, samples, np.full((600, texts), 10), protocol=protocol)
        labelled = [int(name[2:]) for name in found.items]
        assert (found.protocol, found.change.n) == (protocol, 600)
        assert labelled == np.flatnonzero(want.label).tolist()
        assert planted[labelled].mean() >= 0.9
        assert len(labelled) >= 0.15 * planted.sum()
        back = want.won_back
        assert (found.change.won, found.change.lost, found.change.p) == (back.only_b, back.only_a, back.p)
        assert (found.exchanged, found.known) == (want.exchanged, int(want.known.sum()))


@pytest.mark.long
def test_nothing_is_said_below_five_effective_samples(flipside_cache):
    items = writer.items(30)
    writer.write_run(flipside_cache, items, RUN, ["gen", "prior@noise:3"])
    every = prior_items.of_run(open_store(), RUN, "noise:3")
    assert [(found.subset, found.protocol) for found in every] == [
        ("choice", "choice"), ("triplet", "triplet"), ("attribute", "quad"), ("relation", "quad")
    ]  # fmt: skip
    for found in every:
        assert (found.known, found.items) == (0, ())
        assert 1.0 <= found.samples <= 3.0
        assert "nothing is said" in page.sentence(found)


def right_by_hand(norm, gen, samples, counts, alpha):
    """Verdicts of choices (n, k+1) or quads (n, 2, 2) at an α, each in plain numpy: {metric: bool (n,)}."""
    quad = gen.ndim == 3
    if norm == "paper-score":
        p = np.log(np.exp(samples / counts).mean(axis=0))
    else:
        p = np.log(np.exp(samples).mean(axis=0)) / (counts if norm == "token" else 1)
    g = gen if norm == "sum" else gen / (counts[:, None, :] if quad else counts)
    s = g - alpha * (p[:, None, :] if quad else p)
    if not quad:
        return {"accuracy": s[:, 0] > s[:, 1:].max(axis=1)}
    text = (s[:, 0, 0] > s[:, 0, 1]) & (s[:, 1, 1] > s[:, 1, 0])
    image = (s[:, 0, 0] > s[:, 1, 0]) & (s[:, 1, 1] > s[:, 0, 1])
    return {"text_score": text, "group_score": text & image}


@pytest.mark.long
def test_it_is_judged_by_the_norm_the_metric_and_the_foils_of_the_page(flipside_cache, monkeypatch):
    """Captions of different lengths, so that norms disagree; of quads text and group score do, too."""
    rng, n, images = np.random.default_rng(4), 120, 6
    shape = {"c": (n, 3), "q": (n, 2, 2)}
    counts = {"c": rng.integers(2, 12, (n, 3)), "q": rng.integers(2, 12, (n, 2))}
    samples = {k: rng.normal(-2, 0.1, (images, n, of.shape[1])) * of for k, of in counts.items()}
    gen = {k: rng.normal(-1.5, 0.4, shape[k]) * (counts[k][:, None, :] if k == "q" else counts[k]) for k in counts}
    many = np.arange(n) % 3 == 0

    def item(name, k):
        of, truth = (2, ((0, 0), (1, 1))) if name == "q" else (1, ((0, 0),))
        refs = tuple(ImageRef(f"{name}{k}-{i}.png", "") for i in range(of))
        tags = {"perturbation": ("swap" if many[k] else "add",)} if name == "c" else {}
        protocol = Protocol.QUAD if name == "q" else Protocol.CHOICE
        texts = tuple(f"{name} {t} {k}" for t in range(counts[name].shape[1]))
        return Item(f"{name}/{k}", name, protocol, refs, texts, truth, tags, "w")

    def rows(kind, number, item, _rng, _skill):
        name, k = item.subset, int(item.item_id[2:])
        length = counts[name][k]
        if kind.startswith("prior@"):
            drawn = samples[name][:, k]
            return [(number, -1, t, -1, s, v, int(length[t])) for s, of in enumerate(drawn) for t, v in enumerate(of)]
        table = gen[name][k].reshape(len(item.images), -1)
        return [(number, i, t, -1, -1, v, int(length[t])) for i, row in enumerate(table) for t, v in enumerate(row)]

    monkeypatch.setattr(writer, "score_rows", rows)
    writer.write_run(flipside_cache, [item(k, i) for k in shape for i in range(n)], RUN, ["gen", "prior@images:6"])
    store, seen = open_store(), set()
    for norm in ("token", "sum", "paper-score"):
        for name, metric, tag in (
            ("c", "accuracy", None), ("c", "accuracy", "swap"), ("q", "text_score", None), ("q", "group_score", None),
        ):  # fmt: skip
            (found,) = prior_items.of_run(store, RUN, "images:6", norm, name, metric, tag)
            keep = many if tag else np.ones(n, bool)
            asked = (gen[name][keep], samples[name][:, keep], counts[name][keep])
            before, after = (right_by_hand(norm, *asked, alpha)[metric] for alpha in (0.0, 1.0))
            want = (int(keep.sum()), int((after & ~before).sum()), int((before & ~after).sum()))
            assert (found.change.n, found.change.won, found.change.lost) == want
            assert (found.norm, found.metric, found.subset) == (norm, metric, name)
            weight = np.exp(asked[1] / (asked[2] if norm == "paper-score" else 1))
            fewest = (weight.sum(axis=0) ** 2 / (weight**2).sum(axis=0)).min(axis=1)
            assert found.samples == pytest.approx(np.median(fewest))
            assert found.known == int((fewest >= 5).sum())
            seen.add(want)
            if not tag:
                told = prior_samples(store, RUN, "images:6", norm, name)
                assert found.known == told["n_items"] - told["below_5"]
                assert found.samples == pytest.approx(told["effective_median"])
    assert len(seen) > 6  # or nothing would have told the settings apart
    assert prior_items.of_run(store, RUN, "images:6", "token", "q", "image_score") == []
    assert prior_items.of_run(store, RUN, "images:6", "token", "c", "text_score") == []


def one(won, lost, p, exchanged=(30.0, 20, 40), samples=None, **more):
    change = Gain(450, 0.0, 1.0, 0.5, 0.5, 0.0, None, won, lost, p)
    return Found("q", Protocol.QUAD, "lm:x", "sum", "group_score", change, exchanged, samples, 400, (), **more)


@pytest.mark.parametrize(
    ("found", "claimed", "said"),
    [
        (one(68, 51, 0.142), False, "Uncertain: won and lost differ by no more than chance"),
        (one(18, 9, 0.122, (8.0, 3, 12)), False, "Uncertain"),
        (one(98, 53, 0.0003), True, "On these items a language prior decides some verdicts"),
        (one(38, 10, 0.0001), False, "Uncertain: taking away another item’s prior may win as many"),
        (one(53, 98, 0.0003), False, "does not show that a language prior decides"),
        (one(98, 53, 0.0003, samples=4.9), False, "4.9 effective samples (median; 5 are asked): nothing is said"),
        (one(98, 53, 0.0003, samples=5.0), True, "more than taking away any prior wins"),
        (one(1, 0, 1.0, None), False, "too few items"),
        (one(0, 0, None), False, "no item here has a verdict"),
    ],
)
def test_a_claim_is_made_only_where_it_is_told_from_luck(found, claimed, said):
    told = page.sentence(found)
    assert said in told
    assert ("more than taking away any prior wins" in told) == claimed
    assert ("decides some" in told) == claimed
    certain = replace(found, items=("q/1", "q/2"))
    assert ("to be why" in page.button(certain)) == claimed
    assert ("is why" in page.heading(certain)) == claimed
    if not claimed:
        assert page.button(certain) == (
            "2 items that are wrong with a likelier foil, and right once log P(t) from "
            f"{prior_name('lm:x')} is taken away (α = 1)"
        )


def test_the_page_names_what_was_judged_and_each_column_what_it_counts():
    assert page.judged(one(1, 0, 1.0), None) == "group score, sums, α = 0 against α = 1"
    assert "foils: " in page.judged(one(1, 0, 1.0), "implausible")
    text = page.table([one(1, 0, 1.0, samples=1.27)])
    assert "weakest text weighs like" in text
    assert "that has fewest, median over items" in text
    assert "median over all captions" in column_head("a text weighs like")


@pytest.mark.long
def test_without_generation_or_prior_there_is_nothing(flipside_cache):
    writer.write_run(flipside_cache, writer.items(8), RUN, ["itc"])
    store = open_store()
    assert prior_items.of_run(store, RUN, "noise:3") == []
