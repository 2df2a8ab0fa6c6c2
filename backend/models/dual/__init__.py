"""Two towers compared by cosine: itc and t2t."""
