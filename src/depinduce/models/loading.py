"""Any model from its directory, or from the file that it was packed into."""

from __future__ import annotations

from pathlib import Path

from depinduce.errors import DepinduceError, MissingPackageError
from depinduce.models.model import Model, require_rule_view
from depinduce.models.model_files import damaged, read_description
from depinduce.models.packing import unpacked
from depinduce.models.places import DESCRIPTION, is_packed, place_of_model
from depinduce.models.table import find, kinds
from depinduce.models.tag_model import GrammarModel


def load_model(directory: str | Path) -> Model:
    """Read a model that a training wrote, to this directory or to `model` in it, or that was packed there."""
    if is_packed(directory):
        with unpacked(directory) as folder:
            return _model_in(folder)
    return _model_in(place_of_model(directory))


def _model_in(directory: Path) -> Model:
    description = read_description(directory / DESCRIPTION)
    try:
        if description["kind"] not in kinds():
            raise ValueError(f"there is no kind of model {description['kind']!r}")
        return find(kinds()[description["kind"]]).read(directory, description)
    except DepinduceError:
        raise
    except ModuleNotFoundError as error:  # the files are sound
        who = f"{directory}: {description.get('about', 'the model')}"
        raise MissingPackageError(who, error.name or "that it was made with") from error
    except Exception as error:  # whatever a damaged file leads to
        raise damaged(directory, error) from error


def load_grammar(directory: str | Path) -> GrammarModel:
    """The grammar over tags that a training wrote."""
    return require_rule_view(load_model(directory), f"{directory}: ")


def load_universal(directory: str | Path = "universal") -> Model:
    """A universal grammar, from which a new language can start."""
    model = load_model(directory)
    if model.headedness is None:
        raise DepinduceError(
            f"{directory}: {model.about}, not a universal grammar. Name one that `--recipe universal` has trained."
        )
    return model
