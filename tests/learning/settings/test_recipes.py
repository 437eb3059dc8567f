"""Recipes are what the paper and our pages say they are, setting by setting."""

from __future__ import annotations

import re
from typing import Any

import pytest
from experiments.paper import needs_paper, text_of_paper

from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.recipes import load_recipe, recipe_names

PRINTED = {  # section 4.1 and the appendix, "Hyperparameters"
    "learning_rate": 0.001, "size": 100, "child_rank": 30, "decision_rank": 10, "generation": "outside-in",
    "method": "dmo", "skip_connections": True,
}  # fmt: skip
PRINTED_FOR_UD = {"batch_size": 100, "max_length": 15, "encoder": "ud", "init": ("harmonic",)}
PRINTED_FOR_WSJ = {"batch_size": 64, "max_length": 10, "encoder": "wsj", "init": ("hdp-dep", "penn")}
PRINTED_FOR_WORDS = {
    "tag_size": 100, "word_size": 100, "dropout": 0.5, "lexical_child_rank": 150, "lexical_decision_rank": 50,
    "lexical_encoder": "wsj",
}  # fmt: skip
# What it does not print: "several" epochs on the start, and early stopping. The rest of a recipe is switched off.
OURS = {"start_epochs": 3, "epochs": 100, "patience": 5}
OURS_FOR_UD = {
    "start_trees": "best", "non_heads": ("ud",), "constraint": ("start", "training", "parsing"), "rules": None,
    "ladder": (), "members": 1, "grow_from": 0, "anchor": 0.0,
}  # fmt: skip

OF_PAPER = {  # the model, and what its name says
    "paper-ud-ndmv": {"model": "ndmv"},
    "paper-ud-sibling": {"model": "sibling"},
    "paper-ud-grand": {"model": "grand"},
    "paper-ud-sibling-em": {"model": "sibling", "method": "em", "m_steps": 5},
    "paper-ud-sibling-no-skip": {"model": "sibling", "skip_connections": False},
}
NETWORKS_ON_WSJ = [
    name
    for name in recipe_names()
    if name.startswith(("wsj-", "paper-wsj-"))
    and not name.endswith(("-dmv", "-hdp-dep"))
    and not any(other in name for other in ("jiang", "pr-s", "crfae", "d-ndmv"))
]
OF_JIANG = {  # as docs/method.md tells them; whether a child depends on the valence of its head
    "wsj-jiang-ndmv": {"child_valence": False, "max_length": 10, "tags": "xpos", "non_heads": ()},
    "wsj-jiang-e-ndmv": {"child_valence": True, "max_length": 10, "tags": "xpos", "non_heads": ()},
    "ud-jiang-ndmv": {"child_valence": True, "max_length": 15, "tags": "upos", "non_heads": ("ud",)},
}
ON = {
    "ud": {"max_length": 15, "tags": "upos", "non_heads": ("ud",)},
    "wsj": {"max_length": 10, "tags": "xpos", "punctuation": "penn-currency", "non_heads": ()},
}
_E_DMV = {"model": "e-dmv", "smoothing": 0.1, "head_prior": 10.0, "back_off_prior": 20.0, "em": "soft", "rules": None}
_FALLING = {"unambiguity": 1.0, "unambiguity_iterations": 100, "iterations": 150}
_RANDOM = {"unambiguity": 0.0, "random_starts": 20, "start_iterations": 40, "iterations": 100, "init": ("random",)}
COMPARED = {  # systems that the paper compares with, as docs/method.md tells them
    "dmv": {"model": "dmv", "em": "soft", "smoothing": 0.1, "iterations": 50, "rules": None},
    "e-dmv": _E_DMV | _RANDOM,
    "ur-e-dmv": _E_DMV | _FALLING,
    "feature-dmv": {"model": "feature-dmv", "optimiser": "direct", "penalty": 0.01, "iterations": 200},
    "ln-dmv": {"model": "ln-dmv", "experts": "own", "variance": 0.1, "family_correlation": 0.5, "iterations": 30},
    "shared-ln-dmv": {"model": "ln-dmv", "experts": "shared", "groups": ("noun", "verb"), "variance": 0.1},
    "pr-s": {"model": "dmv", "sparsity": 20.0, "sparsity_of": "arcs", "child_valence": True, "rules": None},
    "crfae": {"model": "crfae", "iterations": 5, "sparse_weights": 2.5, "rules": None},
    "crfae-rules": {"model": "crfae", "iterations": 5, "rules_weight": 10.0},
}
START_PASSES = {"ud": 0, "wsj": 5}  # of the encoder of a CRF autoencoder
OF_HAN = {  # as docs/method.md tells them
    "ud-d-ndmv": {"variational": False},
    "ud-d-ndmv-variational": {"variational": True},
    "wsj-d-ndmv": {"variational": False},
    "wsj-d-ndmv-variational": {"variational": True},
}
LADDERS = {  # as docs/results/ud.md and joint.md tell them
    "ud-ndmv": (("ndmv",), 0.0),
    "ud-grand": (("ndmv",), 0.0),
    "ud-sibling": (("ndmv", "grand"), 0.3),
    "ud-joint-sibling": (("ndmv", "grand", "sibling"), 0.3),
    "ud-joint-grand": (("ndmv", "grand"), 0.3),
    "ud-lexical": (("ndmv", "grand", "sibling"), 0.3),
    "ud-lexical-sibling": (("ndmv", "grand", "sibling"), 0.3),
    "ud-lexical-grand": (("ndmv", "grand", "sibling"), 0.3),
}


def settings_of(recipe: str) -> dict[str, Any]:
    """All of them, those that it does not name with their defaults."""
    return configure(load_recipe(recipe)).values()


def require_settings(recipe: str, expected: dict[str, Any]) -> None:
    found = settings_of(recipe)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("recipe", OF_PAPER)
def test_the_recipes_of_the_paper_for_ud_have_its_settings(recipe):
    require_settings(recipe, PRINTED | PRINTED_FOR_UD | OURS | OURS_FOR_UD | OF_PAPER[recipe])


@pytest.mark.parametrize("recipe", NETWORKS_ON_WSJ)
def test_networks_on_wsj_have_the_settings_of_the_paper(recipe):
    """Over words ours differ: more words are taken for their tag, and a joint model has its part over tags below it."""
    ours, model = recipe.startswith("wsj-"), recipe.removeprefix("paper-").removeprefix("wsj-")
    expected = {"model": model, "non_heads": (), "ladder": (), "tags": "xpos", "punctuation": "penn-currency"}
    if "lexical" in model or "joint" in model:
        expected |= PRINTED_FOR_WORDS | {"min_count": 5 if ours else 2, "vectors": ("random" if ours else "fasttext",)}
    if ours and "joint" in model:
        expected["ladder"] = (model.removeprefix("joint-"),)
    require_settings(recipe, PRINTED | PRINTED_FOR_WSJ | OURS | expected)


@pytest.mark.parametrize("recipe", OF_JIANG)
def test_the_networks_of_jiang_et_al_are_trained_by_hard_em_on_all_sentences(recipe):
    told = {"model": "jiang-ndmv", "init": ("harmonic",), "start_trees": "best", "method": "hard-em", "batch_size": 0}
    told |= {"m_steps": 100, "learning_rate": 0.01, "tag_size": 10, "valence_size": 5, "ladder": (), "patience": 5}
    require_settings(recipe, told | OF_JIANG[recipe])


@pytest.mark.parametrize("corpus", ON)
@pytest.mark.parametrize("system", COMPARED)
def test_compared_systems_start_from_the_harmonic_grammar_but_for_e_dmv(system, corpus):
    told = {"init": ("harmonic",), "ladder": ()} | COMPARED[system]
    rules = {"rules": {"ud": "ud", "wsj": "penn"}[corpus]} if system.endswith("-rules") else {}
    passes = {"start_passes": START_PASSES[corpus]} if system.startswith("crfae") else {}
    require_settings(f"{corpus}-{system}", told | rules | passes | ON[corpus])


@pytest.mark.parametrize("recipe", OF_HAN)
def test_the_networks_of_han_et_al_start_from_good_trees_and_learn_by_gradients(recipe):
    told = {"model": "d-ndmv", "learning_rate": 0.01, "tag_size": 10, "sentence_size": 20}
    told |= {"sentence_dropout": 0.5, "divergence_weight": 1.0, "child_valence": True, "anchor": 0.3}
    on_ud = {"method": "dmo", "ladder": ("ndmv",), "members": 6, "grow_from": 3, "max_length": 15, "non_heads": ("ud",)}
    on_wsj = {
        "method": "hard-em",
        "ladder": (),
        "init": ("hdp-dep", "penn"),
        "max_length": 10,
        "tags": "xpos",
        "non_heads": (),
    }
    require_settings(recipe, told | (on_ud if recipe.startswith("ud") else on_wsj) | OF_HAN[recipe])


@pytest.mark.parametrize("recipe", LADDERS)
def test_our_ladders_are_as_the_pages_tell(recipe):
    """Six NDMVs from the harmonic parses, three words first; four epochs; an anchor of 0.3 where there is one."""
    ladder, anchor = LADDERS[recipe]
    told = {"init": ("harmonic",), "start_trees": "best", "grow_from": 3, "members": 6, "epochs": 4, "start_epochs": 3}
    told |= {"non_heads": ("ud",), "rules": None, "method": "dmo", "learning_rate": 0.001, "batch_size": 100}
    words = {"min_count": 5} if "lexical" in recipe or "joint" in recipe else {}
    require_settings(recipe, told | words | {"model": recipe.removeprefix("ud-"), "ladder": ladder, "anchor": anchor})


def test_every_recipe_is_spoken_for():
    """A new one belongs in a table above, or has its claims elsewhere."""
    elsewhere = {"wsj-hdp-dep", "ud-student", "universal", "adapt"}
    compared = {f"{corpus}-{system}" for corpus in ON for system in COMPARED}
    assert {*OF_PAPER, *NETWORKS_ON_WSJ, *OF_JIANG, *OF_HAN, *LADDERS, *compared, *elsewhere} == set(recipe_names())
    assert len(NETWORKS_ON_WSJ) >= 8


IN_THE_TEXT = {  # where the paper prints these settings
    r"Adam .*? as the optimizer with learning rate ([\d.]+)\. ": PRINTED["learning_rate"],
    r"batch size is set to (\d+) for WSJ": PRINTED_FOR_WSJ["batch_size"],
    r"batch size is set to \d+ for WSJ and (\d+) for UD": PRINTED_FOR_UD["batch_size"],
    r"sentences of length \$\\le\$ (\d+) in training and use sentences of": PRINTED_FOR_WSJ["max_length"],
    r"sentences of length \$\\le\$ (\d+) in training and sentences": PRINTED_FOR_UD["max_length"],
    r"dimension of POS embedding to (\d+)": PRINTED["size"],
    r"hidden representation is set to (\d+)\. We set the size of decomposed trilinear function parameters to 30": (
        PRINTED["size"]
    ),
    r"parameters to (\d+) for child and root rules and 10 for decision": PRINTED["child_rank"],
    r"parameters to 30 for child and root rules and (\d+) for decision": PRINTED["decision_rank"],
    r"dimension of word embedding to (\d+)": PRINTED_FOR_WORDS["word_size"],
    r"hidden representation is set to (\d+)\. We set the size of decomposed trilinear function parameters to 150": (
        PRINTED_FOR_WORDS["tag_size"] + PRINTED_FOR_WORDS["word_size"]
    ),
    r"parameters to (\d+) for child and root rules and 50 for decision": PRINTED_FOR_WORDS["lexical_child_rank"],
    r"parameters to 150 for child and root rules and (\d+) for decision": PRINTED_FOR_WORDS["lexical_decision_rank"],
    r"dropout rate is set to ([\d.]+)\. ": PRINTED_FOR_WORDS["dropout"],
}


@needs_paper
def test_what_is_called_printed_is_in_the_text_of_the_paper():
    found = {place: [float(number) for number in re.findall(place, text_of_paper())] for place in IN_THE_TEXT}
    assert found == {place: [number] for place, number in IN_THE_TEXT.items()}


@needs_paper
def test_the_paper_says_how_it_trains_and_where_it_starts():
    text = text_of_paper()
    assert "We use direct marginal likelihood optimization (DMO) as the training method" in text
    assert r"On the UD dataset, we use the K\&M initialization" in text
    assert "to perform supervised learning of our model for several epochs" in text
    assert "early stopping based on the log-likelihood of the development data" in text
    assert "we make the outside-in assumption" in text
