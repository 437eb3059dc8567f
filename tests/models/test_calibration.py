"""Calibration: a rising line from posteriors to the share of arcs that are right, kept with the model."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from learning.tagged import random_table

from depinduce.corpus import Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.models.calibration import Calibration, fitted
from depinduce.models.loading import load_model
from depinduce.models.model_files import digest_of
from depinduce.models.tag_model import GrammarModel

TAGS = Vocabulary(["N", "V"], [2, 1])


def drawn(count: int, share=lambda posterior: 0.8 * posterior**2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors, and whether each arc is right, which so large a share of such arcs is."""
    rng = np.random.default_rng(seed)
    posteriors = rng.random(count)
    return posteriors, rng.random(count) < share(posteriors)


def test_what_is_fitted_tells_the_share_that_is_right():
    found = fitted(*drawn(20_000), "trees")
    some = np.array([0.3, 0.5, 0.7, 0.9])
    assert found(some) == pytest.approx(0.8 * some**2, abs=0.03)
    assert found(np.array([0.0])) == 0 and found(np.array([1.0])) == found.right[-1]
    assert np.isnan(found(np.array([math.nan]))).all()


def test_a_calibration_never_puts_a_surer_arc_below_another():
    found = fitted(*drawn(500, lambda posterior: 0.5 + 0.4 * np.sin(9 * posterior)), "trees")  # up and down
    assert (np.diff(found(np.linspace(0, 1, 200))) >= 0).all()


def test_equal_posteriors_and_few_arcs_are_no_fault():
    found = fitted(np.ones(50), np.arange(50) % 2 == 0, "trees")
    assert found == Calibration((1.0,), (0.5,), "trees")
    assert fitted(np.ones(9), np.ones(9), "trees") is None
    unknown = fitted(np.append(np.ones(50), math.nan), np.append(np.ones(50), 1.0), "trees")
    assert unknown == Calibration((1.0,), (1.0,), "trees")


@pytest.mark.parametrize(
    ("raw", "right", "source"),
    [
        ((), (), "fixed"),
        ((0.5,), (0.5, 0.6), "fixed"),
        ((0.5, 0.5), (0.1, 0.2), "fixed"),
        ((0.5, 0.4), (0.1, 0.2), "fixed"),
        ((0.5, 0.6), (0.2, 0.1), "fixed"),
        ((0.5, 1.1), (0.1, 0.2), "fixed"),
        ((0.5,), (1.2,), "fixed"),
        ((math.nan,), (0.5,), "fixed"),
        ((0.5,), (math.nan,), "fixed"),
        ((0.5,), (0.5,), "hearsay"),
    ],
)
def test_points_that_are_no_rising_line_are_refused(raw, right, source):
    with pytest.raises(ValueError, match="a calibration"):
        Calibration(raw, right, source)


def test_a_model_keeps_its_calibration_and_one_without_has_none(tmp_path):
    found = fitted(*drawn(1000), "order-free")
    table = random_table(Order.FIRST, 2, np.random.default_rng(1))
    GrammarModel(Order.FIRST, TAGS, table, history={"calibration": found.to_json()}).save(tmp_path / "with")
    GrammarModel(Order.FIRST, TAGS, table).save(tmp_path / "without")
    assert load_model(tmp_path / "with").calibration == found
    assert load_model(tmp_path / "without").calibration is None
    path = tmp_path / "with" / "model.json"
    description = json.loads(path.read_text("utf-8"))
    description["history"]["calibration"]["right"][0] = 2
    description["sha256"]["model.json"] = digest_of(description)
    path.write_text(json.dumps(description), "utf-8")
    with pytest.raises(DepinduceError, match="the points of a calibration must ascend"):
        load_model(tmp_path / "with")
