"""How the Penn Treebank is converted."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.corpus.corpus import Reading
from depinduce.corpus.penn.head_rules import HEAD_RULES
from depinduce.corpus.penn.sections import parse_sections
from depinduce.corpus.punctuation import CURRENCY, PENN
from depinduce.errors import DepinduceError
from depinduce.settings import setting

_TREATMENTS = ("keep", "remove")


@dataclass(frozen=True)
class PennSettings:
    """Which sections go where, which words are kept and how heads are found."""

    train_sections: tuple[str, ...] = setting(("2-21",), "sections of train.conllu; nothing: no such file", metavar="S")
    dev_sections: tuple[str, ...] = setting(("22",), "sections of dev.conllu; nothing: no such file", metavar="S")
    test_sections: tuple[str, ...] = setting(("23",), "sections of test.conllu; nothing: no such file", metavar="S")
    heads: str = setting("yamada-matsumoto", "the rules that find the head of a phrase", choices=tuple(HEAD_RULES))
    punctuation: str = setting("remove", "what is done with punctuation before heads are found", choices=_TREATMENTS)
    currency: str = setting(
        "remove",
        "the same for $ and #; kept, they count as words where other commands are told `--punctuation penn`",
        choices=_TREATMENTS,
    )
    min_length: int | None = setting(None, "the fewest words of a sentence, after removal")
    max_length: int | None = setting(None, "the most words of a sentence, after removal")

    def __post_init__(self):
        _ = self.sections, self.lengths  # faults of the options show here, not later
        for name, choices in (("heads", HEAD_RULES), ("punctuation", _TREATMENTS), ("currency", _TREATMENTS)):
            value = getattr(self, name)
            if value not in choices:
                raise DepinduceError(f"--{name} cannot be {value!r}. Choose from: {', '.join(choices)}.")

    @property
    def sections(self) -> dict[str, list[int]]:
        """The sections of train, dev and test."""
        return {split: parse_sections(split, getattr(self, f"{split}_sections")) for split in ("train", "dev", "test")}

    @property
    def lengths(self) -> Reading:
        """Which lengths are kept, as when a corpus is read."""
        return Reading(min_length=self.min_length, max_length=self.max_length)

    @property
    def removed_tags(self) -> frozenset[str]:
        """The tags of the words that are taken out before heads are found."""
        removed = PENN if self.punctuation == "remove" else frozenset()
        return removed | CURRENCY if self.currency == "remove" else removed
