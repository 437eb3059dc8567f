"""Random damage to files: of bytes, lines, columns, numbers and encodings, and some that knows the format.

A mutator takes random numbers and the bytes of a file, and gives other bytes. Those that know a format leave most of a
file valid, so that what comes after the reader is tried as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

Mutator = Callable[[random.Random, bytes], bytes]

ODD_TEXTS = (
    "", " ", "_", "#", "-", ".", "/", "\t", "\n", "\r", "\r\n", "\r\r\n", "\n\n", "\0", "\x0b", "\x0c", "\x1b[31m",
    "\x85", "\xa0", "\u200b", "\u2028", "\u202e", "\ufeff", "\ufffe", "a\u0301", "犬", "שלום", "👩\u200d🚀", "=", "|",
    "(", ")", "[", "{", '"', "'", "\\", "# sent_id = x", "# newdoc", "# tree = 2 of 3", "# x\r", "<s>",
    "1\t_\t_\t_\t_\t_\t_\t_\t_\t_", "Posterior=0.5", "x-tree2",
)  # fmt: skip
ODD_BYTES = (
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b",
    b"\xe9",
)
ODD_NUMBERS = (
    "0", "1", "2", "3", "-1", "00", "01", "+1", "1.0", "1.1", "0.1", "1-2", "2-1", "1-1", "1-", "1_0", "١", "²",
    "1e3", "1e400", "nan", "inf", "-0", "0x1F", "0b1", "255", "256", "2147483648", "4294967296",
    "9223372036854775808", "1" * 40, "9" * 4300, "1" * 4301, "0x" + "f" * 4000, "1." + "1" * 4301,
    "1-" + "9" * 4301, "true", "[1]", "1979-05-27",
)  # fmt: skip


def mutated(rng: random.Random, data: bytes, mutators: Sequence[Mutator], most: int = 4) -> bytes:
    """The data after some of the mutators, more often a few than many."""
    for _ in range(1 + min(int(rng.expovariate(1.0)), most - 1)):
        data = rng.choice(mutators)(rng, data)
    return data


# ---------------------------------------------------------------- bytes


def flip_bit(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return b"\0"
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def cut_out(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def cut_off(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 50)) + data[end:]


def insert_text(rng: random.Random, data: bytes) -> bytes:
    return _put(rng, data, rng.choice(ODD_TEXTS).encode())


def insert_bytes(rng: random.Random, data: bytes) -> bytes:
    return _put(rng, data, rng.choice((*ODD_BYTES, rng.randbytes(rng.randrange(1, 9)))))


def change_encoding(rng: random.Random, data: bytes) -> bytes:
    text = data.decode(errors="replace")
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "utf-7", "cp1252"))
    return text.encode(encoding, errors="replace")


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 16, 64)))


def _put(rng: random.Random, data: bytes, what: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + what + data[at:]


BYTES: tuple[Mutator, ...] = (flip_bit, cut_out, cut_off, repeat, insert_text, insert_bytes, change_encoding)

# ---------------------------------------------------------------- lines, columns and numbers


def of_lines(change: Callable[[random.Random, list[bytes]], None]) -> Mutator:
    """A mutator that changes the list of lines."""

    def mutator(rng: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        change(rng, lines)
        return b"\n".join(lines)

    return mutator


@of_lines
def delete_line(rng: random.Random, lines: list[bytes]) -> None:
    del lines[rng.randrange(len(lines))]


@of_lines
def repeat_line(rng: random.Random, lines: list[bytes]) -> None:
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))


@of_lines
def swap_lines(rng: random.Random, lines: list[bytes]) -> None:
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


@of_lines
def join_lines(rng: random.Random, lines: list[bytes]) -> None:
    at = rng.randrange(len(lines))
    lines[at : at + 2] = [b" ".join(lines[at : at + 2])]


@of_lines
def insert_line(rng: random.Random, lines: list[bytes]) -> None:
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(ODD_TEXTS).encode())


def change_line_ends(rng: random.Random, data: bytes) -> bytes:
    """Other line ends, in all of the file or here and there; and an end in the middle of one."""
    end = rng.choice((b"\r\n", b"\r\n", b"\r", b"\r\r\n", b"\n\r"))
    if rng.random() < 0.7:
        data = data.replace(b"\n", end)
    else:
        data = b"".join(piece + rng.choice((b"\n", end)) for piece in data.split(b"\n"))
    return data.rstrip(b"\r\n") + rng.choice((b"", b"\r", b"\n", b"\r\n", b"\r\n\r", b"\r\r\n", end + end, end + b"\r"))


@of_lines
def change_column(rng: random.Random, lines: list[bytes]) -> None:
    """Another value in one column of one line, or a column more or less."""
    at = rng.randrange(len(lines))
    between = b"\t" if b"\t" in lines[at] else b" "
    columns = lines[at].split(between)
    place = rng.randrange(len(columns))
    action = rng.randrange(5)
    if action == 0:
        del columns[place]
    elif action == 1:
        columns.insert(place, rng.choice(columns))
    elif action == 2:
        columns[place] = rng.choice(ODD_TEXTS).encode()
    elif action == 3:
        columns[place] = rng.choice(rng.choice(lines).split(between))
    else:
        columns[place] = rng.choice(ODD_NUMBERS).encode()
    lines[at] = between.join(columns)


def change_number(rng: random.Random, data: bytes) -> bytes:
    """Another number in the place of a run of digits."""
    starts = [at for at in range(len(data)) if data[at : at + 1].isdigit() and not data[at - 1 : at].isdigit()]
    if not starts:
        return data
    start = end = rng.choice(starts)
    while data[end : end + 1].isdigit():
        end += 1
    return data[:start] + rng.choice(ODD_NUMBERS).encode() + data[end:]


LINES: tuple[Mutator, ...] = (
    delete_line, repeat_line, swap_lines, join_lines, insert_line, change_line_ends, change_column, change_number,
)  # fmt: skip

# ---------------------------------------------------------------- what knows CoNLL-U


def conllu_text(rng: random.Random) -> bytes:
    """A valid file of a few sentences, with all that the format allows."""
    end = rng.choice(("\n", "\n", "\r\n"))
    blocks = [_block(rng, end) for _ in range(rng.choice((1, 1, 2, 3)))]
    text = rng.choice(("", "", "", "\ufeff", end)) + "".join(blocks)
    return (text.rstrip("\r\n") + rng.choice(("", end, "\r")) if rng.random() < 0.1 else text).encode()


def _block(rng: random.Random, end: str) -> str:
    lines = [rng.choice(COMMENTS).replace("%", str(rng.randrange(9))) for _ in range(rng.choice((0, 1, 1, 2)))]
    words = rng.choice((0, 1, 2, 3, 4, 5, 6, 9)) if rng.random() < 0.9 else 0
    covered = 0
    for word in range(1, words + 1):
        if rng.random() < 0.06 and word > covered:
            covered = min(words, word + rng.randrange(3))
            lines.append(f"{word}-{covered}\tau" + 8 * "\t_")
        if rng.random() < 0.04 and word > 1:
            lines.append(f"{word - 1}.1\tgone" + 8 * "\t_")
        if rng.random() < 0.03:
            lines.append("# in the middle")
        form = rng.choice(ODD_FORMS) if rng.random() < 0.1 else rng.choice(("dog", "The", "犬", "runs"))
        tag = rng.choice(("NOUN", "VERB", "DET", "PUNCT", "X", "_" if rng.random() < 0.05 else "ADP"))
        head = rng.choice(("_", "0", str(rng.randrange(words + 1))))
        misc = rng.choice(("_", "_", "SpaceAfter=No", "Posterior=0.1234|x=y", "", "=|=", "a=b|a=c"))
        lines.append(f"{word}\t{form}\t_\t{tag}\t{rng.choice(('_', tag, '.'))}\t_\t{head}\tdep\t_\t{misc}")
    return end.join([*lines, "", ""]) if lines else rng.choice(("", end))


COMMENTS = (
    "# sent_id = s%", "# sent_id = s%-tree2", "# sent_id=%", "#sent_id = a b %", "# text = hm", "# newdoc id = d%",
    "# newpar", "# global.columns = ID FORM", "# tree = % of 9", "# probability = 0.%", "# log_likelihood = -%",
    "#", "# = ", "# sent_id =",
)  # fmt: skip
ODD_FORMS = (
    "New York",
    "_",
    "#",
    "",
    "\x1b[31m",
    "\u202eabc",
    "a\x85b",
    "a\u2028b",
    " ",
    "\x0b",
    "1/2",
    "<b>&",
    "\ufeff",
    "\0",
    "1",
)

# ---------------------------------------------------------------- what knows brackets, tagged text, vectors and TOML


def penn_text(rng: random.Random) -> bytes:
    """A valid file of bracketed trees, some of them deep."""

    def tree(depth: int) -> str:
        if depth <= 0 or rng.random() < 0.3:
            return f"({rng.choice(PENN_TAGS)} {rng.choice(('dog', '*-1', 'ran', '.', '犬', '$', '1/2'))})"
        label = rng.choice(("S", "NP-SBJ", "VP", "X=1", "PP-LOC-2"))
        return f"({label} " + rng.choice((" ", "\n")).join(tree(depth - 1) for _ in range(rng.choice((1, 2, 3)))) + ")"

    deep = rng.choice((1, 2, 3, 4)) if rng.random() < 0.98 else 8
    return "\n".join(f"( {tree(deep)} )" for _ in range(rng.choice((1, 2)))).encode()


PENN_TAGS = ("NN", "DT", "VBD", ".", ",", "-NONE-", "$", "PRP$", "-LRB-", "CC", "IN")


def tagged_text(rng: random.Random) -> bytes:
    """A valid tagged text, of a sentence per line or of a word per line."""
    tags = ("NOUN", "VERB", "DET", "$.", "X/Y")
    words = [
        [(rng.choice(("dog", "1/2", "犬", "a\u2028b", "_")), rng.choice(tags)) for _ in range(rng.choice((1, 2, 5)))]
        for _ in range(rng.choice((1, 2, 3)))
    ]
    if rng.random() < 0.5:
        return "\n".join(" ".join(f"{word}/{tag}" for word, tag in sentence) for sentence in words).encode()
    lemma = rng.choice(("", "\tlemma"))
    between = rng.choice(("\n\n", "\n</s>\n<s>\n"))
    return between.join("\n".join(f"{word}\t{tag}{lemma}" for word, tag in sentence) for sentence in words).encode()


def vectors_text(rng: random.Random) -> bytes:
    """A valid file of word vectors of three numbers."""
    lines = [
        f"{word} {rng.random():.3f} {-rng.random():.2e} {rng.randrange(9)}" for word in rng.sample(VECTOR_WORDS, 4)
    ]
    return "\n".join([*([f"{len(lines)} 3"] if rng.random() < 0.5 else []), *lines, ""]).encode()


VECTOR_WORDS = ("the", "dog", "New York", "犬", "1", "0.5", "</s>", "_")


def toml_mutators(values: Sequence[str], names: Sequence[str]) -> tuple[Mutator, ...]:
    """Mutators that put other values and names into lines `name = value`."""

    @of_lines
    def change_value(rng: random.Random, lines: list[bytes]) -> None:
        at = rng.randrange(len(lines))
        name = lines[at].partition(b"=")[0]
        lines[at] = name + b"= " + rng.choice((*values, *ODD_NUMBERS)).encode()

    @of_lines
    def add_value(rng: random.Random, lines: list[bytes]) -> None:
        line = f"{rng.choice(names)} = {rng.choice((*values, *ODD_NUMBERS))}"
        lines.insert(rng.randrange(len(lines) + 1), line.encode())

    return change_value, add_value


TOML_VALUES = (
    '"dmv"', '"sibling"', '"hdp-dep"', '"lexical"', '"joint-grand"', '["ud"]', "[]", '""', "true", "0.5", "-1",
    "1e300", "nan", "inf", "{}", "{a = {b = 1}}", '["a", 1]', '"soft"', '["harmonic"]', '["model", "x"]',
    '["hdp-dep"]', '"best"', '"\\u202e"', "[" * 40 + "]" * 40, "[" * 2000 + "]" * 2000, '"""\n"""', "'''x'''",
    "1979-05-27T07:32:00Z", '["Verb", "NOUN"]', "0.8",
)  # fmt: skip
