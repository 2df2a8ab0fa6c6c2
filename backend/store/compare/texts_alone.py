"""T2T against I2T over models, on the same triplets (VISLA, section 4.4)."""

from dataclasses import dataclass

from backend.kinds import IMAGE_KINDS
from backend.metrics import statistics
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.catalog import catalog


@dataclass(frozen=True)
class Dot:
    """One model and kind on a subset: T2T and I2T accuracy of the items that have both verdicts, and I2T − T2T with its
    interval over images."""

    model: str
    kind: str
    subset: str
    t2t: Rate
    i2t: Rate
    gain: statistics.Paired


def dots(store: Store, benchmark: str) -> list[Dot]:
    """For every model's default run on a benchmark (hash), kind of image score and subset of triplets."""

    def make() -> list[Dot]:
        models = catalog.models(store, benchmark)
        frame = store.cursor().execute(
            """SELECT a.run_id, a.kind, i.subset, i.cluster,
                a.correct AS seen, b.correct AS read
            FROM outcomes a JOIN outcomes b ON b.run_id = a.run_id AND b.item_no = a.item_no AND b.kind = 't2t'
                AND b.metric = 't2t_accuracy'
            JOIN items i ON i.benchmark = ? AND i.item_no = a.item_no
            WHERE a.metric = 'i2t_accuracy' AND list_contains(?, a.run_id) AND list_contains(?, a.kind)
                AND a.correct IS NOT NULL AND b.correct IS NOT NULL ORDER BY a.item_no""",
            [benchmark, models["run_id"].tolist(), [str(kind) for kind in IMAGE_KINDS]],
        ).df()  # fmt: skip
        names = dict(zip(models["run_id"], models["model"], strict=True))
        found = []
        for (run, kind, subset), part in frame.groupby(["run_id", "kind", "subset"], sort=False):
            seen, read = (part[name].to_numpy(dtype=bool) for name in ("seen", "read"))
            cluster = part["cluster"].to_numpy()
            t2t, i2t = (statistics.rate(right, clusters=cluster) for right in (read, seen))
            gain = statistics.paired_bootstrap(seen, read, cluster)
            found.append(Dot(str(names[run]), str(kind), str(subset), t2t, i2t, gain))
        return found

    return store.cached(("texts alone", benchmark), make)
