"""Tags for text that has none, learned from a part that somebody has tagged."""
