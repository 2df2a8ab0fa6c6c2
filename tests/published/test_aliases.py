"""Alias tables: complete, pointing at what exists, and never by likeness."""

import numpy as np
import pytest

from backend import published
from backend.benchmarks import REGISTRY, declaration
from backend.benchmarks.base import Judged
from backend.errors import UsageError
from backend.metrics.core.registry import METRICS
from backend.models.spec import parse
from backend.published import aliases

SHA = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # model.safetensors of all-MiniLM-L6-v2

#: Design, section 3.
BENCHMARKS = {
    "world", "visla", "sugarcrepe", "sugarcrepe_pp", "aro", "crepe", "valse", "vl_checklist", "winoground", "eqben",
    "video_grounding", "coco", "flickr30k", "coco_fg", "flickr30k_fg", "imagenet", "elevater", "folder", "custom",
}  # fmt: skip
EVERYTHING = published.everything()


def test_every_printed_column_is_in_the_table():
    for number in EVERYTHING:
        column = published.column_of(number)
        assert column.how in ("same", "official", "none"), number
        assert column.benchmark in BENCHMARKS | {""}, number
        if column.how == "same":
            assert column.metric in {metric.name for metric in METRICS}, number
            assert column.subsets, number
        elif column.how == "official":
            assert column.metric.partition("/")[0] in {metric.name for metric in METRICS}, number
            assert not column.subsets, number
        else:
            assert column.note, f"say why we have no such number: {number}"


def test_every_subset_and_split_is_one_that_the_importer_knows():
    for number in EVERYTHING:
        column = published.column_of(number)
        if column.how == "none" or column.benchmark not in REGISTRY:
            continue
        known = declaration(column.benchmark)
        assert set(column.subsets) - {"*"} <= set(known.protocols), number
        assert column.split in {"", *known.splits}, number


OFFICIAL = sorted(
    {(c.benchmark, *c.metric.split("/", 1)) for n in EVERYTHING if (c := published.column_of(n)).how == "official"}
)


@pytest.mark.parametrize(("benchmark", "metric", "name"), OFFICIAL)
def test_every_official_column_is_a_score_that_the_benchmark_forms(benchmark, metric, name):
    """Asked with one right item of everything that its files may hold."""
    known = declaration(benchmark)
    subsets = list(known.protocols)
    tags = [{"classes": ("2",)}] * len(subsets)
    rates = dict.fromkeys(subsets, dict.fromkeys((each.name for each in METRICS), (1.0, 1)))
    judged = Judged(subsets, subsets, tags, np.ones(len(subsets)), metric, rates=rates)
    assert known.official is not None
    assert name in [score.name for score in known.official(judged)]


def test_every_printed_row_says_what_it_was_measured_with():
    for number in EVERYTHING:
        found = published.measured(number)
        assert found.kind in ("", "itc", "itm", "gen", "vqa", "t2t", "prior", "score"), number
        assert found.basis in ("stated", "inferred"), number
        assert set(found.norms) <= {"token", "sum", "paper-score"}
        if found.kind == "gen":
            assert found.alpha == "tuned" or 0 <= float(found.alpha) <= 1
            assert found.norms


def test_every_alias_points_to_a_printed_model_and_is_a_spec():
    models = {(number.paper, number.model) for number in EVERYTHING}
    tables = {(number.paper, number.model, number.table) for number in EVERYTHING}
    for key, names in aliases._models().items():
        for name in names:
            assert (name.paper, name.model) in models, key
            assert all((name.paper, name.model, table) in tables for table in name.tables), key
        if key.startswith("sha256:"):
            assert len(key) == len("sha256:") + 64
        else:
            assert parse(key).prefix in ("hf", "st", "lm", "openclip")
        assert len(names) == len(set(names))


@pytest.mark.long
def test_open_clip_aliases_are_real_and_have_the_tags_activation():
    """OpenAI's weights with another activation are another model: each name brings QuickGELU, or we force it."""
    from backend.models.dual.openclip import needs_quick_gelu

    open_clip = pytest.importorskip("open_clip")
    pretrained = pytest.importorskip("open_clip.pretrained")
    factory = pytest.importorskip("open_clip.factory")
    checked = 0
    for key in aliases._models():
        name, _, tag = key.removeprefix("openclip:").partition("/")
        if not key.startswith("openclip:") or key.removeprefix("openclip:").split("/")[0] in ("timm", "laion"):
            continue
        tagged = pretrained.get_pretrained_cfg(name, tag)
        assert tagged, key
        own = bool((factory.get_model_config(name) or {}).get("quick_gelu"))
        assert tag != "openai" or (tagged["quick_gelu"] and own != needs_quick_gelu(open_clip, name, tag)), key
        assert f"openclip:{tagged['hf_hub'].rstrip('/')}" in aliases._models(), key
        checked += 1
    assert checked >= 14


def test_names_come_from_weights_before_the_spec(tmp_path):
    names, how = published.names_of("st:/anywhere/else", SHA)
    assert ([name.model for name in names], how) == (["All-MiniLM-L6-v2"], "weights")
    assert published.names_of("st:/anywhere/else", "0" * 64) == ((), "")
    names, how = published.names_of("openclip:ViT-B-32-quickgelu/openai")
    assert how == "spec"
    assert {name.paper for name in names} == {"visla", "eqsim", "svlc", "visualgptscore"}


@pytest.mark.parametrize(
    "spec",
    [
        "openclip:ViT-B-32/none",
        "openclip:ViT-g-14/laion2b_s12b_b42k",  # two LAION-2B releases, the paper does not say which
        "hf:sentence-transformers/all-MiniLM-L6-v2",  # without its own pooling
        "st:all-MiniLM-L6-v2",
        "st:sentence-transformers/ALL-MINILM-L6-V2",
        "st:someone/all-MiniLM-L6-v2",
        "bundled:clip",
        "hf:~nobody-here/clip",  # from a record of somebody else's
        f"hf:{'m' * 300}",
    ],
)
def test_nothing_is_guessed(spec):
    assert published.names_of(spec) == ((), "")


def test_a_folder_is_not_taken_for_a_hub_name(tmp_path, monkeypatch):
    (tmp_path / "openai" / "clip-vit-base-patch32").mkdir(parents=True)
    spec = "hf:openai/clip-vit-base-patch32"
    assert published.names_of(spec)[1] == "spec"
    monkeypatch.chdir(tmp_path)
    assert published.names_of(spec) == ((), "")


def test_names_that_an_owner_gives():
    assert {name.paper for name in published.names_called("CLIP")} == {"svlc", "visualgptscore", "winoground"}
    assert [name.paper for name in published.names_called("svlc:CLIP")] == ["svlc"]
    assert [name.paper for name in published.names_called("large:ViT-B/16")] == ["visla"]  # a colon of its own
    with pytest.raises(UsageError, match=r"Did you mean .*All-MiniLM-L6-v2"):
        published.names_called("all-minilm-l6-v2")
    with pytest.raises(UsageError, match="no paper prints"):
        published.names_called("")
