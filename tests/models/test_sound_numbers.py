"""Numbers that cannot be those of a model are refused, and all that a training makes are not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from depinduce import Parser
from depinduce.errors import DepinduceError
from depinduce.models.loading import load_model
from depinduce.models.sound_numbers import require_distributions, require_expected_logs

BEFORE = Path(__file__).parent / "version-0.1.0"  # without digests, so that only the numbers can tell
FLOAT_32 = np.log(np.full((2, 3), 1 / 3, dtype=np.float32)).astype(np.float64)


@pytest.mark.parametrize("row", [[0, -np.inf], [np.log(0.25), np.log(0.75)], [0, -1000]])
def test_distributions_may_have_impossible_rules(row):
    require_distributions({"rows": np.array([row, [np.log(0.5)] * 2])})
    require_distributions({"rows": FLOAT_32})


@pytest.mark.parametrize("row", [[-np.inf, -np.inf], [np.nan, 0], [0, 0], [np.inf, -np.inf], [-1, -1], [1e300, 0]])
def test_other_rows_are_no_distributions(row):
    with pytest.raises(ValueError, match="rows holds rows that are no probabilities"):
        require_distributions({"rows": np.array([[0, -np.inf], row])})


@pytest.mark.parametrize("row", [[-1000, -1000], [-0.7, -0.7], [-5, -np.inf]])
def test_expected_log_probabilities_sum_to_less_than_one(row):
    require_expected_logs({"rows": np.array([row], dtype=np.float64)})


@pytest.mark.parametrize("row", [[-np.inf, -np.inf], [np.nan, -1], [0, -0.5], [np.inf, -1]])
def test_other_rows_are_no_expected_log_probabilities(row):
    with pytest.raises(ValueError, match="rows holds rows that are no expected log probabilities"):
        require_expected_logs({"rows": np.array([row])})


def require_refusal(place: Path, message: str) -> None:
    unnoticed = pytest.warns(UserWarning, match="damage may go unnoticed")
    with unnoticed, pytest.raises(DepinduceError, match=message):
        load_model(place)


@pytest.mark.parametrize(
    ("model", "name", "wrong", "message"),
    [
        ("dmv", "decision", -np.inf, "decision holds rows that are no probabilities"),
        ("hdp-dep", "rules.child", np.nan, "child holds rows that are no expected log probabilities"),
        ("hdp-dep", "counts.root", -1.0, "negative"),
        ("hdp-dep", "shares", np.inf, "shares holds numbers that are not finite"),
        ("lexical/model", "symbols", np.nan, "symbols holds numbers that are not finite"),
        ("joint/model/first", "symbols", np.inf, "symbols holds numbers that are not finite"),
        ("joint/model/second", "root", np.nan, "root holds rows that are no probabilities"),
    ],
)
def test_models_of_every_kind_are_checked(model, name, wrong, message, tmp_path):
    place = shutil.copytree(BEFORE / model, tmp_path / "model")
    numbers = load_file(place / "model.safetensors")
    numbers[name][...] = wrong
    save_file(numbers, place / "model.safetensors")
    require_refusal(place, message)


@pytest.mark.parametrize(
    ("model", "name"), [("sibling/model", "root"), ("hdp-dep", "shares"), ("lexical/model", "symbols")]
)
def test_bytes_that_are_read_as_other_numbers_are_refused(model, name, tmp_path):
    place = shutil.copytree(BEFORE / model, tmp_path / "model")
    numbers = load_file(place / "model.safetensors")
    numbers[name] = numbers[name].view(np.int64 if numbers[name].dtype == np.float64 else np.int32)
    save_file(numbers, place / "model.safetensors")
    require_refusal(place, f"{name} holds int.. numbers, not")


@pytest.mark.filterwarnings("ignore")
def test_a_network_whose_rules_are_no_numbers_is_told(tmp_path):
    """Its weights are finite; only what it makes of them is not."""
    place = shutil.copytree(BEFORE / "lexical" / "model", tmp_path / "model")
    numbers = load_file(place / "model.safetensors")
    for array in numbers.values():
        array *= np.float32(1e30)
    save_file(numbers, place / "model.safetensors")
    with pytest.raises(DepinduceError, match="gives rules that are no numbers.* train it again"):
        Parser.load(place).parse(["dogs/NOUN bark/VERB"])


def test_what_belongs_to_no_symbol_is_refused(tmp_path):
    place = shutil.copytree(BEFORE / "hdp-dep", tmp_path / "model")
    description = json.loads((place / "model.json").read_text("utf-8"))
    description["refinement"]["symbol_of_tag"][0] = 99
    (place / "model.json").write_text(json.dumps(description), "utf-8")
    require_refusal(place, "there is no symbol 99")


def test_words_that_are_not_in_order_are_refused(tmp_path):
    place = shutil.copytree(BEFORE / "lexical" / "model", tmp_path / "model")
    lexicon = json.loads((place / "lexicon.json").read_text("utf-8"))
    lexicon["pairs"][:2] = lexicon["pairs"][1::-1]
    (place / "lexicon.json").write_text(json.dumps(lexicon), "utf-8")
    require_refusal(place, "not in order")
