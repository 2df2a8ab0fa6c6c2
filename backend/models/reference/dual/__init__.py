"""References for the families of `backend.models.dual`."""
