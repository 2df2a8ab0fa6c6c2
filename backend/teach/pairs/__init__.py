"""What teaching learns from: images with their captions, other halves and foils (`examples`), captions that were
generated from these (`generated`, a file to look through before anything trains), and batches of both (`batches`).

No torch in here.
"""
