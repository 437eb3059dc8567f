"""`python -m depinduce` is `depinduce`."""

import sys

from depinduce.cli import main

sys.exit(main())
