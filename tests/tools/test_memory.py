"""The memory tool says what it did in words for the person, with ids for the model, and asks before it deletes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from tools import open_tools
from tools.desk import Desk, Kept, ToolFault
from tools.memory import SHOWN, Wish, fulfil


class Keeper:
    """Keeps what it was asked for."""

    def __init__(self, *kept: Kept) -> None:
        self.kept, self.asked = kept, list[object]()

    def show(self, about: str) -> tuple[Sequence[Kept], int]:
        self.asked.append(about)
        return self.kept, 7

    def note(self, subject: str, attribute: str, value: str, quote: str, instead: str = "") -> Sequence[Kept]:
        self.asked.append((subject, attribute, value, quote, instead))
        return self.kept if instead else ()

    def wrong(self) -> Sequence[Kept]:
        return self.kept

    def propose(self, which: str, about: str, ids: Sequence[str]) -> Sequence[Kept]:
        self.asked.append((which, about, ids))
        return self.kept

    def confirm(self) -> int:
        raise ToolFault("Nothing was proposed.")

    def off(self) -> int:
        return 0


TOM = Kept("s:1:fact0", "2026-05-01: “Tom lives in Rome”")


def test_the_person_reads_lines_and_the_model_ids() -> None:
    text, artifact = fulfil(Wish(do="show", about=" Tom "), keeper := Keeper(TOM), "s")
    assert keeper.asked == ["Tom"]
    assert "s:1:fact0" in text and TOM.text in text
    assert TOM.text in artifact["told"] and "s:1:fact0" not in artifact["told"]
    assert artifact["depends"] == {"session": "s"}


def test_what_a_note_takes_the_place_of_is_told() -> None:
    wish = Wish(do="note", subject="Tom", attribute="lives in", value="Oslo", quote="Tom lives in Oslo", instead="Rome")
    text, artifact = fulfil(wish, keeper := Keeper(TOM), "s")
    assert keeper.asked == [("Tom", "lives in", "Oslo", "Tom lives in Oslo", "Rome")]
    assert artifact["told"] == f'Noted: "Tom lives in Oslo"; no longer so:\n- {TOM.text}' and TOM.id in text


def test_a_long_proposal_is_read_out_in_part_and_known_whole() -> None:
    many = [Kept(f"s:{n}:said", f"note {n}") for n in range(SHOWN + 3)]
    text, artifact = fulfil(Wish(do="forget", which="everything"), Keeper(*many), "s")
    assert artifact["told"].startswith(f"Shall these {SHOWN + 3} notes be deleted for good")
    assert "and 3 more" in artifact["told"] and f"s:{SHOWN + 2}:said" in text


def test_what_cannot_be_done_is_a_sentence_for_the_model() -> None:
    with pytest.raises(ToolFault, match="Nothing was proposed"):
        fulfil(Wish(do="confirm"), Keeper(), "s")


def test_it_is_there_only_where_the_memory_is_on() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert "memory" not in open_tools(Desk("s", now))
    assert "memory" in open_tools(Desk("s", now, keeper=Keeper()))
