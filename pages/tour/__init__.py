"""The guided first visit: `tour.py` the card, `steps.py` what each step says, `target.py` where it leads."""
