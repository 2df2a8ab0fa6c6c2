"""Do the reasons hold? Plant causes, ask the project's own functions, compare: `python -m scripts.planted_reasons`.

Each world of `scripts/planted_worlds.py` under each seed is one line of `--log`; what is in there is not drawn again
unless the functions have changed, so the command can be stopped and started. At the end
docs/reasons/planted.json.gz and the tables of docs/reasons.md are written. Exit 1 where a criterion is not met.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from backend.metrics import by_item
from backend.metrics.core.arrays import BoolArray, FloatArray
from backend.metrics.reasons.blind_audit import audit
from backend.metrics.reasons.contrast import contrast
from backend.metrics.reasons.counterfactual import CHOICE_CELLS, evidence
from backend.metrics.reasons.items import Reasons, of_choices, of_quads
from backend.metrics.reasons.language_prior import language_prior
from backend.metrics.reasons.mirror import REVERSED, SEEN, at_least
from backend.metrics.reasons.names import NOTHING_SEEN
from backend.metrics.reasons.quads import QUAD_CELLS, decompose
from backend.metrics.reasons.sensitivity import d_prime
from backend.metrics.statistics import UNDEFINED, rate
from backend.protocols import Protocol
from backend.store.reasons import encoder
from scripts import kept_study, planted_worlds
from scripts.planted_worlds import ChoiceWorld, QuadWorld

ROOT = Path(__file__).resolve().parent.parent
PAGE, KEPT = ROOT / "docs" / "reasons.md", ROOT / "docs" / "reasons" / "planted.json.gz"
SEEDS = 100
#: What the main worlds have to reach, mean over seeds: precision and recall of each reason, uncertain being missed.
PRECISION, RECALL = 0.9, 0.8
#: The mean share of luck among the items called seen; and of items, wrongly seen, in a world without causes.
FALSE_SEEN, WITHOUT_CAUSES = 0.05, 0.01

WORLDS: dict[str, QuadWorld | ChoiceWorld] = {
    "quads, 3 × noise": QuadWorld(),
    "quads, 2 × noise": QuadWorld(effect=2),
    "quads, a tenth each bound": QuadWorld((80, 80, 80, 80, 480)),
    "quads, 20 % bound": QuadWorld((40, 40, 40, 40, 640)),
    "quads, a tenth of each bound reason": QuadWorld((10, 10, 10, 10, 400)),
    "quads, right alone": QuadWorld((100, 0, 0, 0, 400)),
    "quads, no causes": QuadWorld((0, 0, 0, 0, 800)),
    "quads, t₃ noise": QuadWorld(noise="t3"),
    "quads, unequal noise": QuadWorld(noise="unequal"),
    "quads, read in reverse": QuadWorld((0, 0, 0, 0, 400), reversed_pairs=400),
    "quads, bound and in reverse": QuadWorld(reversed_pairs=200),
    "choices, 3 × noise": ChoiceWorld(),
    "choices, 2 × noise": ChoiceWorld(effect=2),
    "choices, a tenth each bound": ChoiceWorld((60, 240, 60, 240)),
    "choices, 20 % bound, mostly right": ChoiceWorld((100, 350, 20, 130)),
    "choices, no causes": ChoiceWorld((0, 300, 0, 300)),
    "choices, four foils": ChoiceWorld(foils=4),
    "choices, four foils, no causes": ChoiceWorld((0, 300, 0, 300), foils=4),
    "choices, t₃ noise": ChoiceWorld(noise="t3"),
    "choices, unequal noise": ChoiceWorld(noise="unequal"),
    "choices, 10 % of the other images fit": ChoiceWorld(fits=0.1, may_fit=True),
    "choices, 10 % fit, taken as none": ChoiceWorld(fits=0.1),
    "choices, 60 % of the other images fit": ChoiceWorld(fits=0.6, may_fit=True),
    "choices, 60 % fit, taken as none": ChoiceWorld(fits=0.6),
    "choices, own image twice as variable": ChoiceWorld(own_noise=2),
    "choices, own image twice as variable, no causes": ChoiceWorld((0, 300, 0, 300), own_noise=2),
}
#: Worlds whose numbers are asserted: every reason, the share of luck among seen, no wrong seen.
MAIN = ("quads, 3 × noise", "choices, 3 × noise")
SECOND = ("quads, 2 × noise", "choices, 2 × noise")
CAUSELESS = ("quads, no causes", "choices, no causes", "choices, four foils, no causes")


def told(world: QuadWorld | ChoiceWorld, seed: int) -> tuple[list[str], Reasons, float, float]:
    """What was planted, what is said, the planted share of bound items less reversed ones, and the share found."""
    if isinstance(world, QuadWorld):
        scores, planted = world.draw(seed)
        quads = decompose(scores)
        said, share = of_quads(quads), at_least(quads.gamma)
    else:
        own, others, planted = world.draw(seed)
        found = evidence(own, others, seed=seed)
        said, share = of_choices(found, np.full(len(found), world.may_fit)), at_least(found.z)
    bound = np.mean([-1 if word == "reversed" else word not in NOTHING_SEEN for word in planted])
    return planted, said, float(bound), share.value or 0.0


def judged(world: QuadWorld | ChoiceWorld, seed: int) -> dict[str, Any]:
    """One world under one seed: precision and recall by word, and how many of those seen are luck."""
    planted, said, bound, found = told(world, seed)
    truth, reason, seen = np.array(planted), np.array(said.reason), np.isin(said.state, (SEEN, REVERSED))
    luck = seen & np.isin(truth, NOTHING_SEEN)
    answer: dict[str, Any] = {"bound": bound, "at least": found}
    for word in (*QUAD_CELLS, "reversed") if isinstance(world, QuadWorld) else CHOICE_CELLS:
        told_so, is_so = reason == word, truth == word
        if is_so.any():
            answer[f"precision {word}"] = float(is_so[told_so].mean()) if told_so.any() else None
            answer[f"recall {word}"] = float(told_so[is_so].mean())
    right = np.isin(said.cell, ("right", "grounded", "by_bias"))
    for name, part in (("", np.ones(len(seen), bool)), (" right", right), (" wrong", ~right)):
        answer[f"false seen{name}"] = float(luck[part].sum() / max(1, seen[part].sum()))
    answer["wrongly seen"] = float(luck.mean())
    answer["uncertain"] = float(np.mean(reason == "uncertain"))
    return answer


def _text_encoder(weight: float, seed: int) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for name, encoded in (("encoded", True), ("not encoded", False)):
        cosines, vectors, concepts = planted_worlds.lexical(seed, weight, encoded)
        image = np.tile(np.arange(len(cosines)), 2)
        others = np.where(concepts == "left", "right", "left")
        right, judged = contrast(vectors, concepts, others, image)
        t2t, read = by_item.triplet_t2t(cosines).rate(), rate(right, judged, clusters=image)
        answer[f"t2t, {name}"], answer[f"read-out, {name}"] = t2t.value, read.value
        said = encoder.Encoder("", "", t2t, UNDEFINED, read, UNDEFINED).says
        answer[f"said rightly, {name}"] = float((said != encoder.NOT_ENCODED) == encoded)
    return answer


def _language(prior: float, protocol: Protocol, seed: int) -> dict[str, Any]:
    gen, samples, planted = planted_worlds.spoken(seed, prior, protocol=protocol)
    found = language_prior(gen, samples, np.full(samples.shape[1:], 10), seed=seed, protocol=protocol)
    at_0, at_1 = (_spoken_verdicts(gen - alpha * _over_images(samples.mean(axis=0), gen), protocol) for alpha in (0, 1))
    answer: dict[str, Any] = {"won": found.won_back.only_b, "lost": found.won_back.only_a}
    answer["won, priors exchanged"] = found.exchanged[0] if found.exchanged else None
    old = ~at_0 & at_1  # the label of earlier versions: wrong at α = 0, right at α = 1
    for name, label in (("", found.label), (", without mirror", found.candidates), (", old label", old)):
        answer[f"precision{name}"] = float(planted[label].mean()) if label.any() else None
        answer[f"recall{name}"] = float(label[planted].mean()) if planted.any() else None
        answer[f"of failures{name}"] = float(label[~at_0].mean())
    return answer


def _over_images(texts: FloatArray, gen: FloatArray) -> FloatArray:
    return texts[:, None, :] if gen.ndim == 3 else texts


def _spoken_verdicts(scores: FloatArray, protocol: Protocol) -> BoolArray:
    if protocol == Protocol.QUAD:
        return by_item.quad(scores)["text_score"].correct
    return (by_item.triplet_i2t if protocol == Protocol.TRIPLET else by_item.choice)(scores).correct


def _blind(share: float, foils: int, seed: int) -> dict[str, Any]:
    tables, planted = planted_worlds.blind(seed, share, foils=foils)
    found = audit(tables)
    hit = planted[found.solvable]
    answer = {"labelled": float(found.solvable.mean()), "precision": float(hit.mean()) if len(hit) else None}
    answer["recall"] = float(found.solvable[planted].mean()) if planted.any() else None
    return {**answer, "share": found.share, "accuracy": float(found.accuracy[0])}


def _edits(count: int, sensitivity: float, seed: int) -> dict[str, Any]:
    found = d_prime(*planted_worlds.edits(seed, count, sensitivity))
    low, high = found.ci95 or (np.nan, np.nan)
    return {"d'": found.d_prime, "interval holds it": float(low <= sensitivity <= high)}


#: Title -> rows of it -> what a seed answers.
TABLES: dict[str, dict[str, Callable[[int], dict[str, Any]]]] = {
    "Reasons": {name: partial(judged, world) for name, world in WORLDS.items()},
    "Text encoder": {f"lexical weight {w:g}": partial(_text_encoder, w) for w in (0, 0.3, 0.5, 0.7, 0.9)},
    "Language prior": {
        f"{of}, prior of {p:g} nats": partial(_language, p, protocol)
        for of, protocol in (("choices", Protocol.CHOICE), ("triplets", Protocol.TRIPLET), ("quads", Protocol.QUAD))
        for p in (0.0, 1.0, 2.0, 4.0)
    },
    "Blind audit": {
        f"{100 * s:.0f} % solvable, {f} foil{'s' * (f > 1)}": partial(_blind, s, f)
        for s in (0.0, 0.3, 1.0)
        for f in (1, 4)
    },
    "Sensitivity to edits": {
        f"{e} edits, d′ of {d:g}": partial(_edits, e, d) for d in (0.0, 1.0) for e in (1, 3, 9, 27)
    },
}  # fmt: skip


def summary(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Mean and standard error over seeds of every number; a number that a seed does not have is left out."""
    answers = list(answers)
    keys = dict.fromkeys(key for answer in answers for key in answer)
    found = {}
    for key in keys:
        values = np.array([answer[key] for answer in answers if answer.get(key) is not None], dtype=np.float64)
        error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
        found[key] = {"mean": float(values.mean()) if len(values) else None, "error": error, "n": len(values)}
        if key.startswith("recall") and len(
            values
        ):  # means hide a reason that is found in one sample and in another not at all
            found[key] |= {"least": float(values.min()), "none": int((values == 0).sum())}
    return found


def missed(results: dict[str, dict[str, Any]]) -> list[str]:
    """The criteria that `results`, world -> `summary`, do not meet, a sentence each."""
    found = []
    for name in MAIN:
        for key, value in results[name].items():
            least = PRECISION if key.startswith("precision") else RECALL if key.startswith("recall") else None
            if least is not None and (value["mean"] is None or value["mean"] < least):
                found.append(f"{name}: {key} is {value['mean']}, at least {least} was asked")
    for name in (*MAIN, *SECOND):
        value = results[name]["false seen"]
        if value["mean"] > FALSE_SEEN + 2 * value["error"]:
            found.append(f"{name}: {value['mean']:.4f} ± {value['error']:.4f} of those seen are luck, not {FALSE_SEEN}")
    wrongly = {name: results[name]["wrongly seen"]["mean"] for name in CAUSELESS}
    too_many = {name: share for name, share in wrongly.items() if share > WITHOUT_CAUSES}
    asked = f"at most {WITHOUT_CAUSES} was asked"
    return found + [f"{name}: {share} of the items are wrongly seen, {asked}" for name, share in too_many.items()]


def _code() -> str:
    """What the answers rest on: the functions and the worlds."""
    files = [*sorted((ROOT / "backend" / "metrics" / "reasons").glob("*.py")), Path(__file__)]
    files.append(Path(planted_worlds.__file__))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def _cell(value: dict[str, Any] | None, key: str) -> str:
    if value is None or value["mean"] is None:
        return "–"
    if key in ("won", "lost", "won, priors exchanged"):
        return f"{value['mean']:.1f}"
    digits = 3 if "seen" in key else 2
    return f"{value['mean']:.{digits}f}" + (f" ± {value['error']:.3f}" if key == "false seen" else "")


def markdown(kept: dict[str, Any]) -> str:
    """The tables of docs/reasons.md."""
    first, last = kept["seeds"]
    lines = [
        f"Seeds {first} to {last}, {kept['date']}, mean over seeds; precision / recall of each reason, “uncertain”"
    ]
    lines.append("counted as missed. “–”: never said, or not planted.")
    for title, rows in kept["tables"].items():
        if title == "Reasons":
            for protocol, words in (("quads", (*QUAD_CELLS, "reversed")), ("choices", CHOICE_CELLS)):
                keys = (
                    "false seen",
                    "false seen right",
                    "false seen wrong",
                    "wrongly seen",
                    "uncertain",
                    "bound",
                    "at least",
                )
                heads = [protocol, *(f"`{word}`" for word in words), "luck among seen", "where right", "where wrong",
                         "items wrongly seen", "uncertain", "bound", "found, beyond luck"]  # fmt: skip
                lines += ["", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
                for name, row in rows.items():
                    if name.startswith(protocol):
                        pairs = [
                            f"{_cell(row.get(f'precision {w}'), '')} / {_cell(row.get(f'recall {w}'), '')}"
                            for w in words
                        ]
                        pairs = [pair.replace("– / –", "–") for pair in pairs]
                        rest = [_cell(row.get(key), key) for key in keys]
                        lines.append("| " + " | ".join([name.partition(", ")[2], *pairs, *rest]) + " |")
            lines += ["", *by_seed(rows)]
            continue
        columns = list(next(iter(rows.values())))
        lines += ["", "| " + " | ".join([title, *columns]) + " |", "|---" * (1 + len(columns)) + "|"]
        lines += [
            "| " + " | ".join([name, *(_cell(row.get(key), key) for key in columns)]) + " |"
            for name, row in rows.items()
        ]
    verdict = "All criteria are met." if not kept["missed"] else "Not met: " + "; ".join(kept["missed"]) + "."
    return "\n".join([*lines, "", verdict])


def by_seed(rows: dict[str, dict[str, Any]]) -> list[str]:
    """The recall of the worst seed, and the seeds in which a planted reason is not found at all."""
    lines = ["| recall, by seed | least over seeds | seeds in which none is found |", "|---|---|---|"]
    for name, row in rows.items():
        recalls = {key.removeprefix("recall "): value for key, value in row.items() if "least" in value}
        least = ", ".join(f"`{word}` {value['least']:.2f}" for word, value in recalls.items())
        none = ", ".join(f"`{word}` {value['none']}" for word, value in recalls.items() if value["none"])
        lines.append(f"| {name} | {least} | {none or '–'} |")
    return lines


def put(page: Path, name: str, text: str) -> None:
    """Replace what stands in a page between `<!-- name -->` and `<!-- /name -->`. SystemExit without such lines."""
    old = page.read_text(encoding="utf-8")
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", flags=re.S)
    if not pattern.search(old):
        sys.exit(f"{page.name} has no place for the table: write the lines <!-- {name} --> and <!-- /{name} -->")
    page.write_text(pattern.sub(lambda found: f"{found[1]}{text}\n{found[2]}", old), encoding="utf-8")


def main() -> None:
    """Answer what is not in the log, write the tables; exit 1 where a criterion is missed."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--seeds", type=int, default=SEEDS, help="how many, from 0 on")
    asked.add_argument(
        "--log", type=Path, default=ROOT / ".out" / "planted_reasons.jsonl", help="where answers are kept"
    )
    given = asked.parse_args()
    code = _code()
    given.log.parent.mkdir(parents=True, exist_ok=True)
    lines = given.log.read_text(encoding="utf-8").splitlines() if given.log.is_file() else []
    known = {
        (line["table"], line["row"], line["seed"]): line["answer"]
        for line in map(json.loads, lines)
        if line["code"] == code
    }
    tables: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
    with given.log.open("a", encoding="utf-8") as log:
        for table, rows in TABLES.items():
            for row, answer in rows.items():
                for seed in range(given.seeds):
                    if (table, row, seed) not in known:
                        known[table, row, seed] = answer(seed)
                        line = {
                            "code": code,
                            "table": table,
                            "row": row,
                            "seed": seed,
                            "answer": known[table, row, seed],
                        }
                        log.write(json.dumps(line) + "\n")
                tables[table][row] = summary(known[table, row, seed] for seed in range(given.seeds))
                print(f"{table}: {row}", file=sys.stderr, flush=True)
    failed = missed(tables["Reasons"])
    kept = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "seeds": [0, given.seeds - 1], "missed": failed, "tables": tables}
    rounded = json.loads(json.dumps(kept), parse_float=lambda text: round(float(text), 5))
    kept_study.write(KEPT, rounded)
    put(PAGE, "planted", markdown(rounded))
    print(markdown(rounded))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
