"""Jobs that pages start: records, the processes that run them, their output.

Begin with `jobs.py`.
"""
