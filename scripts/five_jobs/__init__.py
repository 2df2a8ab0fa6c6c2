"""Five jobs of a new user, played in a real Chromium on an older Flipside and on this one: clicks, keys, seconds.

`jobs.py` says what the jobs are and what counts as their answer; `before.py` and `now.py` hold the steps on the product
as it was and as it is, `ways.py` those of both; `hand.py` is the mouse and the keyboard that count; `table.py` makes
the report.
"""
