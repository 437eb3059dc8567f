from __future__ import annotations

import pytest
from learning.tagged import RULES


@pytest.fixture
def rules(tmp_path) -> str:
    """A file of linguistic knowledge about the tags N, V, D and A."""
    path = tmp_path / "rules.toml"
    path.write_text(RULES, "utf-8")
    return str(path)
