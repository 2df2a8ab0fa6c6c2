"""What the five jobs are, and what has to be on the screen, or on the disk, at their end."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from scripts.five_jobs.hand import Hand, UnseenError

#: The picture of one's own that job B judges, and what is said of it, true first.
CAPTION, FOIL = "a red circle left of a blue square", "a blue circle left of a red square"


@dataclass(frozen=True)
class Job:
    """One job. letter: A to E; title: in the table; task: what a user was told; answer: what has to be there."""

    letter: str
    title: str
    task: str
    answer: str


JOBS = (
    Job(
        "A", "find a failure and its reason",
        "Find an item on which clip binds a property to the wrong thing (attribute), and say why it fails.",
        "pictures, captions and the reason of an item that clip gets wrong, in the window",
    ),
    Job(
        "B", "judge a photograph of one's own",
        "Upload a picture, say what it shows, and see which models believe a false caption.",
        "the uploaded picture's scores and the verdict of a model on both captions, in the window",
    ),
    Job(
        "C", "compare two models, see what changed",
        "Does captioner do better than clip? Look at an item that changed.",
        "the sentence with the difference, then an item that one has right and the other wrong, in the window",
    ),
    Job(
        "D", "tag and export",
        "Mark an item that clip gets wrong with a tag of one's own and take what is tagged away as a file.",
        "a file on the disk with exactly that item and its tag",
    ),
    Job(
        "E", "send a finding",
        "Send a colleague how clip-relational does: a sentence with its numbers and a link that reopens it.",
        "the sentence in the window, and the same one behind its link, in another browser",
    ),
)  # fmt: skip

#: Job letter -> the steps; they raise where the answer is not there. The folder is for files.
Steps = dict[str, Callable[[Hand, Path], None]]


def photograph(folder: Path) -> Path:
    """A picture that no benchmark has, as PNG: what `CAPTION` says."""
    image = Image.new("RGB", (640, 480), "#f4f1ea")
    draw = ImageDraw.Draw(image)
    draw.ellipse((90, 150, 270, 330), fill="#d1352b")
    draw.rectangle((370, 150, 550, 330), fill="#2a5fc4")
    path = folder / "own.png"
    image.save(path)
    return path


def check_tagged(path: Path, tag: str) -> None:
    """Job D's answer: one item as JSON Lines, with the tag. `UnseenError` where the file holds anything else."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not lines:
        raise UnseenError("the exported file is empty")
    if not all(tag in json.dumps(line.get("tags", ""), ensure_ascii=False) for line in lines):
        raise UnseenError(f"an exported item lacks the tag: {lines[0].get('item_id')}")
    if len({line["item_id"] for line in lines}) != 1:
        raise UnseenError(f"{len(lines)} items were exported, not the tagged one")
