"""A cluster that goes away; apart from other tests, whose own cluster it must not take with it."""

from __future__ import annotations

import threading

import pytest
from test_jobs import Send

from depinduce.cluster import on_cluster
from depinduce.errors import DepinduceError

distributed = pytest.importorskip("distributed")


def tell_and_wait(task: int, send: Send) -> None:
    send("begun")
    threading.Event().wait()


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_told_with_a_remedy():
    own = distributed.LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    with own, pytest.raises(DepinduceError, match=r"the scheduler has gone\. What was finished is kept"):
        list(on_cluster(tell_and_wait, [1], own.scheduler_address, lambda number, message: own.close()))
