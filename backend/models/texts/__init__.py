"""Models that see no image: sentence encoders (t2t) and blind language models (prior)."""
