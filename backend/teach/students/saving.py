"""What was learned, saved in two ways: as an adapter beside its base, and merged, as a folder that loads as any model.

Each folder holds `teach.json`: the base, its weights' sha256, and whatever the training says of itself. A folder is
written aside and renamed, so that one of this name is whole.
"""

import copy
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError

from backend import durable
from backend.errors import FlipsideError, UsageError
from backend.models import folders
from backend.models.spec import parse
from backend.models.torch_model import parameters_sha256
from backend.teach.students import attention, tuning
from backend.teach.students.base import Student
from backend.teach.training import log

RECORD: Final = "teach.json"
_OPENCLIP: Final = "open_clip_config.json"
#: What a model's folder holds besides weights and never belongs to another model.
_LEFT: Final = ("card.json", "README.md", "unpacked.sha256", "config.json", RECORD)


def save_adapter(student: Student[Any, Any], folder: Path, record: Mapping[str, Any] | None = None) -> Path:
    """The adapter alone, as peft writes it (`adapter_config.json`, `adapter_model.safetensors`), and its record.
    UsageError after full fine-tuning, which leaves none."""
    if student.peft is None:
        raise UsageError("All weights were trained, so there is no adapter: save the merged folder.")
    with _whole(folder) as aside:
        # "auto" would put the whole embedding tables beside their adapters.
        student.peft.save_pretrained(aside, safe_serialization=True, save_embedding_layers=False)
        (aside / "README.md").unlink(missing_ok=True)  # peft's empty model card
        _record(aside, student, record)
    return folder


def save_merged(student: Student[Any, Any], folder: Path, record: Mapping[str, Any] | None = None) -> Path:
    """A model folder with the adapters added into the weights, tokenizer and processor beside it, in float32: it loads
    as `merged_spec(student, folder)` and gives the student's scores. Takes the model's memory once more."""
    module = merged(student)
    with _whole(folder) as aside:
        if student.model.family == "dual-openclip":
            _write_openclip(student, module, aside)
        else:
            module.save_pretrained(aside, safe_serialization=True)
        _copy_beside(student.model.folder, aside)
        _record(aside, student, record)
    return folder


def merged_spec(student: Student[Any, Any], folder: Path) -> str:
    """The spec under which a merged folder loads."""
    return f"{'openclip' if student.model.family == 'dual-openclip' else 'hf'}:{folder}"


def merged(student: Student[Any, Any]) -> Any:
    """A module of the base's class with the adapters added in; the student goes on unchanged."""
    if student.peft is None:
        return student.module
    module = copy.deepcopy(student.peft).merge_and_unload()
    attention.closed(module)
    return module.eval()


def adapted(model: Any, folder: Path) -> Any:
    """A loaded model (in float32, of the adapter's base) with a saved adapter merged into its module; the same model.
    UsageError for a folder that is no adapter, or one of other weights."""
    if not (folder / "adapter_config.json").is_file():
        raise UsageError(f"{folder} holds no adapter_config.json: name a folder that teaching saved an adapter in.")
    record = read_record(folder)
    wanted, found = record.get("base_weights_sha256"), model.weights_sha256()
    if wanted and wanted != found:
        raise UsageError(f"{folder} is an adapter of {record.get('base')}, whose weights {model.spec} does not have.")
    attention.opened(model.module)
    try:
        peft = tuning.library().PeftModel.from_pretrained(model.module, str(folder))
    except (ValueError, RuntimeError, OSError) as error:
        line = str(error).splitlines()[0]
        raise FlipsideError(f"{folder}: its adapter does not fit {model.spec} ({line}). Teach it again.") from error
    module = peft.merge_and_unload()
    attention.closed(module)
    model.module = module.eval()
    if hasattr(model, "find_towers"):
        model.towers = model.find_towers()
    model._weights_sha256 = parameters_sha256(model.module)  # those of its folder are the base's
    return model


def read_record(folder: Path) -> dict[str, Any]:
    """What `teach.json` says; {} where there is none."""
    path = folder / RECORD
    found = folders.read_json(path) if path.is_file() else {}
    return dict(found)


def _write_openclip(student: Student[Any, Any], module: Any, folder: Path) -> None:
    """As open_clip's hub models are laid out."""
    import open_clip
    from safetensors.torch import save_file

    base = student.model.folder
    if base is not None:
        config = folders.read_json(base / _OPENCLIP)["model_cfg"]
    else:
        config = open_clip.get_model_config(parse(student.model.spec).name.partition("/")[0])
    config = copy.deepcopy(config) | ({"quick_gelu": True} if student.model.quick_gelu else {})
    kept = ("mean", "std", "interpolation", "resize_mode")
    settings = {k: v for k, v in folders.plain(student.model.settings).items() if k in kept}
    told = {"model_cfg": config, "preprocess_cfg": settings}
    (folder / _OPENCLIP).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    tensors = {name: value.detach().clone().contiguous() for name, value in module.state_dict().items()}
    save_file(tensors, folder / "open_clip_model.safetensors")
    if hasattr(student.model.tokenizer, "save_pretrained"):
        student.model.tokenizer.save_pretrained(str(folder))


def _copy_beside(base: Path | None, folder: Path) -> None:
    """Tokenizer, processor and settings of the base; not its weights, and nothing that stands in the folder already."""
    if base is None:
        return
    weights = set(folders.weight_files(base))
    for path in sorted(base.iterdir()):
        is_weights = path in weights or path.suffix in (".safetensors", ".bin", ".pt", ".packed", ".h5", ".msgpack")
        left = is_weights or path.name in _LEFT or path.name.endswith(".index.json")
        if path.is_file() and not left and not (folder / path.name).exists():
            shutil.copyfile(path, folder / path.name)


def _record(folder: Path, student: Student[Any, Any], more: Mapping[str, Any] | None) -> None:
    told = {"base": student.model.spec, "base_weights_sha256": student.model.weights_sha256(), **(more or {})}
    (folder / RECORD).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """A folder aside, which takes the name when it is whole. An older one of that name that teaching wrote is replaced;
    UsageError for anything else that stands there, FlipsideError where the disk does not take it."""
    if folder.exists() and not (folder / RECORD).is_file() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds something else: name a new folder for the model.")
    aside = folder.with_name(f".aside-{os.getpid()}-{folder.name}")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        yield aside
        shutil.rmtree(folder, ignore_errors=True)
        aside.rename(folder)
        durable.sync_dir(folder.parent)
    except (OSError, SafetensorError) as error:
        raise log.disk(error, folder) from error
    except torch.cuda.OutOfMemoryError as error:
        raise FlipsideError(f"{folder}: no memory to merge the adapter; do it with --device cpu.") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
