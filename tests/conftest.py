"""For all tests: the same examples every time, however long they take; and workers share compiling the charts."""

import os

from hypothesis import settings

settings.register_profile("the same every time", deadline=None, derandomize=True, database=None)
settings.load_profile("the same every time")


def pytest_collection_finish(session):
    """Each worker compiles its share of what the charts' tests need; without this both would want the same first.

    Where the charts are compiled already this takes a second, and where their tests are not wanted, none.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1 and any("chart/" in item.nodeid for item in session.items):
        from chart.compilations import COMPILATIONS

        for compilation in COMPILATIONS[int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")) :: workers]:
            compilation()
