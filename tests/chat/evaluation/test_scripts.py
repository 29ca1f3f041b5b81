"""Reading suites: queries answered by the database, references filled in, branches, goals, and what `init` makes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from chat.evaluation.command import init
from chat.evaluation.marked_yaml import FileFault
from chat.evaluation.script_words import Signs
from chat.evaluation.scripts import Suite
from chat.evaluation.suite_reader import load
from chat.evaluation.systems import SYSTEMS
from chat.evaluation.turns import CallWanted, Fact, Names
from chat.faults import ChatFault
from tools.housing.listings import Listings

SUITE = """\
name: own
domain: housing
signs:
  asks: {budget: 'budget|spend', district: 'district|where'}
  offers: {viewing: '(?:would you like|shall i)[^.?!]*(?:see|book)'}
"""
Reader = Callable[..., Suite]


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bases")


@pytest.fixture
def read(bases: Path, tmp_path: Path) -> Reader:
    """`read(dialogue, suite)` of a suite with this one dialogue. Raises FileFault."""

    def run(body: str, suite: str = SUITE) -> Suite:
        (tmp_path / "suite.yaml").write_text(suite, encoding="utf-8")
        (tmp_path / "talk.yaml").write_text(f"id: talk\nintent: any\n{body}", encoding="utf-8")
        return load(tmp_path, bases)

    return run


def test_what_is_left_out_has_its_default(read: Reader) -> None:
    suite = read("turns:\n  - person: Hello.\n")
    assert (suite.seed, suite.rubric, suite.systems, suite.seeds) == (7, "duma", tuple(SYSTEMS), (1,))
    assert suite.now == datetime.fromisoformat("2026-11-22T10:00+01:00")
    turn = suite.dialogues[0].turns[0]
    assert (turn.number, turn.person, turn.expect.invite, turn.expect.invoke) == (1, "Hello.", "allowed", None)
    assert turn.expect.changes == () and not suite.dialogues[0].core


def test_queries_are_answered_by_the_database(read: Reader) -> None:
    suite = read(
        """
let:
  limit: {value: 200000}
  found: {from: homes, where: "district = 'Riverside' AND price <= {limit} AND status = 'available'"}
  second: {from: homes, where: "price > 0", order: id, pick: 2}
  way: {call: commute, input: {homes: ["{second}"], place: University}}
  slot: {call: viewing_slots, input: {home: H-0421}, fact: slots, pick: 1}
turns:
  - person: "{second} at {second.address}, from {second} in {way.minutes} minutes; {found.count} up to {limit}"
    expect:
      facts: [second.price, second.lift, way.minutes.University, found.count, {name: "{second}.walk", value: "{limit}"}]
      names: {any: [found], all: [second]}
      calls: [details|search, {commute: [University]}, {search: {contains: "{limit}", gives: found.count}}]
      says: ["{second.price}[.]"]
      changes: [{kind: viewing, done: made, home: "{second}", at: "{slot}"}]
  - person: "{slot}, that is {slot.day} at {slot.hour}, a {slot.weekday}, the {slot.date}"
"""
    )
    listings = Listings(suite.base(suite.dialogues[0]))
    home = listings.get("H-0002")
    cheap = [h.id for h in listings.where("district = 'Riverside' AND price <= 200000 AND status = 'available'")]
    first, second = suite.dialogues[0].turns
    expect = first.expect
    minutes = expect.facts[2].value
    assert first.person == f"H-0002 at {home.address}, from H-0002 in {minutes} minutes; {len(cheap)} up to 200000"
    assert expect.facts == (
        Fact("H-0002.price", home.price),
        Fact("H-0002.lift", home.lift),
        Fact("H-0002.minutes.University", minutes),
        Fact("search.count", len(cheap)),
        Fact("H-0002.walk", 200000),
    )
    assert isinstance(expect.facts[1].value, bool), "SQLite has 0 and 1"
    assert sorted(expect.names.any) == cheap and expect.names.all == ("H-0002",)
    assert expect.calls == (
        CallWanted(("details", "search")),
        CallWanted(("commute",), ("University",)),
        CallWanted(("search",), ("200000",), (Fact("search.count", len(cheap)),)),
    )
    assert expect.says[0].search(f"It costs {home.price}.") and not expect.says[0].search(f"{home.price}!")
    at = datetime.fromisoformat(expect.changes[0]["at"])
    assert expect.changes[0] == {"kind": "viewing", "done": "made", "home": "H-0002", "at": f"{at:%Y-%m-%d %H:%M}"}
    assert second.person == (
        f"{at:%Y-%m-%d %H:%M}, that is {at:%A}, {at.day} {at:%B} at {at:%H:%M}, a {at:%A}, the {at.day} {at:%B}"
    )


def test_another_seed_gives_other_answers(read: Reader) -> None:
    body = "{}let: {{home: {{from: homes, order: id, pick: 1}}}}\nturns:\n  - person: '{{home.address}}'\n"
    seven, eight = (read(body.format(seed)).dialogues[0] for seed in ("", "seed: 8\n"))
    assert seven.turns[0].person != eight.turns[0].person and (seven.seed, eight.seed) == (7, 8)


def test_words_are_read_as_they_stand(read: Reader) -> None:
    """YAML would take `yes` for true and `14:00` for 840."""
    suite = read(
        "turns:\n  - person: yes\n  - person: 14:00\n  - person: |\n      two\n      lines\n  - person: '{3} {}'\n"
    )
    assert [turn.person for turn in suite.dialogues[0].turns] == ["yes", "14:00", "two\nlines", "{3} {}"]


def test_a_number_that_begins_with_0_stays_as_it_is_written(read: Reader) -> None:
    suite = read(
        "let: {phone: '0151 23', code: {value: '0042'}, zero: 0}\nturns: [person: '{phone}, {code}, {zero}']\n"
    )
    assert suite.dialogues[0].turns[0].person == "0151 23, 0042, 0"


BRANCHES = """
turns:
  - person: Hello.
    tells: [district]
  - branches:
      - when: {asked_for: budget}
        person: 200000.
        tells: [budget]
        expect: {invoke: true}
      - when: {offered: viewing}
        person: No.
      - when: {contains: H-0421}
        person: That one.
      - when: {matches: '\\d{3} euros'}
        person: Too much.
      - when: {called: search}
        person: You searched.
      - else: Go on.
    expect: {invite: wrong, must_mine: [budget]}
"""


@pytest.mark.parametrize(
    ("reply", "called", "person"),
    [
        ("Welcome! What is your budget?", (), "200000."),
        ("Please tell me your budget.", (), "200000."),
        ("A budget helps.", (), "Go on."),
        ("Would you like to see it?", (), "No."),
        ("Look at h-0421.", (), "That one."),
        ("It is 900 EUROS.", (), "Too much."),
        ("Here they are.", ("search",), "You searched."),
        ("", (), "Go on."),
    ],
)
def test_the_person_goes_on_by_what_was_said(read: Reader, reply: str, called: tuple[str, ...], person: str) -> None:
    suite = read(BRANCHES)
    spoken = suite.dialogues[0].turns[1].spoken(reply, called, suite.signs)
    assert spoken.person == person
    own = person == "200000."
    assert (spoken.expect.invite, spoken.expect.invoke) == (("allowed", True) if own else ("wrong", None))
    assert spoken.tells == (("budget",) if own else ())


def test_asking_and_offering_are_seen_in_sentences(read: Reader) -> None:
    signs: Signs = read(BRANCHES).signs
    assert signs.asked("Where shall it be, and what is your budget? Nice.") == {"budget", "district"}
    assert signs.asked("Your budget is fine. Shall I go on?") == set()
    assert signs.offered("Shall I book it?\nWhere?") == {"viewing"} and signs.offered("I see.") == set()


def test_a_sign_may_have_several_patterns(read: Reader) -> None:
    signs = read("turns: [{person: Hi.}]\n", SUITE.replace("'budget|spend'", "[budget, spend]")).signs
    assert signs.asked("Your budget?") == signs.asked("What will you spend?") == {"budget"}


def test_a_goal_for_a_simulated_person(read: Reader) -> None:
    suite = read("""
turns:
  - goal: {persona: A shy man., goal: Find a studio., facts: [Has 90000., Works by night.], most: 4}
    expect: {no_calls: [book_viewing]}
""")
    goal = suite.dialogues[0].turns[0].goal
    assert goal and (goal.persona, goal.facts, goal.most) == ("A shy man.", ("Has 90000.", "Works by night."), 4)
    with pytest.raises(ValueError, match="simulated person"):
        suite.dialogues[0].turns[0].spoken("", (), suite.signs)


def test_a_repeat_is_held_to_what_the_first_asking_was(read: Reader) -> None:
    suite = read("""
let: {home: {from: homes, order: id, pick: 1}}
turns:
  - person: How much?
    expect: {facts: [home.price], names: home, says: [euro], calls: [details]}
  - person: How much was it?
    expect: {repeat_of: 1, invite: wrong}
  - person: And its size, once more?
    expect: {repeat_of: 1, facts: [home.size]}
""")
    first, again, own = (turn.expect for turn in suite.dialogues[0].turns)
    assert (again.facts, again.names, again.says) == (first.facts, first.names, first.says)
    assert (again.calls, again.invite) == ((), "wrong"), "memory may answer"
    assert [each.name for each in own.facts] == ["H-0001.size"] and own.names == Names()


def test_the_pattern_of_ids_may_have_groups(read: Reader) -> None:
    suite = SUITE + "ids: {pattern: '(H)-(\\d{4})', table: homes}\n"
    assert read("turns: [person: Is h-0001 there]\n", suite).dialogues
    with pytest.raises(FileFault, match="There is no H-4711"):
        read("turns: [person: Is H-4711 there]\n", suite)


def test_a_suite_for_another_domain(read: Reader) -> None:
    suite = read(
        "let: {book: {from: books, order: id, pick: 1}}\n"
        "turns:\n  - person: 'Do you have {book.title}?'\n    expect: {calls: [find_books], facts: [book.author]}\n",
        "name: own\ndomain: library\n",
    )
    turn = suite.dialogues[0].turns[0]
    assert turn.expect.facts[0].value and turn.expect.facts[0].name.endswith(".author")


def test_init_makes_a_suite_that_can_be_run(tmp_path: Path) -> None:
    folder = init("mine", tmp_path / "suites")
    assert folder == tmp_path / "suites" / "mine"
    suite = load(folder, tmp_path / "bases")
    assert suite.name == "mine" and len(suite.dialogues) == 2
    with pytest.raises(ChatFault, match="is there already"):
        init("mine", tmp_path / "suites")


@pytest.mark.parametrize("name", ["", "../up", "a/b", "-x", "white space"])
def test_init_refuses_names_that_are_none(name: str, tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="is no name for a suite"):
        init(name, tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_init_says_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ChatFault, match="choose another folder with --out"):
        init("mine", tmp_path / "file")
