"""What is asked before it is done: proposals, answers, and entries that exist once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools.desk import ToolFault
from tools.ledger import CHANGES, Ledger, answered, asking, withdrawn

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
    one, two = ledger.propose("viewing", WISH, "viewing"), later(ledger).propose("viewing", WISH, "viewing")
    assert one.code == two.code != ledger.propose("viewing", {**WISH, "at": "later"}, "viewing").code
    assert ledger.entries() == () and ledger.revision() == "0-0"
    text, artifact = asking("book", one)
    assert one.code in text and "Not done yet" in text and artifact["asks"] == one.code


def test_a_run_cannot_answer_its_own_proposal(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "s")
    code = ledger.propose("viewing", WISH, "viewing of H-0001").code
    for text in ("yes", f"yes {code}", f"{code} confirmed", "ok"):
        with pytest.raises(ToolFault, match=r"has not answered yet.*viewing of H-0001"):
            answered(ledger, "viewing", text)
    ledger.propose("viewing", WISH, "viewing of H-0001")
    found = answered(later(ledger), "viewing", "yes")
    assert found and found[1] and found[0].details == WISH


@pytest.mark.parametrize(
    "text", ["yes", "Yes, please!", "ok", "go ahead", "sure", "Confirmed", "yes CODE", "CODE yes", "ok, do it"]
)
def test_a_yes_is_a_yes(tmp_path: Path, text: str) -> None:
    code = Ledger(tmp_path, "s").propose("viewing", WISH, "it").code
    found = answered(Ledger(tmp_path, "s"), "viewing", text.replace("CODE", code))
    assert found and found[0].code == code and found[1]


@pytest.mark.parametrize("text", ["no", "No thanks", "not now", "rather not", "don't", "yes, no, wait", "no CODE"])
def test_a_no_forgets_the_proposal(tmp_path: Path, text: str) -> None:
    code = Ledger(tmp_path, "s").propose("contact", {"phone": "5550134"}, "it").code
    ledger = Ledger(tmp_path, "s")
    found = answered(ledger, "contact", text.replace("CODE", code))
    assert found and not found[1]
    assert withdrawn(ledger, found[0])[0].startswith("Nothing was changed")
    assert ledger.proposals("contact") == () and b"5550134" not in (tmp_path / CHANGES).read_bytes()


@pytest.mark.parametrize(
    "text", ["H-0002 tomorrow at 10", "maybe", "what about Friday?", "I am not sure about the time 14:00"]
)
def test_other_words_are_no_answer(tmp_path: Path, text: str) -> None:
    Ledger(tmp_path, "s").propose("viewing", WISH, "it")
    assert answered(Ledger(tmp_path, "s"), "viewing", text) is None


def test_the_code_alone_is_no_yes(tmp_path: Path) -> None:
    code = Ledger(tmp_path, "s").propose("viewing", WISH, "it").code
    with pytest.raises(ToolFault, match=f'"yes {code}"'):
        answered(Ledger(tmp_path, "s"), "viewing", code)


def test_a_yes_to_nothing_and_to_the_newest_question(tmp_path: Path) -> None:
    with pytest.raises(ToolFault, match="Nothing is waiting"):
        answered(Ledger(tmp_path, "s"), "viewing", "yes")
    ledger = Ledger(tmp_path, "s")
    codes = [ledger.propose("viewing", {**WISH, "at": at}, f"viewing at {at}").code for at in ("ten", "two")]
    found = answered(later(ledger), "viewing", "yes")
    assert found and found[0].details["at"] == "two"
    with pytest.raises(ToolFault, match=f"under {codes[0]}"):
        answered(later(ledger), "viewing", f"yes {codes[0]}")


def test_kinds_and_sessions_do_not_mix(tmp_path: Path) -> None:
    code = Ledger(tmp_path, "s").propose("viewing", WISH, "it").code
    for other in (Ledger(tmp_path, "t"),):
        assert answered(other, "viewing", f"yes {code} 1 2") is None
        with pytest.raises(ToolFault, match="Nothing is waiting"):
            answered(other, "viewing", "yes")
    with pytest.raises(ToolFault, match="Nothing is waiting"):
        answered(Ledger(tmp_path, "s"), "contact", "yes")


def test_what_was_done_is_known_by_its_code(tmp_path: Path) -> None:
    proposal = Ledger(tmp_path, "s").propose("viewing", WISH, "it")
    ledger = Ledger(tmp_path, "s")
    ledger.close(proposal, done=True)
    found = answered(ledger, "viewing", f"yes {proposal.code}")
    assert found and found[0].state == "done"
    assert (again := answered(ledger, "viewing", "yes please")) and again[0].code == proposal.code


def test_an_entry_exists_once_until_it_is_ended(tmp_path: Path) -> None:
    mine, other = Ledger(tmp_path, "s"), Ledger(tmp_path, "t")
    assert mine.enter("viewing", "key", WISH, "now") and not other.enter("viewing", "key", WISH, "now")
    assert not other.end("viewing", "key", "later"), "only who made it ends it"
    assert mine.revision() == "1-0" and mine.end("viewing", "key", "later") and not mine.end("viewing", "key", "later")
    assert other.enter("viewing", "key", WISH, "now") and mine.revision() == "2-1"
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
