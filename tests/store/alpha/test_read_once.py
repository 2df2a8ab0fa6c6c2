"""What Debias asks of a prior's samples is read once for curves, verdict, errors and plane."""

import numpy as np

from backend.protocols import Protocol
from backend.store.alpha import curves, montecarlo, uncertainty
from backend.store.scores import matrices
from backend.store.scores.setting import Setting
from tests.store.conftest import ONE


def test_samples_are_read_once(asked, monkeypatch):
    asked._cache.clear()  # other tests have asked, too
    read = []
    before = matrices.prior_of
    monkeypatch.setattr(matrices, "prior_of", lambda *more: (read.append(more[3].protocol), before(*more))[1])
    for norm in ("token", "sum"):
        for found in curves.alpha_curves(asked, ONE, "noise:3", norm):
            uncertainty.verdict(asked, ONE, found)
        montecarlo.errors_of_items(asked, ONE, Setting("gen", 0.5, "noise:3", norm))
    assert read
    assert len(read) == len(set(read))


def test_what_was_read_is_what_a_question_by_itself_reads(asked):
    run = asked.run(ONE)
    for protocol in (Protocol.CHOICE, Protocol.TRIPLET, Protocol.QUAD):
        block = matrices.block(run, "gen", protocol)
        sums = curves.spoken_prior(asked, ONE, protocol, None, "noise:3")
        assert (sums is None) == (not len(block))
        if sums is not None:
            alone = montecarlo.sampled(run, protocol, "noise:3")
            assert alone is not None
            assert np.array_equal(sums, alone.sums, equal_nan=True)
