"""Write a site: everything aside first, checked, then put in place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from backend import __version__
from backend.benchmarks import known
from backend.benchmarks.publishing import Allowed, allowed
from backend.items import Kind
from backend.metrics.core import registry
from backend.metrics.reasons.names import CELLS, MEANINGS, NAMES, meaning_of_group, of_group, reasons_of, with_cell
from backend.paths import typed_path
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.exchange import listed
from backend.store.reasons.of_items import sentences
from pages.shared.data import findings
from pages.shared.drawing import colours
from pages.shared.drawing.cells import CHANGES, COLOURS
from pages.shared.frame.tips import kind_name, margin_unit
from pages.static_site import alpha, bundle, charts, guard, pairs, pictures, placing, sources, tables
from pages.static_site.packing import deflated, packed, script
from pages.static_site.selection import Edition, Wanted, editions
from pages.static_site.tables import Side


@dataclass(frozen=True)
class Options:
    """out: the folder to write; pictures: whether small pictures go along where they may; own_data: whether captions
    and pictures of the user's own data do; title: what the site is called; names: spec -> what
    models are called in it, where a study says so."""

    out: Path
    pictures: bool = False
    own_data: bool = False
    title: str = ""
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Written:
    """What was written. size: bytes without pictures; left_out: what is not in it, and why."""

    out: Path
    benchmarks: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0
    n_pictures: int = 0
    pictures_size: int = 0
    left_out: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "out": str(self.out), "benchmarks": self.benchmarks, "bytes": self.size, "n_pictures": self.n_pictures,
            "pictures_bytes": self.pictures_size, "left_out": self.left_out,
        }  # fmt: skip


def build(store: Store, wanted: Wanted, options: Options, told: Callable[[str], None] = lambda _line: None) -> Written:
    """Write the site of some runs. UsageError where nothing fits or the folder holds something else, FlipsideError
    where a file would name a folder of this computer or cannot be written; then nothing is."""
    out = typed_path(options.out).absolute()
    aside = placing.begin(out)
    try:
        return _built(store, wanted, options, out, aside, told)
    finally:
        placing.clear(aside)


def _built(
    store: Store, wanted: Wanted, options: Options, out: Path, aside: Path, told: Callable[[str], None]
) -> Written:
    chosen = editions(store, wanted)
    specs = list(dict.fromkeys(model for edition in chosen for model in edition.runs["model"]))
    colours.styles(specs)
    colours.call_also(options.names)
    shown = colours.labels(specs)
    blind = _blind(chosen)
    names = guard.public([*specs, *blind], shown | colours.labels(blind))
    shown = {spec: names[spec].removeprefix("local:") if names[spec] != spec else shown[spec] for spec in specs}
    done = Written(out)
    files = _page()
    index = []
    for number, edition in enumerate(chosen):
        told(f"{edition.name}: {len(edition.runs)} model{'' if len(edition.runs) == 1 else 's'}")
        key = f"b{number}"
        index.append(_benchmark(store, edition, key, options, names, shown, files, aside, done, told))
    files["data/site.js"] = script("site", guard.renamed(_site(options, index), names))
    private = [spec.partition("#")[0].split(":", 1)[-1] for spec in names if names[spec] != spec]
    private += [catalog_folder for edition in chosen for catalog_folder in _folders(store, edition)]
    guard.check(files, private)
    drawn = [path.relative_to(aside).as_posix() for path in aside.rglob("*") if path.is_file()]
    files[placing.LIST] = placing.listed([*files, *drawn])
    try:
        for name, data in files.items():
            path = aside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise placing.unwritable(out, error) from None
    done.size = sum(len(data) for data in files.values())
    placing.put(aside, out)
    return done


def _blind(chosen: Sequence[Edition]) -> list[str]:
    """The specs of the language models that priors are from, which need no runs of their own here."""
    sources = [source for edition in chosen for priors in edition.runs["priors"] for source in priors]
    return list(dict.fromkeys(source.removeprefix("lm:") for source in sources if source.startswith("lm:")))


def _benchmark(
    store: Store, edition: Edition, key: str, options: Options, names: dict[str, str], shown: dict[str, str],
    files: dict[str, bytes], aside: Path, done: Written, told: Callable[[str], None],
) -> dict[str, Any]:  # fmt: skip
    """One benchmark's scripts into `files`, its pictures into the folder aside; what the index says of it."""
    may = allowed(edition.name, listed.about(store, edition.hash), options.own_data)
    own = tables.sides(store, edition, may, shown)
    frame = tables.judged(store, own, listed.items(store, edition.hash))
    drawn = _pictures(frame, may, options, aside, done, told)
    place = pd.Series(range(len(frame)), index=frame["item_no"].to_numpy())
    of_sides = {side.key: tables.verdicts(store, side, frame) for side in own}
    own = [side for side in own if of_sides[side.key]["metrics"]]
    there = {side.model for side in own}
    for model, kinds in zip(edition.runs["model"], edition.runs["kinds"], strict=True):
        if model in there or not set(kinds) - {Kind.PRIOR}:
            continue  # a language model gives priors alone, from which nothing is judged
        done.left_out.append(f"{edition.name}: {shown[model]} has no verdict, so it is not in the site.")
    metrics = tables.metrics(list(dict.fromkeys(name for side in own for name in of_sides[side.key]["metrics"])))
    told(f"{edition.name}: rates and intervals")
    heat = charts.rates(store, edition)
    together, apart = pairs.compared(store, own, edition.name)
    value = {
        "items": tables.items(frame, may, drawn),
        "sides": [tables.described(side, names, tables.several(side, own)) for side in own],
        "metrics": metrics,
        "words": list(tables.WORDS),
        "verdicts": [of_sides[side.key] for side in own],
        "alpha": {side.key: alpha.curves(store, side, place, edition.name) for side in own},
        "overview": charts.overview(store, edition, heat),
        "pairs": together,
        "apart": apart,
        "clustered": charts.clustered(store, own, {metric["name"]: metric["protocol"] for metric in metrics}),
        "means": charts.means(store, own, list(edition.subsets)),
    }
    files[f"data/{key}.js"] = script(key, guard.renamed(value, names))
    if may.texts:
        files[f"data/{key}-texts.js"] = script(f"{key}-texts", tables.texts(frame))
    told(f"{edition.name}: sentences of {len(frame):,} items")
    for at, side in enumerate(own):
        said = guard.renamed(_sentences(store, edition, side, frame, may, shown), names)
        files[f"data/{key}-why-{at}.js"] = script(f"{key}-why-{at}", said)
    declared = known(edition.name.partition("~")[0])
    withheld = [*tables.withheld(own, may), *tables.not_scored(store, own)]
    for why in withheld:
        done.left_out.append(f"{edition.name}: {why}")
    models = [names[model] for model in edition.runs["model"] if model in there]
    done.benchmarks.append({"benchmark": edition.name, "hash": edition.hash, "n_items": len(frame), "models": models})
    return {
        "key": key,
        "name": edition.name,
        "hash": edition.hash,
        "title": declared.title if declared is not None else edition.name,
        "source": declared.source if declared is not None else "",
        "licence": declared.licence if declared is not None else "",
        "n": len(frame),
        "subsets": {name: int(n) for name, n in frame["subset"].value_counts(sort=False).items()},
        "models": len(there),
        "withheld": withheld,
        "fetched": sources.credit(store, edition, shown, there),
        "hasPictures": bool(drawn),
    }


def _sentences(
    store: Store, edition: Edition, side: Side, frame: pd.DataFrame, may: Allowed, shown: dict[str, str]
) -> dict[str, Any]:
    """Item by item (by place) what is said of it, and a finding; without numbers where scores may not be handed on."""
    texts = {
        int(no): tuple(own) if may.texts else ("",) * len(own)
        for no, own in zip(frame["item_no"], frame["texts"], strict=True)
    }
    why = sentences(store, side.run_id, side.kind, side.name, texts, charts.titles(edition)) if side.scores else {}
    verdicts = listed.verdicts(store, side.run_id, side.kind)
    order = {name: k for k, name in enumerate(name for of in Protocol for name in registry.judging(of))}
    verdicts = verdicts[verdicts["metric"].isin(order)].sort_values("metric", key=lambda column: column.map(order))
    verdicts = verdicts.drop_duplicates("item_no").set_index("item_no")
    at, said, rest, found = [], [], [], []
    for place, (no, item_id) in enumerate(zip(frame["item_no"], frame["item_id"], strict=True)):
        if no not in verdicts.index:
            continue
        row = verdicts.loc[no]
        at.append(place)
        claim, more = why.get(int(no), ("", ""))
        said.append(claim)
        rest.append(more)
        correct = None if pd.isna(row["correct"]) else bool(row["correct"])
        margin = float(row["margin"]) if side.has_margins and pd.notna(row["margin"]) else None
        words = (str(row["cell"]), str(row["reason"]))
        found.append(
            findings.item(str(item_id), shown[side.model], str(row["metric"]), correct, margin,
                          margin_unit(side.kind, side.model), words, claim,
                          (kind_name(side.kind), side.rule, edition.name))
        )  # fmt: skip
    return {"at": packed(at, "<i4"), "said": deflated(said), "rest": deflated(rest), "findings": deflated(found)}


def _pictures(
    frame: pd.DataFrame, may: Allowed, options: Options, aside: Path, done: Written, told: Callable[[str], None]
) -> dict[str, str]:
    if not (options.pictures and may.pictures):
        return {}
    folder = aside / "pictures"
    uris = [uri for row in frame["image_uris"] for uri in row]
    try:
        found = pictures.write(uris, folder, lambda n, of: told(f"pictures: {n:,} of {of:,}"))
    except OSError as error:
        raise placing.unwritable(options.out, error) from None
    lacking = len({uri for uri in uris if uri}) - len(found)
    if lacking:
        done.left_out.append(f"{lacking:,} pictures could not be read.")
    done.n_pictures = len(list(folder.iterdir()))
    done.pictures_size = sum(path.stat().st_size for path in folder.iterdir())
    return found


def _site(options: Options, index: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "title": options.title,
        "version": __version__,
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "benchmarks": list(index),
        "names": NAMES,
        "reasons": {word: of_group(word) for word in NAMES},
        "meanings": MEANINGS,
        "reasonMeanings": {word: meaning_of_group(word) for word in NAMES},
        "colours": COLOURS,
        "changes": CHANGES,
        "said": {
            cell: {reason: with_cell(cell, reason) for reason in reasons_of(protocol)}
            for protocol, words in CELLS.items()
            for cell in words
        },
        "cells": {str(protocol): list(words) for protocol, words in CELLS.items()},
        "protocols": {str(protocol): protocol.info.title for protocol in CELLS},
    }


def _page() -> dict[str, bytes]:
    """The page itself, its script, its style, its typefaces and its mark."""
    html = (bundle.ASSETS / "index.html").read_text(encoding="utf-8")
    mark = (bundle.PAGES / "shared/frame/mark.svg").read_bytes()
    return {
        "index.html": html.encode(),
        "flipside.js": bundle.script().encode(),
        "flipside.css": bundle.stylesheet().encode(),
        "mark.svg": mark,
        **bundle.fonts(),
    }


def _folders(store: Store, edition: Edition) -> list[str]:
    """Folders of this computer that an edition comes from."""
    from backend.store.catalog import catalog

    line = catalog.benchmarks(store).set_index("hash").loc[edition.hash]
    return [str(line["data_dir"])] if line["data_dir"] else []
