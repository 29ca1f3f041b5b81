"""What is a word to the run under way, and what is a turn of its own."""

from __future__ import annotations

import pytest

from minds.steer import wish

TABLE = {
    "stop": [
        *(
            "stop",
            "Stop.",
            "STOP!!!",
            "please stop",
            "stop please",
            "ok stop now",
            "no, stop it",
            "cancel",
            "cancel that",
        ),
        *("abort the run", "never mind", "nevermind", "forget it", "oh forget that", "stop working on it", "quit"),
        "could you stop",
    ],
    "pause": ["pause", "Pause please", "wait", "wait a moment", "hold on", "hang on a second", "ok, pause for a bit"],
    "resume": ["resume", "continue", "go on", "Carry on!", "keep going please", "ok continue", "please proceed"],
    "status": [
        *(
            "is it done",
            "how far are you?",
            "how is it going?",
            "any news?",
            "Are you still there?",
            "status",
            "done yet?",
        ),
        *("how long will it take?", "how much longer?", "what are you doing right now?", "How’s it coming along?"),
    ],
    "steer": [
        *(
            "use metric units",
            "please use km",
            "in euros",
            "in miles please",
            "no, use the second document",
            "include tax",
        ),
        *(
            "without VAT",
            "ignore the weekend",
            "round to two digits",
            "to 3 decimal places",
            "I meant 2025",
            "only 2024",
        ),
        *("don't count Sundays", "assume 30 days", "answer in French", "also check the handbook", "make it shorter"),
        "instead take 15 percent",
    ],
    "talk": [
        *(
            "",
            "hello",
            "stop worrying about me",
            "I can't stop laughing",
            "cancel culture is odd",
            "wait for me at noon",
        ),
        *(
            "why did you stop?",
            "what is 2 + 2?",
            "could you use metric units?",
            "how long is the Nile?",
            "how are you?",
        ),
        *("in the meantime tell me a joke", "the pause was nice", "continue reading makes me tired", "thanks"),
        *("use " + "x" * 300, "I use metric units", "what does `use` mean?", "quit smoking is hard"),
        *("done with work for today, finally", "how long does it take to fly to Rome?", "progress is slow in politics"),
    ],
}


@pytest.mark.parametrize(("said", "wanted"), [(said, wanted) for wanted, lines in TABLE.items() for said in lines])
def test_what_is_wished(said: str, wanted: str) -> None:
    assert wish(said) == wanted
    assert wish(f"  {said.replace(' ', '   ')}\n") == wanted


@pytest.mark.parametrize("text", ["please " * 3000, "stop " * 3000, "ok, " * 3000 + "x", "." * 20_000, "it " * 5000])
def test_long_turns_are_looked_at_quickly(text: str) -> None:
    assert wish(text) in ("talk", "stop")
