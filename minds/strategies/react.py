"""ReAct (Yao et al. 2023) as DUMA 2.3 uses it: Reason, Act, Obs, until Finish.

Three ways to get a move out of a model, by what it can do: native tool calls; JSON steps held to a schema; JSON steps
asked for in words. A model that is not strong is also checked: an answer whose figures stand nowhere in the episode is
sent back once, and then the last observation stands as the result (DUMA: "the value in Obs or Finish is the final
reasoning result").
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool, ToolException

from minds.dialogue import Dialogue, Episode, Move, Step, clip
from minds.fidelity import figures, invented
from minds.models.language import Garbled, Usage
from minds.slow import Workbench, same
from prompts import examples, render

FINISH, GIVE_UP = "finish", "give_up"
STEP_TOKENS = 220
CALCULATOR, DOCUMENTS = "calculator", "documents"
SEARCHERS = (DOCUMENTS, "recall")
READERS = (CALCULATOR, "dates", "units")
"""Tools that work on the question alone, so that trying them tells whether they understand it."""
HANDY = ("2", "7", "12", "24", "60", "100")
"""Numbers that a sum may bring in by itself: halves, weeks, dozens, hours, percents."""
HARMLESS = frozenset(
    ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "12", "24", "30", "52", "60", "100", "365", "1000", "3600"]
)
"""Numbers that a calculation may bring in by itself: halves, dozens, percents, minutes."""


class ReAct:
    """One episode's strategy."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._reading: tuple[str, ...] | None = None
        """The tools that understand the question as it stands; None before they were tried."""

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault; a step that cannot be trusted is asked for once more."""
        if self._bench.model.abilities.tools:
            return await self._native(episode)
        if self._reading is None:
            self._reading = (
                () if self._strong else await asyncio.to_thread(reading, episode.task.question, self._bench.tools)
            )
        if answer := self._observed(episode):
            return Move("The observation answers the query.", answer=answer)
        move = await self._json(episode)
        fault = self._doubt(episode, move)
        if fault and (move.answer is None or not episode.steps):
            again = await self._json(episode, fault, "" if move.action == CALCULATOR else move.action)
            ends_again = move.answer is not None and again.answer is not None
            if not ends_again and not self._doubt(episode, again):
                return again
            forgotten = self._unused(episode, move) and again.answer is None and not _made_up(episode, again)
            return again if forgotten else self._fall_back(episode, again)
        return self._fall_back(episode, move) if fault or move.gave_up else move

    @property
    def _strong(self) -> bool:
        return self._bench.model.abilities.strong

    def _observed(self, episode: Episode) -> str:
        """What a small model's first sound observation answers by itself; empty where it must go on.

        A tool that understands the whole question has worked on it; of what was searched, the best passage is quoted.
        """
        if self._strong or not episode.steps or episode.steps[-1].failed or episode.task.steering:
            return ""
        last = episode.steps[-1]
        if last.move.action in SEARCHERS:
            return quoted(last)
        understood = last.move.action in READERS and last.move.argument == episode.task.question
        return last.observation if understood else ""

    def _allowed(self, episode: Episode, not_again: str = "") -> list[str]:
        """A small model picks from what can work: at first a tool that understands the question, where one does."""
        tools, ends = [*self._bench.tools], [FINISH, GIVE_UP]
        if self._strong:
            return [*tools, *ends]
        if episode.steps:
            unread = self._bench.note and all(s.failed and s.move.action != DOCUMENTS for s in episode.steps)
            return [DOCUMENTS] if unread and DOCUMENTS in tools else [*tools, *ends]
        first = [name for name in tools if self._fits(name) and name != not_again]
        return first if self._reading else [*first, *ends]

    def _fits(self, tool: str) -> bool:
        if tool == DOCUMENTS:
            return bool(self._bench.note)
        return tool not in READERS or not self._reading or tool in self._reading

    async def _native(self, episode: Episode) -> Move:
        usage = Usage()
        call = await self._bench.model.call(
            native_messages(episode, self._bench.tools),
            list(self._bench.tools.values()),
            temperature=self._bench.temperature,
            usage=usage,
        )
        tokens = usage.read - usage.cached + usage.written
        if not call.name:
            return Move("", answer=call.thought.strip(), tokens=tokens, gave_up=not call.thought.strip())
        argument = next((str(v) for v in call.arguments.values()), "")
        return Move(call.thought, call.name, argument, tokens=tokens)

    async def _json(self, episode: Episode, doubt: str = "", not_again: str = "") -> Move:
        """One step of a model without native tool calls."""
        model, usage = self._bench.model, Usage()
        note = self._bench.note + (f" ({' and '.join(self._reading)} can read this)" if self._reading else "")
        messages = step_messages(episode, self._bench.tools, note, doubt)
        options: dict[str, Any] = {"max_tokens": STEP_TOKENS, "temperature": self._bench.temperature, "usage": usage}
        if model.abilities.schema:
            data = await model.structured(
                messages, schema(self._allowed(episode, not_again), self._numbers(episode)), **options
            )
        else:
            data = read_step("".join([piece async for piece in model.stream(messages, **options)]))
        return self._as_it_stands(episode, as_move(data, usage.read - usage.cached + usage.written))

    def _as_it_stands(self, episode: Episode, move: Move) -> Move:
        """A tool that understands or searches gets a small model's question itself: rewording can only lose.

        Of a thought that guesses a figure, what comes before the guess is kept.
        """
        if not self._strong:
            move = replace(move, thought=unguessed(move.thought, known(episode)))
        if not self._strong and move.action in (*(self._reading or ()), *SEARCHERS):
            return replace(move, argument=episode.task.question)
        return move

    def _numbers(self, episode: Episode) -> list[str]:
        """What the calculator may be fed with, where it does not understand the question as it stands."""
        if self._strong or CALCULATOR in (self._reading or ()):
            return []
        own = figures(" ; ".join([episode.task.question, *(s.observation for s in episode.steps if not s.failed)]))
        return list(dict.fromkeys([*own, *HANDY])) if own else []

    def _doubt(self, episode: Episode, move: Move) -> str:
        """What speaks against a small model's move, to be told to it; empty when nothing does."""
        if self._strong:
            return ""
        if move.gave_up:
            return "" if episode.steps else "Try a tool before you give up."
        if move.answer is None:
            return self._doubt_action(episode, move)
        if not any(not step.failed for step in episode.steps):
            needs = episode.steps or self._reading or figures(move.answer)
            return "No observation answers the query yet: use a tool, or give up." if needs else ""
        if made_up := miscounted(move.answer, known(episode)):
            return f"{made_up} was not observed."
        return ""

    def _doubt_action(self, episode: Episode, move: Move) -> str:
        if not move.argument.strip():
            return f"`{move.action}` needs an input."
        if made_up := _made_up(episode, move):
            return f"{made_up[0]} stands nowhere in the query. Copy the numbers from the query."
        if unused := self._unused(episode, move):
            return f"{unused[0]} is not in it yet. Write the whole sum."
        if move.action in READERS and not understands(self._bench.tools[move.action], move.argument):
            return f"{move.action} cannot read that."
        if any(step.failed and same(step.move, move) for step in episode.steps):
            return "That was tried and failed: write the input differently, use another tool, or give up."
        return ""

    def _unused(self, episode: Episode, move: Move) -> list[str]:
        """Figures of the question that a first sum leaves out: mostly forgotten, sometimes beside the point."""
        if move.action != CALCULATOR or episode.steps:
            return []
        have = figures(move.argument)
        return [figure for figure in figures(episode.task.question) if figure not in have]

    def _fall_back(self, episode: Episode, move: Move) -> Move:
        """A move that cannot be trusted: the last sound observation is the result; without one, it gives up."""
        for step in reversed(episode.steps):
            if not step.failed:
                return Move(move.thought, answer=step.observation, tokens=move.tokens)
        looked = [step.observation for step in episode.steps if step.move.action in SEARCHERS]
        why = looked[-1] if looked else render("slow/gave_up")
        return Move(move.thought, answer=why, tokens=move.tokens, gave_up=True)


def _made_up(episode: Episode, move: Move) -> list[str]:
    """Figures of an input that stand nowhere in the episode."""
    return [figure for figure in invented(move.argument, known(episode)) if figure not in HARMLESS]


def schema(actions: Sequence[str], numbers: Sequence[str] = ()) -> dict[str, object]:
    """A JSON step: thought, action, input. With `numbers` the calculator's input can only be a sum of these.

    A model of this size miscopies figures; a grammar that knows no others cannot.
    """
    others = [action for action in actions if action != CALCULATOR or not numbers]
    forms = [_form({"enum": others}, {"type": "string", "maxLength": 400})]
    if len(others) < len(actions):
        forms.insert(0, _form({"const": CALCULATOR}, {"type": "string", "pattern": sum_of(numbers)}))
    return forms[0] if len(forms) == 1 else {"oneOf": forms}


def sum_of(numbers: Sequence[str]) -> str:
    """A pattern: these numbers, the four signs and brackets."""
    number = f"[(]?[(]?({'|'.join(re.escape(n) for n in numbers)})%?[)]?[)]?"
    return f"^{number}( [-+*/] {number}){{1,7}}$"


def _form(action: dict[str, object], argument: dict[str, object]) -> dict[str, object]:
    thought: dict[str, object] = {"type": "string", "maxLength": 160}
    return {
        "type": "object",
        "properties": {"thought": thought, "action": action, "input": argument},
        "required": ["thought", "action", "input"],
        "additionalProperties": False,
    }


def as_move(data: Mapping[str, Any], tokens: int) -> Move:
    """Raises Garbled when a field is missing."""
    try:
        thought, action, argument = (str(data[key]) for key in ("thought", "action", "input"))
    except KeyError as missing:
        raise Garbled(f"The slow model's step has no {missing}: choose another slow model in Settings.") from None
    if action == GIVE_UP or (action == FINISH and not argument.strip()):
        return Move(thought, answer=render("slow/gave_up"), tokens=tokens, gave_up=True)
    if action == FINISH:
        return Move(thought, answer=argument.strip(), tokens=tokens)
    return Move(thought, action, argument, tokens=tokens)


def read_step(text: str) -> dict[str, Any]:
    """The first JSON object of a text. Raises Garbled."""
    for start in (match.start() for match in re.finditer(r"\{", text)):
        try:
            data, _ = json.JSONDecoder().raw_decode(text[start:])
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return data
    raise Garbled("The slow model did not write a step that can be read: choose another slow model in Settings.")


def step_messages(
    episode: Episode, tools: Mapping[str, BaseTool], note: str = "", doubt: str = ""
) -> list[BaseMessage]:
    """Context of a JSON step. The constant part comes first, so that the prefix cache holds it between runs."""
    messages = [*preamble(tools), HumanMessage(question(episode) + note)]
    for step in episode.steps:
        messages += [AIMessage(as_json(step.move)), HumanMessage(f"Obs: {step.observation}")]
    for extra in [*(f"The person adds: {word}" for word in episode.task.steering), episode.notice, doubt]:
        if extra:
            messages[-1] = HumanMessage(f"{messages[-1].content}\n({extra})")
    return messages


def preamble(tools: Mapping[str, BaseTool]) -> list[BaseMessage]:
    """The constant part of the context: what the tools are, and how steps look."""
    listed = "\n".join(f"{tool.name}: {tool.description}" for tool in tools.values())
    messages: list[BaseMessage] = [SystemMessage(render("slow/react", tools=listed))]
    for shown, reply in examples("slow/react_examples"):
        messages += [HumanMessage(shown), AIMessage(reply)]
    return messages


def reading(question: str, tools: Mapping[str, BaseTool]) -> tuple[str, ...]:
    """The tools that understand the question as it stands. Tries them; they work on the question alone."""
    return tuple(name for name in READERS if name in tools and understands(tools[name], question))


def understands(tool: BaseTool, said: str) -> bool:
    """Whether a tool of READERS can work with these words; it is tried, which changes nothing."""
    try:
        seen = str(tool.invoke({next(iter(tool.args)): said}))
    except ToolException:
        return False
    return len(set(figures(seen))) > 1 or tool.name != CALCULATOR  # `55 miles = 55` is no sum


def native_messages(episode: Episode, tools: Mapping[str, BaseTool]) -> list[BaseMessage]:
    """Context for a model with native tool calls."""
    messages: list[BaseMessage] = [SystemMessage(render("slow/native")), HumanMessage(question(episode))]
    for number, step in enumerate(episode.steps):
        argument = next(iter(tools[step.move.action].args)) if step.move.action in tools else "input"
        call = {"name": step.move.action, "args": {argument: step.move.argument}, "id": f"step-{number}"}
        messages += [
            AIMessage(step.move.thought, tool_calls=[call]),
            ToolMessage(step.observation, tool_call_id=f"step-{number}"),
        ]
    for word in [*episode.task.steering, episode.notice]:
        if word:
            messages.append(HumanMessage(word))
    return messages


def question(episode: Episode) -> str:
    """The dialogue in the paper's form (DUMA, equation 5), the last query made to stand alone."""
    lines, number = [], 0
    for turn in _exchanges(episode.task.dialogue):
        lines += [f"Query {number}: {clip(turn[0], 200)}", f"Answer {number}: {clip(turn[1], 200)}"]
        number += 1
    return "\n".join([*lines, f"Query {number}: {episode.task.question}"])


def _exchanges(dialogue: Dialogue, last: int = 3) -> list[tuple[str, str]]:
    """(query, final answer) of the last turns; slow results are left out, since the answer words them."""
    pairs: list[tuple[str, str]] = []
    for turn in dialogue.turns:
        if turn.speaker == "user":
            pairs.append((turn.text, ""))
        elif turn.speaker == "fast" and pairs and not turn.invoke:
            pairs[-1] = (pairs[-1][0], turn.text)
    return [pair for pair in pairs if pair[1]][-last:]


def as_json(move: Move) -> str:
    return json.dumps({"thought": move.thought, "action": move.action, "input": move.argument}, ensure_ascii=False)


def known(episode: Episode) -> list[str]:
    task = episode.task
    said = [turn.text for turn in task.dialogue.turns]
    return [
        task.question,
        task.said,
        *task.steering,
        *said,
        *(_seen(step) for step in episode.steps if not step.failed),
    ]


def miscounted(answer: str, known: Sequence[str]) -> str:
    """A figure that stands in `answer` more often than in all of `known`: it took another's place. Empty when none."""
    may = Counter(figures(" ; ".join(known)))
    return next((figure for figure, times in Counter(figures(answer)).items() if times > may[figure]), "")


def unguessed(thought: str, known: Sequence[str]) -> str:
    """A thought up to the first figure that stands nowhere else."""
    made_up = set(invented(thought, known))
    for number in re.finditer(r"\d[\d,.]*\d|\d", thought) if made_up else ():
        if made_up & set(figures(number[0])):
            return re.sub(
                r"\s*(?:=|≈|is|are|equals|about|approximately|[-+*/×:,(])*\s*$", "", thought[: number.start()]
            )
    return thought


def quoted(step: Step) -> str:
    """The first thing that a search found, in words for the person: the passage with its source, or what was told.

    Empty where the person only asked, and told nothing.
    """
    first = step.observation.split("\n")[0]
    if passage := re.match(r"(\[[^\]]+\]) (\".*)", first):
        return f"It says: {passage[2]} {passage[1]}"
    told = re.match(r"You said: (.*?)(?: / Reply: .*)?$", first)
    if told and told[1].endswith("?"):
        return ""
    return f'You told me: "{told[1]}"' if told else step.observation


def _seen(step: Step) -> str:
    return re.sub(r"\s+", " ", f"{step.move.argument} {step.observation}")
