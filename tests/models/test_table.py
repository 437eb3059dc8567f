"""The table of models: every line leads to settings, learners and a model, and other names are refused."""

from __future__ import annotations

import pytest

from depinduce.errors import DepinduceError
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.learning import LearningSettings
from depinduce.models.model import Model
from depinduce.models.table import MODELS, entry, find, kinds, models

every_model = pytest.mark.parametrize("name", MODELS)


@every_model
def test_every_line_leads_to_its_parts(name):
    line = entry(name)
    assert issubclass(find(line.settings), LearningSettings)
    assert callable(find(line.learners))
    model = find(line.model)
    assert issubclass(model, Model)
    assert model.kind == line.kind
    assert find(kinds()[line.kind]) is model


@every_model
def test_settings_know_the_line_of_their_model(name):
    configuration = configure({"model": name})
    line = entry(name)
    assert configuration.learning.entry is line
    assert configuration.learning.order is line.order
    assert type(configuration.network) is (find(line.network) if line.network else type(None))
    assert (configuration.lexical is not None) == line.sees_words


@pytest.mark.parametrize("name", ["dvm", "", None, 7, ["dmv"]])
def test_other_names_are_refused_with_those_there_are(name):
    with pytest.raises(DepinduceError) as refusal:
        entry(name)
    assert str(refusal.value) == f"there is no model {name!r}. Models: {', '.join(models())}."


def test_only_grammars_over_tags_are_rungs():
    rungs = [name for name, line in MODELS.items() if line.can_be_rung]
    of_counts = ["dmv", "dmv-sibling", "dmv-grand", "e-dmv", "feature-dmv", "ln-dmv", "crfae", "order-free"]
    assert rungs == [*of_counts, "ndmv", "sibling", "grand", "jiang-ndmv", "d-ndmv"]
    assert {name for name in rungs if not MODELS[name].over_tags} == {"crfae", "d-ndmv"}  # no tables of rules
    for name in MODELS:
        values = {"model": "sibling", "ladder": (name,), "init": ("universal" if name == "order-free" else "harmonic",)}
        if name in rungs:
            assert configure(values).learning.of_rung(0).model == name
        else:
            with pytest.raises(DepinduceError, match=f"--ladder cannot have '{name}'"):
                configure(values)


@pytest.mark.parametrize(
    ("place", "fault"), [("depinduce.nowhere:Nothing", ImportError), ("depinduce.models.table:Nothing", AttributeError)]
)
def test_a_place_that_is_not_there_is_a_fault_of_the_table(place, fault):
    with pytest.raises(fault):
        find(place)
