"""From a hub name or a local path to a complete model folder, or one sentence about what is missing."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from backend import plain_json
from backend.errors import FlipsideError, UsageError
from backend.models import hub, packed
from backend.models.spec import Spec, did_you_mean
from backend.paths import bundled_models_dir, existing

CONFIGS = ("config.json", "modules.json", "open_clip_config.json")
SKIPPED_FOLDERS = {"onnx", "openvino", "original", "coreml", "flax"}
#: How the files begin that say how a model reads its input.
SETTINGS: tuple[str, ...] = (
    "config",
    "tokenizer",
    "vocab",
    "merges",
    "special_tokens",
    "added_tokens",
    "preprocessor",
    "processor",
)
SETTINGS += ("modules", "sentence_", "spiece", "sentencepiece", "open_clip_config")
#: How long the hub may take to answer before it counts as out of reach.
HUB_SECONDS = 20
LFS_HEADER = b"version https://git-lfs"
T = TypeVar("T")


def resolve(spec: Spec) -> Path:
    """The folder of a model: bundled, local, or fetched from the Hugging Face hub into its cache.

    Of a bundled one with packed weights the folder that ships, which has all but the weights: `packed.ordinary`.
    """
    if spec.prefix == "bundled":
        root = bundled_models_dir()
        folder = root / spec.name
        if "/" in spec.name or not folder.is_dir():
            names = sorted(p.name for p in root.iterdir() if p.is_dir()) if root.is_dir() else []
            there = f"Bundled: {', '.join(names)}." if names else "No model is bundled here: `make models` trains them."
            raise UsageError(f"There is no bundled model {spec.name!r}.{did_you_mean(spec.name, names)} {there}")
        if (folder / packed.FILE).is_file():
            return folder.resolve()
    else:
        found = existing(spec.name)
        folder = found or Path(spec.name)
        if found is None or not found.is_dir():
            if found is not None:
                raise UsageError(f"{spec}: {folder} is a file; give the model's folder.")
            if folder.is_absolute() or spec.name.startswith((".", "~")) or hub.split(spec.name)[0].count("/") > 1:
                raise UsageError(f"{spec}: there is no folder {folder}.")
            folder = fetch(spec)
    check(folder, spec)
    return folder.resolve()


def fetch(spec: Spec) -> Path:
    """The snapshot of a hub model: the cached one where it is whole, so that no network is needed twice; else a
    download of its settings and of one format of weights."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    repo, revision = hub.split(spec.name)
    if spec.name.endswith("@"):
        raise UsageError(f"{spec}: names no revision behind the @; give a branch, a tag or a commit, or leave it out.")
    try:
        cached = Path(snapshot_download(repo, revision=revision, local_files_only=True))
        if complete(cached):
            return cached
    except HFValidationError:
        raise UsageError(f"{spec}: {spec.name!r} is neither a folder here nor a possible hub name.") from None
    except OSError:  # what the hub library raises for "not in the cache"
        cached = Path()
    kept = ["*.json", "*.txt", "*.model", "*.jinja", "*.tiktoken"]
    skipped = [f"{name}/*" for name in sorted(SKIPPED_FOLDERS)]

    def download(files: list[Any]) -> Path:
        patterns = kept + weight_patterns([f.rfilename for f in files], open_clip=spec.prefix == "openclip")
        with hub.watched(repo, hub.wanted(files, patterns, skipped)):
            return Path(snapshot_download(repo, revision=revision, allow_patterns=patterns, ignore_patterns=skipped))

    found, reason = with_hub(str(spec), repo, download, revision)
    if found is not None:
        return found
    if cached != Path():
        return cached  # incomplete: `check` says what it lacks
    raise FlipsideError(
        f"{spec}: not in the local cache, and the Hugging Face hub cannot be reached ({reason}). Give a local folder "
        "in place of the name, or try again with a network; files that have come whole are kept."
    )


def with_hub(spec: str, repo: str, use: Callable[[list[Any]], T], revision: str | None = None) -> tuple[T | None, str]:
    """What `use` makes of a hub model's files (`ModelInfo.siblings`, with sizes), or why the hub cannot be reached.
    UsageError where the hub has no such model or revision. Asked once, with a limit: the hub library's own calls are
    tried six times over half a minute."""
    from huggingface_hub import HfApi
    from huggingface_hub import logging as hub_logging
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    # What it says of each new attempt is said once, in the error.
    hub_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        told = HfApi().model_info(repo, revision=revision, timeout=HUB_SECONDS, files_metadata=True)
        return use(list(told.siblings or ())), ""
    except RevisionNotFoundError:
        raise UsageError(
            f"{spec}: {repo} is on the Hugging Face hub, but has no revision {revision!r}. Give a branch, a tag or a "
            f"commit of {_hub()}/{repo}/commits, or leave @{revision} out."
        ) from None
    except GatedRepoError:  # a kind of RepositoryNotFoundError, though it is there
        raise UsageError(
            f"{spec}: {repo} is gated: its owners give it only to people who have asked for it. Ask for access "
            f"on its page, {_hub()}/{repo}, then log in here with `hf auth login`, or set HF_TOKEN to a token of yours."
        ) from None
    except RepositoryNotFoundError:
        raise UsageError(
            f"{spec}: the Hugging Face hub shows no model {repo!r}. Check its name; a private one is shown only to who "
            "is logged in (`hf auth login`, or HF_TOKEN)."
        ) from None
    except OfflineModeIsEnabled:
        return None, "HF_HUB_OFFLINE is set"
    except (HfHubHTTPError, OSError) as error:
        return None, str(error).splitlines()[0][:160]
    except Exception as error:  # the HTTP client's own errors: which client depends on the hub library's version
        if type(error).__module__.partition(".")[0] not in ("httpx", "httpx2", "httpcore", "requests", "urllib3"):
            raise
        return None, f"{type(error).__name__}: {error}"[:160]


def _hub() -> str:
    """The address of the hub that is asked: HF_ENDPOINT, or huggingface.co."""
    from huggingface_hub import constants

    return str(constants.ENDPOINT)


def is_cached(repo: str, names: Iterable[str]) -> bool:
    """Whether one of these files of a hub model is in the local cache."""
    from huggingface_hub import try_to_load_from_cache

    return any(isinstance(try_to_load_from_cache(repo, name), str) for name in names)


def complete(folder: Path) -> bool:
    """Whether a cached snapshot has all that scoring needs: another program may have fetched the weights only."""
    try:
        check(folder, "")
    except UsageError:
        return False
    names = {p.name for p in model_files(folder)}
    has_words = any(n.startswith(("tokenizer", "vocab", "spiece", "sentencepiece", "open_clip_config")) for n in names)
    sees = "vision_config" in read_config(folder)
    return has_words and (not sees or bool(names & {"preprocessor_config.json", "processor_config.json"}))


def weight_patterns(files: Iterable[str], open_clip: bool = False) -> list[str]:
    """Which weight files of a repository to fetch: safetensors where it has any, else PyTorch's own format."""
    names = [f for f in files if f.split("/")[0] not in SKIPPED_FOLDERS]
    own = [n for n in names if n.startswith("open_clip_") and n.endswith((".safetensors", ".bin"))]
    if open_clip and own:
        return sorted(own, key=lambda n: n.endswith(".bin"))[:1]
    if any(n == "model.safetensors" or n.startswith("model-") or n.endswith(".safetensors.index.json") for n in names):
        return ["model*.safetensors", "*/model*.safetensors"]
    if any(n.endswith(".safetensors") for n in names):
        return ["*.safetensors"]
    return ["pytorch_model*.bin", "*/pytorch_model*.bin", "open_clip_pytorch_model.bin"]


def check(folder: Path, spec: Spec | str) -> None:
    """Refuse a folder that is no model or a download that stopped half-way, saying which file is missing."""
    if not any((folder / name).is_file() for name in CONFIGS):
        raise UsageError(f"{spec}: {folder} has no config.json, so it is no model folder, or its download stopped.")
    for index in folder.glob("*.index.json"):
        shards = set(read_json(index).get("weight_map", {}).values())
        missing = sorted(s for s in shards if not (folder / s).is_file())
        if missing and not (index.name.startswith("pytorch") and any(folder.glob("*.safetensors"))):
            raise UsageError(f"{spec}: {folder} lacks {missing[0]} that {index.name} names. Download the model again.")
    weights = weight_files(folder)
    if not weights:
        raise UsageError(f"{spec}: {folder} has a config but no weights (*.safetensors or *.bin). Download it again.")
    for file in weights:
        with file.open("rb") as opened:
            if opened.read(len(LFS_HEADER)) == LFS_HEADER:
                raise UsageError(f"{spec}: {file} is a Git LFS pointer, not weights. Run `git lfs pull` in its folder.")


def weight_files(folder: Path) -> list[Path]:
    """The weight files of a model in name order: safetensors where there are any, else .bin and .pt."""
    for endings in ({".safetensors"}, {".bin", ".pt"}):
        found = [p for p in model_files(folder) if p.suffix in endings]
        if found:
            return found
    return []


def model_files(folder: Path) -> list[Path]:
    """All files of a model folder, sorted by relative path, other frameworks' copies left out."""
    found = []
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and not SKIPPED_FOLDERS & set(parts) and not any(p.startswith(".") for p in parts):
            found.append(path)
    return sorted(found, key=lambda p: p.relative_to(folder).as_posix())


def sha256_of(files: Iterable[Path]) -> str:
    """sha256 over the contents of the files, one after the other."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def settings_sha256(folder: Path) -> str:
    """sha256 over config, tokenizer and processor files: what besides the weights decides a score."""
    return sha256_of(
        p for p in model_files(folder) if p.name.startswith(SETTINGS) and p.suffix in (".json", ".txt", ".model")
    )


def read_json(file: Path) -> dict[str, Any]:
    """A JSON object from a file; anything else is refused with the file's name."""
    try:
        content = plain_json.loads(file.read_text(encoding="utf-8"), any_number=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: cannot be read as JSON ({error}). Download the model again.") from None
    if not isinstance(content, dict):
        raise UsageError(f"{file}: holds no JSON object. Download the model again.")
    return content


def read_config(folder: Path) -> dict[str, Any]:
    """The model's own config.json, or an empty dict where the layout has none."""
    file = folder / "config.json"
    return read_json(file) if file.is_file() else {}


def architectures(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The class names of a config's `architectures`: a list by rule, one name alone in some, or nothing usable.

    >>> architectures({"architectures": "CLIPModel"})
    ('CLIPModel',)
    """
    named = config.get("architectures") or ()
    names = (named,) if isinstance(named, str) else named if isinstance(named, list | tuple) else ()
    return tuple(name for name in names if isinstance(name, str))


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """A settings dict as JSON-able values, without the paths of this machine."""
    kept = {k: v for k, v in values.items() if k not in ("_name_or_path", "name_or_path") and v is not None}
    return dict(json.loads(json.dumps(kept, default=str, sort_keys=True)))
