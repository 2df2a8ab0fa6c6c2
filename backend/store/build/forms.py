"""The form of what the database and the pages read of run.json, manifest.json and benchmark.json.

`stored` is what they need so that nothing can raise; `bundled` what a bundle from elsewhere has to say besides, so that
its run's id can be recomputed. Keys that nothing reads may be anything that JSON can hold (`backend.plain_json`).
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from backend import moments

#: Whole numbers that a column of the database holds.
INT32 = 2**31 - 1
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """A name as it is. ValueError where it is blank or holds what shows nothing, or turns what follows around."""
    if _CONTROL.search(text):
        raise ValueError("holds characters that cannot be printed")
    if not text.strip():
        raise ValueError("is blank")
    return text


def a_moment(text: str) -> str:
    """A date and time as it is. ValueError where it is none, has no time zone, or lies outside the years of UTC."""
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("names no time zone")
    if moments.utc(text) is None:
        raise ValueError("is no moment between the years 1 and 9999 of UTC")
    return text


Name = Annotated[str, Field(max_length=500), AfterValidator(printable)]
#: A name that may be missing or "".
Maybe = Annotated[str, Field(max_length=500), AfterValidator(lambda text: text and printable(text))] | None
Stamp = Annotated[str, Field(max_length=40)] | None
Text = Annotated[str, Field(max_length=100_000)] | None
Count = Annotated[int, Field(ge=0, le=INT32)] | None
Number = Annotated[float, Field(allow_inf_nan=False)] | Annotated[int, Field()] | None
#: How far a score moves, finite and not below 0.
Change = Annotated[float, Field(ge=0, allow_inf_nan=False)] | Annotated[int, Field(ge=0)] | None
Sha256 = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
Details = dict[Name, Any]


class _Form(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, protected_namespaces=())


class Picked(_Form):
    """A picked set of items (`--set`)."""

    n: Count = None
    sha256: Annotated[str, Field(max_length=64)]


class SelectionForm(_Form):
    """Which items of its benchmark a run has."""

    split: Maybe = None
    subset: Annotated[str, Field(max_length=100_000)] | None = None
    limit: Count = None
    sample: Count = None
    seed: Annotated[int, Field(ge=-INT32, le=INT32)] | None = None
    items: Picked | None = None


class PicturesForm(_Form):
    """Which pictures a run has that stands beside one of other pictures (engine/inputs/pictures.py)."""

    sha256: Sha256
    since: Maybe = None


class ModelForm(_Form):
    """The model."""

    spec: Maybe = None
    family: Maybe = None
    weights_sha256: Maybe = None
    dtype: Maybe = None
    device: Maybe = None
    logit_scale: Number = None
    logit_bias: Number = None
    kinds: list[Name] | None = None
    versions: dict[Name, Maybe] | None = None
    files: list[dict[str, Any]] | None = None
    orders: list[Annotated[str, Field(max_length=80)]] | None = None


class BenchmarkOfRun(_Form):
    """What a run says of its benchmark."""

    name: Maybe = None
    hash: Maybe = None
    n_items: Count = None
    data_dir: Annotated[str, Field(max_length=5000)] | None = None
    split: Maybe = None


class SessionForm(_Form):
    """One process's share of a run."""

    started: Stamp = None
    finished: Stamp = None
    device: Maybe = None
    dtype: Maybe = None
    versions: dict[Name, Maybe] | None = None
    commit: Maybe = None


class MeasuredForm(_Form):
    """What batching changes in the scores of one part (engine/batching.py)."""

    n: Count = None
    difference: Change = None
    per_token: Change = None
    in_pools: Change = None


class IncompleteForm(_Form):
    """Items of another system of which some scores are missing."""

    n: Count = None
    reason: Text = None
    items: list[Annotated[str, Field(max_length=2000)]] | None = None


class UnderOthersForm(_Form):
    """How the images were drawn that a part's captions are scored under (engine/inputs/others.py)."""

    left_out: dict[str, Text] | None = None
    may_fit: list[str] | None = None


class RecordForm(_Form):
    """run.json."""

    run: Maybe = None
    model: ModelForm | Maybe = None
    benchmark: BenchmarkOfRun | Maybe = None
    benchmark_hash: Maybe = None
    selection: SelectionForm | None = None
    pictures: PicturesForm | None = None
    scoring: Count = None
    n_selected: Count = None
    priors: dict[Name, Details] | None = None
    sessions: list[SessionForm] | None = None
    series: dict[Name, Number] | None = None
    batching: dict[Name, MeasuredForm] | None = None
    incomplete: dict[Name, IncompleteForm] | None = None
    counterfactual: dict[Name, UnderOthersForm] | None = None
    created: Stamp = None
    updated: Stamp = None


class ShardForm(_Form):
    """One shard of a part."""

    file: Annotated[str, Field(min_length=1, max_length=255)]
    sha256: Sha256
    rows: Annotated[int, Field(ge=0, le=INT32)]


class PartForm(_Form):
    """One part of a run."""

    complete: bool
    shards: Annotated[list[ShardForm], Field(max_length=1_000_000)]
    left_out: dict[Name, Annotated[int, Field(ge=0, le=INT32)]] | None = None
    failed: Text = None


class ManifestForm(_Form):
    """manifest.json."""

    format: int
    run: Name
    parts: Annotated[dict[Name, PartForm], Field(max_length=1000)]


class HeadForm(_Form):
    """benchmark.json."""

    name: Maybe = None
    hash: Maybe = None
    n_items: Count = None
    items_sha256: Sha256 | None = None
    split: Maybe = None
    skipped: Count = None
    templates: dict[Name, list[Annotated[str, Field(max_length=2000)]]] | None = None
    about: dict[Name, Any] | None = None


class _BundledModel(ModelForm):
    spec: Name
    weights_sha256: Name
    preprocessing: Any
    dtype: Maybe


class _BundledBenchmark(BenchmarkOfRun):
    name: Name
    hash: Sha256


class _BundledSession(SessionForm):
    @field_validator("started", "finished")
    @classmethod
    def _moment(cls, text: str | None) -> str | None:
        return text and a_moment(text)


class _BundledRecord(RecordForm):
    run: Annotated[str, Field(pattern=r"\A[0-9a-f]{16}\z")]
    model: _BundledModel
    benchmark: _BundledBenchmark
    selection: SelectionForm
    created: str
    updated: str

    sessions: list[_BundledSession] | None = None  # type: ignore[assignment]  # a narrower list

    @field_validator("created", "updated")
    @classmethod
    def _moment(cls, text: str) -> str:
        return a_moment(text)


class _BundledHead(HeadForm):
    name: Name
    hash: Sha256
    n_items: Annotated[int, Field(ge=1, le=INT32)]


class _ListedForm(_Form):
    size: Annotated[int, Field(ge=0)]
    sha256: Sha256


class ListingForm(_Form):
    """bundle.json."""

    format: int
    run: Annotated[str, Field(min_length=1, max_length=64)]
    benchmark: Annotated[str, Field(min_length=1, max_length=64)]
    files: dict[Annotated[str, Field(max_length=300)], _ListedForm]


STORED: Mapping[str, type[BaseModel]] = {
    "run.json": RecordForm,
    "manifest.json": ManifestForm,
    "benchmark.json": HeadForm,
}
BUNDLED: Mapping[str, type[BaseModel]] = {
    **STORED,
    "run.json": _BundledRecord,
    "benchmark.json": _BundledHead,
}


def check(name: str, document: Any, forms: Mapping[str, type[BaseModel]] = STORED) -> None:
    """ValueError, in one short sentence that names the place, where a document of this name has not its form."""
    try:
        forms[name].model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        # A union tells of each of its members: what is said of the model or the name is enough.
        place = ".".join(str(part) for part in first["loc"] if not str(part).endswith(("Form", "OfRun", "]")))
        words = first["msg"].removeprefix("Value error, ").partition(" or instance of ")[0]
        said = "is missing" if first["type"] == "missing" else words
        raise ValueError(f"{name}: {place[:120] or 'the document'}: {said[:200]}") from None
