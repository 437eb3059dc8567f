"""The Penn Treebank: bracketed constituent trees in, dependency trees out."""

from depinduce.corpus.penn.brackets import Tree, read_trees
from depinduce.corpus.penn.conversion import PennSentence, Split, convert, write_splits
from depinduce.corpus.penn.head_rules import HEAD_RULES, HeadRules, dependencies
from depinduce.corpus.penn.sections import find_sections
from depinduce.corpus.penn.settings import PennSettings
from depinduce.corpus.penn.universal_tags import universal_tag

__all__ = [
    "HEAD_RULES",
    "HeadRules",
    "PennSentence",
    "PennSettings",
    "Split",
    "Tree",
    "convert",
    "dependencies",
    "find_sections",
    "read_trees",
    "universal_tag",
    "write_splits",
]
