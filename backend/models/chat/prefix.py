"""Logits behind a common prefix: the picture and the prompt are read once, and their keys and values serve all texts.

Where a model's cache cannot do that exactly, every row is read whole, the picture again for each.
"""

import copy
from collections.abc import Sequence
from typing import Any

import torch

from backend.errors import FlipsideError
from backend.models.chat.sight import Seen
from backend.models.hf import first_line, pad
from backend.models.torch_model import out_of_memory


class Prefix:
    """The first tokens of all rows about one picture.

    seen: the picture. ids: the common tokens, all of the picture's placeholders among them. kept: the module's cache
    after reading them, or None to read rows whole. last: logits behind the last of them, (1, vocabulary).
    offset: what the module adds to later positions (Qwen-VL's M-RoPE counts an image's rows and columns, not its
    tokens).
    """

    def __init__(self, module: Any, seen: Seen, ids: Sequence[int], tail_type: int = 0) -> None:
        self.module = module
        self.seen = seen
        self.ids = list(ids)
        self.tail_type = tail_type
        self.kept: Any = None
        self.last: torch.Tensor | None = None
        self.offset: torch.Tensor | None = None

    def read(self) -> None:
        """One forward pass over the prefix, to be kept."""
        inputs = self.inputs([self.ids])
        out = self.forward(**inputs, **self.seen.picture, use_cache=True, logits_to_keep=1)
        self.last = out.logits[:, -1]
        self.kept = out.past_key_values
        deltas = getattr(getattr(self.module, "model", None), "rope_deltas", None)
        self.offset = deltas.clone() if isinstance(deltas, torch.Tensor) else None

    def logits(self, tails: Sequence[Sequence[int]], pad_id: int) -> torch.Tensor:
        """(n, 1 + longest tail, vocabulary): behind the prefix, then behind each token of the tails; rows are padded
        on the right, where no earlier token sees it."""
        return self.whole(tails, pad_id) if self.kept is None else self.continued(tails, pad_id)

    def continued(self, tails: Sequence[Sequence[int]], pad_id: int) -> torch.Tensor:
        first = self.last[:, None].expand(len(tails), -1, -1)  # type: ignore[index]
        if not any(tails):
            return first
        ids, mask = self.padded(tails, pad_id)
        cache = copy.deepcopy(self.kept)
        # Every row is the prefix again; beam search's call, since linear attention has no batch_repeat_interleave.
        cache.reorder_cache(torch.zeros(len(tails), dtype=torch.long, device=ids.device))
        seen = torch.ones((len(tails), len(self.ids)), dtype=torch.long, device=ids.device)
        more = {}
        if self.offset is not None:
            steps = torch.arange(len(self.ids), len(self.ids) + ids.shape[1], device=ids.device)
            more["position_ids"] = (steps[None] + self.offset.to(ids.device)).expand(3, len(tails), -1)
        looks = self.seen.marks.get("cross_attention_mask")
        if looks is not None:
            more["cross_attention_mask"] = self.extended(
                "cross_attention_mask", looks, len(tails), len(self.ids) + ids.shape[1]
            )
        rest = self.forward(
            input_ids=ids,
            attention_mask=torch.cat([seen, mask], dim=1),
            past_key_values=cache,
            use_cache=True,
            **more,
        ).logits
        return torch.cat([first, rest], dim=1)

    def whole(self, tails: Sequence[Sequence[int]], pad_id: int) -> torch.Tensor:
        inputs = self.inputs([[*self.ids, *tail] for tail in tails], pad_id)
        behind = inputs["input_ids"].shape[1] - len(self.ids) + 1
        picture = self.seen.repeated(len(tails))
        logits = self.forward(**inputs, **picture, use_cache=False, logits_to_keep=behind).logits
        return torch.as_tensor(logits[:, -behind:])

    def forward(self, **inputs: Any) -> Any:
        """The module's answer; FlipsideError for a picture that the library itself cannot read."""
        try:
            return self.module(**inputs)
        except (ValueError, IndexError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and out_of_memory(error):
                raise
            width, height = self.seen.size
            name = type(self.module).__name__
            raise FlipsideError(
                f"{name} cannot read an image of {width} × {height} pixels ({first_line(error)})."
            ) from error

    def inputs(self, rows: Sequence[Sequence[int]], pad_id: int = 0) -> dict[str, torch.Tensor]:
        """Rows that begin with the prefix, with the token types that the processor gave it; what follows is text."""
        ids, mask = self.padded(rows, pad_id)
        found = {"input_ids": ids, "attention_mask": mask}
        for name, marks in self.seen.marks.items():
            if name == "attention_mask":
                continue
            found[name] = self.extended(name, marks, *ids.shape)
        return found

    def extended(self, name: str, marks: torch.Tensor, rows: int, width: int) -> torch.Tensor:
        """The prompt's marks for rows of `width` tokens. What follows the prompt is text, and looks at the picture as
        the prompt's last token does (`cross_attention_mask`)."""
        shared = min(marks.shape[1], len(self.ids))
        if name == "cross_attention_mask":
            last = marks[:, -1:].expand(-1, width - shared, *[-1] * (marks.ndim - 2))
            return torch.cat([marks[:, :shared], last], dim=1).expand(rows, *[-1] * (marks.ndim - 1))
        types = marks.new_full((rows, width), self.tail_type if name == "token_type_ids" else 0)
        types[:, :shared] = marks[:, :shared]
        return types

    def padded(self, rows: Sequence[Sequence[int]], pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
        ids, mask = pad(rows, pad_id)
        device = next(self.module.parameters()).device
        return tuple(torch.as_tensor(v, dtype=torch.long, device=device) for v in (ids, mask))  # type: ignore[return-value]


def common(rows: Sequence[Sequence[int]]) -> int:
    """How many tokens all rows begin with, at most all but the last of each.

    >>> common([[1, 2, 3], [1, 2, 4, 5]]), common([[1, 2], [1, 2]])
    (2, 1)
    """
    most = min(len(row) for row in rows) - 1
    same = 0
    while same < most and all(row[same] == rows[0][same] for row in rows):
        same += 1
    return same
