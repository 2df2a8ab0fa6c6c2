"""What several pages draw: one file a part. HTML parts return safe strings; `show` puts them on the page."""
