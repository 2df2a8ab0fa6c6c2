"""What the server does beside drawing pages: who may talk to it, lost addresses, thumbnails, start, mishaps."""
