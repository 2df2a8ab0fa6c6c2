"""Atlas: every published CLIP in one picture, and one's own runs among them.

Begin with `page.py`. The published rates are fetched (`backend/live/real_results.py`) and read by
`backend/published/atlas`; what is computed of them is in `backend/metrics` (pareto, rank_correlation, directions).
"""
