"""A plane of very many points on a canvas of ours: `spec.py` says what is drawn, `canvas.py` and plane.js draw it."""
