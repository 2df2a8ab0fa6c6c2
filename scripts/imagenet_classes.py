"""Write classification/imagenet_classes.json: ImageNet's 1,000 folders and names, and the 80 prompts.

Names and prompts are open_clip's (MIT; its licence stands in the file), the WordNet ids in class order timm's list.
`tests/benchmarks/test_imagenet.py` compares the file with both packages.
"""

import importlib.metadata
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parents[1] / "backend" / "benchmarks" / "classification" / "imagenet_classes.json"


def document() -> dict[str, Any]:
    """What the file holds."""
    from open_clip import zero_shot_metadata as metadata

    package = importlib.metadata.distribution("open_clip_torch")
    licence = next(file for file in package.files or [] if file.name == "LICENSE")
    folders = (files("timm.data") / "_info" / "imagenet_synsets.txt").read_text(encoding="utf-8").split()
    return {
        "source": "https://github.com/mlfoundations/open_clip, src/open_clip/zero_shot_metadata.py",
        "licence": Path(str(licence.locate())).read_text(encoding="utf-8"),
        "folders": folders,
        "names": list(metadata.IMAGENET_CLASSNAMES),
        "prompts": [template("{}") for template in metadata.OPENAI_IMAGENET_TEMPLATES],
    }


if __name__ == "__main__":
    TARGET.write_text(json.dumps(document(), indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
