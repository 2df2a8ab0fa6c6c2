"""What stands around every page: address, sidebar, header, style, help, short messages, downloads.

Begin with `address.py`, which keeps the state of a page in its address.
"""
