"""The page of settings says what the program has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_settings_is_the_one_that_its_tool_writes():
    program = "import sys; sys.path.insert(0, 'tools'); import list_settings; print(list_settings.page(), end='')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
