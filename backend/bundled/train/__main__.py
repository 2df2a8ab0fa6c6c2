"""`python -m backend.bundled.train NAME|all [--seed S] [--threads N]`: train bundled models; see docs/models.md."""

import argparse
import importlib
import json
import platform
from pathlib import Path
from typing import Any

from backend.bundled.train import folder, tokens
from backend.bundled.train.loop import train

#: Recipes in the order in which they build on each other, and the models that each leaves behind.
RECIPES: dict[str, tuple[str, ...]] = {
    "clip": ("clip-bag", "clip-young", "clip"),
    "relational": ("clip-relational",),
    "captioner": ("captioner",),
    "matcher": ("matcher",),
    "sentence": ("sentence",),
    "lm": ("lm",),
}


def train_recipe(name: str, seed: int) -> None:
    """Train one recipe; models that are there already, whole, are left alone."""
    import torch

    if all((folder.model_folder(model) / "card.json").exists() for model in RECIPES[name]):
        print(f"{name}: trained already ({', '.join(RECIPES[name])}); remove the folders to train again", flush=True)
        return
    recipe: Any = importlib.import_module(f"backend.bundled.train.{name}")
    torch.manual_seed(seed)
    model = recipe.new_model()
    # On these short sequences plain attention trains twice as fast on a CPU as the fused kernel, with the same scores.
    model.set_attn_implementation("eager")
    stages = recipe.stages()

    def save(model: Any, saved_as: str, summary: dict[str, Any]) -> None:
        card = {
            "name": saved_as,
            "recipe": f"backend/bundled/train/{name}.py",
            "what": (recipe.__doc__ or "").strip(),
            "parameters": sum(p.numel() for p in model.parameters()),
            "stages": [{"name": s.name, "steps": s.steps, "learning_rate": s.learning_rate} for s in stages],
            "seed": seed,
            **summary,
            **({"series": of} if (of := getattr(recipe, "SERIES", {}).get(saved_as)) else {}),
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
            "machine": platform.processor() or platform.machine(),
        }
        model.eval()
        written = _write(recipe, model, saved_as, card)
        model.train()
        print(f"saved {written}", flush=True)

    summary = train(name, model, stages, save, seed)
    print(json.dumps({"recipe": name, **summary}), flush=True)


def _write(recipe: Any, model: Any, saved_as: str, card: dict[str, Any]) -> Path:
    """A transformers folder with its processor; the sentence encoder also gets sentence-transformers' modules."""
    written = folder.write(model, saved_as, recipe.processor() if hasattr(recipe, "processor") else _coder(), card)
    if saved_as == "sentence":
        folder.add_sentence_modules(written, tokens.MAX_TOKENS)
    return written


def _coder() -> Any:
    return tokens.tokenizer()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m backend.bundled.train", description=__doc__)
    parser.add_argument("name", choices=[*RECIPES, "all"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0, help="CPU threads (default: all)")
    given = parser.parse_args()
    if given.threads:
        import torch

        torch.set_num_threads(given.threads)
    for name in RECIPES if given.name == "all" else (given.name,):
        train_recipe(name, given.seed)


if __name__ == "__main__":
    main()
