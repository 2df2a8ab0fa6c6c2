"""A run whose windows are scored by the processes of a cluster, through Ray Data, and committed by this one.

Ray Data keeps a pool of processes, gives each its next window, starts lost ones anew elsewhere and hands their windows
out again. What comes back is committed here, window by window, under the run's lock, by the same ledger as without a
cluster. So a machine may end at any moment: its windows come back from another one, none counts twice (a window that
has been taken is not taken again), and when this process ends, Ray ends what works for it.
"""

import logging
import pickle
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from backend.engine import batching, planned
from backend.engine.cluster.job import Scored, Share
from backend.engine.cluster.places import Places
from backend.engine.cluster.remote import Remote
from backend.engine.cluster.worker import Board, Worker
from backend.engine.inputs.prior import TextScorer
from backend.engine.interrupt import batch_by_batch, uninterrupted
from backend.engine.planned import Numbers
from backend.engine.session import ERRORS, Session
from backend.engine.storage.record import timestamp
from backend.errors import FlipsideError
from backend.models.base import Model

#: Seconds between two looks whether somebody has asked to stop, and between two at the machines of the cluster.
LOOK, MACHINES = 0.2, 5.0
#: Seconds without any window after which that is told; and those that a pool of processes may take to end.
SILENCE, ENDING = 60.0, 30.0
#: Windows handed to a process at a time: the next one waits there while it scores another.
AHEAD = 2
#: Ray Data's tasks: of a run with more windows, each task has several. A lost task is done again whole.
TASKS = 4096


class ClusterSession(Session):
    """The same session as without a cluster; only who scores its windows differs. Its windows are planned."""

    def work(self, model: Model, priors: Mapping[str, TextScorer], workers: int) -> None:
        """All windows; whoever stops it, and whatever fails, gets the finished ones committed. model: a `Remote`.
        priors, workers: not used; processes make their own ready."""
        if not isinstance(model, Remote):
            raise TypeError(f"{model!r} is not on a cluster")
        self.ledger.commit()
        self.remarks: dict[str, Mapping[str, Any]] = {}
        ended = False
        with batch_by_batch() as asked_to_stop:
            try:
                self._reuse()
                self._work_on(model, asked_to_stop)
                ended = True
            except KeyboardInterrupt:
                pass
            finally:
                self.summary.interrupted = self.summary.interrupted or not ended
                model.close()
                with suppress(KeyboardInterrupt), uninterrupted():
                    self._finish()
        model.note_remarks([*self.remarks.values()])
        self.summary.seconds = time.monotonic() - self.begun

    def shares(self) -> Iterator[Share]:
        """What is pending of each window that has anything pending. Of each stage that batching is measured of, the
        first window that has an item to measure it by says so."""
        unmeasured = {stage.name: stage for stage in self.plan.stages if batching.is_measured(stage)}
        anyone = np.any([*self.is_pending.values()], axis=0)
        for number, window in enumerate(planned.windows(self.plan)):
            if not anyone[window].any():
                continue
            work = {stage.name: window[self.is_pending[stage.name][window]] for stage in self.plan.stages}
            work = {name: items for name, items in work.items() if len(items)}
            measured = [name for name in unmeasured.keys() & work.keys() if self._measurable(name, work[name])]
            for name in measured:
                del unmeasured[name]
            yield Share(number, work, tuple(sorted(measured)))

    def _measurable(self, name: str, items: Numbers) -> bool:
        stage = next(stage for stage in self.plan.stages if stage.name == name)
        return any(batching.is_small(self.plan, stage, self.plan.survey.items[number]) for number in items.tolist())

    def _work_on(self, model: Remote, asked_to_stop: Callable[[], bool]) -> None:
        shares = {share.number: share for share in self.shares()}
        if not shares:
            return
        places = model.places()
        n = min(places.n, len(shares))
        self.outcome["ray"] = {"processes": n, "machines": sum(there > 0 for there in places.on.values())}
        if self.tell is not None:
            windows = "1 window" if len(shares) == 1 else f"{len(shares):,} windows"
            self.tell(f"{windows} of work for {places}")
        stages = [stage for stage in self.plan.stages if len(self.pending[stage.name])]
        details = {stage.name: self.details[stage.name] for stage in stages if stage.name in self.details}
        job = model.job(self.plan, stages, details, places.cpus)
        cluster = model.cluster
        board = cluster.ray.remote(num_cpus=0, scheduling_strategy=cluster.here())(Board).remote()
        begun = time.monotonic()
        arguments = (cluster.ray.put(job), model.items(self.plan), board)
        received = _Received(_dataset(cluster.ray, [*shares.values()], arguments, places))
        watch = _Watch(lambda: len(cluster.nodes()), self.tell)
        try:
            while shares and (scored := received.next(lambda: watch.look() or asked_to_stop())) is not None:
                if scored is received.asked:
                    self.summary.interrupted = True
                    board.stop.remote()  # what is being scored at this moment comes back; nothing more is begun
                    continue
                watch.heard = True
                if scored.number in shares and self._took(scored, shares[scored.number]):
                    del shares[scored.number]
        finally:
            self.summary.scoring += time.monotonic() - begun
            received.close()
        if not shares:  # who asked to stop did so while the last ones were being scored
            self.summary.interrupted = False
        if shares and not self.summary.interrupted:
            raise FlipsideError(
                f"The cluster ended before {len(shares)} windows were scored. Everything scored so far is kept; give "
                "the command again to go on."
            )

    def _took(self, scored: Scored, share: Share) -> bool:
        """Take what came of a window; whether it was scored. FlipsideError where its process cannot go on."""
        if scored.traceback:
            with (self.summary.run_dir / ERRORS).open("a", encoding="utf-8") as log:
                log.write(f"--- {timestamp()}\n{scored.traceback}\n")
        if scored.error:
            raise FlipsideError(f"{scored.error.rstrip('.')}. What is scored is kept; the same command goes on.")
        if scored.skipped:
            return False
        self.remarks[scored.worker] = scored.remarks
        for name, n in scored.asked.items():
            self.summary.asked[name] = self.summary.asked.get(name, 0) + n
        stages = {stage.name: stage for stage in self.plan.stages}
        self.keep([(stages[name], items) for name, items in share.work.items()], scored.window)
        self.batching |= scored.batching
        return True


class _Received:
    """What a dataset brings, fetched by a thread, so that the one that answers signals never waits for long."""

    #: Given by `next` where somebody has asked to stop, once.
    asked = Scored(-1)

    def __init__(self, dataset: Any) -> None:
        self._found: queue.Queue[Scored | BaseException | None] = queue.Queue(maxsize=64)
        self._was_asked = False
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._fetch, args=(dataset,), name="scored", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Want nothing more: Ray Data ends its processes, for which whoever is next on the cluster waits a while."""
        self._closed.set()
        self._thread.join(ENDING)

    def _fetch(self, dataset: Any) -> None:
        try:
            for row in dataset.iter_rows():
                self._put(pickle.loads(row["scored"]))  # noqa: S301 - a process of this run wrote it
                if self._closed.is_set():
                    return  # which ends the iteration, and with it what works for it
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - told by `next`, in the thread that can act on it
            self._put(error)

    def _put(self, found: Scored | BaseException | None) -> None:
        while not self._closed.is_set():
            with suppress(queue.Full):
                self._found.put(found, timeout=LOOK)
                return

    def next(self, is_asked: Callable[[], bool]) -> Scored | None:
        """The next window; None after the last one. FlipsideError where the cluster gave up."""
        while True:
            if is_asked() and not self._was_asked:
                self._was_asked = True
                return self.asked
            try:
                found = self._found.get(timeout=LOOK)
            except queue.Empty:
                continue
            if isinstance(found, BaseException):
                said = " ".join(str(found).split())[:300]
                raise FlipsideError(
                    f"The cluster gave up: {type(found).__name__}: {said}. Everything scored so far is kept; give the "
                    "command again to go on."
                ) from found
            return found


class _Watch:
    """Says when machines come or go, and when nothing comes for long."""

    def __init__(self, count: Callable[[], int], tell: Callable[[str], object] | None) -> None:
        self._count, self._tell = count, tell or (lambda _: None)
        self._n, self._looked, self._begun = count(), time.monotonic(), time.monotonic()
        self.heard = False

    def look(self) -> bool:
        """False, always: it only speaks."""
        now = time.monotonic()
        if not self.heard and now - self._begun >= SILENCE:
            self.heard = True
            self._tell(
                f"no process of the cluster has answered for {SILENCE:.0f} s: it loads the model, waits for others, "
                "or has ended and begins again; `ray status` shows which"
            )
        if now - self._looked >= MACHINES:
            self._looked = now
            n = self._count()
            if n < self._n:
                self._tell(f"{self._n - n} of {self._n} machines lost; their windows are scored elsewhere")
            self._n = n
        return False


def _dataset(ray: Any, shares: list[Share], arguments: tuple[Any, ...], places: Places) -> Any:
    """The lazy dataset of what comes of shares."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = False  # a slow window holds up no other
    context.execution_options.verbose_progress = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    rows = [{"share": pickle.dumps(share, protocol=5)} for share in shares]
    n = min(places.n, len(shares))
    pool = ray.data.ActorPoolStrategy(min_size=1, max_size=n, initial_size=n, max_tasks_in_flight_per_actor=AHEAD)
    return ray.data.from_items(rows, override_num_blocks=min(len(rows), TASKS)).map_batches(
        Worker, batch_size=1, compute=pool, fn_constructor_args=arguments, zero_copy_batch=True, **places.asked()
    )
