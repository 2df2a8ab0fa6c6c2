"""Captioners: log P(caption | image) by teacher forcing: gen and prior."""
