"""What a model is asked about a turn in a text world."""

from __future__ import annotations

from minds import reading


def test_what_was_done_for_these_words_stands_apart_from_what_was_done_before() -> None:
    recent = ["go to desk 1", "open drawer 2", "take mug 1 from drawer 2"]
    asked = reading.action("get it and come back", "You take\n the mug 1.", recent, ["look", "go to desk 1"], done=1)
    assert asked.splitlines() == [
        "Seen: You take the mug 1.",
        "Done: go to desk 1 | open drawer 2",
        "Done for this: take mug 1 from drawer 2",
        "Possible: look | go to desk 1",
        "Said: get it and come back",
    ]


def test_of_a_long_text_the_beginning_is_read() -> None:
    asked = reading.action("on", "word " * 100, [], ["look"])
    seen, *_ = asked.splitlines()
    assert seen.startswith("Seen: word") and len(seen) < 200


def test_facts_are_lines_and_what_is_no_whole_line_is_none() -> None:
    one = {
        "quote": "I left Kiel",
        "subject": "user",
        "attribute": "lives in",
        "value": "Kiel",
        "since": "",
        "ended": True,
    }
    other = {**one, "quote": "It's Rome now", "value": "Rome", "since": "May", "ended": False}
    written = reading.noted([one, other])
    assert written == "I left Kiel | user | lives in | Kiel |  | yes\nIt's Rome now | user | lives in | Rome | May | "
    assert reading.facts_of(written) == [one, other]
    assert reading.noted([]) == "none" and reading.facts_of("none") == []
    assert reading.facts_of("I left Kiel | user | lives in\nand so on") == []
