"""What the arcs of a tree are called: `root` and `dep`, or relations of Universal Dependencies."""

from depinduce.labels.plain import plain_labels, with_kept_labels

__all__ = ["plain_labels", "with_kept_labels"]
