"""SigLIP 2 NaFlex, through Siglip2Model's `forward`."""

from backend.models.reference.dual.hf import HfDual


class NaFlex(HfDual):
    """The processor's `pixel_attention_mask` and `spatial_shapes` go into the model with its patches."""
