"""One process's share of a run: windows of work, commits when due, and what is told about them."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.engine import planned
from backend.engine.batching import Measured, Sample
from backend.engine.cache import Memory
from backend.engine.inputs.decoder import Decoder
from backend.engine.inputs.image_bytes import Seen
from backend.engine.inputs.prior import TextScorer
from backend.engine.inputs.processes import asked_for
from backend.engine.interrupt import batch_by_batch, uninterrupted
from backend.engine.plan import Plan, Stage
from backend.engine.planned import Numbers
from backend.engine.reporting.summary import LeftOut, Progress, RunSummary
from backend.engine.reuse import Reuse
from backend.engine.score import Scorer, Window
from backend.engine.storage.ledger import Ledger
from backend.engine.storage.record import timestamp
from backend.intake.survey import WorkItem
from backend.items import Kind
from backend.models.base import Model

#: How many ids of left-out items a summary names.
NAMED = 20
ERRORS = "errors.log"
UNREADABLE = "image cannot be read"
Report = Callable[[Progress], None]


class Session:
    """The windows of one process: what is pending for each stage goes through the scorer into the ledger."""

    def __init__(
        self,
        plan: Plan,
        ledger: Ledger,
        summary: RunSummary,
        pending: Mapping[str, npt.NDArray[np.int32]],
        begun: float,
        progress: Report | None,
        reuse: Reuse | None = None,
        seen: Seen | None = None,
        memory: Memory | None = None,
        is_planned: bool = False,
    ) -> None:
        """reuse: where known scores are taken from, if at all. seen: where the digests of images are written down.
        memory: what the model has encoded for other benchmarks. is_planned: windows are those of planned.py, each
        scored as if it were the only one; then `memory` is left alone."""
        self.is_planned = is_planned
        self.reuse, self.seen, self.memory = reuse, seen, memory
        self.plan, self.ledger, self.summary = plan, ledger, summary
        self.begun, self.progress = begun, progress
        self.pending = dict(pending)
        self.is_pending = {name: _mask(items, len(plan.survey)) for name, items in pending.items()}
        self.failed: dict[str, str] = {}
        self.unreadable: dict[str, dict[int, tuple[str, str]]] = {}
        self.cells = ledger.pace.first_cells
        self.costs = planned.costs(plan)
        self.sample = Sample(plan)
        self.batching: Measured = {}
        self.details: Mapping[str, Mapping[str, Any]] = {}
        self.outcome: dict[str, Any] = {}
        self.tell: Callable[[str], object] | None = None
        self.done = 0
        self.taken_rows: dict[str, int] = {}
        self.rest = np.zeros(0, np.int32)  # items after the window in hand
        self._read: dict[int, WorkItem] = {}  # those of them that have been read already
        self.total = sum(plan.n_cells(stage, pending[stage.name]) for stage in plan.stages)

    def work(self, model: Model, priors: Mapping[str, TextScorer], workers: int) -> None:
        """All windows; whoever stops it gets the finished ones committed."""
        self.ledger.commit()
        with closing(self._decoder(model, workers)) as decoder, batch_by_batch() as asked_to_stop:
            alone = self.is_planned  # of what other windows have found nothing may be used
            scorer = Scorer(model, self.plan, decoder, priors, None if alone else self.memory, keeps=not alone)
            try:
                self._reuse()
                for items in self._planned() if self.is_planned else self._windows():
                    if asked_to_stop():
                        self.summary.interrupted = True
                        break
                    if self.is_planned:
                        scorer.forget()
                    self._one(scorer, items)
            except KeyboardInterrupt:
                self.summary.interrupted = True
            finally:
                model.keep_features(keep=False)  # the model may live on, however this ended
            with suppress(KeyboardInterrupt), uninterrupted():
                self._finish()
            if not self.summary.interrupted:
                with suppress(KeyboardInterrupt):  # everything is committed: only the measurement is lost
                    self.batching = self.sample.measure(model, priors)
            self.summary.asked = {"images_decoded": decoder.decoded, **scorer.asked}
        self.summary.seconds = time.monotonic() - self.begun

    def _decoder(self, model: Model, workers: int) -> Decoder:
        n = asked_for()
        kept = None if self.memory is None else self.memory.pictures
        return Decoder(workers, n, model.preparer() if n else None, kept, model.text_preparer() if n else None)

    def _reuse(self) -> None:
        """Take what stored runs know of the pending items; what is left is pending."""
        for stage in self.plan.stages if self.reuse is not None else ():
            for taken in self.reuse.take(stage, self.pending[stage.name]) if self.reuse is not None else ():
                n = self.plan.n_cells(stage, np.array(taken.items, np.int32))
                with uninterrupted():
                    if self.seen is not None:
                        self.seen.note(taken.images)
                    self.ledger.add(stage, taken.rows)
                    self.ledger.commit_if_due()
                    self.pending[stage.name] = np.setdiff1d(self.pending[stage.name], np.array(taken.items, np.int32))
                    self.is_pending[stage.name][taken.items] = False
                    parts = self.summary.taken.setdefault(taken.run_id, {}) if n else {}
                    parts[stage.name] = parts.get(stage.name, 0) + n
                    for part in stage.parts:
                        self.taken_rows[part] = self.taken_rows.get(part, 0) + len(taken.rows.get(part, []))
                    self.total -= n

        self._leave_vectors()

    def _leave_vectors(self) -> None:
        """Vectors are kept of what the model reads anyway: where every cosine is known, none is computed for them."""
        for stage in [stage for stage in self.plan.stages if stage.kept is not None]:
            rest = [other for other in self.plan.stages if other is not stage]
            read = any(len(self.pending[s.name]) for s in rest if s.kind == Kind.ITC and not s.paired)
            if len(self.pending[stage.name]) and not read:
                self.pending[stage.name] = stage.items[:0]
                self.is_pending[stage.name][:] = False
                self.ledger.forget(stage)
                self.plan = replace(self.plan, stages=tuple(rest))

    def _live(self) -> list[Stage]:
        return [stage for stage in self.plan.stages if stage.name not in self.failed]

    def _windows(self) -> Iterator[list[WorkItem]]:
        """Items in work order, as many at a time as `cells` allows at that moment."""
        anyone = np.any([*self.is_pending.values()], axis=0)
        order = self.plan.survey.work_order()
        order = order[anyone[order]]
        items: list[WorkItem] = []
        cost = 0
        for place, number in enumerate(order.tolist(), 1):
            items.append(self._item(number))
            cost += int(self.costs[number])
            if cost >= self.cells:
                self.rest = order[place:]
                yield items
                items, cost = [], 0
        self.rest = order[:0]
        if items:
            yield items

    def _after(self) -> Iterator[tuple[WorkItem, list[Stage]]]:
        """The items after the window in hand, each with the stages that it is pending for."""
        live = self._live()
        for number in self.rest:
            no = int(number)
            if no not in self._read:
                self._read[no] = self._item(no)
            yield self._read[no], [stage for stage in live if self.is_pending[stage.name][no]]

    def _planned(self) -> Iterator[list[WorkItem]]:
        """The windows of the plan, of each what is pending."""
        anyone = np.any([*self.is_pending.values()], axis=0)
        pending = [found for window in planned.windows(self.plan) if len(found := window[anyone[window]])]
        order, done = np.concatenate([*pending, np.zeros(0, np.int32)]), 0
        for window in pending:
            done += len(window)
            self.rest = order[done:]
            yield [self._item(number) for number in window.tolist()]

    def _item(self, number: int) -> WorkItem:
        """Read from the survey, unless it has been for what comes after a window."""
        known = self._read.pop(number, None)
        return self.plan.survey.items[number] if known is None else known

    def _one(self, scorer: Scorer, items: Sequence[WorkItem]) -> None:
        """One window; the next one is larger or smaller by the time that this one took."""
        begun = time.monotonic()
        work = [
            (stage, [item for item in items if self.is_pending[stage.name][item.item_no]]) for stage in self._live()
        ]
        window = scorer.score([(stage, mine) for stage, mine in work if mine], self._after, len(items))
        self.sample.note(work, window)
        self.keep([(stage, np.array([item.item_no for item in mine], np.int32)) for stage, mine in work], window)
        pace, took = self.ledger.pace, time.monotonic() - begun
        self.summary.scoring += took
        if took < pace.window_seconds / 2:
            self.cells = min(2 * self.cells, pace.cells)
        elif took > 2 * pace.window_seconds:
            self.cells = max(1, self.cells // 2)

    def keep(self, work: Sequence[tuple[Stage, Numbers]], window: Window) -> None:
        """What came of a window goes into the ledger, wholly or not at all, and is told."""
        with uninterrupted():
            if self.seen is not None:
                self.seen.note(window.images)
            self._take(work, window)
            self.ledger.commit_if_due()
        if self.progress is not None:
            self.progress(Progress(self.done, self.total, time.monotonic() - self.begun))

    def _take(self, work: Sequence[tuple[Stage, Numbers]], window: Window) -> None:
        self._note_failures(window)
        for stage, mine in work:
            if stage.name in self.failed:
                self.ledger.drop(stage)
            elif len(mine):
                self.ledger.add(stage, window.rows)
                self.done += self.plan.n_cells(stage, mine)

    def _note_failures(self, window: Window) -> None:
        self.failed |= window.failed
        for name, items in window.unreadable.items():
            self.unreadable.setdefault(name, {}).update(items)
        for text in window.tracebacks:
            with (self.summary.run_dir / ERRORS).open("a", encoding="utf-8") as log:
                log.write(f"--- {timestamp()}\n{text}\n")

    def _finish(self) -> None:
        """Close what came to an end, commit, and fill the summary."""
        self.summary.computed = self.done
        for stage in self.plan.stages:
            failed = self.failed.get(stage.name, "")
            left_out = {reason: len(items) for reason, items in self._without(stage).items()} | self._unreadable(stage)
            if failed or not self.summary.interrupted or not len(self.pending[stage.name]):
                self.ledger.close(stage, failed=failed, left_out=left_out)
        self.ledger.commit()
        for stage in self.plan.stages:
            self._summarise(stage)

    def _without(self, stage: Stage) -> dict[str, npt.NDArray[np.int32]]:
        """Reason -> the items that have no scores for it; an image that is gone since has been scored."""
        if not stage.without:
            return {}
        done = self.ledger.done(stage)
        found = {reason: np.setdiff1d(items, done) for reason, items in stage.without.items()}
        return {reason: items for reason, items in found.items() if len(items)}

    def _unreadable(self, stage: Stage) -> dict[str, int]:
        n = len(self.unreadable.get(stage.name, {}))
        return {UNREADABLE: n} if n else {}

    def _summarise(self, stage: Stage) -> None:
        for name in stage.parts:
            entry = {
                "complete": self.ledger.manifest["parts"][name]["complete"],
                "rows": self.ledger.n_rows(name),
                "new_rows": (new := self.ledger.new_rows.get(name, 0)),
                "taken_rows": min(new, self.taken_rows.get(name, 0)),  # what a part that failed had taken is dropped
            }
            failed = self.failed.get(stage.name)
            self.summary.parts[name] = entry | ({"failed": failed} if failed else {})
        if stage.kept is not None:
            return  # the cosines of the same items have said which images cannot be read
        unreadable = self.unreadable.get(stage.name, {})
        self.summary.unreadable.update(unreadable.values())
        self._leave_out(stage, UNREADABLE, len(unreadable), [item_id for item_id, _ in unreadable.values()])
        for reason, items in self._without(stage).items():
            named = [self.plan.survey.items[n].item_id for n in items[:NAMED].tolist()]
            self._leave_out(stage, reason, len(items), named)

    def _leave_out(self, stage: Stage, reason: str, n: int, items: Sequence[str]) -> None:
        """Add to the entry of other stages that leave out the same items for the same reason."""
        if not n:
            return
        for entry in self.summary.left_out:
            if (entry.reason, entry.n, entry.items) == (reason, n, list(items[:NAMED])):
                entry.parts.append(stage.name)
                return
        self.summary.left_out.append(LeftOut(reason, n, [stage.name], list(items[:NAMED])))


def _mask(items: npt.NDArray[np.int32], n: int) -> npt.NDArray[np.bool_]:
    mask = np.zeros(n, np.bool_)
    mask[items] = True
    return mask
