"""What is known of the Atlas' models: specs that open_clip knows, families, bases."""

import doctest
import importlib

import pytest

from backend.intake.real.score_files import score_files
from backend.published.atlas import models, reading
from backend.published.atlas.models import SYSTEMS
from backend.published.atlas.reading import Entry
from tests.published.atlas import made


def test_examples_hold():
    assert doctest.testmod(models).failed == 0


def test_base_and_taught_are_rows(tmp_path):
    atlas = reading.read(made.write(tmp_path / "a.csv"))
    found = models.taught(atlas)
    assert [(atlas.entries[p.base].arch, atlas.entries[p.taught].arch) for p in found] == [
        ("ViT-B-32", "NegCLIP"), ("ViT-B-32", "CE-CLIP"), ("ViT-B-32", "DAC-LLM")
    ]  # fmt: skip
    assert all(pair.how and "20" in pair.source for pair in found)


def test_openais_weights_are_the_same_under_both_names():
    plain, quick = (Entry(arch, "openai", "OpenCLIP") for arch in ("RN101", "RN101-quickgelu"))
    assert set(models.same_specs(plain)) == set(models.same_specs(quick))
    assert models.same_specs(Entry("ViT-B-32", "laion2b_s34b_b79k", "OpenCLIP")) == (
        "openclip:ViT-B-32/laion2b_s34b_b79k",
    )
    assert models.same_specs(Entry("NegCLIP", "coco-ft", "StructuredCLIP")) == ()


def test_fetched_systems_are_those_of_the_score_files():
    assert set(SYSTEMS) <= {each.system for each in score_files()}


def test_every_spec_is_one_that_open_clip_has(shared_data):
    path = shared_data / "vl_compo" / "individual_results.csv"
    open_clip = pytest.importorskip("open_clip")
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    atlas = reading.read(path)
    known = {f"openclip:{arch}/{tag}" for arch, tag in importlib.import_module("open_clip").list_pretrained()}
    specs = [models.spec(entry) for entry in atlas.entries]
    assert sum(bool(spec) for spec in specs) == 89
    assert {spec for spec in specs if spec} <= known, open_clip.__version__
    assert {entry.family for entry in atlas.entries} == set(models.FAMILIES)
    assert len(models.taught(atlas)) == 6
    assert all(atlas.find(*pair) is not None for pair in SYSTEMS.values())
