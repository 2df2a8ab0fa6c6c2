"""The Python that other people's scripts import: names, parameters in their order, defaults, and what the calls give.

Parameters with a default may be appended; everything else of a signature stays.
"""

import ast
import dataclasses
import enum
import importlib
import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.golden import kept
from tests.golden.kept import check_shape, check_value, shape_of

ROOT = Path(__file__).resolve().parents[2]
METRICS = ("alpha", "eqsim", "protocols", "retrieval", "statistics")
#: Of backend.models.Model: what design and README call stable.
STABLE = (
    "encode_images", "encode_texts", "pair_cosines", "itm", "itm_logits", "caption_logprobs", "text_logprobs", "vqa",
    "vqa_logits", "prefer", "describe",
)  # fmt: skip


def parameters(call):
    """Parameter -> its place and default; the place of one that goes by name only is "by name"."""
    found = {}
    for place, each in enumerate(p for p in inspect.signature(call).parameters.values() if p.name != "self"):
        where = {each.KEYWORD_ONLY: "by name", each.VAR_KEYWORD: "**", each.VAR_POSITIONAL: "*"}.get(each.kind)
        default = "" if each.default is each.empty else f", default {_said(each.default)}"
        found[each.name] = (where or f"place {place}") + default
    return found


def _said(value):
    """A default as text: what it says of itself, without addresses in memory."""
    said = "made anew" if "factory" in repr(value) else repr(value).replace("|", "/")
    return re.sub(r" at 0x[0-9a-f]+", "", said)


def described(thing):
    """A function's parameters; a class with its fields or parameters and its public members; a constant's type."""
    if inspect.isclass(thing) and issubclass(thing, enum.Enum):
        return {"values": {member.name: str(member.value) for member in thing}}
    if inspect.isclass(thing):
        if issubclass(thing, Exception):
            return {"is": " < ".join(c.__name__ for c in thing.__mro__ if c not in (Exception, BaseException, object))}
        said = {"takes": parameters(thing), "has": {}}
        for name, member in inspect.getmembers(thing):
            if name.startswith("_") or name in said["takes"]:
                continue
            ours = any(name in vars(c) for c in thing.__mro__ if str(c.__module__).startswith("backend"))
            if ours and callable(member):
                said["has"][name] = parameters(member)
            elif ours and isinstance(member, property):
                said["has"][name] = "property"
        return said
    if inspect.isroutine(thing):
        return {"takes": parameters(thing)}
    kind = type(thing)
    return "a type alias" if kind.__module__ in ("typing", "types", "collections.abc") else f"a {kind.__name__}"


def public(module, shape):
    """The public names of a module: those it lists, else what is written in it; and those that are promised."""
    if (listed := getattr(module, "__all__", None)) is None:
        own = (n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__)
        listed = [name for name in own if not name.startswith("_")]
    path = kept.FOLDER / "shapes" / f"{shape}.json"
    promised = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return list(dict.fromkeys([*listed, *(name for name in promised if hasattr(module, name))]))


def check_promised(shape, found):
    """The shape holds, and no call that is promised needs an argument more."""
    check_shape(shape, found)
    promised = json.loads((kept.FOLDER / "shapes" / f"{shape}.json").read_text(encoding="utf-8"))
    calls = _calls(promised)
    new = [f"{at} {name}" for at, name in sorted(_needed(found) - _needed(promised)) if at in calls]
    assert not new, f"an argument more is needed: {', '.join(new)}"


def _calls(shape, at=""):
    """Where the promised calls stand: a call that is new may need what it likes."""
    return {at}.union(*(_calls(value, f"{at}.{key}") for key, value in shape.items() if isinstance(value, dict)))


def _needed(shape, at=""):
    """(where, parameter) of every parameter that has no default, of calls that are promised."""
    found = set()
    for key, value in shape.items():
        if isinstance(value, dict):
            found |= _needed(value, f"{at}.{key}")
        elif re.fullmatch(r"place \d+|by name", str(value)):
            found.add((at, key))
    return found


@pytest.mark.parametrize("name", METRICS)
def test_metrics(name):
    module = importlib.import_module(f"backend.metrics.{name}")
    assert getattr(importlib.import_module("backend.metrics"), name) is module
    shape = f"python-metrics-{name}"
    check_promised(shape, {known: described(getattr(module, known)) for known in public(module, shape)})


def test_load_and_what_a_model_gives():
    from backend.models import Model, load

    found = described(Model)
    has = {name: found["has"][name] for name in STABLE}
    check_promised("python-models", {"load": described(load), "Model": {"has": has}})
    for name in ("families", "kinds_of", "Picture", "TokenScores"):
        assert hasattr(importlib.import_module("backend.models"), name)


def test_what_a_model_answers():
    from backend.models import load

    model = load("fake:ok", device="auto", dtype="auto", seed=0)
    assert isinstance(model.kinds, frozenset)
    assert model.module is None
    pixels = np.random.default_rng(5).integers(0, 255, (2, 8, 8, 3), dtype=np.uint8)
    images, texts = [Image.fromarray(each) for each in pixels], ["a red cup", "two cats on a mat"]
    answers = {
        "encode_images": model.encode_images(images), "encode_texts": model.encode_texts(texts),
        "itm": model.itm(images, texts), "itm_logits": model.itm_logits(images, texts),
        "vqa": model.vqa(images, texts), "vqa_logits": model.vqa_logits(images, texts),
        "pair_cosines": model.pair_cosines(images, texts), "prefer": model.prefer(images, texts, texts[::-1]),
    }  # fmt: skip
    tokens = {
        "caption_logprobs": model.caption_logprobs(images, texts),
        "text_logprobs": model.text_logprobs(texts),
    }
    said = {name: [str(array.dtype), list(array.shape), _rounded(array)] for name, array in answers.items()}
    for name, scored in tokens.items():
        said[name] = [[words, str(logs.dtype), _rounded(logs)] for words, logs in scored]
    check_value("python-model-answers", {"kinds": sorted(model.kinds), **said})
    assert model.describe()["seed"] == 0
    check_shape("python-model-describe", shape_of(model.describe()))


def _rounded(array):
    return np.round(np.asarray(array, dtype=np.float64), 5).tolist()


@pytest.mark.slow
def test_what_a_real_model_answers():
    import torch

    from backend.images import open_image
    from backend.models import load

    model = load("bundled:clip")
    assert isinstance(model.module, torch.nn.Module)
    scenes = ["world:3.crbpGW", "world:5.hgbdJS.crssYC"]
    texts = ["a red circle", "a green heart"]
    vectors = model.encode_images([open_image(scene) for scene in scenes])
    again = model.encode_images(scenes)  # paths and addresses are taken as pictures are
    assert np.array_equal(vectors, again)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = vectors @ model.encode_texts(texts).T
    check_value("python-bundled-clip", {"kinds": sorted(model.kinds), "cosines": np.round(cosines, 3).tolist()})


def test_load_benchmark():
    from backend.benchmarks import load_benchmark, names

    check_promised("python-benchmarks", {"load_benchmark": described(load_benchmark), "names": described(names)})
    check_value("python-benchmark-names", names())
    world = load_benchmark("world")
    first = next(iter(world))
    said = {"name": world.name, "item": dataclasses.asdict(first), "canonical": first.canonical()}
    check_value("python-world-first", json.loads(json.dumps(said)))


def test_results_door():
    import backend.results

    found = {"open": described(backend.results.open), "Results": described(backend.results.Results)}
    check_promised("python-results", found)


def test_items():
    import backend.items as items

    found = {name: described(getattr(items, name)) for name in public(items, "python-items")}
    check_promised("python-items", found)
    for name in ("ImageRef", "Item", "Skipped", "Benchmark"):
        assert dataclasses.is_dataclass(getattr(items, name))
        assert getattr(items, name).__dataclass_params__.frozen


def test_errors():
    import backend.errors as errors

    check_promised(
        "python-errors", {name: described(getattr(errors, name)) for name in public(errors, "python-errors")}
    )


def test_what_a_family_of_ones_own_builds_on():
    """`py:file.py:Class` is code of the owner's own: what CONTRIBUTING shows of these modules is relied on."""
    from backend.models.base import Model, Picture, TokenScores
    from backend.models.registry import Request

    check_promised("python-request", {"Request": described(Request)})
    check_promised("python-family", {"Model": described(Model)})
    assert Picture is not None
    assert TokenScores is not None


def test_what_the_documentation_imports_is_there():
    """Every import of the backend in README, docs and CONTRIBUTING works; those of the first two are kept in a list."""
    told = {}
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for statement in imports_in(path.read_text(encoding="utf-8")):
            exec(statement, {})  # noqa: S102
            told.setdefault(statement, []).append(path.relative_to(ROOT).as_posix())
    assert told
    users = {said: [of for of in where if of != "CONTRIBUTING.md"] for said, where in sorted(told.items())}
    check_value("python-documented-imports", {said: where for said, where in users.items() if where})


def imports_in(text):
    """The statements that import from the backend: in blocks of Python, in other blocks and within lines."""
    found = []
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        nodes = [node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Import | ast.ImportFrom)]
        found += [ast.unparse(node) for node in nodes]
    rest = re.sub(r"^```python\n.*?^```", "", text, flags=re.M | re.S)
    found += re.findall(
        r"^\s*(?:>>> )?(from backend[\w.]* import [\w, ]+\w|import backend\.[\w.]+\w)", rest, flags=re.M
    )
    found += re.findall(r"`(from backend[\w.]* import [\w, ]+\w|import backend\.[\w.]+\w)`", rest)
    ours = [said for said in found if re.match(r"(from|import) backend\b", said)]
    return list(dict.fromkeys(ours))


@pytest.mark.parametrize(
    "statement",
    [
        "from backend.models import load",
        "from backend.benchmarks import load_benchmark",
        "from backend.metrics import alpha, eqsim, protocols, retrieval, statistics",
        "import backend.results",
        "from backend.items import Benchmark, ImageRef, Item, Kind, Protocol, Skipped",
    ],
)
def test_the_stable_imports(statement):
    exec(statement, {})  # noqa: S102
