"""DUMA's protocol in words (paper, equations 1 to 3), for models without native tool calls: writing and reading it.

In go `User[...]` and `SlowMind[...]`, out come `Invoke[True|False]` and `Response[...]`, and behind an invoke
`Request[...]`, what the slow mind is asked, made to stand alone. It is read tolerantly: bold, blanks, words behind the
bracket, brackets and code inside the reply; a model that keeps to no form at all has simply replied.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from functools import reduce

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from minds.dialogue import Reply, Turn
from minds.models.answers import CLOSED
from minds.pictures import heard

FLAG, RESPONSE, REQUEST = "Invoke[", "Response[", "Request["
STOPS = ("\nUser[", "\nSlowMind[")
"""Not `Invoke[`: behind its thoughts a model's answer begins so."""
_MARKS = r"[\s*_`#>-]*"
_HEAD = re.compile(rf"{_MARKS}Invoke{_MARKS}\[{_MARKS}(True|False){_MARKS}\][*_`]*[,;]?\s*", re.IGNORECASE)
_OPENED = re.compile(rf"{_MARKS}Response{_MARKS}(?:\[|:(?:\*\*)? ?)", re.IGNORECASE)
_NEXT = re.compile(rf"{_MARKS}(Request|Invoke){_MARKS}(\[|:)", re.IGNORECASE)
_CLOSED = re.compile(rf"(.*)\]{_MARKS}", re.DOTALL)
_BEGUN = re.compile(r"\[|:\**")
"""What a request begins behind; the colon may end bold words."""


def as_messages(turns: Sequence[Turn]) -> list[BaseMessage]:
    """The dialogue as the model hears and says it."""
    return [as_message(turn) for turn in turns]


def as_message(turn: Turn) -> BaseMessage:
    if turn.speaker == "user":
        return heard(f"User[{turn.text}]", turn.pictures)
    if turn.speaker == "slow":
        return HumanMessage(f"SlowMind[{turn.text}]")
    return AIMessage(f"{FLAG}{turn.invoke}]\n{RESPONSE}{turn.text}]")


class Reader:
    """Takes one answer apart while it comes."""

    def __init__(self, reply: Reply) -> None:
        self._reply, self._state, self._held = reply, "head", ""
        self._open = ""
        """Brackets of the reply's own that wait for their ends."""
        self._flagged = False
        """It has said whether it invokes: a second flag begins an answer to itself."""
        self._bracket = False
        """A bracket holds the response, until it closes."""
        self._last = ""
        """The sign of the reply that was read last."""

    def feed(self, piece: str) -> str:
        """What of it (and of what was held back) is for the person."""
        self._held += piece
        return self._on(final=False)

    def end(self) -> str:
        """What is left for the person when nothing more comes."""
        out = self._on(final=True)
        if self._state == "request":
            self._reply.request = _closed(_BEGUN.sub("", self._held, count=1).partition(f"\n{FLAG}")[0])
        return out

    def _on(self, *, final: bool) -> str:
        """From part to part, as far as what is held says where it belongs."""
        out, before = "", None
        while before != (self._state, self._held):
            before = self._state, self._held
            if self._state == "head":
                self._head(final=final)
            elif self._state == "body":
                out += self._body(final=final)
            elif CLOSED in self._held:  # all until here was thought, in a block that the server's template had opened
                out, self._held, self._state = out + CLOSED, self._held.partition(CLOSED)[2], "head"
                self._flagged = self._reply.invoke = False
        return out

    def _head(self, *, final: bool) -> None:
        """Flag and opened response are taken off, where they are there; else all of it is the reply. A call may be
        without a word."""
        found = _HEAD.match(self._held)
        rest = self._held[found.end() :] if found else self._held
        opened = _OPENED.match(rest)
        self._bracket = bool(opened and opened[0].endswith("["))
        if found is None and not self._bracket:
            if final or not _may_become(self._held, f"{FLAG}True]", f"{FLAG}False]", RESPONSE):
                self._state = "body"
            return
        # `Response:` may still be bold, and less than that may still become it.
        colon = opened and not self._bracket and not rest[opened.end() :].strip("* ")
        partly = not opened and _may_become(rest, RESPONSE, REQUEST)
        if (colon or partly) and not final:
            return
        self._flagged, self._reply.invoke = True, bool(found and found[1].lower() == "true")
        asked = None if opened else self._next(rest)
        if self._reply.invoke and asked and asked[1].lower() == "request":
            self._held, self._state = rest[asked.start(2) :], "request"
        else:
            self._held, self._state = rest[opened.end() :] if opened else "" if partly else rest, "body"

    def _body(self, *, final: bool) -> str:
        """Up to the bracket that closes the response: the first that the text itself did not open, or the one before
        the next part, which an opened bracket must not keep back. A part on a new line needs none. Behind it stands the
        request, nothing, a second answer (to itself: nobody's), or more of the reply."""
        for at, sign in enumerate(self._held):
            if sign == "<" and self._held.startswith(CLOSED, at):
                return self._up_to(at, at, "over")
            if sign == "<" and not final and CLOSED.startswith(self._held[at:]):
                return self._up_to(at, at)
            begins = not sign.isspace() and (self._held[:at] or self._last)[-1:].isspace()
            if begins and not self._flagged and (state := self._flag(at, final=final)):
                return self._up_to(at, at, state)
            if sign in "]\n":
                rest, closes = self._held[at + 1 :], sign == "]" and "[" not in self._open
                if found := self._next(rest, colon=closes or not self._bracket):
                    state = "request" if found[1].lower() == "request" else "over"
                    return self._up_to(at, at + 1 + found.start(2), state)
                if (closes or not final) and _may_become(rest, REQUEST, FLAG):
                    return self._up_to(at, at)
                if closes and rest[0] == "\n":  # on the same line the bracket belonged to the text
                    self._bracket = False
                    return self._up_to(at, at + 1)
            self._open = _within(self._open, sign)
        return self._up_to(len(self._held), len(self._held))

    def _next(self, rest: str, *, colon: bool = True) -> re.Match[str] | None:
        """The part that begins there; a colon in place of its bracket is that of a call's request, where it may be."""
        found = _NEXT.match(rest)
        request = bool(found and found[1].lower() == "request")
        known = found and (self._flagged or request if found[2] == "[" else colon and request and self._reply.invoke)
        return found if known else None

    def _flag(self, at: int, *, final: bool) -> str:
        """How to go on where the flag begins here, behind words before it (`Sure! Invoke[True]`), or still may."""
        if _HEAD.match(self._held, at):
            return "head"
        return "" if final or not _may_become(self._held[at:], f"{FLAG}True]", f"{FLAG}False]") else "body"

    def _up_to(self, at: int, on: int, state: str = "body") -> str:
        """What is held before `at` is taken; the rest, from `on`, is read as the state says."""
        out, self._held, self._state = self._held[:at], self._held[on:], state
        self._last = out[-1:] or self._last
        self._open = self._open if (on, state) == (at, "body") else ""
        return out


async def read(pieces: AsyncIterator[str], reply: Reply) -> AsyncIterator[str]:
    """The response's words as they come; flag and request go into `reply`. Before them may stand thoughts, up to a
    `</think>`, of which nobody knew that they were none (`thought_out` takes them off)."""
    reader = Reader(reply)
    async for piece in pieces:
        if out := reader.feed(piece):
            yield out
    if out := reader.end():
        yield out


def _within(opened: str, sign: str) -> str:
    """The brackets that are open behind a sign; an interval such as `[0, 1)` has its end as well."""
    if sign == "]":
        return opened.rpartition("[")[0]
    return opened + sign if sign in "[(" else opened[:-1] if sign == ")" else opened


def _may_become(text: str, *words: str) -> bool:
    """Whether more of the text could make it one of these, marks and blanks aside."""
    bare = re.sub(r"[\s*_`#>-]", "", text).lower()
    return any(word.lower().startswith(bare) for word in words)


def _closed(text: str) -> str:
    """A request without the bracket that closes it."""
    found = _CLOSED.fullmatch(text)
    return (found[1] if found and "[" not in reduce(_within, found[1], "") else text).strip()
