"""The bench of Try it: pictures that can be covered, captions whose words can be changed, all models' margins at once.

Begin with `bench.py`, which draws it; `view.py` says what is drawn, `hand.py` what a click does.
"""
