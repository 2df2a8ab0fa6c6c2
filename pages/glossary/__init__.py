"""The glossary: `words.py` what each word means, `examples.py` the items it is shown on, `pictures.py` how,
`view.py` the drawer. Formulas of metrics and reasons: `pages/shared/help/glossary.py`."""
