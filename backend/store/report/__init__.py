"""What `flipside report` prints.

Begin with `report.py`; `sections.py` has what stands beside its rates.
"""
