"""Before the tests begin, workers share the compilation of the charts among them."""

import os


def pytest_collection_finish(session):
    """Each worker compiles its share of what the charts' tests need; without this both would want the same first.

    Where the charts are compiled already this takes a second, and where their tests are not wanted, none.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1 and any("chart/" in item.nodeid for item in session.items):
        from chart.compilations import COMPILATIONS

        for compilation in COMPILATIONS[int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")) :: workers]:
            compilation()
