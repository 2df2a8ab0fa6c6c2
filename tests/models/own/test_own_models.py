"""Code of the user's own as a model: what is taken, what comes out, and what is said where it is wrong."""

import sys

import numpy as np
import pytest
from PIL import Image

from backend.engine.runner import run
from backend.errors import FlipsideError, UsageError
from backend.models import kinds_of, load
from backend.models.own import code

PAIR = [Image.new("RGB", (4, 4), "red"), Image.new("RGB", (4, 4), "blue")]


def test_encoders_of_a_file_give_unit_rows(good):
    assert kinds_of(good) == {"itc", "t2t"}
    model = load(good)
    assert (model.spec, model.family, model.kinds) == (good, "py", {"itc", "t2t"})
    np.testing.assert_allclose(np.linalg.norm(model.encode_images(PAIR), axis=1), 1, atol=1e-6)
    cosines = model.encode_images(PAIR) @ model.encode_texts(["red", "blue"]).T
    np.testing.assert_allclose(cosines, np.eye(2), atol=1e-6)
    np.testing.assert_allclose(model.pair_cosines(PAIR, ["blue", "blue"]), [0, 1], atol=1e-6)


@pytest.mark.parametrize("names", [("encode_image", "encode_text"), ("encode_images", "encode_texts")])
@pytest.mark.parametrize("made", ["torch.tensor(v, dtype=torch.bfloat16, requires_grad=True)", "np.array(v)", "v",
                                  "[np.array(row) for row in v]", "[torch.tensor(row) for row in v]"])  # fmt: skip
def test_tensors_arrays_and_lists_are_taken_by_either_name(written, names, made):
    model = load(written(f"""
        import numpy as np
        import torch

        def as_asked(v):
            return {made}

        class Net:
            def {names[0]}(self, images):
                assert not torch.is_grad_enabled()
                return as_asked([[1.0, 2.0, 2.0] for _ in images])

            def {names[1]}(self, texts):
                return as_asked([[float(len(text)), 0.0, 0.0] for text in texts])
    """) + ":Net")  # fmt: skip
    np.testing.assert_allclose(model.encode_images(PAIR), [[1 / 3, 2 / 3, 2 / 3]] * 2, atol=1e-6)
    np.testing.assert_allclose(model.encode_texts(["ab"]), [[1, 0, 0]], atol=1e-6)
    assert model.encode_texts([]).shape[0] == 0


def test_a_score_has_its_kind_and_unit(written):
    spec = written("""
        class Log:
            def score(self, images, texts):
                return [len(text) - 2 for text in texts]

        class Probability(Log):
            kind, unit = "vqa", "probability"

            def score(self, images, texts):
                return [[1.0] if text == "x" else [0.25] for text in texts]

        class Cosine(Log):
            kind = "itc"

            def score(self, images, texts):
                return [1 / len(text) for text in texts]

        def bare(images, texts):
            return [image.size[0] + len(text) for image, text in zip(images, texts)]
    """)
    assert [set(kinds_of(f"{spec}:{name}")) for name in ("Log", "Probability", "Cosine", "bare")] == [
        {"itm"}, {"vqa"}, {"itc"}, {"itm"},
    ]  # fmt: skip
    np.testing.assert_allclose(load(f"{spec}:Log").itm_logits(PAIR, ["abc", "a"]), [1, -1])
    np.testing.assert_allclose(load(f"{spec}:Probability").vqa(PAIR, ["x", "y"]), [1, 0.25], atol=1e-6)
    cosine = load(f"{spec}:Cosine")
    assert cosine.pairwise == {"itc"}
    np.testing.assert_allclose(cosine.pair_cosines(PAIR, ["ab", "a"]), [0.5, 1])
    np.testing.assert_allclose(load(f"{spec}:bare").itm_logits(PAIR, ["ab", "a"]), [6, 5])


def test_a_class_a_function_an_object_a_model_and_an_argument(written):
    spec = written("""
        import numpy as np
        from backend.models import Model

        class Net:
            def __init__(self, width=2):
                self.width = int(width)

            def encode_texts(self, texts):
                return np.ones((len(texts), self.width))

        def make():
            return Net(3)

        READY = Net(4)

        class Family(Model):
            kinds = frozenset({"t2t"})

            def encode_texts(self, texts):
                return np.ones((len(texts), 6), dtype=np.float32) / 6 ** 0.5

        class Room:
            Inner = Net
    """)
    widths = {name: load(f"{spec}:{name}").encode_texts(["a"]).shape[1]
              for name in ("Net", "Net#5", "make", "READY", "Family", "Room.Inner")}  # fmt: skip
    assert widths == {"Net": 2, "Net#5": 5, "make": 3, "READY": 4, "Family": 6, "Room.Inner": 2}
    assert load(f"{spec}:Family").spec == f"{spec}:Family"
    hashes = {load(f"{spec}:{name}").describe()["weights_sha256"] for name in ("Net", "make", "READY", "Family")}
    assert hashes == {None}
    assert (
        "nothing of it" in str(load(f"{spec}:Net").describe()["weights"]) or load(f"{spec}:Net").describe()["weights"]
    )


def test_an_open_clip_like_model_brings_its_preprocess_and_tokenizer(written):
    spec = written("""
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.image, self.text = torch.nn.Linear(3, 4), torch.nn.Embedding(128, 4)

            def encode_image(self, pixels):
                assert pixels.ndim == 2 and not self.training
                return self.image(pixels)

            def encode_text(self, tokens):
                return self.text(tokens).mean(1)

        def load():
            net = Net()
            net.preprocess = lambda image: torch.tensor(image.getpixel((0, 0))) / 255
            net.tokenizer = lambda texts: torch.tensor([[ord(text[0])] for text in texts])
            return net
    """)
    before = sys.modules["torch"].get_rng_state() if "torch" in sys.modules else None
    one, two = load(f"{spec}:load"), load(f"{spec}:load", seed=1)
    assert one.encode_images(PAIR).shape == one.encode_texts(["a", "b"]).shape == (2, 4)
    assert one.describe()["dtype"] == "float32"
    assert one.describe()["device"] == "cpu"
    again = load(f"{spec}:load")  # the seed is set for what makes random weights, and put back
    assert again.describe()["weights_sha256"] == one.describe()["weights_sha256"] != two.describe()["weights_sha256"]
    if before is not None:
        assert sys.modules["torch"].equal(before, sys.modules["torch"].get_rng_state())


def test_siblings_are_imported_and_shadow_nothing(written, tmp_path):
    written("raise RuntimeError('the library has this name')", "json.py")
    written("SIZE = 7", "my_sibling_of_sizes.py")
    spec = written("""
        import json
        import numpy as np
        from my_sibling_of_sizes import SIZE

        class Net:
            weights_id = json.dumps("one")

            def encode_text(self, texts):
                return np.ones((len(texts), SIZE))
    """)
    model = load(f"{spec}:Net")
    assert model.encode_texts(["a"]).shape == (1, 7)
    assert sys.path.index(str(tmp_path)) == len(sys.path) - 1 or sys.path[0] != str(tmp_path)
    assert {each["file"] for each in model.describe()["files"]} == {"mine.py", "my_sibling_of_sizes.py"}


def test_a_module_of_the_folder_one_stands_in(written, tmp_path, monkeypatch):
    written("from .parts import Net", "own_package_of_mine/__init__.py")
    written("class Net:\n    weights_id = 'x'\n    def encode_text(self, texts):\n        return [[1.0]] * len(texts)",
            "own_package_of_mine/parts.py")  # fmt: skip
    monkeypatch.chdir(tmp_path)
    model = load("py:own_package_of_mine:Net")
    assert model.encode_texts(["a"]).tolist() == [[1.0]]
    assert sys.path[0] != str(tmp_path)
    assert {each["file"] for each in model.describe()["files"]} == {"__init__.py", "parts.py"}
    assert load("py:own_package_of_mine.parts:Net").kinds == {"t2t"}


def test_a_path_with_spaces_and_colons(written):
    spec = written(
        "class Net:\n    def encode_text(self, texts):\n        return [[1.0]] * len(texts)", "a b/c:d.py:e/m.py"
    )
    assert load(f"{spec}:Net").kinds == {"t2t"}


def test_a_file_that_was_edited_is_read_again(written):
    spec = written("class Net:\n    weights_id = '1'\n    def encode_text(self, texts):\n        return [[1.0]]")
    first = load(f"{spec}:Net").describe()["weights_sha256"]
    written("class Net:\n    weights_id = '1'\n    def encode_text(self, texts):\n        return [[1.0, 2.0]]")
    assert load(f"{spec}:Net").describe()["weights_sha256"] != first
    assert load(f"{spec}:Net").encode_texts(["a"]).shape == (1, 2)


@pytest.mark.parametrize(
    ("body", "name", "kind", "said"),
    [
        ("", "Net", UsageError, r"mine\.py defines no Net\. It defines no class"),
        ("class Other: pass", "Net", UsageError, r"It defines Other\."),
        ("class Net: pass", "Net", UsageError, r"nothing that could be asked: it needs encode_image"),
        ("class Net:\n    def __init__(self, size): pass", "Net", UsageError, r"Net\(size\) cannot be called with"),
        ("def make(a, b, c): pass", "make", UsageError, r"make\(a, b, c\) cannot be called"),
        ("def make(): pass", "make", UsageError, r"gave None; let it return the model"),
        ("class Net:\n    def __init__(self): 1 / 0", "Net", FlipsideError,
         r"making Net raised ZeroDivisionError: .*at .*mine\.py, line 2"),
        ("import sys; sys.exit(3)", "Net", FlipsideError, r"ended the program \(SystemExit: 3\), at .*\.py, line 1"),
        ("import no_such_module_anywhere", "Net", FlipsideError, r"no_such_module_anywhere'?, at .*line 1"),
        ("def broken(:", "Net", FlipsideError, r"mine\.py, line 1: this is no Python"),
        ("from . import x", "Net", UsageError, r"write py:package\.module:Class"),
        ("class Net:\n    kind = 'gen'\n    def score(self, i, t): pass", "Net", UsageError,
         r"kind 'gen'; declare one of itm, vqa, itc.*caption|log-probability"),
        ("class Net:\n    unit = 'metres'\n    def score(self, i, t): pass", "Net", UsageError, r"unit 'metres'"),
        ("class Net:\n    def encode_text(self, t): pass\n    encode_image = encode_text\n    kind = 'itc'\n"
         "    def score(self, i, t): pass", "Net", UsageError, r"both give kind itc"),
        ("class Net:\n    weights_id = 3\n    def encode_text(self, t): pass", "Net", UsageError, r"its weights_id is"),
        ("X = 3", "X", UsageError, r"a int is nothing that could be asked"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_code_is_one_sentence(written, body, name, kind, said):
    spec = written(body)
    with pytest.raises(kind, match=said) as refused:
        load(f"{spec}:{name}").describe()
    assert type(refused.value) is kind
    assert "\n" not in str(refused.value)
    assert "mine.py" in str(refused.value)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("py:/no/such/file.py:Net", r"there is no file /no/such/file\.py"),
        (r"py:C:\models\my.py:Net", r"there is no file .*my\.py\. Write / between folders"),
        ("py:/tmp:Net", r"names no module or file"),
        ("py:/no/such/file.py", r"names no module or file"),
        ("py:no_such_package_here.part:Net", r"no module no_such_package_here, neither installed nor below"),
        ("py:json.no_such_part:Net", r"no module json\.no_such_part"),
        ("py:json:NoSuch", r"defines no NoSuch"),
        ("py:", r"names no model"),
    ],
)
def test_what_is_not_there_is_wrong_use(spec, said):
    for ask in (load, kinds_of):
        with pytest.raises(UsageError, match=said):
            ask(spec)


ANSWERS = {
    "one row for all": ("np.ones((1, 3))", r"gave shape \(1, 3\) for a list of 2; .*shape \(2, d\)"),
    "a cube": ("np.ones((2, 3, 4))", r"gave shape \(2, 3, 4\)"),
    "a vector": ("np.ones(2)", r"gave shape \(2,\)"),
    "ragged": ("[[1.0], [1.0, 2.0]]", r"rows of different lengths"),
    "words": ("['a', 'b']", r"expected are numbers"),
    "nothing": ("None", r"gave NoneType; expected are numbers"),
    "zeros": ("np.zeros((2, 3))", r"only zeros for number 1 of 2"),
    "other width": ("np.ones((2, 5))", r"rows of 5 numbers where there were 3 before"),
    "exit": ("sys.exit()", r"encode_text ended the program, at .*mine\.py, line"),
    "raise": ("[][0]", r"encode_text raised IndexError: .*, at .*mine\.py, line"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_wrong_answer_of_an_encoder_is_one_sentence(written, name):
    given, said = ANSWERS[name]
    model = load(written(f"""
        import sys
        import numpy as np

        class Net:
            def encode_image(self, images):
                return np.ones((len(images), 3))

            def encode_text(self, texts):
                return {given}
    """) + ":Net")  # fmt: skip
    model.encode_images(PAIR)
    with pytest.raises(FlipsideError, match=said) as refused:
        model.encode_texts(["a", "b"])
    assert "mine.py" in str(refused.value)


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        ("np.ones((2, 2))", "", r"all images with all texts\?\) for 2 pairs"),
        ("1.0", "", r"gave a single number for 2 pairs"),
        ("[1.0]", "", r"gave shape \(1,\) for 2 pairs"),
        ("[0.5, 1.5]", "unit = 'probability'", r"gave 1\.5, but its unit is a probability"),
        ("[0.5, 31.0]", "kind = 'itc'", r"gave 31, but its kind 'itc' is a cosine"),
    ],
)
def test_a_wrong_score_is_one_sentence(written, given, more, said):
    model = load(written(f"""
        import numpy as np

        class Net:
            {more or "pass"}

            def score(self, images, texts):
                return {given}
    """) + ":Net")  # fmt: skip
    ask = model.pair_cosines if "itc" in more else model.itm_logits
    with pytest.raises(FlipsideError, match=said):
        ask(PAIR, ["a", "b"])


def test_nan_stops_the_run_at_the_item(written, colours, flipside_cache):
    spec = written("class Net:\n    def score(self, images, texts):\n        return [float('nan')] * len(texts)")
    summary = run(f"{spec}:Net", colours, ["itm"])
    assert summary.exit_code == 1
    assert "stopped at item" in summary.failed["itm"]


def test_what_is_printed_leaves_standard_output_alone(written, colours, capsys, flipside_cache):
    spec = written("""
        print("at import")

        class Net:
            def __init__(self):
                print("when made")

            def score(self, images, texts):
                print("when asked")
                return [0.0] * len(texts)
    """)
    assert run(f"{spec}:Net", colours, ["itm"]).exit_code == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert all(said in err for said in ("at import", "when made", "when asked"))


def test_memory_that_runs_out_halves_the_batch(written):
    model = load(written("""
        class Net:
            def encode_text(self, texts):
                if len(texts) > 3:
                    raise MemoryError
                return [[float(len(text)), 1.0] for text in texts]
    """) + ":Net")  # fmt: skip
    assert len(model.encode_texts([str(k) for k in range(20)])) == 20
    assert model.batch_size <= 3


def test_devices_and_dtypes(written):
    spec = written("""
        class Net:
            def __init__(self, device="nowhere"):
                self.device = device

            def encode_text(self, texts):
                return [[1.0]]
    """)
    assert load(f"{spec}:Net", device="cpu").thing.device == "cpu"
    with pytest.raises(UsageError, match="leave --dtype out"):
        load(f"{spec}:Net", dtype="float16")
    with pytest.raises(UsageError, match="leave --compile out"):
        load(f"{spec}:Net", compile=True)


def test_nothing_is_left_of_a_file_that_failed(written):
    spec = written("X = 1\nraise ValueError('no')")
    before = set(sys.modules)
    with pytest.raises(FlipsideError):
        load(f"{spec}:Net")
    assert set(sys.modules) == before
    assert not [key for key in code._files if key[0] == spec.removeprefix("py:")]


@pytest.mark.parametrize("takes", ["", ", spec", ", device"])
def test_a_model_is_made_without_arguments_or_with_its_spec(written, takes):
    spec = written(f"""
        import numpy as np
        from backend.models import Model

        class Made(Model):
            kinds = frozenset({{"itm"}})
            weights_id = "1"

            def __init__(self{takes}):
                super().__init__("some other name")

            def itm_logits(self, images, texts):
                return np.zeros(len(texts), np.float32)
    """)
    model = load(f"{spec}:Made")
    assert model.spec == f"{spec}:Made"
    assert [one.value for one in model.pair_scores("itm", [], [])] == []
