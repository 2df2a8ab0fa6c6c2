"""The bundled models (`models/`), their precomputed results (`results/`) and the recipes that made them (`train/`)."""
