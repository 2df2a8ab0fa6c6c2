"""`python -m backend.bundled.train NAME|all [--seed S] [--threads N]`: train bundled models; see docs/models.md."""

import argparse
import importlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend.bundled.train import folder, side_by_side, taught, tokens
from backend.bundled.train.loop import train
from backend.bundled.train.recipes import RECIPES


def train_recipe(name: str, seed: int) -> None:
    """Train one recipe; models that are there already, whole, are left alone."""
    import torch

    if all((folder.model_folder(model) / "card.json").exists() for model in RECIPES[name].makes):
        where = ", ".join(str(folder.model_folder(model)) for model in RECIPES[name].makes)
        print(f"{name}: trained already ({where}); remove the folders to train again", flush=True)
        return
    if RECIPES[name].taught:
        print(f"saved {taught.train(RECIPES[name].makes[0], seed)}", flush=True)
        return
    recipe, model = prepared(name, seed)
    stages = recipe.stages()

    def save(model: Any, saved_as: str, summary: dict[str, Any]) -> None:
        card = {
            "name": saved_as,
            "recipe": f"backend/bundled/train/{name}.py",
            "what": (recipe.__doc__ or "").strip(),
            "parameters": sum(p.numel() for p in model.parameters()),
            "stages": [
                {"name": s.name, "steps": s.steps, "learning_rate": s.learning_rate}
                for number, s in enumerate(stages)
                if sum(before.steps for before in stages[:number]) < summary["steps"]
            ],
            "seed": seed,
            **summary,
            **({"series": of} if (of := getattr(recipe, "SERIES", {}).get(saved_as)) else {}),
            **({"base": RECIPES[name].needs} if RECIPES[name].needs else {}),
            "trained": datetime.now(UTC).date().isoformat(),
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
            "machine": folder.machine(),
        }
        model.eval()
        written = _write(recipe, model, saved_as, card)
        model.train()
        print(f"saved {written}", flush=True)

    summary = train(name, model, stages, save, seed)
    print(json.dumps({"recipe": name, **summary}), flush=True)


def prepared(name: str, seed: int) -> tuple[Any, Any]:
    """(the recipe's module, its model as it is before the first step)."""
    import torch

    recipe: Any = importlib.import_module(f"backend.bundled.train.{name}")
    torch.manual_seed(seed)
    model = recipe.new_model()
    # On these short sequences plain attention trains twice as fast on a CPU as the fused kernel, with the same scores.
    model.set_attn_implementation("eager")
    return recipe, model


def _write(recipe: Any, model: Any, saved_as: str, card: dict[str, Any]) -> Path:
    """A transformers folder with its processor, or with the tokenizer alone where it sees no picture."""
    coder = recipe.processor() if hasattr(recipe, "processor") else tokens.tokenizer()
    return folder.write(model, saved_as, coder, card)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m backend.bundled.train", description=__doc__)
    parser.add_argument("name", choices=[*RECIPES, "all"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of each recipe")
    parser.add_argument("--at-once", type=int, default=2, help="recipes that run side by side (all)")
    given = parser.parse_args()
    if given.name == "all":
        side_by_side.run(given.at_once, ["--seed", str(given.seed), "--threads", str(given.threads)])
        return
    import torch

    torch.set_num_threads(given.threads)
    train_recipe(given.name, given.seed)


if __name__ == "__main__":
    main()
