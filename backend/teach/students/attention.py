"""torch's attention with its projections as ordinary linear layers, so that adapters reach them.

`nn.MultiheadAttention` (open_clip's blocks, SigLIP's pooling) holds its input projection as a bare parameter and never
calls its output projection. peft's own layer for it adds and subtracts the adapter around each call, so that the
frozen weights drift by rounding and a continued training is another one. Here the module is replaced by one that
computes the same, and put back when adapters are merged.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention


class OpenAttention(nn.Module):
    """Self- or cross-attention with the weights and the call of the `nn.MultiheadAttention` that it was made from."""

    def __init__(self, closed: nn.MultiheadAttention) -> None:
        super().__init__()
        width = closed.embed_dim
        self.embed_dim, self.num_heads, self.batch_first = width, closed.num_heads, closed.batch_first
        self.dropout = closed.dropout
        weight, bias = closed.in_proj_weight, closed.in_proj_bias
        self.in_proj = nn.Linear(width, 3 * width, bias=bias is not None, device=weight.device, dtype=weight.dtype)
        self.out_proj = nn.Linear(
            width, width, bias=closed.out_proj.bias is not None, device=weight.device, dtype=weight.dtype
        )
        with torch.no_grad():
            self.in_proj.weight.copy_(weight)
            self.out_proj.weight.copy_(closed.out_proj.weight)
            if bias is not None:
                self.in_proj.bias.copy_(bias)
                self.out_proj.bias.copy_(closed.out_proj.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        **_: Any,
    ) -> tuple[Tensor, None]:
        """(the attended values, None): attention weights are not given. attn_mask: additive, or bool with True where
        nothing is attended to, as `nn.MultiheadAttention` has it."""
        if key_padding_mask is not None:
            raise NotImplementedError("no tower that is taught pads its keys")
        alone = query is key is value
        asked = [self.in_proj(self._batched(each)) for each in ((query,) if alone else (query, key, value))]
        parts = asked[0].chunk(3, -1) if len(asked) == 1 else [a.chunk(3, -1)[k] for k, a in enumerate(asked)]
        heads = [part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts]
        mask = ~attn_mask if attn_mask is not None and attn_mask.dtype == torch.bool else attn_mask
        if mask is not None and mask.ndim == 3:
            mask = mask.view(-1, self.num_heads, *mask.shape[1:])
        lost = self.dropout if self.training else 0.0
        found = scaled_dot_product_attention(heads[0], heads[1], heads[2], attn_mask=mask, dropout_p=lost)
        return self._batched(self.out_proj(found.transpose(1, 2).flatten(2))), None

    def _batched(self, values: Tensor) -> Tensor:
        """From (length, batch, width) to (batch, length, width) and back, where the caller has the length first."""
        return values if self.batch_first else values.transpose(0, 1)


def opened(module: nn.Module) -> None:
    """Replace every attention of torch's in a module whose queries, keys and values have one width."""
    for name, part in list(module.named_modules()):
        if isinstance(part, nn.MultiheadAttention) and part._qkv_same_embed_dim and part.bias_k is None:
            _put(module, name, OpenAttention(part).train(part.training))


def closed(module: nn.Module) -> None:
    """Put torch's own attention back, with the weights as they are now."""
    for name, part in list(module.named_modules()):
        if isinstance(part, OpenAttention):
            weight, bias = part.in_proj.weight, part.in_proj.bias is not None
            made = nn.MultiheadAttention(
                part.embed_dim, part.num_heads, part.dropout, bias, batch_first=part.batch_first,
                device=weight.device, dtype=weight.dtype,
            )  # fmt: skip
            with torch.no_grad():
                made.in_proj_weight.copy_(weight)
                made.out_proj.weight.copy_(part.out_proj.weight)
                if bias:
                    made.in_proj_bias.copy_(part.in_proj.bias)
                    made.out_proj.bias.copy_(part.out_proj.bias)
            _put(module, name, made.train(part.training))


def _put(root: nn.Module, name: str, part: nn.Module) -> None:
    above, _, last = name.rpartition(".")
    setattr(root.get_submodule(above), last, part)
