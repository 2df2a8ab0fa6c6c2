"""Models that score images and texts: `load(spec)` gives one, `families()` says which exist.

Importing this package imports neither torch nor transformers; loading a model does.
"""

from backend.models.base import Model, Picture, TokenScores
from backend.models.registry import families, kinds_of, load

__all__ = ["Model", "Picture", "TokenScores", "families", "kinds_of", "load"]
