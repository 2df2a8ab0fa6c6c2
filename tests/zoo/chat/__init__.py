"""Chat VLMs of the zoo: one file a way of preparing pictures, or a maker."""
