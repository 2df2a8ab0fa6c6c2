"""Won, lost and what is certain of a run's choices, from stored scores against a slow count and planted priors."""

import numpy as np
import pytest

from backend.items import ImageRef, Item, Protocol
from backend.metrics.reasons.language_prior import language_prior
from backend.store.build.reader import open_store
from backend.store.reasons import prior_items
from pages.debias import prior_items as page
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
    assert (found.n, found.change.only_b, found.change.only_a) == (
        N, int((after & ~before).sum()), int((before & ~after).sum())
    )  # fmt: skip
    assert (found.known, found.samples) == (N, None)
    labelled = np.array([int(name.removeprefix("c/")) for name in found.items])
    assert len(labelled) > 20
    assert (prior[labelled] > 0).all()
    assert not before[labelled].any()
    assert (labelled % 2 == 1).mean() > 0.85  # where the image does say something
    mean, low, high = found.exchanged
    assert low <= mean <= high < found.change.only_b
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
        assert (found.protocol, found.n) == (protocol, 600)
        assert labelled == np.flatnonzero(want.label).tolist()
        assert planted[labelled].mean() >= 0.9
        assert len(labelled) >= 0.15 * planted.sum()
        assert (found.change, found.exchanged, found.known) == (want.won_back, want.exchanged, int(want.known.sum()))


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


@pytest.mark.long
def test_without_generation_or_prior_there_is_nothing(flipside_cache):
    writer.write_run(flipside_cache, writer.items(8), RUN, ["itc"])
    store = open_store()
    assert prior_items.of_run(store, RUN, "noise:3") == []
