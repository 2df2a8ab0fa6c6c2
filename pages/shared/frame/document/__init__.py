"""What listens to the whole document, on every page (listener.py): its history, its colours, runs that take long."""
