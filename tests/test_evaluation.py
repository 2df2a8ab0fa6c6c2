"""`evaluate`: the same scores and verdicts as `run` and `results`, and a model that is afterwards as it was."""

import random
import warnings

import numpy as np
import pandas as pd
import pytest
import torch

import backend.results
from backend.engine.runner import run
from backend.errors import FlipsideError, UsageError
from backend.evaluation import evaluate
from backend.models import load
from tests.engine.samples import mixed


class Net(torch.nn.Module):
    """CLIP's interface: tensors of pictures and of tokens."""

    def __init__(self):
        super().__init__()
        self.visual = torch.nn.Sequential(torch.nn.Linear(192, 16), torch.nn.BatchNorm1d(16), torch.nn.Dropout(0.5))
        self.words = torch.nn.Embedding(128, 16)

    def encode_image(self, pixels):
        assert not self.training
        assert not torch.is_grad_enabled()
        return self.visual(pixels)

    def encode_text(self, tokens):
        return self.words(tokens).mean(1)


def preprocess(image):
    return torch.tensor(np.asarray(image.resize((8, 8)), dtype=np.float32) / 255).flatten()


def tokenizer(texts):
    return torch.tensor([[ord(letter) % 128 for letter in text[:16].ljust(16)] for text in texts])


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Net()


def asked(net, benchmark, **more):
    return evaluate(net, benchmark, preprocess=preprocess, tokenizer=tokenizer, **more)


@pytest.mark.long
def test_it_equals_a_run_and_its_results(tmp_path, monkeypatch, flipside_cache):
    """The same model through the engine, the cache and the store: scores, verdicts and rates to the bit."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "nothing")
    benchmark = mixed(tmp_path / "pictures")
    kinds = ["itc", "gen", "itm", "t2t", "prior"]
    summary = run("fake:ok", benchmark, kinds, priors=["noise:2"])
    stored = backend.results.open()
    found = evaluate(load("fake:ok"), benchmark, kinds=kinds, priors=["noise:2"])
    assert set(found.kinds) == set(kinds)
    pd.testing.assert_frame_equal(found.scores, stored.scores("fake:ok", "mixed"))
    for kind in ("itc", "gen", "itm", "t2t"):
        rates = found.rates[found.rates["kind"] == kind].drop(columns="kind").reset_index(drop=True)
        pd.testing.assert_frame_equal(rates, stored.rates("fake:ok", "mixed", run=summary.run_id, kind=kind))
        verdicts = found.items[found.items["kind"] == kind].reset_index(drop=True)
        kept = stored.outcomes({"kind": kind}, model="fake:ok", benchmark="mixed", run=summary.run_id)
        pd.testing.assert_frame_equal(verdicts[kept.columns], kept)
    by = found.by("subset")
    assert {"quad", "pool"} <= set(by["group"])
    assert found.rate("group_score") == float(found.rates.loc[found.rates["metric"] == "group_score", "value"].iloc[0])
    with pytest.raises(UsageError, match="no rate 'groupscore'"):
        found.rate("groupscore")


def test_nothing_is_touched(net, tmp_path, capsys, flipside_cache):
    benchmark = mixed(tmp_path / "pictures")
    net.train()
    net.visual[2].eval()
    net.words.weight.grad = torch.ones_like(net.words.weight)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    for seed in (random.seed, np.random.seed, torch.manual_seed):
        seed(3)
    states = random.getstate(), np.random.get_state()[1].copy(), torch.get_rng_state()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        found = asked(net, benchmark, kinds="itc")
    assert found.n_items == 16
    assert found.kept is None
    assert net.training
    assert not net.visual[2].training
    assert net.visual[1].training
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert net.words.weight.requires_grad
    assert net.words.weight.grad is not None
    assert random.getstate() == states[0]
    assert (np.random.get_state()[1] == states[1]).all()
    assert torch.equal(torch.get_rng_state(), states[2])
    assert capsys.readouterr() == ("", "")
    assert [*flipside_cache.iterdir()] == []


@pytest.mark.long
def test_a_training_loop_sees_what_it_learns(net, tmp_path, flipside_cache):
    benchmark = mixed(tmp_path / "pictures")
    margins = []
    for _ in range(2):
        margins.append(asked(net, benchmark, kinds="itc").items["margin"].to_numpy())
        with torch.no_grad():
            net.words.weight += torch.randn_like(net.words.weight)
    assert not np.allclose(margins[0], margins[1])
    assert np.array_equal(margins[0], asked(_at_first(), benchmark, kinds="itc").items["margin"].to_numpy())


def _at_first():
    torch.manual_seed(0)
    return Net()


@pytest.mark.slow
def test_a_trained_model_is_not_taken_for_the_stored_one(tmp_path, flipside_cache):
    """A bundled model whose weights were changed in memory: no score that ships may come back for it."""
    model = load("bundled:sentence")
    first = evaluate(model, "world", kinds="t2t", limit=40, subsets="triplet")
    with torch.no_grad():
        next(model.module.parameters()).add_(0.5)
    other = evaluate(model, "world", kinds="t2t", limit=40, subsets="triplet")
    assert not first.scores["value"].equals(other.scores["value"])
    with pytest.raises(UsageError, match="may have been trained"):
        evaluate(model, "world", kinds="t2t", limit=5, keep=True)


@pytest.mark.long
def test_a_kept_one_is_a_run_like_any_other(net, tmp_path, flipside_cache, monkeypatch):
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "nothing")
    benchmark = mixed(tmp_path / "pictures")
    first = asked(net, benchmark, kinds="itc", keep=True, name="my net", series={"training": 10})
    assert first.kept is not None
    assert (first.kept / "run.json").is_file()
    again = asked(net, benchmark, kinds="itc", keep=True, name="my net", series={"training": 10})
    assert again.run_id == first.run_id
    with torch.no_grad():
        net.words.weight += 1
    assert asked(net, benchmark, kinds="itc", keep=True, name="my net").run_id != first.run_id
    stored = backend.results.open()
    assert set(stored.runs()["model"]) == {"my net"}
    pd.testing.assert_frame_equal(stored.scores("my net", "mixed", run=first.run_id), first.scores)
    with pytest.raises(UsageError, match="add keep=True"):
        asked(net, benchmark, series={"training": 10})


@pytest.mark.parametrize("subsets", ["quad", ["quad"], "quad,tri"])
def test_parts_and_limits(net, tmp_path, subsets, flipside_cache):
    found = asked(net, mixed(tmp_path / "pictures"), subsets=subsets, limit=3)
    assert found.n_items == 3
    assert set(found.items["subset"]) <= {"quad", "tri"}


@pytest.mark.long
def test_a_spec_a_function_and_a_wrapper(tmp_path, flipside_cache, net):
    benchmark = mixed(tmp_path / "pictures")

    def longer(images, texts):
        return [len(text) for text in texts]

    assert evaluate(longer, benchmark).kinds == ("itm",)
    assert evaluate("fake:ok/itc", benchmark).kinds == ("itc",)

    class Wrapper:
        def __init__(self, inner):
            self.inner = inner

        def encode_image(self, images):
            return self.inner.encode_image(torch.stack([preprocess(image) for image in images]))

        def encode_text(self, texts):
            return self.inner.encode_text(tokenizer(texts))

    net.train()
    wrapped = evaluate(Wrapper(net), benchmark, kinds=["itc"])
    assert net.training
    pd.testing.assert_series_equal(wrapped.scores["value"], asked(net, benchmark, kinds=["itc"]).scores["value"])


def test_what_the_model_raises_is_told_with_its_cause(tmp_path, flipside_cache):
    class Broken:
        def score(self, images, texts):
            raise LookupError("no such word")

    with pytest.raises(FlipsideError, match=r"stopped at item .*LookupError: no such word") as stopped:
        evaluate(Broken(), mixed(tmp_path / "pictures"))
    assert isinstance(stopped.value.__cause__, LookupError)


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        (object(), {}, "nothing that could be asked"),
        (Net, {}, "give an object"),
        ("fake:ok", {"kinds": "itx"}, "unknown kind 'itx'"),
        ("fake:ok/itc", {"kinds": "gen"}, "gives no gen"),
        (Net(), {"device": "cpu"}, "an object stays where it is"),
        ("fake:ok", {"subsets": "nowhere"}, "has no such part"),
    ],
)
def test_wrong_use_is_a_sentence(tmp_path, model, options, said, flipside_cache):
    with pytest.raises(UsageError, match=said):
        evaluate(model, mixed(tmp_path / "pictures"), **options)


@pytest.mark.long
def test_the_second_call_does_not_read_the_benchmark_again(flipside_cache, monkeypatch):
    from backend.world import benchmark as world

    evaluate("fake:ok", "world", kinds="itc", limit=2)
    monkeypatch.setattr(world, "_made", lambda *_: pytest.fail("read again"))
    assert evaluate("fake:ok", "world", kinds="itc", limit=2).n_items == 2
