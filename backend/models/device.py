"""Where and how precisely a model computes: `--device auto|cpu|cuda|cuda:N|mps`, `--dtype auto|float32|…`."""

from collections.abc import Mapping
from typing import Any

import torch

from backend.errors import UsageError

DTYPES = {
    "float32": torch.float32,
    "fp32": torch.float32,
    "float16": torch.float16,
    "fp16": torch.float16,
    "bfloat16": torch.bfloat16,
    "bf16": torch.bfloat16,
}


def resolve_device(name: str) -> torch.device:
    """The torch device of that name; `auto` takes a CUDA device, else Apple's, else the processor."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda:0")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda", "mps") or (number and not number.isdecimal()):
        raise UsageError(f"Unknown device {name!r}: use auto, cpu, cuda, cuda:N or mps.")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        seen = torch.cuda.device_count()
        raise UsageError(f"Device {name!r} asked for, but torch sees {seen} CUDA device(s) here: use --device auto.")
    if kind == "mps" and not torch.backends.mps.is_available():
        raise UsageError("Device 'mps' asked for, but torch sees no Apple GPU here: use --device auto.")
    return torch.device("cuda:0" if name == "cuda" else name)


def resolve_dtype(name: str, device: torch.device, config: Mapping[str, Any]) -> torch.dtype:
    """The torch dtype of that name; `auto` is half precision on CUDA and float32 elsewhere.

    Half precision is float16, which is the finer of the two, unless the weights were saved as bfloat16: their values
    may not fit into float16.
    """
    if name == "auto":
        dtype = torch.float32
        if device.type == "cuda":
            saved = str(config.get("dtype") or config.get("torch_dtype") or "")
            dtype = torch.bfloat16 if "bfloat16" in saved else torch.float16
    elif name in DTYPES:
        dtype = DTYPES[name]
    else:
        raise UsageError(f"Unknown dtype {name!r}: use auto, float32, float16 or bfloat16.")
    if dtype == torch.float32 and device.type == "cuda":
        torch.backends.cudnn.allow_tf32 = False  # else "float32" convolutions keep 10 bits of mantissa
    return dtype


def device_name(device: torch.device) -> str:
    """For the record: `cpu`, or the device with the card's name."""
    return f"{device} ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)
