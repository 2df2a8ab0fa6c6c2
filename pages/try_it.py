"""Try it: every score of every chosen model for images and captions of your own."""

from pages.parts.header import empty, page_header

page_header(
    "Try it",
    "Which caption does each model believe?",
    "Rows are images, columns captions; the framed cells belong together, and a model is right where they win.",
)
empty("No images yet", "Choose an example, or drop one or two images and type two or three captions.")
