"""The fast mind: hears every turn first, answers it or calls the slow mind, and words what that found (DUMA 2.2).

With native tools calling the slow mind is a tool call, `think(request)`, and its result the tool's answer; without
them it is the paper's `Invoke[True]`, `Response[...]` and `SlowMind[...]` (minds/protocol.py). What changes from turn
to turn stands last in the prompt, so that a model's prefix cache holds from one turn to the next.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, get_args

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, Field

from minds.about import itself
from minds.dialogue import Dialogue, Reply, Turn, TurnContext, lately, replies, with_note, without
from minds.models.language import LanguageModel, ToolCall, Toolless, Usage
from minds.pictures import heard
from minds.protocol import STOPS, as_messages, read
from minds.strategies.steps import conversation, merged
from prompts import examples, render

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from minds.briefing import Briefing


LOOP, WORDS, TIMES = 60, 5, 4
"""Characters, with so many different words among them, that a text may hold less often than this."""
Kind = Literal["steer", "pause", "resume", "stop", "take over"]
"""What a word to a run under way may be."""


class Think(BaseModel):
    """Calls the slow mind."""

    request: str = Field(
        description="What the slow mind is to find out or do, complete in itself: it sees the conversation, but put in "
        "every number, name, date and condition that matters. In the person's language."
    )


class TellSlowMind(BaseModel):
    """Says something to the slow mind about the work that is under way."""

    kind: Kind = Field(
        description="steer: the person adds or changes something about that work. take over: in a text world the "
        "person wants to act from now on."
    )
    words: str = Field(default="", description="Of steer: what is to be done differently.")


class FastMind:
    """One fast mind over one model; holds no dialogue, so all conversations may share it."""

    def __init__(self, model: LanguageModel, *, temperature: float = 0.0, length: int = 0) -> None:
        """`length`: tokens of a reply at most; 0 leaves that to the model."""
        self.model = model
        self._way: dict[str, Any] = {"temperature": temperature, "max_tokens": length or None}

    def briefed(self, briefing: Briefing | None) -> FastMind:
        """The mind for a turn in a domain; one that can read its policy needs no other."""
        return self

    async def heard(self, briefing: Briefing, usage: Usage, *, alone: bool = False) -> Briefing:
        """With what the turn wants, where a mind of this kind has it read beforehand. Raises ModelFault."""
        return briefing

    async def reply(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        """The words as they come; whether the slow mind is called, and with what, is in `reply` behind the last.

        Raises ModelFault.
        """
        if reply.alone:  # told of no slow mind: what merely may not be called is called or promised all the same
            pieces = self._said(alone_messages(dialogue, said, context), usage)
        elif self.model.abilities.tools:
            pieces = self._calling(tool_messages(dialogue, said, context), context, reply, usage)
        else:
            pieces = self._in_words(dialogue, said, context, reply, usage)
        spoke = False
        try:
            async for piece in pieces:
                spoke = spoke or bool(piece.strip())
                yield piece
        except Toolless:
            if spoke:  # the person has seen it, though not the call
                yield "\n\n"
            async for piece in self._in_words(dialogue, said, context, reply, usage):
                yield piece
        if reply.invoke:
            reply.request = reply.request or said

    async def word(
        self,
        dialogue: Dialogue,
        said: str,
        context: TurnContext,
        called: Turn,
        result: str,
        usage: Usage | None = None,
    ) -> AsyncIterator[str]:
        """The final reply that tells `SlowMind[result]`, as it comes. `called`: the interim reply, with its request.

        Raises ModelFault.
        """
        if self.model.abilities.tools:
            found = _thought(called, result, len(dialogue.turns))
            messages = [*tool_messages(dialogue, said, context), *found]
            pieces = self._said(messages, usage, tools=fast_tools(context))
        else:
            messages = [*spoken_messages(dialogue, said, context), *as_messages([called, Turn("slow", result)])]
            pieces = read(self._said(messages, usage, stop=STOPS), Reply())
        async for piece in pieces:
            yield piece

    async def warm(self, policy: str = "") -> None:
        """Loads the model and its constant prefix."""
        context, nobody = TurnContext(policy=policy), Dialogue("", "")
        make = tool_messages if self.model.abilities.tools else spoken_messages
        await self.model.warm(make(nobody, "hello", context))

    def _said(self, messages: Sequence[BaseMessage], usage: Usage | None, **more: Any) -> AsyncIterator[str]:
        return self.model.stream(messages, usage=usage, **self._way, **more)

    def _in_words(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None
    ) -> AsyncIterator[str]:
        return read(self._said(spoken_messages(dialogue, said, context), usage, stop=STOPS), reply)

    async def _calling(
        self, messages: Sequence[BaseMessage], context: TurnContext, reply: Reply, usage: Usage | None
    ) -> AsyncIterator[str]:
        calls: list[ToolCall] = []
        pieces = self._said(messages, usage, tools=fast_tools(context), calls=calls)
        spoke = False
        async for piece in pieces:
            spoke = spoke or bool(piece.strip())
            yield piece
        told: list[tuple[str, str]] = []
        for call in calls:
            if call.name == "think":
                request = str(call.arguments.get("request") or "").strip()
                reply.invoke, reply.request = True, "\n".join(filter(None, [reply.request, request]))
            elif call.name == "tell_slow_mind":
                kind = str(call.arguments.get("kind", ""))
                # A word of no known kind must end nothing.
                known = kind if kind in get_args(Kind) else "steer"
                told.append((known, str(call.arguments.get("words", "")).strip()))
            elif not spoke:  # a tool of the slow mind's: the turn is not lost
                reply.invoke = True
        reply.controls = _controls(told)


def _controls(told: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """All that is added to the run as one word, then the last thing that is to happen to it."""
    added = [words for kind, words in told if kind == "steer"]
    others = [one for one in told if one[0] != "steer"]
    return (*([("steer", "\n".join(filter(None, added)))] if added else []), *others[-1:])


async def unlooped(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Ends where the last LOOP characters stand there for the TIMES-th time: a small model goes on so to its limit."""
    text = ""
    async with aclosing(pieces) as coming:  # type: ignore[type-var]
        async for piece in coming:
            text += piece
            yield piece
            end = text[-LOOP:]
            if len(end) == LOOP and len(set(end.split())) >= WORDS and text.count(end) >= TIMES:
                return


async def unechoed(say: Callable[[Dialogue], AsyncIterator[str]], dialogue: Dialogue) -> AsyncIterator[str]:
    """What is said behind a dialogue; where that is word for word an earlier reply, what is said behind the last
    exchange alone, and then without what was said once more: a small model at times answers another question again."""
    before = replies(dialogue)
    for behind in dict.fromkeys((dialogue, lately(dialogue))):
        text, held = "", True
        async with aclosing(say(behind)) as coming:  # type: ignore[type-var]
            async for piece in coming:
                text += piece
                if held and not any(reply.startswith(text.strip()) for reply in before):
                    held, piece = False, text
                if not held:
                    yield piece
        if held and text.strip() not in before:
            yield text
            return
        if not held:
            return
    async for piece in say(without(dialogue, before[text.strip()])):
        yield piece


def fast_tools(context: TurnContext) -> list[BaseTool]:
    """What the fast mind may call; the word to a run under way only while there is one."""
    from langchain_core.tools import StructuredTool

    def nothing(**_: object) -> str:
        return ""  # read, never run: the conversation acts on the call

    think = render("fast/think", worlds=_of_worlds("fast/think_worlds", context))
    offered: list[BaseTool] = [
        StructuredTool.from_function(nothing, name="think", description=think, args_schema=Think)
    ]
    if context.running:
        offered.append(
            StructuredTool.from_function(
                nothing, name="tell_slow_mind", description=render("fast/tell_slow_mind"), args_schema=TellSlowMind
            )
        )
    return offered


def tool_messages(dialogue: Dialogue, said: str, context: TurnContext) -> list[BaseMessage]:
    """The context of a model with native tools: slow results are answers to `think`."""
    system = render("fast/native", worlds=_of_worlds("fast/native_worlds", context))
    messages: list[BaseMessage] = [SystemMessage(_system(system, context))]
    turns = dialogue.turns
    for number, (turn, after) in enumerate(zip_longest(turns, turns[1:])):
        if turn.speaker == "user":
            messages.append(heard(turn.text, turn.pictures))
        elif turn.speaker == "slow":
            continue  # told with the call before it
        elif turn.invoke and after is not None and after.speaker == "slow":
            reply = turns[number + 2].text if number + 2 < len(turns) else ""
            twice = after.text and after.text in reply  # a long one would be paid for twice
            result = render("fast/told") if twice else after.text
            messages += _thought(turn, result, number - 1)  # that of the person's words, as when it was worded
        else:
            messages.append(AIMessage(turn.text))
    return merged([*messages, heard(with_note(said, context.note()), context.pictures)])


def spoken_messages(dialogue: Dialogue, said: str, context: TurnContext) -> list[BaseMessage]:
    """The context of a model without tools, in the paper's form (DUMA, equations 1 and 3)."""
    told = "\n\n".join(f"{heard}\n{answer}" for heard, answer in examples("fast/examples"))
    system = _system(render("fast/system"), context)
    head = SystemMessage(f"{system}\n\nExamples:\n\n{told}")
    return merged(
        [head, *as_messages(dialogue.turns), heard(with_note(f"User[{said}]", context.note()), context.pictures)]
    )


def alone_messages(dialogue: Dialogue, said: str, context: TurnContext) -> list[BaseMessage]:
    """The context of any model that answers without a slow mind."""
    head = SystemMessage("\n\n".join(filter(None, (render("fast/alone"), context.policy))))
    return merged([head, *conversation(dialogue), heard(with_note(said, context.note()), context.pictures)])


def _of_worlds(prompt: str, context: TurnContext) -> str:
    """What is told of text worlds, which a desk has not."""
    return "" if context.policy else render(prompt)


def _system(prompt: str, context: TurnContext) -> str:
    """A desk is asked about what it is there for; everywhere else Duet knows itself."""
    return f"{prompt}\n\n{context.policy or itself()}"


def _thought(called: Turn, result: str, number: int) -> Sequence[BaseMessage]:
    """A call of the slow mind and what it found, as a native tool call."""
    key = f"think{number:04}"  # Mistral demands nine letters and digits
    call = {"name": "think", "args": {"request": called.request}, "id": key}
    return [AIMessage("" if called.filled else called.text, tool_calls=[call]), ToolMessage(result, tool_call_id=key)]
