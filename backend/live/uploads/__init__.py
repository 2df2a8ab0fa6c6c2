"""What a browser hands over: pictures, tables, archives, predictions; kept, found again, thrown away.

Begin with `uploads.py` and `own_data.py`.
"""
