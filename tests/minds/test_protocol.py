"""The paper's form, read tolerantly wherever the stream is cut, and written as the model is to hear it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from minds.dialogue import Reply, Turn
from minds.protocol import as_messages, read


async def played(pieces: Sequence[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


async def heard(pieces: Sequence[str]) -> tuple[bool, str, str]:
    """(invoke, response, request)"""
    reply = Reply()
    text = "".join([piece async for piece in read(played(pieces), reply)])
    return reply.invoke, text.strip(), reply.request


CODE = "```python\nrows = [[1, 2], [3]]\nprint(rows[0][1])\n```"
READINGS = {
    "an answer": ("Invoke[False]\nResponse[Hello!]", (False, "Hello!", "")),
    "an invoke": ("Invoke[True]\nResponse[Let me see.]", (True, "Let me see.", "")),
    "a request": ("Invoke[True]\nResponse[Let me see.]\nRequest[387 * 46]", (True, "Let me see.", "387 * 46")),
    "brackets in the request": (
        "Invoke[True]\nResponse[Yes.]\nRequest[sort [3, 1] and [2]]",
        (True, "Yes.", "sort [3, 1] and [2]"),
    ),
    "a request without a word before it": ("Invoke[True]\nRequest[387 * 46]", (True, "", "387 * 46")),
    "a request behind a colon": (
        "Invoke[True]\nResponse: Yes.\n**Request:** sort [3, 1]",
        (True, "Yes.", "sort [3, 1]"),
    ),
    "a line that looks like a request": (
        "Invoke[False]\nResponse[Send this:\nRequest: GET /\nIt answers.]",
        (False, "Send this:\nRequest: GET /\nIt answers.", ""),
    ),
    "a line of the reply's own that looks like a request": (
        "Invoke[True]\nResponse[Here is a form:\nRequest: a day off\nName: [Bob]\nRequest: signed]\nRequest[draft]",
        (True, "Here is a form:\nRequest: a day off\nName: [Bob]\nRequest: signed", "draft"),
    ),
    "a colon behind the bracket": ("Invoke[True]\nResponse[Yes.]\nRequest: 2 + 2", (True, "Yes.", "2 + 2")),
    "a colon behind more of the reply": (
        "Invoke[True]\nResponse[Yes.]\n\nAt once.\nRequest: 2 + 2",
        (True, "Yes.\n\nAt once.", "2 + 2"),
    ),
    "bold words in the request": ("Invoke[True]\nResponse[Yes.]\nRequest[**bold** x]", (True, "Yes.", "**bold** x")),
    "bold words behind a colon": (
        "Invoke[True]\nResponse: Yes.\nRequest: **bold** x",
        (True, "Yes.", "**bold** x"),
    ),
    "a list in the request": ("Invoke[True]\nResponse[Yes.]\nRequest[* a\n* b]", (True, "Yes.", "* a\n* b")),
    "a request that breaks off": ("Invoke[True]\nResponse[Yes.]\nRequest[sort [3, 1]", (True, "Yes.", "sort [3, 1]")),
    "a request of lines": ("Invoke[True]\nResponse[Yes.]\nRequest[one\ntwo]\n", (True, "Yes.", "one\ntwo")),
    "on one line": ("Invoke[True] Response[Let me see.] Request[387 * 46]", (True, "Let me see.", "387 * 46")),
    "a comma behind the flag": ("Invoke[True], Response[Let me see.]", (True, "Let me see.", "")),
    "no flag": ("**Response[Hello!]**", (False, "Hello!", "")),
    "no flag and no brackets": ("Response: fast", (False, "Response: fast", "")),
    "bold": ("**Invoke[True]**\n**Response[Let me see.]**\n**Request[387 * 46]**", (True, "Let me see.", "387 * 46")),
    "bold words": ("**Invoke**[True]\n**Response**[Let me see.]", (True, "Let me see.", "")),
    "a code span": ("`Invoke[False]`\n\nResponse[Hello!]", (False, "Hello!", "")),
    "a heading": ("### Invoke[True]\n\n### Response[Wait.]", (True, "Wait.", "")),
    "a quotation": ("> Invoke[False]\n> Response[Hello!]", (False, "Hello!", "")),
    "small letters": ("invoke[TRUE]\nresponse[Wait.]\nrequest[x]", (True, "Wait.", "x")),
    "blanks": ("  Invoke [ true ]\n\n Response [ Wait.]", (True, "Wait.", "")),
    "a colon": ("Invoke[False]\nResponse: Hello!", (False, "Hello!", "")),
    "no word before the reply": ("Invoke[False]\nHello there", (False, "Hello there", "")),
    "no closing bracket": ("Invoke[False]\nResponse[Hello there", (False, "Hello there", "")),
    "brackets of its own": ("Invoke[False]\nResponse[See [1] and a[0].]", (False, "See [1] and a[0].", "")),
    "brackets at the end": ("Invoke[False]\nResponse[See [1]]", (False, "See [1]", "")),
    "nested brackets": ("Invoke[False]\nResponse[[[x]]]", (False, "[[x]]", "")),
    "a bracket too many": (
        "Invoke[False]\nResponse[an interval ]0, 1] of numbers]",
        (False, "an interval ]0, 1] of numbers", ""),
    ),
    "an interval": ("Invoke[False]\nResponse[[0, 1) has no last number.]", (False, "[0, 1) has no last number.", "")),
    "an interval before a request": (
        "Invoke[True]\nResponse[Let me see [0, 1).]\nRequest[x in [0, 1)]",
        (True, "Let me see [0, 1).", "x in [0, 1)"),
    ),
    "a bracket that nothing closes": (
        "Invoke[True]\nResponse[Let me look at `a[`.]\nRequest[what is it?]",
        (True, "Let me look at `a[`.", "what is it?"),
    ),
    "a smile in brackets": ("Invoke[False]\nResponse[Fine [:)] so far :(.]", (False, "Fine [:)] so far :(.", "")),
    "code": (
        f"Invoke[False]\nResponse[Try this:\n{CODE}\nIt prints 2.]",
        (False, f"Try this:\n{CODE}\nIt prints 2.", ""),
    ),
    "a link": ("Invoke[False]\nResponse[See [the page](http://x.org).]", (False, "See [the page](http://x.org).", "")),
    "a task list": ("Invoke[False]\nResponse[- [ ] milk\n- [x] eggs]", (False, "- [ ] milk\n- [x] eggs", "")),
    "behind the bracket": ("Invoke[False]\nResponse[Hello!]\n\nHow are you?", (False, "Hello!\n\nHow are you?", "")),
    "no form at all": ("Hello there, how are you?", (False, "Hello there, how are you?", "")),
    "no form and brackets": ("Use a[0] and b[1].", (False, "Use a[0] and b[1].", "")),
    "no form that begins so": ("Invoke me later", (False, "Invoke me later", "")),
    "no form with a bullet": ("- milk\n- eggs", (False, "- milk\n- eggs", "")),
    "a flag that is none": ("Invoke[Maybe]\nHello", (False, "Invoke[Maybe]\nHello", "")),
    "a flag alone": ("Invoke[True]", (True, "", "")),
    "a flag and half a word": ("Invoke[True]\nRespo", (True, "", "")),
    "an empty reply": ("Invoke[False]\nResponse[]", (False, "", "")),
    "a colon in bold": ("**Invoke[False]**\n**Response:** Hello!", (False, "Hello!", "")),
    "bold words of its own": ("Invoke[False]\nResponse[**Hello** there]", (False, "**Hello** there", "")),
    "bold words without the form": ("Invoke[False]\n**Hello** there", (False, "**Hello** there", "")),
    "a list without the form": ("Invoke[False]\n- milk\n- eggs", (False, "- milk\n- eggs", "")),
    "a list of its own": ("Invoke[False]\nResponse[- milk\n- eggs]", (False, "- milk\n- eggs", "")),
    "a negative request": ("Invoke[True]\nResponse[Yes.]\nRequest[-5 + 3]", (True, "Yes.", "-5 + 3")),
    "a request with a list": (
        "Invoke[True]\nResponse[Yes.]\nRequest[add:\n- 1\n- 2 -]",
        (True, "Yes.", "add:\n- 1\n- 2 -"),
    ),
    "a second answer": (
        "Invoke[True]\nResponse[Let me see.]\n\nInvoke[False]\nResponse[It is 4.]",
        (True, "Let me see.", ""),
    ),
    "a second answer behind the request": (
        "Invoke[True]\nResponse[Yes.]\nRequest[2 + 2]\n\nInvoke[False]\nResponse[It is 4.]",
        (True, "Yes.", "2 + 2"),
    ),
    "a second answer without brackets": (
        "Invoke[True]\nResponse: Let me see.\n\n**Invoke[False]**\nResponse: It is 4.",
        (True, "Let me see.", ""),
    ),
    "a request without brackets before it": (
        "Invoke[True]\nLet me see.\nRequest[2 + 2]",
        (True, "Let me see.", "2 + 2"),
    ),
    "thinking that the server's template opened": (
        "They ask: [2 + 2].\n</think>\n\nInvoke[True]\nResponse[Let me see.]\nRequest[2 + 2]",
        (True, "They ask: [2 + 2].\n</think>Let me see.", "2 + 2"),
    ),
    "thinking about the form": (
        "Shall I?\nInvoke[False]\nRequest[no]</think>Invoke[True]\nResponse[Let me see.]",
        (True, "Shall I?\nRequest[no]</think>Let me see.", ""),
    ),
    "a flag that was only thought": ("Is it Invoke[True]?</think>Hello!", (False, "Is it ?</think>Hello!", "")),
    "words before the flag": ("Sure! Invoke[True], Response[Let me see.]", (True, "Sure! Let me see.", "")),
    "a line before the flag": (
        "Sure!\n\n**Invoke[True]**\nResponse[Let me see.]\nRequest[2 + 2]",
        (True, "Sure!\n\nLet me see.", "2 + 2"),
    ),
    "a word that begins as the flag does": (
        "Sure! Invoke is a verb. I do.",
        (False, "Sure! Invoke is a verb. I do.", ""),
    ),
    "a tag of its own": ("Invoke[False]\nResponse[A </think> or </th>.]", (False, "A </think> or </th>.", "")),
    "nothing": ("", (False, "", "")),
    "umlauts and signs": ("Invoke[False]\nResponse[Größe: 3 · 4 [cm] 🦉]", (False, "Größe: 3 · 4 [cm] 🦉", "")),
}


@pytest.mark.parametrize("text, wanted", READINGS.values(), ids=[*READINGS])
async def test_it_is_read_the_same_wherever_the_stream_is_cut(text: str, wanted: tuple[bool, str, str]) -> None:
    assert await heard([text]) == wanted
    assert await heard(list(text)) == wanted, "sign by sign"
    for cut in range(len(text) + 1):
        assert await heard([text[:cut], text[cut:]]) == wanted, text[:cut]


async def test_the_words_stream_before_they_are_whole() -> None:
    reply, came = Reply(), list[str]()
    pieces = ["Invoke[", "False]\nRes", "ponse[Hel", "lo ", "there", "]"]
    async for piece in read(played(pieces), reply):
        came.append(piece)
    assert came == ["Hel", "lo ", "there"]


async def test_a_model_without_the_form_streams_at_once() -> None:
    came = [piece async for piece in read(played(["Hel", "lo ", "there."]), Reply())]
    assert came == ["Hel", "lo ", "there."]


def test_the_dialogue_is_written_as_in_the_paper() -> None:
    turns = (
        Turn("user", "What is 2 + 2?"),
        Turn("fast", "Let me see.", invoke=True, request="2 + 2"),
        Turn("slow", "2 + 2 = 4"),
        Turn("fast", "It is 4."),
    )
    assert [(m.type, m.content) for m in as_messages(turns)] == [
        ("human", "User[What is 2 + 2?]"),
        ("ai", "Invoke[True]\nResponse[Let me see.]"),
        ("human", "SlowMind[2 + 2 = 4]"),
        ("ai", "Invoke[False]\nResponse[It is 4.]"),
    ]
