"""What scores of one's own code are known by: when they are taken again, and when never."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from backend.engine.runner import run
from backend.engine.storage import identity as ids
from backend.models import load
from backend.models.own import identity


def test_a_run_is_gone_on_with_and_its_scores_are_taken(good, colours, flipside_cache, written):
    first = run(good, colours, ["itc"])
    assert (first.computed > 0, first.notes) == (True, [])
    again = run(good, colours, ["itc"])
    assert (again.run_id, again.computed) == (first.run_id, 0)
    # The same code and weights_id in another file: another object name, another model.
    code = "from mine import Colours\n\nclass Other(Colours):\n    pass"
    other = run(written(code, "other.py") + ":Other", colours, ["itc"])
    assert other.run_id != first.run_id
    assert not other.taken


def test_unknown_weights_are_never_resumed_and_never_taken(written, colours, flipside_cache):
    spec = written("class Net:\n    def score(self, images, texts):\n        return [len(t) for t in texts]") + ":Net"
    runs = [run(spec, colours, ["itm"]) for _ in range(2)]
    assert runs[0].run_id != runs[1].run_id
    assert all(each.computed and not each.taken for each in runs)
    record = json.loads((runs[0].run_dir / "run.json").read_text())
    assert record["model"]["weights_sha256"] is None
    assert "neither state_dict() nor weights_id" in record["model"]["weights"]
    assert "weights unknown" in runs[0].notes[0]
    # The id can be recomputed from the record, as an import of a bundle does.
    benchmark = record["benchmark"]["hash"]
    assert ids.run_id(record["model"], benchmark, record["selection"], record["scoring"]) == runs[0].run_id


def test_unknown_blind_models_do_not_go_on_with_a_prior(written, colours, flipside_cache):
    spec = written("""
        import numpy as np
        from backend.models import Model

        class Blind(Model):
            kinds = frozenset({"prior"})

            def text_logprobs(self, texts):
                return [(text.split(), -np.ones(len(text.split()), dtype=np.float32)) for text in texts]
    """)
    summary = run("fake:ok", colours, ["prior"], priors=[f"lm:{spec}:Blind"])
    assert summary.exit_code == 0
    told = json.loads((summary.run_dir / "run.json").read_text())["priors"][f"prior@lm:{spec}:Blind"]
    assert told["model"]["weights_unknown"]


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda state: {**state}, True),
        (lambda state: dict(reversed(state.items())), True),
        (lambda state: {**state, "b": state["b"] + 1e-6}, False),
        (lambda state: {**state, "b": state["b"].double()}, False),
        (lambda state: {**state, "b": state["b"].reshape(2, 1)}, False),
        (lambda state: {("c" if k == "b" else k): v for k, v in state.items()}, False),
        (lambda state: {**state, "more": 1}, False),
    ],
)
def test_names_shapes_dtypes_and_bytes_of_a_state_count(change, same):
    state = {
        "a": torch.arange(4, dtype=torch.bfloat16),
        "b": torch.ones(2),
        "e": torch.zeros(0, 3),
        "n": torch.tensor(1),
    }
    found, before = identity.state_sha256(change(state)), identity.state_sha256(state)
    assert found
    assert before
    assert (found == before) is same


def test_what_cannot_be_read_is_unknown():
    assert identity.state_sha256({"a": object()}) is None
    assert identity.state_sha256({"a": torch.zeros(2, device="meta")}) is None
    assert identity.parameters_of(SimpleNamespace()) is None
    assert identity.parameters_of(SimpleNamespace(weights_id="x", state_dict=lambda: 1 / 0)) == "weights_id x"
    assert identity.identified(SimpleNamespace(weights_id="x"), [])[1] == identity.NO_SOURCE


def test_an_argument_and_a_file_that_is_imported_decide_too(written):
    written("SCALE = 1.0", "my_scale_of_things.py")
    spec = written("""
        class Net:
            weights_id = "same"

            def __init__(self, power="1"):
                self.power = power

            def encode_text(self, texts):
                from my_scale_of_things import SCALE
                return [[SCALE, 1.0]] * len(texts)
    """)
    hashes = [load(f"{spec}:{name}").describe()["weights_sha256"] for name in ("Net", "Net#1", "Net#2")]
    written("SCALE = 2.0", "my_scale_of_things.py")
    hashes.append(load(f"{spec}:Net").describe()["weights_sha256"])
    assert len({*hashes}) == 4
    assert all(hashes)


def test_a_model_of_one_s_own_needs_no_describe(written, colours, flipside_cache):
    spec = written("""
        import numpy as np
        from backend.models import Model

        class Mine(Model):
            kinds = frozenset({"t2t"})
            weights_id = "1"

            def encode_texts(self, texts):
                rows = np.array([[len(text), 1.0] for text in texts], dtype=np.float32)
                return rows / np.linalg.norm(rows, axis=1, keepdims=True)
    """)
    model = load(f"{spec}:Mine")
    assert model.text_lengths(["a b", ""]).tolist() == [2, 0]
    assert not np.any(model.truncated(["a b"]))
    first = run(f"{spec}:Mine", colours, ["t2t"])
    assert (first.exit_code, first.notes) == (0, [])
    assert run(f"{spec}:Mine", colours, ["t2t"]).run_id == first.run_id


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_packages_of_another_environment_are_installed_packages_too(written, tmp_path, monkeypatch, folder):
    """A virtual environment over the system's packages: torch in there is no source of the model's own."""
    written("import else_where.parts", f"{folder}/else_where/__init__.py")
    written("", f"{folder}/else_where/parts.py")
    written("", "beside_it.py")
    written("import else_where.parts\nimport beside_it", "mine.py")
    monkeypatch.syspath_prepend(tmp_path / folder)
    monkeypatch.syspath_prepend(tmp_path)
    assert [path.name for path in identity.sources(tmp_path / "mine.py")] == ["mine.py", "beside_it.py"]
