"""The guided first visit: `tour.py` the card, `steps.py` what each step says, `target.py` where it leads, `own.py` the
visitor's own item and finding."""
