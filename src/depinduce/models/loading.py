"""Any model from its directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.errors import DepinduceError
from depinduce.models import tag_model
from depinduce.models.model_files import DESCRIPTION, FIRST, SECOND, damaged, place_of_model, read_description
from depinduce.models.tag_model import GrammarModel

if TYPE_CHECKING:
    from depinduce.models.joint_model import JointModel
    from depinduce.models.state_model import HdpModel
    from depinduce.models.word_model import LexicalModel

    Model = GrammarModel | HdpModel | LexicalModel | JointModel

MEMBERS = ("joint", FIRST, SECOND)


def load_model(directory: str | Path) -> Model:
    """Read a model that a training wrote, to this directory or to `model` in it."""
    directory = place_of_model(directory)
    description = read_description(directory / DESCRIPTION)
    kind = description.get("kind", tag_model.KIND)
    try:
        if kind == tag_model.KIND:
            return GrammarModel.read(directory, description)
        from depinduce.models import state_model  # this needs numba

        if kind == state_model.KIND:
            return state_model.HdpModel.read(directory, description)
        from depinduce.models import joint_model, word_model  # these need torch

        if kind == word_model.KIND:
            return word_model.LexicalModel.read(directory, description)
        if kind == joint_model.KIND:
            first, second = load_model(directory / FIRST), load_model(directory / SECOND)
            if not (isinstance(first, word_model.LexicalModel) and isinstance(second, GrammarModel)):
                raise ValueError("its first part must be a grammar over words, its second one over tags")
            return joint_model.JointModel(first, second, description["history"])
        raise ValueError(f"there is no kind of model {kind!r}")
    except DepinduceError:
        raise
    except Exception as error:  # whatever a damaged file leads to
        raise damaged(directory, error) from error


def member(model: Model, name: str) -> Model:
    """A part of a joint model by its name, or all of it: joint, first or second."""
    if name not in MEMBERS:
        raise DepinduceError(f"--member cannot be {name!r}. Choose from: {', '.join(MEMBERS)}.")
    if name == "joint":
        return model
    if not hasattr(model, name):
        raise DepinduceError(f"--member {name}: only joint models have members. Leave it away.")
    return getattr(model, name)


def grammar_of(model: Model) -> GrammarModel | None:
    """A grammar over tags; of a joint model, that part; of one with hidden states, the view without them."""
    grammar = model.grammar() if hasattr(model, "grammar") else getattr(model, SECOND, model)
    return grammar if isinstance(grammar, GrammarModel) else None


def load_grammar(directory: str | Path) -> GrammarModel:
    """The grammar over tags that a training wrote."""
    return require_grammar(load_model(directory), f"{directory}: ")


def require_grammar(model: Model, where: str = "") -> GrammarModel:
    """The same as `grammar_of`, for whoever cannot do without."""
    grammar = grammar_of(model)
    if grammar is None:
        raise DepinduceError(
            f"{where}a grammar over words, whose rules are too many to list. Name a grammar over tags."
        )
    return grammar
