"""The slow mind's part of a turn (DUMA, section 2.3): queued, resumed, followed step by step, worded, kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chat.replying import Narrator, Replying
from chat.runs import Runs
from chat.services import Minds, Services, TurnRequest
from chat.turn_context import Contexts, digest_of
from chat.worlds.session import WorldSession
from chat.worlds.worlds import Worlds
from minds.acting import IN_ORDER, ToolBox
from minds.briefing import Briefing
from minds.dialogue import Answer, Call, Dialogue, Episode, Event, Move, Reply, Step, Task, Turn, TurnContext
from minds.fast import FastMind
from minds.grounds import leans, places, resting, unsupported
from minds.languages import name
from minds.looking_up import SEARCH
from minds.models.language import LanguageModel, ModelFault, unheard
from minds.reading import CONTROLS
from minds.slow import Workbench, think
from prompts import render, spoken
from tools.desk import Desk
from tools.worlds.tool import make

MEMORY, TELLING = "memory", ("note", "wrong")
SHORT = 600
"""Characters of an answer that a model without native calls, whose words cannot be shown as they come, need not word
again."""


class SlowRuns:
    """Runs the slow mind for a turn and hands its result back to the fast mind."""

    def __init__(self, services: Services, runs: Runs, contexts: Contexts, replying: Replying, worlds: Worlds) -> None:
        self._services, self._runs, self._contexts = services, runs, contexts
        self._replying, self._worlds = replying, worlds

    async def think(self, asked: TurnRequest, called: Turn, before: Sequence[Event] = ()) -> None:
        """One slow run a session at a time, the next waits.

        called: what the fast mind said, and the request. before: events of an interrupted run, to go on from.
        """
        run, request = asked.run, called.request
        async with self._runs.slowly(run, request) as waits:
            asked = await self._now_read(asked) if waits or asked.others else asked
            asks_memory = asked.options.memory and not run.fresh and request != asked.said
            found = await self._contexts.recall(asked, request) if asks_memory else None
            if found and not run.steering:
                run.phase = "wording"
                await self._replying.from_memory(asked, *found)
                return
            answer = await self._run(asked, request, before)
            run.phase = "wording"
            await self._word(asked, called, answer)

    async def _now_read(self, asked: TurnRequest) -> TurnRequest:
        """The turn with what was said, found and done while it was heard and waited: it may lean on that."""
        dialogue = self._services.transcript.dialogue(asked.session, before=asked.run.turn.number)
        return await self._contexts.fill(replace(asked, dialogue=dialogue))

    async def warm(self, minds: Minds, domain: str, briefing: Briefing | None) -> None:
        """Loads the slow mind's model and the constant part of its context; a small one reads nothing at a desk."""
        if briefing and not minds.slow.abilities.strong:
            return
        desk = Desk("", self._services.now())
        tools = await asyncio.to_thread(self._services.counters.tools, domain, desk)
        bench = Workbench(minds.slow, lambda: tools)
        strategy = self._services.strategy("react", bench, briefing)
        if prompt := getattr(strategy, "prompt", None):
            await minds.slow.warm(prompt(Episode(Task("hello", "hello", Dialogue("", "")))))

    async def _run(self, asked: TurnRequest, request: str, before: Sequence[Event]) -> Answer:
        run, options, done = asked.run, asked.options, steps_of(before)
        self._runs.emit(run, "run", state="started", question=request, resumed=len(done))
        worlds = WorldSession(self._worlds, asked)
        # More steps than there are, where a crash came amid parallel calls.
        highest = max((int(str(data["number"])) for data in _stored(before)), default=0)
        narrator = Narrator(run, self._runs, lost=highest - len(done))
        if driven := await worlds.unfinished(before):
            await narrator.stepped(len(done) + 1, driven)
            done = (*done, driven)
        toolbox = await self._toolbox(asked, worlds)
        aids = {} if options.domain else {"world": lambda: worlds.state}
        alone = options.minds == "slow"
        aloud = narrator.aloud if alone or one_model(asked.minds) else None  # its answer is the reply as it stands
        bench = Workbench(asked.minds.slow, toolbox, options.temperature, aloud=aloud, alone=alone, aids=aids)
        strategy = self._services.strategy(options.strategy, bench, asked.briefing)
        task = Task(request, asked.said, asked.dialogue, _alone(asked.context))
        try:
            answer = await think(task, strategy, toolbox, narrator, self._services.limits.of(asked.minds.slow), done)
        except asyncio.CancelledError as cancelled:
            self._replying.stopped(run, "slow", narrator.saying, cancelled)
            raise
        asked.usage.written += answer.tokens + sum(step.aside[1] for step in answer.episode.steps)
        asked.usage.calls += answer.asked
        self._runs.emit(run, "run", state="finished", solved=answer.solved, why=answer.why, result=answer.text,
                        thought=answer.thought)  # fmt: skip
        return answer

    async def _toolbox(self, asked: TurnRequest, worlds: WorldSession) -> ToolBox:
        """Everybody's tools and the domain's stay as they are; those of worlds follow the world's state."""
        domain = asked.options.domain
        desk = await asyncio.to_thread(self._contexts.desk, asked, domain)
        fixed = await asyncio.to_thread(self._services.counters.tools, domain, desk)
        if domain:
            return lambda: fixed
        await worlds.ready()
        return lambda: {**fixed, **make(worlds)}

    async def _word(self, asked: TurnRequest, called: Turn, answer: Answer) -> None:
        """The fast mind words the result, streamed as it comes; figures without a source are marked in it."""
        own = Reply(alone=True)
        text, fault = await self._worded(asked, called, answer, own)
        other = asked.minds.slow.spec != asked.minds.fast.model.spec and asked.options.minds == "both"
        more: dict[str, object] = {
            "thinker": asked.minds.slow.spec if other else "",
            "note": f"The result itself is shown: {fault}" if fault else unsure(answer, asked, own.doubt),
            "unheard": fault and unheard(fault),
            "choices": list(answer.choices),
            "cut": answer.cut and shown_as_said(answer, asked),
            "unsupported": unsupported(text, _known(asked, answer)),
            "places": places(text, [passage for step in answer.episode.steps for passage in step.passages]),
            # What was worked out is not these notes' alone, but goes with them too.
            "memory" if answer.text else "rests_on": resting(text, asked.said, asked.recalled),
            "recalled": recalled(answer),
            "world": _acted(answer),
            "off_record": any(off_record(step.action, step.call.arguments) for step in answer.episode.steps),
        }
        if not (more["unsupported"] or more["cut"] or asked.usage.cut):  # what is marked is not given again unmarked
            more["remember"] = self._kept(asked, answer)
        self._replying.close(
            asked,
            by="slow" if answer.text else "fast",
            text=text,
            slow=answer.text,
            answer=answer.asserts or answer.text or text,
            doubt=answer.doubt or not answer.solved or own.doubt,
            solved=answer.solved,
            sources=list(answer.sources),
            **{name: value for name, value in more.items() if value},
        )

    async def _worded(
        self, asked: TurnRequest, called: Turn, answer: Answer, own: Reply
    ) -> tuple[str, ModelFault | None]:
        """The reply, and why it is the result itself where the fast mind could not word that. Where the slow mind
        hands the turn back with nothing, the fast mind speaks for itself, as `own` says."""
        fast, slow = asked.minds.fast, asked.minds.slow
        asked.usage.cut = False  # what ended at its limit until here was no reply
        if not answer.text:
            about = (*asked.context.about, *looked_in_vain(answer, slow))
            context = replace(self._now(asked, answer), past=(), about=about)  # whoever answers from these was asked
            pieces = fast.reply(asked.dialogue, asked.said, context, own, asked.usage)
            return await self._replying.stream(asked.run, pieces) or spoken("fast/speechless", name(asked.said)), None
        if answer.worded or shown_as_said(answer, asked):
            return sourced(answer.text, answer, slow, asked.briefing), None
        result = told(answer, slow, asked.said)
        if asked.run.steering and fast.model.abilities.strong:  # a small one would tell the note
            result = render("slow/steered", result=result, words="; ".join(asked.run.steering))
        try:
            pieces = fast.word(asked.dialogue, asked.said, self._now(asked, answer), called, result, asked.usage)
            text = await self._replying.stream(asked.run, pieces)
        except ModelFault as fault:  # what was found must not be lost with the wording
            return with_sources(answer.text, answer.sources), fault
        return sourced(text or answer.text, answer, fast.model, asked.briefing), None

    def _now(self, asked: TurnRequest, answer: Answer) -> TurnContext:
        """The turn's context behind the slow run, which may have changed a world."""
        world = self._worlds.standing(asked.session)[0] if _acted(answer) else asked.context.world
        return replace(_alone(asked.context), world=world)

    def _kept(self, asked: TurnRequest, answer: Answer) -> dict[str, object]:
        """The question that the memory keeps the answer under, with what it depends on; empty where it does not.

        What rests on nothing that was looked up or worked out is no result, nor is what was done in a world: who says
        the same again wants it done again.
        """
        steps = [step for step in answer.episode.steps if not step.failed]
        seen = asked.shows or recalled(answer)
        if not answer.solved or answer.doubt or asked.run.steering or not steps or seen or changed_a_world(answer):
            return {}
        given = asked.context.instructions
        heeds = {"instructions": digest_of(given)} if given else {}
        if not asked.briefing:
            question = asked.run.question
            told = [f"{note.text} {note.answer}" for note in asked.recalled]  # it may be corrected or deleted
            if not asked.minds.slow.abilities.strong:  # a small model often leaves a request incomplete
                told += [turn.text for turn in asked.dialogue.turns]
            if leans(steps, question, told):
                return {}
            depends = {**self._services.remembering.scoped(question, asked.moment), **answer.depends, **heeds}
            if _acted(answer):  # what was found in a world holds for the world as it stands then
                depends["world"] = digest_of(self._now(asked, answer).world)
            return {"question": question, "depends": depends, **evidence(asked, steps)}
        call = asked.briefing.recallable
        if not call or answer.episode.steps[-1].action != call.tool:
            return {}
        context = self._services.counters.context(asked.options.domain, asked.session, call)
        depends = answer.depends | {name: context[name] for name in ("domain", "call", "listings")} | heeds
        return {"question": call.asked_as, "depends": depends, "answer": answer.text, **evidence(asked, steps)}


def _alone(context: TurnContext) -> TurnContext:
    """Without what ran or was answered beside the turn when it was heard: that is over by now, or soon."""
    return replace(context, running="", beside=())


def looked_in_vain(answer: Answer, model: LanguageModel) -> list[str]:
    """What is told behind a small slow mind that read the documents first, and found nothing there."""
    searched = any(step.action == SEARCH for step in answer.episode.steps)
    return [render("small/looked_in_vain")] if searched and not model.abilities.strong else []


def off_record(action: object, arguments: object) -> bool:
    """Whether a call is a wish of the memory that is none of its contents. What is corrected or noted down is told."""
    told = isinstance(arguments, Mapping) and arguments.get("do") in TELLING
    return action == MEMORY and not told


def recalled(answer: Answer) -> bool:
    """Whether the answer rests on what was said before: what was recalled is not kept again as new."""
    return any(step.action == "recall" or "session" in step.depends for step in answer.episode.steps)


def _acted(answer: Answer) -> bool:
    """In a text world, or asked or asking back about one."""
    return answer.world or any(step.action.startswith(IN_ORDER) for step in answer.episode.steps)


def changed_a_world(answer: Answer) -> bool:
    """Something in a text world, and not only asked about it."""
    return any(step.action.startswith(IN_ORDER) and step.action != CONTROLS["STORY"] for step in answer.episode.steps)


def evidence(asked: TurnRequest, steps: Sequence[Step]) -> dict[str, str]:
    """By whom a result was found, and from what: for the person, and so that nobody stronger is served it."""
    did = [f"{step.action}[{step.argument[:200]}] gave {step.observation[:300]}" for step in steps]
    model = asked.minds.slow
    return {"model": model.spec, "strength": str(int(model.abilities.strong)), "evidence": "\n".join(did)}


def shown_as_said(answer: Answer, asked: TurnRequest) -> bool:
    """Whether the reply is the slow mind's answer as it stands. In the words of the very model that would word it, it
    needs no second call where it was streamed as it came, or is short."""
    streamed = asked.minds.slow.abilities.tools or len(answer.text) <= SHORT
    return asked.options.minds == "slow" or (answer.own and streamed and one_model(asked.minds))


def one_model(minds: Minds) -> bool:
    """Whether one strong model is both minds. A mind that an evaluation put in place of ours is always asked: its words
    are what is measured."""
    ours = type(minds.fast) is FastMind
    return ours and minds.fast.model.spec == minds.slow.spec and minds.slow.abilities.strong


def steps_of(events: Sequence[Event]) -> tuple[Step, ...]:
    """The steps of an interrupted run, to go on from; those in worlds are the world's own."""
    return tuple(_step(data) for data in sorted(_stored(events), key=lambda data: int(str(data["number"]))))


def _stored(events: Sequence[Event]) -> list[Mapping[str, object]]:
    return [event.data for event in events if event.kind == "step" and "episode" not in event.data]


def told(answer: Answer, model: LanguageModel, said: str) -> str:
    """The result as the fast mind is handed it: what is doubtful and what failed says so, and what helps."""
    if answer.solved:
        # A small model would say the note itself; the page's sign says it for it.
        return render("slow/doubt", result=answer.text) if answer.doubt and model.abilities.strong else answer.text
    hint = "" if model.abilities.strong else " " + spoken("slow/hint", name(said), spec=model.spec)
    return f"{answer.text}{hint}"


def unsure(answer: Answer, asked: TurnRequest, spoken_doubt: bool) -> str:
    """What a small model's doubt is told by, under the reply; a strong one says it itself. `spoken_doubt`: of what the
    fast mind said in its place. Where the slow one found nothing, with what helps."""
    model = asked.minds.slow
    in_doubt = answer.doubt and answer.solved and not model.abilities.strong
    if not (in_doubt or spoken_doubt):
        return ""
    language = name(asked.said)
    if in_doubt and answer.text:
        return spoken("slow/unsure", language)
    hint = f" {spoken('slow/hint', language, spec=model.spec)}" if in_doubt else ""
    return f"{spoken('fast/unsure', language)}{hint}"


def sourced(text: str, answer: Answer, model: LanguageModel, briefing: Briefing | None) -> str:
    """What a small model found, with where it comes from; a strong one names its sources itself, and a domain's desk
    does not quote its tools."""
    return text if model.abilities.strong or briefing or not answer.solved else with_sources(text, answer.sources)


def with_sources(text: str, sources: Sequence[str]) -> str:
    """The reply quotes where it comes from, whether or not a small fast mind kept it."""
    missing = [source for source in sources if source.lower() not in text.lower()]
    return f"{text} [{'; '.join(missing[:2])}]" if missing and len(missing) == len(sources) else text


def _known(asked: TurnRequest, answer: Answer) -> list[str]:
    """All texts that a figure of the reply may come from."""
    steps = [text for step in answer.episode.steps for text in (step.observation, step.argument)]
    return [answer.text, asked.said, asked.context.note(), *(turn.text for turn in asked.dialogue.turns), *steps]


def _step(data: Mapping[str, Any]) -> Step:
    call = Call(data["action"], data.get("arguments", {}))
    return Step(
        Move(data["thought"], (call,), tokens=int(data["tokens"])),
        data["observation"],
        call,
        float(data["seconds"]),
        bool(data["failed"]),
        tuple(data.get("sources", ())),
        data.get("depends", {}),
        facts=data.get("facts", {}),
        changes=tuple(data.get("changes", ())),
        asks=data.get("asks", ""),
        told=data.get("told", ""),
    )
