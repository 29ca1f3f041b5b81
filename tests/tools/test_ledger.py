"""What is asked before it is done: proposals, answers, and entries that exist once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from tools.desk import ToolFault
from tools.ledger import CHANGES, CONTACT, Findings, Ledger, Proposal, answered, consenting

WISH = {"home": "H-0001", "at": "2026-11-24 10:00"}


def later(ledger: Ledger) -> Ledger:
    """The same session in its next run."""
    return Ledger(ledger.folder, ledger.session)


def test_looking_makes_no_file(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "s")
    assert ledger.entries() == () and ledger.revision() == "0-0"
    assert not (tmp_path / CHANGES).exists()


def test_a_proposal_changes_nothing_and_keeps_its_code(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "s")
    one, two = ledger.propose("book", WISH, "viewing"), later(ledger).propose("book", WISH, "viewing")
    assert one.code == two.code != ledger.propose("book", {**WISH, "at": "later"}, "viewing").code
    assert ledger.entries() == () and ledger.revision() == "0-0"


def test_a_run_cannot_answer_its_own_proposal(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "s")
    code = ledger.propose("book", WISH, "viewing of H-0001").code
    with pytest.raises(ToolFault, match=r"has not answered yet.*viewing of H-0001"):
        answered(ledger, "book", code, True)
    ledger.propose("book", WISH, "viewing of H-0001")
    found = answered(later(ledger), "book", code.lower(), True)
    assert found and found.details == WISH


def test_a_no_after_it_was_done_says_that_it_stands(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "s")
    proposal = ledger.propose("book", WISH, "viewing of H-0001")
    said, made = later(ledger).make(proposal, "viewing", "key", datetime(2026, 11, 20), "Booked")
    assert said == "Booked: viewing of H-0001." and made["changes"][0]["done"] == "made"
    with pytest.raises(ToolFault, match="does not undo what was done already, and still stands: viewing of H-0001"):
        answered(later(ledger), "book", proposal.code, False)
    found = answered(later(ledger), "book", proposal.code, True)
    assert found and found.state == "done", "and it is known as done"


def test_what_a_person_left_goes_with_the_conversation(tmp_path: Path) -> None:
    ledger, other = Ledger(tmp_path, "s"), Ledger(tmp_path, "other")
    ledger.forget()
    assert not (tmp_path / CHANGES).exists()
    for each in (ledger, other):
        each.enter(CONTACT, each.session, {"phone": f"0151-{each.session}"}, "now")
        each.propose("leave_contact", {"phone": f"0170-{each.session}"}, "contact details")
    ledger.enter("viewing", "key", WISH, "now")
    ledger.forget()
    assert [(e.session, e.kind) for e in ledger.entries(everyone=True)] == [("other", CONTACT), ("s", "viewing")]
    assert not ledger.proposals() and other.proposals()
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"0151-other" in kept and b"0151-s" not in kept and b"0170-s" not in kept


def test_asked_anew_the_older_question_still_counts(tmp_path: Path) -> None:
    code = Ledger(tmp_path, "s").propose("book", WISH, "it").code
    again = Ledger(tmp_path, "s")
    again.propose("book", WISH, "it")
    assert answered(again, "book", code, True), "the person was asked by an earlier run"


def test_a_question_that_the_person_did_not_hear_is_asked_anew(tmp_path: Path) -> None:
    code = Ledger(tmp_path, "s", "turn 1").propose("book", WISH, "it").code
    again = Ledger(tmp_path, "s", "turn 2", heard=())
    assert again.waiting() == []
    again.propose("book", WISH, "it")
    with pytest.raises(ToolFault, match="has not answered yet"):
        answered(again, "book", code, True)
    assert answered(Ledger(tmp_path, "s", "turn 3", heard=("turn 2",)), "book", code, True)


def test_a_no_forgets_the_proposal(tmp_path: Path) -> None:
    code = Ledger(tmp_path, "s").propose("store", {"phone": "5550134"}, "it").code
    ledger = Ledger(tmp_path, "s")
    assert answered(ledger, "store", code, False) is None
    assert ledger.proposals("store") == [] and b"5550134" not in (tmp_path / CHANGES).read_bytes()


def in_turn(place: Path, number: int) -> Ledger:
    """As that turn of a conversation sees it: each one before it was replied to."""
    return Ledger(place, "s", f"turn {number}", heard=tuple(f"turn {before}" for before in range(1, number)))


def asked(ledger: Ledger, at: str) -> str:
    return ledger.propose("book", {**WISH, "at": at}, f"viewing at {at}").code


def test_only_the_newest_question_of_a_tool_waits(tmp_path: Path) -> None:
    codes = [asked(in_turn(tmp_path, turn), at) for turn, at in ((1, "ten"), (2, "two"))]
    for turn in (3, 6):
        [waiting] = in_turn(tmp_path, turn).waiting()
        assert (waiting.tool, waiting.code, waiting.details["at"]) == ("book", codes[1], "two")
    with pytest.raises(ToolFault, match=f"under {codes[0]}"):
        answered(in_turn(tmp_path, 3), "book", codes[0], True)


@pytest.mark.parametrize("agreed", [True, False])
def test_what_a_later_question_took_the_place_of_does_not_come_back_with_its_answer(
    tmp_path: Path, agreed: bool
) -> None:
    ten, eleven = (asked(in_turn(tmp_path, turn), at) for turn, at in ((1, "ten"), (2, "eleven")))
    third = in_turn(tmp_path, 3)
    if proposal := answered(third, "book", eleven, agreed):
        third.close(proposal, done=True)
    assert in_turn(tmp_path, 4).waiting() == []
    with pytest.raises(ToolFault, match=f"under {ten}"):
        answered(in_turn(tmp_path, 4), "book", ten, True)


def test_a_question_that_is_asked_again_is_the_newest(tmp_path: Path) -> None:
    ten, eleven, _ = (asked(in_turn(tmp_path, turn), at) for turn, at in ((1, "ten"), (2, "eleven"), (3, "ten")))
    third, fourth = (in_turn(tmp_path, turn) for turn in (3, 4))
    assert [one.code for one in third.waiting()] == [eleven], "the other was heard by no newest turn"
    assert [one.code for one in fourth.waiting()] == [ten]
    with pytest.raises(ToolFault, match=f"under {eleven}"):
        answered(fourth, "book", eleven, True)


def test_what_waits_can_be_answered_in_the_turn_that_asks_it_again(tmp_path: Path) -> None:
    ten, two = (asked(in_turn(tmp_path, 1), at) for at in ("ten", "two"))
    second = in_turn(tmp_path, 2)
    assert asked(second, "ten") == asked(second, "ten") == ten
    assert answered(second, "book", ten, True) and answered(second, "book", two, True)
    assert [one.code for one in in_turn(tmp_path, 3).waiting()] == [ten]
    answered_anew = Ledger(tmp_path, "s", "turn 3", heard=("turn 1",))
    assert {one.code for one in answered_anew.waiting()} == {ten, two}, "in place of turn 2"


def test_questions_of_several_tools_wait_in_the_order_in_which_they_were_asked(tmp_path: Path) -> None:
    for turn, tool in enumerate(("book", "cancel", "book"), 1):
        in_turn(tmp_path, turn).propose(tool, WISH, "it")
    assert [one.tool for one in in_turn(tmp_path, 4).waiting()] == ["cancel", "book"]


def test_one_turn_may_ask_about_several_things(tmp_path: Path) -> None:
    first = Ledger(tmp_path, "s")
    codes = [asked(first, at) for at in ("ten", "two")]
    assert [one.code for one in later(first).waiting()] == codes
    assert all(answered(later(first), "book", code, True) for code in codes)


def test_what_was_asked_before_can_be_answered_beside_a_new_question(tmp_path: Path) -> None:
    first, second, third = (Ledger(tmp_path, "s") for _ in range(3))
    ten, two = (asked(first, at) for at in ("ten", "two"))
    asked(second, "noon")  # "ten, yes, but rather noon than two"
    assert answered(second, "book", ten, True)
    asked(third, "three")
    with pytest.raises(ToolFault, match=f"under {two}"):
        answered(Ledger(tmp_path, "s"), "book", two, True)


def test_tools_and_sessions_do_not_mix(tmp_path: Path) -> None:
    code = Ledger(tmp_path, "s").propose("book", WISH, "it").code
    for ledger, tool in ((Ledger(tmp_path, "t"), "book"), (Ledger(tmp_path, "s"), "store")):
        with pytest.raises(ToolFault, match="Nothing waits"):
            answered(ledger, tool, code, True)


def test_what_was_done_is_known_by_its_code(tmp_path: Path) -> None:
    proposal = Ledger(tmp_path, "s").propose("book", WISH, "it")
    ledger = Ledger(tmp_path, "s")
    ledger.close(proposal, done=True)
    found = answered(ledger, "book", proposal.code, True)
    assert found and found.state == "done" and ledger.waiting() == []


def tool(ledger: Ledger, done: list[str]) -> BaseTool:
    """A tool that notes what it was to do."""

    def carry_out(proposal: Proposal) -> tuple[str, Findings]:
        done.append(proposal.details["home"])
        return "Done.", {}

    def propose(home: str = "") -> tuple[dict[str, str], str, str]:
        return {"home": home}, f"view of {home}", f"Shall I book {home}?"

    return consenting("book", "Books.", ledger, propose, carry_out)


def used(tool: BaseTool, **arguments: object) -> tuple[str, Findings]:
    message = tool.invoke({"name": tool.name, "args": arguments, "id": "1", "type": "tool_call"})
    return message.content, message.artifact


def test_a_consenting_tool_asks_and_then_does(tmp_path: Path) -> None:
    done: list[str] = []
    first = tool(Ledger(tmp_path, "s"), done)
    assert first.tags == ["changes"], "what is asked for beside it sees it done"
    text, artifact = used(first, home="H-0001")
    assert "Not done yet" in text and artifact["asks"] in text and artifact["told"] == "Shall I book H-0001?"
    with pytest.raises(ToolFault, match="has not answered yet"):
        used(first, confirm=artifact["asks"])
    assert done == []
    assert used(tool(Ledger(tmp_path, "s"), done), confirm=artifact["asks"])[0] == "Done." and done == ["H-0001"]


def test_a_consenting_tool_leaves_what_was_not_wanted(tmp_path: Path) -> None:
    done: list[str] = []
    _, artifact = used(tool(Ledger(tmp_path, "s"), done), home="H-0001")
    text, _ = used(tool(Ledger(tmp_path, "s"), done), confirm=artifact["asks"], agreed=False)
    assert "nothing was changed" in text and done == [] and Ledger(tmp_path, "s").waiting() == []


def test_an_entry_exists_once_until_it_is_ended(tmp_path: Path) -> None:
    mine, other = Ledger(tmp_path, "s"), Ledger(tmp_path, "t")
    assert mine.enter("viewing", "key", WISH, "now") and not other.enter("viewing", "key", WISH, "now")
    assert not other.end("viewing", "key", "now", "later"), "only who made it ends it"
    assert not mine.end("viewing", "key", "before", "later"), "only what was made then"
    assert mine.revision() == "1-0 now" and mine.end("viewing", "key", "now", "later")
    assert not mine.end("viewing", "key", "now", "later")
    assert other.enter("viewing", "key", WISH, "now") and mine.revision() == "2-1 now"
    assert [e.session for e in mine.entries(everyone=True)] == ["s", "t"]
    assert mine.entries(ended=False) == () and mine.entries("viewing")[0].details == WISH


def test_of_many_at_once_one_gets_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda n: Ledger(tmp_path, f"s{n}").enter("viewing", "key", WISH, "now"), range(16)))
    assert won.count(True) == 1


def test_what_fails_inside_leaves_no_trace(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "s")
    ledger.enter("viewing", "one", WISH, "now")
    with pytest.raises(RuntimeError), ledger.opened() as file:
        file.exec_driver_sql("DELETE FROM entries")
        raise RuntimeError
    assert len(ledger.entries()) == 1


def test_what_was_found_before_does_not_hold_again_once_a_contact_is_forgotten(tmp_path: Path) -> None:
    mine, other = Ledger(tmp_path, "mine"), Ledger(tmp_path, "other")
    mine.enter(CONTACT, "mine A", {}, "now")
    before = mine.revision()
    mine.forget()
    assert other.enter("viewing", "key", WISH, "now, later") and other.revision() != before
