"""Remove shipped runs of weights that ship no more: `python -m scripts.superseded` (scripts/results.sh)."""

import shutil
from pathlib import Path

from backend import paths
from backend.engine.storage import files, shards
from backend.models import folders, packed


def ships(model: dict[str, str]) -> bool:
    """Whether the weights that a run's record names are those of a bundled model that is here."""
    folder = paths.bundled_models_dir() / model["spec"].removeprefix("bundled:")
    if not packed.has_weights(folder):
        return False
    return model["weights_sha256"] == folders.sha256_of(folders.weight_files(packed.ordinary(folder)))


def remove(root: Path) -> list[str]:
    """Delete runs below a root whose model's weights ship no more, and say which."""
    gone = [folder for folder in shards.run_dirs(root) if not ships(files.read_json(folder / shards.RECORD)["model"])]
    for folder in gone:
        shutil.rmtree(folder)
    return [folder.name for folder in gone]


if __name__ == "__main__":
    for place in (paths.bundled_runs_dir(), *paths.bundled_examples()):
        print(f"{place}: {len(remove(place))} superseded runs removed")
