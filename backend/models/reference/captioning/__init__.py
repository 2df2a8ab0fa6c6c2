"""References for the families of `backend.models.captioning`."""
