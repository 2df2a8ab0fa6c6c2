"""Ray's calls in this process, in their order: what is remote is a plain object, what is put is itself."""

import pickle
from types import SimpleNamespace

from backend.engine.cluster import remote, session, worker
from backend.engine.cluster.places import Node

NODES = (Node("a", 1, 0, 64 << 30), Node("b", 2, 0, 64 << 30))


class Handle:
    """An actor's handle: `handle.method.remote(…)` calls."""

    def __init__(self, made):
        self._made = made

    def __getattr__(self, name):
        return SimpleNamespace(remote=getattr(self._made, name))


class FakeRay:
    """What backend.engine.cluster asks of the package."""

    exceptions = SimpleNamespace(RayActorError=ZeroDivisionError, RayTaskError=ZeroDivisionError)

    def __init__(self):
        self.killed = []

    def remote(self, **_):
        return lambda kind: SimpleNamespace(remote=lambda *arguments: Handle(kind(*arguments)))

    def put(self, value):
        return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own; what a process gets is a copy

    def get(self, value):
        return value

    def kill(self, handle):
        self.killed.append(handle)

    def get_runtime_context(self):
        return SimpleNamespace(get_node_id=lambda: "node0000")


class FakeCluster:
    """A cluster whose processes are workers in this one, each window through the next of them."""

    def __init__(self, monkeypatch, nodes=NODES, deliver=None):
        """deliver: makes of the list of results, each a function that gives one, what the dataset brings."""
        self.ray, self.looked_at, self._nodes = FakeRay(), None, list(nodes)
        self.deliver = deliver or (lambda results: (result() for result in results))
        self.shares, self.places = [], None
        monkeypatch.setattr(worker, "ray", lambda: self.ray)
        monkeypatch.setattr(session, "_dataset", self._dataset)
        monkeypatch.setattr(worker, "use_threads", lambda _: None)
        monkeypatch.setattr(worker, "gpu_memory", lambda: None)
        monkeypatch.setattr(remote, "worker", worker)

    def nodes(self):
        return self._nodes

    def here(self):
        return "here"

    def on(self, node):
        return node.id

    def _dataset(self, _, shares, arguments, places):
        self.shares, self.places = list(shares), places
        workers = [worker.Worker(*arguments) for _ in range(min(places.n, 3))]

        def scored(at, share):
            def call():
                return {"scored": workers[at % len(workers)]({"share": [pickle.dumps(share)]})["scored"][0]}

            return call

        results = [scored(at, share) for at, share in enumerate(shares)]
        return SimpleNamespace(iter_rows=lambda: self.deliver(results))
