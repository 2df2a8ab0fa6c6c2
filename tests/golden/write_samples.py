"""Write the sample files of tests/golden/written/ with the program as it is now; `written.json` says when that was.

    .venv/bin/python -m tests.golden.write_samples

The samples that git keeps were written by an earlier version and stay: they show that what people have on their disks
opens. Only a new kind of stored file, or a format whose number was raised, is a reason to write others, under another
name and beside these. Everything is made below `/tmp/flipside-sample`, so that no folder of a machine stands in them.
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

WRITTEN = Path(__file__).resolve().parent / "written"
ROOT = Path(__file__).resolve().parents[2]
PLACE = Path("/tmp/flipside-sample")  # noqa: S108 - a neutral name: it stands in the stored records
CACHE, ELSEWHERE = PLACE / "cache", PLACE / "elsewhere"
KINDS = "itc,itm,gen,vqa,verdict,t2t,prior"
#: Left behind by locks and logs; nothing reads them.
LEFT = ("lock", "import.lock", ".lock")


def call(*arguments: object, cache: Path = CACHE) -> Any:
    """One verb in a process of its own; its JSON document."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden.write_samples", "--verb", *map(str, arguments)],
        cwd=ROOT, env={**os.environ, "FLIPSIDE_CACHE": str(cache)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout) if "--json" in arguments else done.stdout


def bare() -> None:
    """Leave the example that ships out of this process: it is in every checkout anyway."""
    from backend import paths

    paths.BUNDLED = PLACE / "nothing"


def verb(arguments: list[str]) -> int:
    """One verb in this process, without the example that ships."""
    bare()
    from backend.cli import main

    return main(arguments)


def picture(name: str, kind: str = "PNG") -> bytes:
    """A picture of 12 x 8 pixels that depend on its name."""
    pixels = np.random.default_rng(list(name.encode())).integers(0, 255, (8, 12, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, kind)
    return out.getvalue()


def table(header: str, rows: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header.split(), *rows])
    return out.getvalue()


def tables() -> dict[str, str]:
    """A small table of each: triplets, choices, quads and a pool."""
    things, colours = ("cup", "cat", "tree", "boat", "door", "lamp"), ("red", "blue", "green", "brown", "grey", "black")
    named = list(zip(things, colours, colours[1:] + colours[:1], strict=True))
    return {
        "triplets.csv": table(
            "id image caption paraphrase negative concept",
            [[f"t{k}", f"pictures/p{k}.png", f"a {c} {t}", f"a {t} that is {c}", f"a {o} {t}", "colour"]
             for k, (t, c, o) in enumerate(named)],
        ),
        "choices.csv": table(
            "id image caption negative concept perturbation split",
            [[f"c{k}", f"pictures/p{k}.png", f"the {t} is {c}", f"the {t} is {o}", "colour|object", "replace",
              "test" if k % 2 else "train"] for k, (t, c, o) in enumerate(named)],
        ),
        "quads.csv": table(
            "id image_0 image_1 caption_0 caption_1 concept",
            [[f"q{k}", f"pictures/p{k}.png", f"pictures/j{k}.jpg", f"a {c} {t} left of a {o} one",
              f"a {o} {t} left of a {c} one", "relation"] for k, (t, c, o) in enumerate(named)],
        ),
        "pool.csv": table(
            "image caption",
            [[f"pictures/p{k}.png", said] for k, (t, c, _) in enumerate(named)
             for said in (f"one {c} {t}", f"some {t}, {c}")],
        ),
    }  # fmt: skip


def write_tables(path: Path) -> None:
    """The zip of tables and pictures that `import custom` takes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tables().items():
            archive.writestr(zipfile.ZipInfo(name), text)
        for k in range(6):
            archive.writestr(zipfile.ZipInfo(f"pictures/p{k}.png"), picture(f"p{k}"))
            archive.writestr(zipfile.ZipInfo(f"pictures/j{k}.jpg"), picture(f"j{k}", "JPEG"))


def saved_items() -> None:
    """Two items as the Try-it page saves them: one of drawn scenes, one of an uploaded picture."""
    from backend.images import open_image
    from backend.live.uploads import own_data

    scenes = ["world:3.crbpGW", "world:5.hgbdJS.crssYC"]
    images = [(open_image(scene), scene) for scene in scenes]
    own_data.save_item("tried", "quad", images, ["a red circle", "a green heart"], ["colour"])
    upload = Image.open(io.BytesIO(picture("upload")))
    own_data.save_item("tried", "choice", [(upload, "")], ["noise in colours", "a grey wall"], ["colour"])


def notes_and_more(benchmark: str, run: str) -> None:
    """What people write, what a job leaves, a map, a shared upload, and a deleted run."""
    from backend.live.jobs import jobs
    from backend.live.maps import maps
    from backend.live.uploads import trash, uploads
    from backend.store.failures import notes, selections

    notes.add_tag(benchmark, "choices/c0", "look again")
    notes.add_tag(benchmark, "choices/c0", "Farbe – größer")
    notes.add_tag(benchmark, "quads/q1", "look again")
    notes.set_note(benchmark, "choices/c0", "Two lines,\nthe second with “quotes” and 日本語.")
    notes.set_note(benchmark, "pool/2", "<b>no markup</b>")
    picked = selections.keep(benchmark, ["choices/c1", "quads/q1", "choices/c0"], "Picked by hand")
    of = {"benchmark": ["custom:sample"], "model": ["fake:ok"]}
    notes.save_view("failures", "wrong by colour", {**of, "kind": ["gen"], "concept": ["colour"], "alpha": ["0.5"]})
    notes.save_view("failures", "the picked ones", {**of, "show": ["all"], "set": [picked.key]})
    notes.save_view("failures", "über alles", {**of, "kind": ["itm"], "show": ["right"], "tag": ["look again"]})
    vectors = np.random.default_rng(0).standard_normal((3, 4), dtype=np.float32)
    maps.write_arrays(maps.map_path("0123456789abcdef0123"), places=vectors[:, :2])
    wanted = maps.Wanted(run, "fake:ok", "0" * 64, "float32", ("p0.png",), ("one", "two"))
    maps.write_arrays(wanted.path, vectors=vectors)
    uploads.save(uploads.decode(picture("shared"), "shared.png"))
    more = b"caption,paraphrase,negative\na red cup,a cup that is red,a blue cup\n"
    arguments = ["custom", "--data", "{input}/more.csv", "--as", "more", "--json"]
    job = jobs.start("import", arguments, "Import more", {"more.csv": more})
    while not jobs.find(job.job_id).is_over:
        time.sleep(0.2)
    log = job.folder / "stderr"
    log.write_text(log.read_text().replace(f"{ROOT}/", ""))  # the command that it suggests names this checkout
    trash.discard_run(
        call_run("fake:constant", "--kinds", "itc", "--limit", 3)["run"], "fake:constant on custom:sample"
    )


def call_run(model: str, *more: object, cache: Path = CACHE, benchmark: str = "custom:sample") -> Any:
    return call("run", "--model", model, "--benchmark", benchmark, *more, "--json", cache=cache)


def pack(folder: Path, out: Path, skip: tuple[str, ...] = (), keep: tuple[str, ...] = ("",)) -> None:
    """A folder as a zip, files in order. skip, keep: how the names begin that stay out, and that alone go in."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            left = path.name in LEFT or path.name.endswith(".lock") or name.startswith(skip)
            if path.is_file() and not left and name.startswith(keep):
                archive.write(path, name)


def main() -> None:
    """Everything, from nothing."""
    shutil.rmtree(PLACE, ignore_errors=True)
    for folder in (CACHE, ELSEWHERE, WRITTEN):
        folder.mkdir(parents=True, exist_ok=True)
    source = PLACE / "sample.zip"
    write_tables(source)
    for cache in (CACHE, ELSEWHERE):
        call("import", "custom", "--data", source, "--as", "sample", "--json", cache=cache)
    own = call_run("fake:ok", "--kinds", KINDS, "--prior", "noise:2", "--prior", "images:3")
    call_run("fake:constant", "--kinds", "itc,gen")
    bundle = WRITTEN / "bundle.zip"
    call_run("fake:ok", "--kinds", "itc,itm,gen,t2t,prior", "--prior", "noise:2", "--seed", 1, cache=ELSEWHERE)
    call("export", "--model", "fake:ok", "--benchmark", "custom:sample", "--what", "bundle", "--out", bundle,
         cache=ELSEWHERE)  # fmt: skip
    call("import-results", bundle)
    answers = PLACE / "answers.csv"
    answers.write_text(table("item_id correct", [[f"choices/c{k}", "true" if k % 3 else "false"] for k in range(6)]))
    call("add-predictions", answers, "--as", "other", "--benchmark", "custom:sample", "--json")
    call("perturb", "--benchmark", "custom:sample", "--kinds", "character_swap", "--subset", "choices", "--json")
    os.environ["FLIPSIDE_CACHE"] = str(CACHE)
    bare()
    saved_items()
    call_run("fake:ok", "--kinds", "itc,gen,t2t", benchmark="custom:tried")
    for name in [path.name for path in (CACHE / "own").iterdir() if "~" in path.name]:
        call_run("fake:ok", "--kinds", "itc,t2t", benchmark=name)
    from backend.benchmarks import load_benchmark

    notes_and_more(load_benchmark("custom:sample").content_hash()[:16], own["run"])
    call("sql", "SELECT count(*) FROM runs")  # the database follows what was deleted
    pack(CACHE, WRITTEN / "cache.zip", skip=("db/", "logs/"))
    newest = (CACHE / "db" / "CURRENT").read_text().strip()
    pack(CACHE / "db", WRITTEN / "database.zip", keep=("CURRENT", newest))
    commit = subprocess.run(["git", "describe", "--always", "--abbrev=40"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.strip()  # fmt: skip
    said = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit,
        "command": "python -m tests.golden.write_samples",
    }
    (WRITTEN / "written.json").write_text(json.dumps(said, indent=1) + "\n")
    shutil.rmtree(PLACE)


if __name__ == "__main__":
    sys.exit(verb(sys.argv[2:]) if sys.argv[1:2] == ["--verb"] else main())
