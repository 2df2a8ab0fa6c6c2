"""EqSim's deviations of stored quads, and close pairs mined from pools.

Begin with `equivariance.py`.
"""
