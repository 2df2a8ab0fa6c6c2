"""A run on many machines by Ray Data: the plan's windows (engine/planned.py) are scored by processes of a cluster, and
the process that was started commits them, as it would its own.

Begin with `session`: what is handed out and what comes back. `connection` reaches a cluster, `places` says how many
processes of a model fit on it, `job` is what each of them is given, `worker` what it does, `remote` the model as the
starting process knows it. Only functions import ray, which is an extra.
"""
