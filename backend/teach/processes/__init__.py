"""One training by several processes, a GPU each: how they are started (`launching`) and share a batch (`team`).

The loss is that of the whole batch, whatever the number of processes: losses and weights are those of one process, up
to the order in which floats are added.
"""
