"""`python -m backend.bundled.train.publish`: what was trained, packed, in place of what ships; all models or none."""

import json
import shutil
import sys
from pathlib import Path

from backend.bundled.train import folder
from backend.bundled.train.recipes import MODELS, RECIPES
from backend.bundled.train.side_by_side import times_path
from backend.errors import FlipsideError
from backend.models import packed
from backend.paths import bundled_models_dir


def publish() -> None:
    """Pack every trained model into `backend/bundled/models`, whose former content is replaced at once."""
    missing = [name for name in MODELS if not (folder.model_folder(name) / "card.json").is_file()]
    if missing:
        raise FlipsideError(f"Not trained yet: {', '.join(missing)}. `make models` trains them.")
    target = bundled_models_dir()
    new, old = target.with_name(".models-new"), target.with_name(".models-old")
    for aside in (new, old):
        shutil.rmtree(aside, ignore_errors=True)
    for name in MODELS:
        pack(folder.model_folder(name), new / name, planted_on(name))
    if target.exists():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    if times_path().is_file():
        shutil.copyfile(times_path(), Path(__file__).with_name("times.jsonl"))
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(f"{target}: {len(MODELS)} models, {size / 1e6:.1f} MB. `make results` scores them.")


def planted_on(name: str) -> str:
    """The model that a planted one is kept as a difference from; "" for the others."""
    recipe = next(recipe for recipe in RECIPES.values() if name in recipe.makes)
    return recipe.needs if recipe.planted else ""


def pack(trained: Path, target: Path, base: str = "") -> None:
    """An ordinary folder as a packed one."""
    shutil.copytree(trained, target, ignore=shutil.ignore_patterns(packed.WEIGHTS))
    of_base = packed.tensors_of(trained.parent / base) if base else None
    data = packed.packed(packed.tensors_of(trained), of_base, base)
    (target / packed.FILE).write_bytes(data)
    card = json.loads((target / "card.json").read_text(encoding="utf-8"))
    card["packed_bytes"] = len(data)
    (target / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        publish()
    except FlipsideError as error:
        sys.exit(str(error))
