"""`python -m backend.bundled.train.publish [NAME …]`: what was trained, packed, in place of what ships; all or none."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from backend.bundled.train import folder
from backend.bundled.train.recipes import MODELS, RECIPES, Recipe
from backend.bundled.train.side_by_side import times_path
from backend.errors import FlipsideError
from backend.models import packed
from backend.paths import bundled_models_dir


def publish(names: Sequence[str] = ()) -> None:
    """Pack every trained model into `backend/bundled/models`, whose former content is replaced at once. names: of
    models that alone are packed anew, beside the others as they ship."""
    if unknown := sorted(set(names) - set(MODELS)):
        raise FlipsideError(f"There is no bundled model {unknown[0]}: {', '.join(MODELS)}.")
    wanted = [name for name in MODELS if name in names or not names]
    missing = [name for name in wanted if not (folder.model_folder(name) / "card.json").is_file()]
    if missing:
        raise FlipsideError(f"Not trained yet: {', '.join(missing)}. `make models` trains them.")
    target = bundled_models_dir()
    new, old = target.with_name(".models-new"), target.with_name(".models-old")
    for aside in (new, old):
        shutil.rmtree(aside, ignore_errors=True)
    for name in MODELS:
        if name in wanted:
            pack(folder.model_folder(name), new / name)
        elif (target / name).is_dir():
            shutil.copytree(target / name, new / name)
    if target.exists():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    if times_path().is_file() and not names:
        shutil.copyfile(times_path(), Path(__file__).with_name("times.jsonl"))
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(f"{target}: {len(wanted)} models packed, {size / 1e6:.1f} MB in all. `make results` scores them.")


def recipe_of(name: str) -> Recipe:
    """The recipe that makes a model."""
    return next(recipe for recipe in RECIPES.values() if name in recipe.makes)


def pack(trained: Path, target: Path) -> None:
    """An ordinary folder as a packed one: all weights, those that differ from its base, or an adapter of its base."""
    card = json.loads((trained / "card.json").read_text(encoding="utf-8"))
    shutil.copytree(trained, target, ignore=shutil.ignore_patterns(packed.WEIGHTS))
    recipe = recipe_of(trained.name)
    own = packed.tensors_of(trained)
    if recipe.taught:
        thin = packed.factors(packed.tensors_of(folder.start(recipe.needs)), own, card["rank"])
        data = packed.packed_adapter(thin, recipe.needs)
    elif recipe.planted:
        data = packed.packed(own, packed.tensors_of(trained.parent / recipe.needs), recipe.needs)
    else:
        data = packed.packed(own)
    (target / packed.FILE).write_bytes(data)
    card["packed_bytes"] = len(data)
    (target / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        publish(sys.argv[1:])
    except FlipsideError as error:
        sys.exit(str(error))
