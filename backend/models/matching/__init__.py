"""Models that read an image and a text together and say whether they match: itm."""
