"""What people take away from the list: files, and a report on one page."""
