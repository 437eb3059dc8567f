"""Settings by name: what is unknown or of the wrong type is refused with what would be right; files keep them."""

from __future__ import annotations

import dataclasses

import pytest

from depinduce.errors import DepinduceError
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.interpolated import InterpolatedSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.settings.recipes import load_recipe, recipe_names
from depinduce.learning.settings.states import HdpSettings
from depinduce.models.table import entry
from depinduce.networks.lexical_settings import LexicalSettings
from depinduce.networks.network_settings import JiangNetworkSettings, NetworkSettings
from depinduce.settings import read_toml, to_toml

# ---------------------------------------------------------------- which settings there are


COUNT_MODELS, TAG_NETWORKS = ("dmv", "dmv-sibling", "dmv-grand"), ("ndmv", "sibling", "grand", "jiang-ndmv")
OTHER_COUNTS = {"e-dmv": InterpolatedSettings, "hdp-dep": HdpSettings}
WORD_NETWORKS = ("lexical", "lexical-sibling", "lexical-grand", "joint-sibling", "joint-grand")


@pytest.mark.parametrize("model", [*COUNT_MODELS, *OTHER_COUNTS, *TAG_NETWORKS, *WORD_NETWORKS])
def test_every_model_can_be_configured_by_its_name_alone(model):
    configuration = configure({"model": model})
    neural, sees_words = model in TAG_NETWORKS + WORD_NETWORKS, model in WORD_NETWORKS
    assert type(configuration.learning) is (NeuralSettings if neural else OTHER_COUNTS.get(model, CountSettings))
    network = JiangNetworkSettings() if model == "jiang-ndmv" else NetworkSettings()
    assert configuration.network == (network if neural else None)
    assert configuration.lexical == (LexicalSettings() if sees_words else None)
    assert configuration.reading.max_length == 15


def test_every_value_reaches_its_setting():
    values = {"model": "sibling", "epochs": 9, "size": 7, "max_length": 12, "seed": 3, "ladder": ["ndmv", "grand"]}
    configuration = configure(values)
    assert (configuration.learning.epochs, configuration.learning.seed) == (9, 3)
    assert configuration.learning.ladder == ("ndmv", "grand")
    assert (configuration.network.size, configuration.reading.max_length) == (7, 12)
    assert configuration.values() | values | {"ladder": ("ndmv", "grand")} == configuration.values()


def test_count_and_neural_models_know_different_settings():
    configure({"model": "dmv", "smoothing": 0.2, "iterations": 3})
    configure({"model": "ndmv", "epochs": 3, "size": 20})
    for model, foreign in (("dmv", "epochs"), ("dmv", "size"), ("ndmv", "smoothing"), ("ndmv", "iterations")):
        with pytest.raises(DepinduceError, match=f"there is no setting '{foreign}' for the model {model}"):
            configure({"model": model, foreign: 1})


@pytest.mark.parametrize(
    ("name", "meant"), [("epoch", "epochs"), ("learningrate", "learning_rate"), ("non-heads", "non_heads")]
)
def test_an_unknown_name_is_refused_with_what_was_meant_and_all_there_are(name, meant):
    with pytest.raises(DepinduceError) as refusal:
        configure({"model": "ndmv", name: 1}, where="somewhere: ")
    message = str(refusal.value)
    assert message.startswith("somewhere: ")
    assert f"there is no setting {name!r}" in message
    assert f"Did you mean {meant}?" in message
    known = message.partition("Settings: ")[2].rstrip(".").split(", ")
    parts = (NeuralSettings, NetworkSettings)
    assert {field.name for part in parts for field in dataclasses.fields(part)} < set(known)
    assert known == sorted(known)


def test_a_name_of_thousands_of_letters_does_not_fill_the_screen():
    with pytest.raises(DepinduceError, match="there is no setting 'f{40}…' for the model dmv") as refusal:
        configure({"model": "dmv", "f" * 4000: 1})
    assert "f" * 41 not in str(refusal.value)


def test_where_nothing_is_near_nothing_is_guessed():
    with pytest.raises(DepinduceError) as refusal:
        configure({"xyzzy": 1})
    assert "Did you mean" not in str(refusal.value)


@pytest.mark.parametrize("values", [{"model": "siblng"}, {"model": "siblng", "epochs": 4}, {"model": ["sibling"]}])
def test_an_unknown_model_is_refused_with_all_there_are(values):
    with pytest.raises(DepinduceError) as refusal:
        configure(values)
    message = str(refusal.value)
    assert "model" in message
    assert all(name in message for name in (*COUNT_MODELS, "hdp-dep", *TAG_NETWORKS, *WORD_NETWORKS))


# ---------------------------------------------------------------- which values there are


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", "4"),
        ("epochs", 4.0),
        ("epochs", True),
        ("epochs", None),
        ("epochs", [4]),
        ("learning_rate", "0.1"),
        ("learning_rate", True),
        ("skip_connections", 1),
        ("skip_connections", "yes"),
        ("method", 1),
        ("ladder", [1]),
        ("ladder", 3),
        ("non_heads", [["DET"]]),
        ("max_length", "15"),
        ("max_length", 15.0),
        ("max_length", False),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(name, value):
    with pytest.raises(DepinduceError) as refusal:
        configure({"model": "ndmv", name: value}, where="somewhere: ")
    assert str(refusal.value) == f"somewhere: {name} cannot be {value!r}."


def test_what_is_as_good_as_the_right_type_is_taken():
    configuration = configure({"model": "dmv", "smoothing": 1, "non_heads": "DET", "max_length": None})
    assert configuration.learning.smoothing == 1.0
    assert type(configuration.learning.smoothing) is float
    assert configuration.learning.non_heads == ("DET",)
    assert configuration.reading.max_length is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "sgd"}, "--method cannot be 'sgd'. Choose from: dmo, em, hard-em."),
        ({"start_trees": "some"}, "--start-trees cannot be 'some'. Choose from: best, all."),
        ({"generation": "upwards"}, "--generation cannot be 'upwards'. Choose from: outside-in, inside-out."),
        ({"generation": "inside-out"}, "generation=inside-out is for --model sibling"),
        ({"m_steps": 0}, "--m-steps must be at least"),
        ({"epochs": 0}, "--epochs must be at least"),
        ({"members": 0}, "--members must be at least"),
        ({"members": 2}, "--members needs a --ladder"),
        ({"batch_size": -1}, "--batch-size must be at least"),
        ({"start_epochs": -1}, "--start-epochs must be at least"),
        ({"grow_from": -1}, "--grow-from must be at least"),
        ({"learning_rate": 0.0}, "--learning-rate cannot be 0.0"),
        ({"learning_rate": 1.0}, "--learning-rate cannot be 1.0"),
        ({"learning_rate": float("nan")}, "--learning-rate cannot be nan"),
        ({"init": ["uniform"]}, "--init uniform: a neural model cannot start there. Use --init random."),
        ({"init": ["harmonics"]}, "Choose from: harmonic, uniform, random, model DIR, trees FILE, hdp-dep RULES."),
        ({"init": ["trees"]}, "--init trees needs a file"),
        (
            {"ladder": ["ndmv", "hdp-dep"]},
            "--ladder cannot have 'hdp-dep'. Choose from: dmv dmv-sibling dmv-grand e-dmv feature-dmv ln-dmv crfae "
            "order-free ndmv sibling grand jiang-ndmv d-ndmv.",
        ),
        ({"constraint": ["always"]}, "--constraint cannot have 'always'. Choose from: start training parsing."),
        ({"size": 0}, "--size must be at least 1"),
        ({"max_length": 0}, "--max-length must be at least 1"),
    ],
)
def test_impossible_values_are_refused_with_the_possible_ones(wrong, message):
    with pytest.raises(DepinduceError) as refusal:
        configure({"model": "ndmv"} | wrong)
    assert message in str(refusal.value)


def test_a_changed_configuration_is_checked_again():
    configuration = configure({"model": "sibling", "generation": "inside-out"})
    assert configuration.replace(seed=5).learning.seed == 5
    assert configuration.replace(seed=5).learning.generation == "inside-out"
    with pytest.raises(DepinduceError, match="is for --model sibling"):
        configuration.replace(model="grand")


# ---------------------------------------------------------------- rungs of a ladder


def rungs(**values) -> list:
    settings = configure(values).learning
    return [settings.of_rung(number) for number in range(len(settings.ladder) + 1)]


def test_a_rung_has_the_settings_of_its_own_kind_of_model():
    first, second, third = rungs(model="sibling", ladder=["dmv", "ndmv"], epochs=7, seed=3, non_heads=["D"])
    assert [type(first), type(second), type(third)] == [CountSettings, NeuralSettings, NeuralSettings]
    assert [own.model for own in (first, second, third)] == ["dmv", "ndmv", "sibling"]
    assert (second.epochs, third.epochs) == (7, 7)
    assert first == CountSettings(model="dmv", seed=3, non_heads=("D",))  # what a network has beside is not for counts
    assert all(own.seed == 3 and own.non_heads == ("D",) for own in (second, third))


def test_only_the_first_rung_starts_where_the_user_says():
    found = [own.init for own in rungs(model="dmv-sibling", ladder=["dmv", "dmv-grand"], init=["random"])]
    assert found == [("random",), ("model", "dmv"), ("model", "dmv-grand")]


def test_a_rung_is_no_ladder_itself():
    for own in rungs(model="dmv-sibling", ladder=["dmv"], members=4):
        assert (own.ladder, own.members) == ((), 1)


def test_without_a_ladder_the_only_rung_is_the_training_itself():
    for model in ("dmv", "dmv-sibling", "hdp-dep", "ndmv", "joint-grand"):
        assert rungs(model=model, seed=5) == [configure({"model": model, "seed": 5}).learning]


def test_only_the_first_rung_grows_and_only_the_last_is_anchored():
    values = {"model": "sibling", "ladder": ["dmv", "ndmv", "grand"], "grow_from": 3, "anchor": 0.3}
    assert [(own.grow_from, own.anchor) for own in rungs(**values)] == [(0, 0), (0, 0), (0, 0), (0, 0.3)]
    values |= {"ladder": ["ndmv", "grand"]}
    assert [(own.grow_from, own.anchor) for own in rungs(**values)] == [(3, 0), (0, 0), (0, 0.3)]


def test_generation_concerns_only_siblings():
    values = {"model": "sibling", "ladder": ["dmv", "ndmv", "grand"], "generation": "inside-out"}
    assert [own.inside_out for own in rungs(**values)] == [False, False, False, True]


def test_a_prior_around_first_order_is_for_the_rungs_that_can_have_one():
    values = {"model": "dmv-sibling", "ladder": ["dmv", "dmv-grand"], "prior_strength": 10.0}
    assert [own.prior_strength for own in rungs(**values)] == [0, 10, 10]
    assert [own.prior_strength for own in rungs(**values, init=["random"])] == [0, 10, 10]
    values |= {"ladder": ["dmv-grand"], "init": ["random"]}
    assert [own.prior_strength for own in rungs(**values)] == [0, 10]


def test_the_sibling_tells_the_valence_on_its_rung_only():
    values = {"model": "dmv-grand", "ladder": ["dmv", "dmv-sibling"], "child_valence": False}
    assert [own.child_valence for own in rungs(**values)] == [False, True, False]


def test_what_a_rung_cannot_have_is_refused():
    with pytest.raises(DepinduceError, match="--init uniform: a neural model cannot start there"):
        rungs(model="dmv-sibling", ladder=["ndmv"], init=["uniform"])


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    "values",
    [
        {"model": "dmv", "smoothing": 1e-7, "init": ["model", 'a "quoted" \\ path/ä\tß'], "child_valence": False},
        {
            "model": "sibling",
            "ladder": ["ndmv", "grand"],
            "members": 4,
            "learning_rate": 3e-05,
            "non_heads": ["ud", "X"],
        },
        {"model": "grand", "skip_connections": False, "encoder": "wsj", "constraint": [], "min_length": 3},
        {"model": "ndmv", "max_length": 40, "tags": "xpos", "lowercase": True},
    ],
)
def test_settings_survive_a_file(values, tmp_path):
    configuration = configure(values)
    (tmp_path / "config.toml").write_text(to_toml(configuration.values()), "utf-8")
    assert configure(read_toml(tmp_path / "config.toml")) == configuration


def test_a_file_that_is_no_toml_is_refused(tmp_path):
    (tmp_path / "wrong.toml").write_text("epochs: 4\n")
    with pytest.raises(DepinduceError, match=r"wrong\.toml: not a TOML file .* Write lines such as: epochs = 4"):
        read_toml(tmp_path / "wrong.toml")
    with pytest.raises(DepinduceError, match=r"absent\.toml: No such file"):
        read_toml(tmp_path / "absent.toml")


# ---------------------------------------------------------------- recipes


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_names_only_known_settings(name):
    values = load_recipe(name)
    configuration = configure(values)
    assert (configuration.network is not None) is bool(entry(configuration.learning.model).network)
    found = {setting: configuration.values()[setting] for setting in values}
    assert found == {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def test_the_paper_has_its_recipes():
    assert {"ud-ndmv", "ud-sibling", "ud-grand", "paper-ud-ndmv", "paper-ud-sibling", "paper-ud-grand"} <= {
        *recipe_names()
    }


def test_the_recipes_of_jiang_differ_in_child_valence_and_learn_from_all_sentences_at_once():
    without, with_it, ud = (load_recipe(f"{name}-ndmv") for name in ("wsj-jiang", "wsj-jiang-e", "ud-jiang"))
    assert {**without, "child_valence": True} == {**with_it, "child_valence": True}
    found = [configure(values) for values in (without, with_it, ud)]
    assert [configuration.network.child_valence for configuration in found] == [False, True, True]
    for configuration in found:
        learning = configuration.learning
        assert (learning.model, learning.method, learning.batch_size) == ("jiang-ndmv", "hard-em", 0)
        assert learning.needs_trees() and learning.m_steps > 1


def test_a_recipe_of_ones_own_is_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('# short\nmodel = "grand"\nepochs = 2\nnon_heads = ["DET"]\n', encoding="utf-8")
    assert load_recipe(str(path)) == {"model": "grand", "epochs": 2, "non_heads": ["DET"]}
    assert configure(load_recipe(str(path))).learning.non_heads == ("DET",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('model = "grand"\nepoch = 2\n', "Did you mean epochs?"),
        ('model = "grand"\nepochs = "2"\n', "epochs cannot be '2'"),
        ('model = "grand"\nepochs = 0\n', "--epochs must be at least"),
        ('model = "dmv"\nepochs = 2\n', "there is no setting 'epochs' for the model dmv"),
    ],
)
def test_a_fault_in_a_recipe_is_told_with_its_name(text, message, tmp_path):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(DepinduceError) as refusal:
        load_recipe(str(tmp_path / "mine.toml"))
    assert "mine.toml: " in str(refusal.value)
    assert message in str(refusal.value)


def test_an_unknown_recipe_is_refused_with_the_known_ones():
    with pytest.raises(DepinduceError) as refusal:
        load_recipe("ud-siblings")
    message = str(refusal.value)
    assert "There is no recipe 'ud-siblings'. Did you mean ud-sibling?" in message
    assert all(name in message for name in recipe_names())
