"""No text makes a pattern of the product run for long: every one of them meets the texts that are worst for it."""

from __future__ import annotations

import re
import signal
import time
import unicodedata
from collections.abc import Callable, Iterator

import pytest

from memory import notes, turns, written
from tests.security.patterns import Use, patterns, worst
from tools import convert, plain, reading
from tools.desk import ToolFault

LENGTH, BOUND = 20_000, 0.5
"""Characters, and seconds of this thread for one of them."""
SHORT, SUSPECT = 1_000, 0.0004
"""Only what takes long with a short text already is tried with a long one: linear patterns are far quicker."""
CLIPPED = ("memory.",)
"""Rooms that see at most turns.LONGEST characters of a text (below)."""


class Rang(Exception):
    """The time is over."""


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise Rang

    before = signal.signal(signal.SIGPROF, ring)
    yield
    signal.signal(signal.SIGPROF, before)


def seconds(act: Callable[[], object], most: float = 0.8) -> float:
    """What it takes of this thread (its clock is exact beside a timer, the process's is not), at most about `most`."""
    began = time.thread_time()
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        act()
    except Rang:
        return most
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.thread_time() - began


def slow(use: Use, where: str, length: int = LENGTH) -> str:
    """The text that takes too long, or nothing."""
    pattern, method = use
    search = getattr(pattern, method)
    clipped = where.startswith(CLIPPED)
    for number, text in enumerate(worst(pattern, SHORT)):
        if clipped:
            if seconds(lambda: search(text[: turns.LONGEST])) > BOUND:  # noqa: B023
                return text[:20]
        elif (took := seconds(lambda: search(text))) > SUSPECT:  # noqa: B023
            if took > BOUND:
                return text[:20]
            long = next(each for at, each in enumerate(worst(pattern, length)) if at == number)
            if seconds(lambda: search(long)) > BOUND:  # noqa: B023
                return text[:20]
    return ""


@pytest.mark.slow
def test_every_pattern_is_linear() -> None:
    found = patterns()
    assert len(found) > 150
    assert {where: (use[0].pattern, text) for use, where in found.items() if (text := slow(use, where))} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "method"),
    [(r"(a+)+$", "search"), (r"\s+$", "search"), (r"[\w.+-]+@[\w-]+\.", "search"), (r"(?:a|aa)+b", "match"),
     (r"\{([^}]*)\}", "search"), (r"x (.*) y", "search"),
     (r"(\w+\s?)*\.", "fullmatch")],
)  # fmt: skip
def test_a_pattern_that_is_not_linear_is_found(pattern: str, method: str) -> None:
    """With texts so long that a quick machine needs its time as well."""
    assert slow((re.compile(pattern), method), "here", 2 * LENGTH)


PIECES = (
    " ", "a", "1", "a ", "1 ", "= ", "( ", "((", "1,", "-", "please ", "'", '"', "`", "\u0300", "ﷺ", "½", "what is ",
    "a.b@",
    "²",
    "and ", "\n", "\t ", "5! ", ":)", "A B ", "times ", "half of ", "the the ",
    "\u1e0d\u0323\u0307", "\u0300\u0323",
)  # fmt: skip


def refused(text: str) -> None:
    with pytest.raises(ToolFault):
        convert._unit(text)


READERS: dict[str, Callable[[str], object]] = {
    "figures": lambda text: written.figures(text[: turns.LONGEST]),
    "names": lambda text: written.anchors(written.words(text[: turns.LONGEST])),
    "searched": notes._quoted,
    "one line": plain.one_line,
    "document": lambda text: reading.printable(text * 5),
    "sentences": reading.sentences,
    "headings": lambda text: list(reading._sections(reading._outlined(f"# {text[:190]}a\n" * 100 + text, True))),
    "units": lambda text: refused(text * 50),
}


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("reader", READERS)
def test_what_reads_peoples_words_ends_soon(reader: str, piece: str) -> None:
    text = (piece * LENGTH)[:LENGTH]
    assert seconds(lambda: READERS[reader](text)) < BOUND


def test_without_pieces_accents_take_the_square_of_their_number() -> None:
    accents = "\u0300\u0323" * 8_000
    whole = seconds(lambda: unicodedata.normalize("NFKC", accents))
    assert seconds(lambda: plain.normal(accents)) < whole / 4


def test_plain_forms_stay_as_they_were() -> None:
    for text in ("ﬁne ½ ²", "Straße", "Ｆｕｌｌ　ｗｉｄｔｈ", "e\u0301 " * 900, "x" * 2500, "é" * 999):
        assert plain.normal(text) == unicodedata.normalize("NFKC", text)
