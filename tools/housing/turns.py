"""Reads a turn in its dialogue: what it asks of which home, put so that a tool can take it as it stands.

A small model cannot do this; it chooses among what was read. Readers are tried in order, the surest first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tools.desk import Deed, Desk, ToolFault
from tools.domains import Call, Plan, said
from tools.housing import intents as about
from tools.housing.answer_turn import answer_plan, contact_plan
from tools.housing.home_turn import compare_plan, details_plan, history_plan, loan_plan, way_plan
from tools.housing.listings import home_ids
from tools.housing.reading import read
from tools.housing.return_turn import known, taken_up
from tools.housing.search import blocking, search
from tools.housing.search_turn import search_plan, still_missing
from tools.housing.talk_turn import closing_plan, district_plan, feelings_plan, liking_plan, question_plan, rest_plan
from tools.housing.times import read_written, told
from tools.housing.turn import NAME, Turn, invitation
from tools.housing.viewing_turn import cancel_plan, own_viewings_plan, viewing_plan
from tools.housing.viewings import KIND
from tools.housing.wants import read_wants

_READERS: tuple[Callable[[Turn], Plan | None], ...] = (
    answer_plan, contact_plan, cancel_plan, own_viewings_plan, viewing_plan, feelings_plan, way_plan, compare_plan,
    history_plan, loan_plan, details_plan, district_plan, question_plan, search_plan, liking_plan, closing_plan,
    rest_plan,
)  # fmt: skip


def plan(desk: Desk, folder: Path) -> Plan:
    """What the turn wants. Changes nothing."""
    turn = Turn(desk, folder, known(desk, folder))
    try:
        found = _read(turn)
    except ToolFault as fault:
        found = _not_there(turn, str(fault))
    return taken_up(_worded(found) if found.calls else found, desk, folder)


def _read(turn: Turn) -> Plan:
    """Answers first; then by what the head hears, or by patterns alone where there are no sentence vectors."""
    if found := answer_plan(turn) or (contact_plan(replace(turn, meant="contact")) if turn.reachable else None):
        return found
    if turn.acts:
        return read(turn) or rest_plan(turn) or Plan()
    return next((found for reader in _READERS if (found := reader(turn))), Plan())


def _not_there(turn: Turn, fault: str) -> Plan:
    """A number that no home has is looked up like any other, and not found."""
    homes = home_ids(turn.said)
    if not homes:
        return Plan(reply=fault)
    tool = "compare" if len(homes) > 1 else "details"
    return Plan((Call(tool, " and ".join(homes[:4])),))


def _worded(found: Plan) -> Plan:
    """What is said and thought while the one call is made."""
    tool = found.calls[0].tool
    return replace(found, interim=said(NAME, f"interim {tool}"), thought=said(NAME, f"thought {tool}"))


def afterwards(desk: Desk, folder: Path, deeds: Sequence[Deed]) -> Plan:
    """What was found is kept in the moves; then the next question, or an invitation where interest was shown."""
    if not deeds:
        return Plan()
    deed = deeds[-1]
    turn = Turn(desk, folder, known(desk, folder))
    did = f"did:{deed.tool}|{deed.input}"
    if deed.failed:
        return Plan(moves=(did,) if deed.tool in _KEPT else ())
    if deed.tool == "search":
        found = _after_search(turn, deed)
    elif deed.tool == "commute" and len(home_ids(deed.input)) > 1:
        minutes = {name[:6]: value for name, value in deed.facts.items() if ".minutes." in name}
        found = Plan(moves=(f"focus:{min(minutes, key=minutes.__getitem__)}",)) if minutes else Plan()
    elif deed.tool in ("details", "commute", "mortgage", "price_history"):
        homes = home_ids(deed.input)
        found = invitation(turn, homes[0]) if len(homes) == 1 else Plan()
    elif deed.tool == "book_viewing":
        found = _after_booking(turn, deed)
    elif deed.tool == "viewing_slots":
        found = Plan(add=said(NAME, "ask time"))
    else:
        found = Plan()
    return replace(found, moves=(did, *found.moves))


_KEPT = ("viewing_slots", "book_viewing", "details", "compare", "commute", "price_history")
"""What is known of a call that failed: the person may say which home was meant."""


def _after_booking(turn: Turn, deed: Deed) -> Plan:
    """Another viewing of the same home is not cancelled unasked, but spoken of."""
    home = next((name[:6] for name in deed.facts if name.endswith(".booked")), "")
    own = [e for e in turn.ledger.entries(KIND, ended=False) if e.details["home"] == home]
    older = [e for e in own if e.details["at"] != deed.facts.get(f"{home}.booked")]
    if not older:
        return Plan()
    at = told(read_written(older[0].details["at"]))
    return Plan(add=said(NAME, "booked too", at=at), moves=(f"offer:cancel {home} on {at}",))


def _after_search(turn: Turn, deed: Deed) -> Plan:
    shown = deed.facts.get("search.shown")
    if shown is None:  # an answer from memory
        shown = search(deed.input, turn.listings)[1]["facts"]["search.shown"]
    if not shown:
        moves: tuple[str, ...] = (
            (f"wish:{turn.track.wish}",) if turn.asks(about.CHEAPER) or turn.asks(about.BIGGER) else ("searched",)
        )
        loose = blocking(deed.input, turn.listings)
        add = said(NAME, "ask loosen", wish=loose) if loose else ""
        return Plan(add=add, moves=(*moves, *((f"offer:drop {loose}",) if loose else ())))
    moves = ("searched", f"shown:{','.join(shown)}", f"focus:{shown[0] if len(shown) == 1 else ''}")
    if missing := still_missing(turn, read_wants(deed.input, turn.listings)):
        return Plan(add=said(NAME, f"ask {missing[0]}"), moves=(*moves, f"ask:{missing[0]}"))
    return (
        Plan(add=said(NAME, "ask which"), moves=(*moves, "ask:which"))
        if "which" not in turn.track.asked
        else Plan(moves=moves)
    )
