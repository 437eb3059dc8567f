"""`python -m depinduce` is `depinduce`."""

from depinduce.cli import program

program()
