"""Try it with many at once: a file of items that is scored as an unsaved set, and many images ranked for one prompt."""
