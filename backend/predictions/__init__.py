"""What other systems say about a benchmark's items: read from their files, and matched with the items."""
