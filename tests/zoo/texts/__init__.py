"""Models of texts alone, of the zoo."""
