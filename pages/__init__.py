"""The dashboard: one file a page; `parts/` holds what several pages draw. No SQL and no torch in here."""
