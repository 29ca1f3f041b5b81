"""The nouns both minds speak in: frozen data, no behaviour beyond reading itself (DUMA, section 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from tools.worlds.world import Observation

if TYPE_CHECKING:
    from minds.models.language import Usage

Speaker = Literal["user", "fast", "slow", "memory"]


@dataclass(frozen=True)
class Picture:
    """One that a person shows."""

    id: str
    name: str
    data: bytes = b""
    """JPEG; empty where the minds are only told that it was shown."""


@dataclass(frozen=True)
class Turn:
    """One utterance. `slow` turns are results that the slow mind handed back, not seen by the person."""

    speaker: Speaker
    text: str
    at: float = 0.0
    """When the person spoke in this turn, seconds since the epoch: it grows with the dialogue, also where a slow result
    came behind later words."""
    invoke: bool = False
    """On a fast turn: it called the slow mind (an interim reply)."""
    request: str = ""
    """On such a turn: what the slow mind was asked."""
    filled: bool = False
    """On such a turn: it said nothing, and the person was shown a sentence of Duet's own."""
    world: bool = False
    """On a reply: it tells of a text world."""
    pictures: tuple[Picture, ...] = ()
    """Shown with a person's words."""


@dataclass(frozen=True)
class Dialogue:
    """What was said in one session, oldest first, without the turn being answered."""

    session: str
    user: str
    turns: tuple[Turn, ...] = ()

    @property
    def last(self) -> tuple[str, str]:
        """The last words of the person, and the reply to them."""
        said = next((turn.text for turn in reversed(self.turns) if turn.speaker == "user"), "")
        replied = [turn.text for turn in self.turns[-1:] if turn.speaker != "user"]
        return said, "".join(replied)


_ENDED = re.compile(r"""[.!?…؟][\s*_"“”'‘’»)\]]*[\s*_]|[。！？]["”’」』）]*|\n""")
"""The end of a sentence, with what closes behind it: no point of 3.5 or example.org."""


def question_of(reply: str) -> str:
    """The question that a reply ends with; empty where it ends otherwise."""
    text = reply.rstrip("*_ \n")
    if not text.endswith(("?", "？", "؟")):
        return ""
    *_, last = _ENDED.split(text[:-1])
    return f"{last}{text[-1]}".strip(" *_")


def sentences(text: str) -> list[str]:
    """Of a text, and the lines of a list or table, each as it stands."""
    ends = [0, *(match.end() for match in _ENDED.finditer(text)), len(text)]
    parts = (text[begin:end].strip() for begin, end in pairwise(ends))
    return [part for part in parts if part]


REPLY = 5
"""Words from which a reply is not rightly given to two different turns: greetings and thanks have fewer."""


def replies(dialogue: Dialogue) -> dict[str, int]:
    """What Duet replied in it, with the place of its turn."""
    said = ((turn.text.strip(), place) for place, turn in enumerate(dialogue.turns) if turn.speaker != "user")
    return {text: place for text, place in said if len(text.split()) >= REPLY}


def without(dialogue: Dialogue, reply: int) -> Dialogue:
    """Without the reply at a place and what it replied to."""
    turns = dialogue.turns
    return replace(dialogue, turns=(*turns[: _begun(dialogue, reply)], *turns[reply + 1 :]))


def lately(dialogue: Dialogue) -> Dialogue:
    """The last reply with what it replied to, and what follows it."""
    reply = max((place for place, turn in enumerate(dialogue.turns) if turn.speaker != "user"), default=0)
    return replace(dialogue, turns=dialogue.turns[_begun(dialogue, reply) :])


def _begun(dialogue: Dialogue, reply: int) -> int:
    """The place of what a reply replied to."""
    said = (place for place, turn in enumerate(dialogue.turns[:reply]) if turn.speaker == "user")
    return max(said, default=reply)


def talk(dialogue: Dialogue) -> Dialogue:
    """Without the turns in text worlds: a small model would go on in their manner, telling of deeds that nobody did."""
    kept: list[Turn] = []
    for turn in dialogue.turns:
        kept.append(turn)
        while turn.world and kept.pop().speaker != "user":
            pass
    return replace(dialogue, turns=tuple(kept))


@dataclass(frozen=True)
class SaidBefore:
    """Something that was said before, as the memory holds it."""

    day: str
    """`Monday, 23 November 2026`."""
    words: str
    note: str = ""
    """The id of the memory's note."""
    mine: bool = False
    """The assistant said it."""


@dataclass(frozen=True)
class TurnContext:
    """What both minds are told of the moment a turn falls into; it changes from turn to turn, so it stands last."""

    now: str = ""
    """The person's day: `Monday, 23 November 2026`."""
    clock: str = ""
    """And time: `10:24 (Europe/Berlin)`; not told to those who look it up, so that they find the same all day."""
    summary: str = ""
    """What was said before the turns that the dialogue holds."""
    facts: tuple[str, ...] = ()
    """What the memory knows of the person that bears on the turn, each with when it was said."""
    earlier: tuple[str, ...] = ()
    """What else was said or worked out before that bears on it."""
    past: tuple[SaidBefore, ...] = ()
    """What was said before that may answer the turn, oldest first, for layers that were trained for that."""
    documents: tuple[str, ...] = ()
    """Names of the uploaded documents."""
    looks_for: str = ""
    """For a small mind: the words by which they are searched for this turn; empty where nothing in them comes near."""
    near: float = 0.0
    """How near it comes (cosine)."""
    world: str = ""
    """The open text world in a few lines, and which tasks are over; empty where there were none."""
    in_world: bool = False
    """A text world is open: it can be acted in."""
    last_reply: str = ""
    """Where the memory gave it or keeps it, that it does."""
    off: str = ""
    """Where nothing is remembered or recalled, that it is not."""
    waiting: str = ""
    """The question of a desk that waits for the person's answer."""
    running: str = ""
    """The slow run that is under way for an earlier turn."""
    beside: tuple[str, ...] = ()
    """What the person said before this turn that is being answered beside it, for models that can keep both apart."""
    instructions: str = ""
    """What the person wishes of all replies."""
    pictures: tuple[Picture, ...] = ()
    """What the person shows with this turn."""
    about: tuple[str, ...] = ()
    """What it asks of Duet itself, as a small model is told it (minds/about.py)."""
    of_duet: bool = False
    """It may ask something of Duet itself."""
    policy: str = ""
    """Whose desk the assistant is, and what it must follow there; constant through a conversation."""

    def note(self) -> str:
        """For the prompt, behind the person's words; empty where there is nothing to tell."""
        remembered = [f"- {line}" for line in (*self.facts, *self.earlier)]
        lines = [
            f"Now: {', '.join(filter(None, (self.now, self.clock)))}." if self.now else "",
            f"Earlier in this conversation: {self.summary}" if self.summary else "",
            "\n".join(["You remember:", *remembered]) if remembered else "",
            f"Uploaded documents: {', '.join(self.documents)}." if self.documents else "",
            f"The person's own wishes for your replies: {self.instructions}" if self.instructions else "",
            *self.about,
            self.last_reply,
            self.off,
            self.world,
            self.waiting,
            self.running,
            *(f"You are still answering this, in a reply of its own: {clip(said, 200)}" for said in self.beside),
            "Answer only the person's newest message." if self.beside else "",
        ]
        return "\n".join(line for line in lines if line)


@dataclass
class Reply:
    """What the fast mind decided and said; filled while its words come."""

    invoke: bool = False
    request: str = ""
    """Where it invokes: what the slow mind is to do, made to stand alone."""
    p: float | None = None
    """How probable it is that the slow mind is needed, where that was weighed."""
    alone: bool = False
    """There is no slow mind to be called: the words have to be the answer."""
    doubt: bool = False
    """The words assert what may well be wrong."""
    beyond: bool = False
    """The person wants what neither mind can do or know."""
    recalled: bool = False
    """The words only tell what was told before, or that it was not."""
    rests_on: tuple[str, ...] = ()
    """The ids of the notes that they tell then."""
    controls: tuple[tuple[str, str], ...] = ()
    """Words to the slow run under way, in order: (steer | pause | resume | stop | take over, the person's words)."""


@dataclass(frozen=True)
class Task:
    """What the slow mind is asked to do: `question` stands alone, `said` is the person's own wording."""

    question: str
    said: str
    dialogue: Dialogue
    context: TurnContext = TurnContext()
    steering: tuple[str, ...] = ()
    """What the person added while the run was under way, oldest first."""


@dataclass(frozen=True)
class Call:
    """One use of a tool, its arguments typed by the tool's schema; or one action in a text world (`tool` is WORLD)."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""
    """Why it cannot be acted out as the model wrote it (arguments that are no JSON); the model reads it as Obs."""

    @property
    def action(self) -> str:
        """What is done, for the trace: the tool's name, or the world's action."""
        return str(self.arguments.get("action", "")) if self.tool == WORLD else self.tool

    @property
    def argument(self) -> str:
        """What it is done with, in one text: a lone argument as it is, several as JSON."""
        if self.tool == WORLD or not self.arguments:
            return ""
        if len(self.arguments) == 1 and isinstance(only := next(iter(self.arguments.values())), str):
            return only
        return json.dumps(dict(self.arguments), ensure_ascii=False)

    @property
    def asked_as(self) -> str:
        """How it is asked of the memory: the same for all wordings of the same wish."""
        return f"{self.tool}: {json.dumps(dict(self.arguments), sort_keys=True)}"


WORLD = "world"
"""The tool of a call that is an action of the text world at hand."""


@dataclass(frozen=True)
class Move:
    """One decision of a strategy: a thought and its calls, or the end with `answer`."""

    thought: str
    calls: tuple[Call, ...] = ()
    answer: str | None = None
    last: bool = False
    """Nothing is to be done behind these calls: what they give is the result."""
    first: bool = False
    """What these calls give is a first answer: it is shown, and checked next."""
    tokens: int = 0
    """Tokens read (outside the prefix cache) and written by the model to make this move."""
    read: int = 0
    """Tokens that the model read for it, those of the prefix cache included."""
    cached: int = 0
    """Of those, taken from the prefix cache."""
    written: int = 0
    asked: int = 0
    """How often the model was asked for it."""
    wrote: str | None = None
    """What stood where the action should: no action that is possible now, so the nearest one that is was taken."""
    fault: Exception | None = None
    """Why the model that was asked for it could not be heard: something else decided."""
    asserts: str = ""
    """What `answer` asserts, where it says more than that: the words of a source stand below it."""
    gave_up: bool = False
    """True when `answer` says that the task could not be done."""
    cut: bool = False
    """The model's limit ended `answer`."""
    doubt: bool = False
    """The strategy is not sure of this answer."""
    confidence: float | None = None
    """How likely the action is right, 0 to 1, where the strategy knows."""
    worded: bool = False
    """Its answer, or what its calls give, is in words for the person already: nobody is to word it anew."""
    reached: str = ""
    """The sub-goal that the step before this move reached, where the strategy has sub-goals."""
    world: bool = False
    """Its answer is about a text world, though nothing was done there: it asks which action was meant."""
    choices: tuple[str, ...] = ()
    """Of such an answer: the actions that may have been meant."""

    @property
    def action(self) -> str:
        """Of a move in a world: its one action; else the first tool's name."""
        return self.calls[0].action if self.calls else ""

    def paid(self, usage: Usage) -> Move:
        """The move, with what was asked for it beside what it cost before."""
        return replace(
            self,
            tokens=self.tokens + usage.paid,
            read=self.read + usage.read,
            cached=self.cached + usage.cached,
            written=self.written + usage.written,
            asked=self.asked + usage.calls,
        )


def in_world(thought: str, action: str, **more: Any) -> Move:
    """A move that takes one action in the text world at hand; `more` are fields of Move."""
    return Move(thought, (Call(WORLD, {"action": action}),), **more)


@dataclass(frozen=True)
class Step:
    """One call of a move and what came of it (Reason, Act, Obs in DUMA 2.3)."""

    move: Move
    observation: str
    call: Call = Call("")
    """The one of the move's calls that this is; by default its first."""
    seconds: float = 0.0
    failed: bool = False
    """The tool refused, broke or found nothing; `observation` is its sentence."""
    sources: tuple[str, ...] = ()
    """Where the observation comes from, ready to be quoted: `handbook.pdf, page 3`."""
    passages: tuple[tuple[str, str], ...] = ()
    """Of documents: each source with what stands there. Not in the log: a resumed run has those of its new steps."""
    depends: Mapping[str, str] = field(default_factory=dict)
    """What the observation holds for: {"date": "2026-11-21"}, {"session": ...}, {"documents": digest}."""
    seen: Observation | None = None
    """Of a step in a world: all that the world said."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the observation asserts, by name, in a domain: {"H-0421.price": 245000} (tools/ledger.py)."""
    changes: tuple[Mapping[str, Any], ...] = ()
    """What was changed in the domain's database."""
    asks: str = ""
    """The code of the proposal that the person must answer."""
    told: str = ""
    """The observation in words for the person, where it has others for the model."""
    aside: tuple[float, int] = (0.0, 0)
    """Seconds and tokens that a run within this call took (a policy that acts in a world), under limits of its own."""

    def __post_init__(self) -> None:
        if not self.call.tool and self.move.calls:
            object.__setattr__(self, "call", self.move.calls[0])

    @property
    def action(self) -> str:
        return self.call.action

    @property
    def argument(self) -> str:
        return self.call.argument


Why = Literal["finished", "gave up", "lost", "steps", "tokens", "time", "circles", "model"]
"""Why a slow run, or a trial of it, ended. `lost`: the world ended without being won; `model`: the model failed."""


@dataclass(frozen=True)
class Trial:
    """A failed attempt at a task in a world; behind it the world was reset."""

    steps: tuple[Step, ...]
    """Empty where it was before a restart of the program: then only what was learnt is known."""
    why: Why
    learnt: Move
    """What the strategy made of it: the move's thought goes into the next trial."""


@dataclass(frozen=True)
class Episode:
    """The task and the steps taken so far: all that a strategy sees when it acts."""

    task: Task
    steps: tuple[Step, ...] = ()
    """Of the present trial."""
    notice: str = ""
    """A word of the loop to the strategy: a repeated step, a limit that is near."""
    trials: tuple[Trial, ...] = ()
    """Those that failed before the present one, oldest first."""
    heard: tuple[int, ...] = ()
    """Of each word of the task's steering, how many steps were taken when it was heard."""


@dataclass(frozen=True)
class Answer:
    """What the slow mind hands back: `SlowMind[text]` (DUMA, equation 1)."""

    text: str
    solved: bool
    episode: Episode
    why: Why = "finished"
    tokens: int = 0
    """Read and written by the moves of this run, the last one included."""
    asked: int = 0
    """Model calls of this run."""
    doubt: bool = False
    """The slow mind itself is not sure of it."""
    worded: bool = False
    """It is in words for the person already."""
    own: bool = False
    """It is what the slow mind itself says, not what a tool gave."""
    asserts: str = ""
    """What of it is asserted, where it says more than that."""
    thought: str = ""
    """The reason of its last move."""
    cut: bool = False
    """The model's limit ended it."""
    choices: tuple[str, ...] = ()
    """What may have been meant, for the person to choose from."""
    world: bool = False
    """As of its last move."""
    fault: Exception | None = None
    """Of the model or the world: it ended the run, or kept a further trial from beginning, which is no failure."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Each source once, in the order of use."""
        return tuple(dict.fromkeys(s for step in self.episode.steps for s in step.sources))

    @property
    def depends(self) -> dict[str, str]:
        """All that the answer holds for; empty when it holds always, for everybody."""
        return {name: value for step in self.episode.steps for name, value in step.depends.items()}


@dataclass(frozen=True)
class Event:
    """One line of a session's log. It is stored before anybody sees it; `seq` grows within the database.

    kind and data:
      turn     {text, edits?, sent?, pictures?}  the person's turn was taken; each picture is {id, name, width, height}
      status   {text}                   what is going on, in a few words
      delta    {by, text}               a piece of a reply that is being worded (removed once the reply is whole);
               `by` is `first` where it is a first answer that is being checked; of the slow mind's own words with
               {move}: an `act` behind them says that they were its thought
      reply    {by: fast|slow|memory, text, invoke: bool, final: bool, seconds, tokens, calls, price?, currency?, model,
               answer?, doubt?, request?, sources?, places?, unsupported?, cut?, choices?, written?}
               a turn has at most one interim (final false) and exactly one final reply; `by` is `slow` when
               the final reply words (or is) a slow result, `memory` when a stored result answered. A final one says
               what it asserts (`answer`, the text itself in plain talk) and whether that is sure (`doubt`); an interim
               one the request that the slow mind was given. `places`: source -> its numbers, names and quotes that
               stand there; `unsupported`: figures that stand nowhere else; `cut`:
               the model's limit ended it; `choices`: words that the person may have meant
      run      {state: started|queued|paused|resumed|steered|stopped|interrupted|finished|failed|discarded, ...}
      act      {number, thought, action, argument}          a step begins
      step     {number, thought, action, argument, arguments, observation, failed, seconds, tokens, sources, depends};
               in a domain also {facts, changes, asks, told}
               a step is done; it replaces the `act` of the same number; a step in a world has also
               {episode, by: person|slow, score, done, won, scene, reached?, wrote?}
      world    {episode, state: opened|wheel|undone|parked|reopened|closed, ...}; see chat/worlds/episodes.py. Where a
               failed trial is `undone`: {to: 0, trial, why, learnt, tokens} (which one; what goes into the next)
      summary  {until, text}            what was said up to `until`, for minds that no longer see it
      error    {text, tokens?, calls?, price?, currency?}   one sentence for the person, and what was spent until then
      end      {state: done|stopped|interrupted|failed}     nothing more comes for this turn
    """

    seq: int
    session: str
    turn: int
    kind: str
    data: Mapping[str, object]
    at: float


def with_note(said: str, note: str) -> str:
    """What was said, with what is to be known behind it."""
    return f"{said}\n\n<context>\n{note}\n</context>" if note else said


def clip(text: str, limit: int) -> str:
    """The text, or its first characters and a mark that there was more."""
    return text if len(text) <= limit else text[:limit].rstrip() + " […]"


def bytes_of(text: str) -> int:
    """How many it takes up, whatever characters were cut in two in it."""
    return len(text.encode("utf-8", "surrogatepass"))


def within(text: str, room: float) -> int:
    """How many characters of the text take up about `room` bytes."""
    return int(len(text) * max(room, 0) / max(1, bytes_of(text)))
