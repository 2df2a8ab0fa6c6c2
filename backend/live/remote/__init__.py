"""Live scoring on another machine, as this one sees it: where it is, how it is asked, what it answers.

Begin with `model.py`; the other side is `backend/live/serving/`.
"""
