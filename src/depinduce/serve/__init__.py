"""A local page to look at what a grammar finds."""
