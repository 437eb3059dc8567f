"""Writes the demo corpus again: `python -m depinduce.corpus.demo`."""

from depinduce.corpus.demo import SPLITS, demo_file
from depinduce.corpus.demo.generate import write

write(demo_file("train").parent)
for split in SPLITS:
    print(demo_file(split))
