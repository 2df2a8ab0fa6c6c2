"""Which words a page may teach with, and which a tampered record may not."""

from dataclasses import replace
from pathlib import Path

import pytest

from backend.live.jobs import jobs
from backend.live.teaching import words
from backend.live.teaching.words import Wish, compared, every, is_allowed, read
from backend.live.uploads.model_folders import taught_dir

WISH = Wish("bundled:clip", "eqsim", fresh=40, concepts=("attribute", "relation"), numbers={"alpha": "0.04"})


@pytest.fixture
def out(flipside_cache: Path) -> Path:
    return taught_dir().resolve() / "mine"


def changed(given: list[str], **values: str) -> list[str]:
    """The words with the values of some options replaced (`held_out` for --held-out)."""
    told = list(given)
    for name, value in values.items():
        told[told.index(f"--{name.replace('_', '-')}") + 1] = value
    return told


def test_what_the_form_makes_is_allowed(out: Path) -> None:
    assert is_allowed(WISH.training(out))
    other = Wish(
        "bundled:matcher", "svlc", benchmark="world~typos@4", data="/data/my folder", split="valid",
        subsets=("swap_att", "Attribute/vg/color"), sample=200, held_out=0.5, learning_rate=3e-05, rank=0,
    )  # fmt: skip
    assert is_allowed(other.training(out, "{input}/captions-0123456789ab.jsonl"))
    assert jobs.is_allowed("teach", other.training(out))
    assert " ".join(WISH.training(Path("/taught/mine"))) == (
        "--model bundled:clip --recipe eqsim --fresh 40 --concepts attribute,relation --seed 0 --held-out 0.2 "
        "--set alpha=0.04 --steps 60 --batch 32 --rank 4 --learning-rate 0.0001 --checkpoint-every 8 --judge-every 8 "
        "--out /taught/mine --json"
    )


@pytest.mark.parametrize("steps", [1, 7, 12, 60, 300, 1000])
def test_a_training_is_judged_some_eight_times(steps: int) -> None:
    assert min(steps, 6) <= steps // every(steps) <= 8


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("out", "/elsewhere/mine"), ("out", "mine"), ("out", "{taught}/../mine"), ("out", "{taught}/a/b"),
        ("out", "{taught}/.hidden"), ("out", "{taught}"), ("out", "{taught}/" + "a" * 61), ("out", "{taught}/ü"),
        ("model", "--trust-remote-code"), ("model", "py:os:system"), ("model", "endpoint:http://10.0.0.1/v1#m"),
        ("model", "hf:/etc"), ("model", "hf:../../x"), ("model", "lm:x/y"), ("model", "st:x/y"), ("model", ""),
        ("recipe", "svlc --fill-mask x"), ("recipe", "none"), ("set", "alpha=1,what=x"), ("set", "alpha"),
        ("steps", "-1"), ("steps", "1e9"), ("steps", "9999999999"), ("learning_rate", "nan"), ("concepts", "a b"),
        ("fresh", "40\0"), ("held_out", "--fill-mask"),
    ],
)  # fmt: skip
def test_a_changed_value_is_refused(out: Path, name: str, value: str) -> None:
    assert not is_allowed(changed(WISH.training(out), **{name: value.replace("{taught}", str(out.parent))}))


@pytest.mark.parametrize(
    "more",
    [
        ["--fill-mask", "endpoint:http://x/v1#m"], ["--proposer", "lm:x"], ["--generate", "/etc/x"],
        ["--file", "a.csv"],
        ["--model", "bundled:matcher"], ["--device", "cuda"], ["--trust-remote-code"], ["--benchmark", "world"],
        ["--captions", "/etc/passwd"], ["--captions", "{input}/../job.json"], ["--captions", "{input}/a/b.jsonl"],
        ["--dry-run"], ["--model=x", "y"], ["--leave-out", "a"],
    ],
)  # fmt: skip
def test_an_option_too_many_is_refused(out: Path, more: list[str]) -> None:
    given = WISH.training(out)
    assert not is_allowed([*given[:-1], *more, "--json"])
    assert not is_allowed([*more, *given])


def test_words_that_lack_something_are_refused(out: Path) -> None:
    given = WISH.training(out)
    assert not any(map(is_allowed, ([], ["--json"], given[:-1])))
    for option in ("--model", "--recipe", "--out", "--steps", "--fresh"):
        at = given.index(option)
        assert not is_allowed([*given[:at], *given[at + 2 :]]), option


def test_captions_lie_among_the_inputs_of_this_very_job(out: Path, tmp_path: Path) -> None:
    inside = WISH.training(out, str(tmp_path / "captions-1.jsonl"))
    assert is_allowed(inside, tmp_path)
    assert not is_allowed(inside, tmp_path / "other")
    assert not is_allowed(inside)
    assert not is_allowed(WISH.training(out, "{input}/captions-1.jsonl"), tmp_path)


def test_a_folder_of_trainings_that_leads_elsewhere_is_refused(out: Path, tmp_path: Path) -> None:
    out.parent.mkdir()
    out.symlink_to(tmp_path)
    assert not is_allowed(WISH.training(out))


def test_words_are_read_as_pairs() -> None:
    assert read(["--a", "1", "--b", "2", "--json"]) == {"--a": "1", "--b": "2"}
    assert read(["--a", "1", "--a", "2"]) == read(["--a"]) == read(["a", "b"]) == {}


def test_a_baseline_differs_in_recipe_and_folder_alone(out: Path) -> None:
    file = "/jobs/1/inputs/captions-0123456789ab.jsonl"
    mine = read(WISH.training(out, file))
    plain = replace(WISH, recipe="baseline", numbers={})
    assert compared(read(plain.training(out.with_name("plain"), file.replace("/1/", "/2/")))) == compared(mine)
    for other in (
        replace(plain, steps=61), replace(plain, fresh=41), replace(plain, seed=1), replace(plain, batch=8),
        replace(plain, model="bundled:matcher"), replace(plain, learning_rate=2e-4), replace(plain, held_out=0.0),
    ):  # fmt: skip
        assert compared(read(other.training(out, file))) != compared(mine)
    assert compared(read(plain.training(out))) != compared(mine)  # without the captions


def test_the_estimate_is_asked_for_a_number_of_steps_of_its_own(out: Path) -> None:
    assert read(WISH.training(out, steps=words.MEASURED))["--steps"] == "100"
