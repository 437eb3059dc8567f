"""What the arcs of a tree are called: `root` and `dep`, or relations of Universal Dependencies, by rule or learned."""

from depinduce.labels.arcs import Labeller
from depinduce.labels.learned import LearnedLabels, learn_labels
from depinduce.labels.plain import main_type, plain_labels, says_more, with_kept_labels
from depinduce.labels.table import relation_table

__all__ = [
    "Labeller",
    "LearnedLabels",
    "learn_labels",
    "main_type",
    "plain_labels",
    "relation_table",
    "says_more",
    "with_kept_labels",
]
