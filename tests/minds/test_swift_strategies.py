"""Strategies with learned policies, in a toy shed: what they say with an action, and what they tell the panel."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from chat.bench.episodes.stage import ShownWorld
from minds.dialogue import Dialogue, Episode, Move, Step, Task, Trial, in_world
from minds.models.language import Abilities, Garbled, Unreachable
from minds.policies.subgoals.play import SubgoalPlay
from minds.policies.subgoals.segment import Subgoal
from minds.policies.swift.network import Lexicon, Network
from minds.policies.swift.play import Play, Proposal
from minds.policies.swift.wording import Act
from minds.policies.swift_alfworld.goals import Belief, Goal
from minds.policies.swift_alfworld.memory import Memory
from minds.policies.trained import Trained
from minds.slow import Limits, Workbench, retrying, think
from minds.strategies import default_world_strategy, open_strategy
from minds.strategies.duet import AskingSwift, doubt
from minds.strategies.subgoals import Subgoals
from minds.strategies.swift import Swift
from minds.strategies.swiftsage import ALL_CONDITIONS
from tests.fakes import SMALL, FakeModel
from tests.minds.test_world_strategies import Silent, silent
from tools.worlds.actions import ActionSpace
from tools.worlds.world import Observation, Scene, WorldSpec

SHED = "This room is called the shed. In it, you see: \n\ta red box\n\ta green box\n"
TASK = Task("Focus on the red box, then open the green box.", "open it", Dialogue("s", "ada"))
HERE = WorldSpec("scienceworld", "shed")
RED, GREEN = Act("focus on {}", (0,)), Act("open {}", (1,))


@dataclass
class Shed:
    """Won when the red box was focused on and the green one opened; lost when the green one is focused on."""

    spec: WorldSpec = HERE
    goal: str = TASK.question
    done: list[str] = field(default_factory=list)
    steps: int = 0

    def reset(self) -> Observation:
        return Observation(SHED, score=0.0)

    def step(self, action: str) -> Observation:
        self.steps += 1
        self.done.append(action)
        if action not in ("focus on red box", "open green box", "focus on green box"):
            return Observation("No known action matches that input.", score=self.score)
        lost = "focus on green box" in self.done
        return Observation("You do it.", score=-100.0 if lost else self.score, done=lost or self.won, won=self.won)

    @property
    def score(self) -> float:
        return 50.0 * len({"focus on red box", "open green box"} & set(self.done))

    @property
    def won(self) -> bool:
        return self.score == 100.0 and "focus on green box" not in self.done

    def admissible(self) -> tuple[str, ...]:
        return ("focus on red box", "focus on green box", "open green box")

    def look(self) -> str:
        return SHED

    def inventory(self) -> str:
        return "In your inventory, you see:\n\tnothing\n"

    def scene(self) -> Scene:
        return Scene("shed")

    def gold(self) -> tuple[str, ...]:
        raise AssertionError("a policy must not ask for the solution")

    def close(self) -> None: ...


class Certain(Play):
    """Focuses on the red box, then opens the green one."""

    chances = (0.97, 0.3)

    def propose(self) -> list[Proposal]:
        done = len(self.memory.focused) > 0
        return [Proposal(GREEN if done else RED, self.chances[done])]


class Planned(SubgoalPlay):
    """The same, by sub-goals."""

    def propose(self) -> list[Proposal]:
        done = len(self.memory.focused) > 0
        goal = Subgoal("open {}" if done else "focus on {}", ("box",) if not done else ("@0",))
        self.serves = {GREEN if done else RED: [(0.9, goal)]}
        return [Proposal(GREEN if done else RED, 0.9)]


def started(play: type[Play], monkeypatch: pytest.MonkeyPatch, *owners: type[Swift]) -> None:
    def start(self: Swift) -> Play:
        return play(Network({}, 4, 1, Lexicon({}, (), ("shed",))), self._world.goal)

    for owner in owners:
        monkeypatch.setattr(owner, "_start", start)


def bench(world: Shed, **more: Any) -> Workbench:
    return Workbench(FakeModel(silent), dict, world=world, **more)


async def test_swift_says_how_sure_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Certain, monkeypatch, Swift)
    answer = await think(TASK, Swift(bench(world := Shed())), dict, Silent(), Limits(steps=5), world=world)
    assert answer.solved and answer.episode.steps[0].move.confidence == pytest.approx(0.97)
    assert [step.move.thought for step in answer.episode.steps] == [
        "I have seen this done: 97% sure.",
        "I am not sure of this one: 30%.",
    ]


async def test_subgoals_name_what_they_are_after_and_what_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Planned, monkeypatch, Subgoals)
    strategy = open_strategy("subgoals", bench(world := Shed()))
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=5), world=world)
    moves = [step.move for step in answer.episode.steps]
    assert answer.solved and [move.reached for move in moves] == ["", "focus on red box"]
    assert moves[0].thought.startswith("My sub-goal is to focus on box. I have seen this done: 90%")


STRONG = Abilities(schema=True, strong=True)
PLAN = "Q1: the red box\nQ4: Focus on the red box."


class Unsure(Certain):
    """Would focus on the green box, and loses: right in one case of ten, it thinks."""

    def propose(self) -> list[Proposal]:
        done = len(self.memory.focused) > 0
        return [Proposal(GREEN if done else Act("focus on {}", (1,)), 0.95 if done else 0.1)]


def asking(
    world: Shed, *answers: str | Garbled, abilities: Abilities = STRONG, **more: Any
) -> tuple[AskingSwift, FakeModel]:
    """The strategy with a model that writes these, one after the other."""
    left = iter(answers)
    model = FakeModel(lambda _: [next(left)], silent, abilities=abilities)
    return AskingSwift(Workbench(model, dict, world=world, **more)), model


async def test_sage_plans_where_swift_is_unsure_of_a_critical_act(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    strategy, model = asking(world := Shed(), PLAN, "Action 1: FOCUS(red box)", earlier=("open it: solved by open",))
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=5), world=world)
    assert answer.solved and world.done == ["focus on red box", "open green box"]
    plan, ground = (heard.last for heard in model.heard)
    assert "would now do: focus on green box (10% likely" in plan and "- open it: solved by open" in plan
    assert "Your plan before" not in plan and PLAN in ground
    first, second = (step.move for step in answer.episode.steps)
    assert first.thought.startswith("I asked Sage because this step cannot be taken back") and first.tokens > 0
    assert (second.thought, second.tokens) == ("I have seen this done: 95% sure.", 0)


async def test_a_buffer_ends_at_its_first_impossible_action(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    buffer = "Action 1: FOCUS(red box)\nAction 2: OPEN(blue box)\nAction 3: FOCUS(green box)"
    strategy, model = asking(world := Shed(), PLAN, buffer)
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=5), world=world)
    assert answer.solved and world.done == ["focus on red box", "open green box"] and len(model.heard) == 2


async def test_a_plans_first_action_becomes_the_nearest_possible_one(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    strategy, model = asking(world := Shed(), PLAN, "Action 1: FOCUS(red boxes)")
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=5), world=world)
    assert answer.solved and world.done == ["focus on red box", "open green box"] and len(model.heard) == 2


def added(*words: str, steps: tuple[Step, ...] = ()) -> Episode:
    return Episode(replace(TASK, steering=words), steps)


async def test_once_the_person_said_how_every_action_is_of_a_plan_that_heeds_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started(Certain, monkeypatch, Swift)
    strategy, model = asking(Shed(), PLAN, "Action 1: OPEN(green box)", PLAN, "Action 1: FOCUS(red box)")
    first = await strategy.act(added("the green one first"))
    assert first.action == "open green box" and "the person said how it is to be done" in first.thought
    plan, ground = (heard.last for heard in model.heard)
    for prompt in (plan, ground):
        assert f"Task: {TASK.question}" in prompt and "\n\nThe person adds: the green one first\n\n" in prompt
    done = Step(first, "You do it.", seen=Observation("You do it.", score=50.0))
    assert (await strategy.act(added("the green one first", steps=(done,)))).action == "focus on red box"
    assert len(model.heard) == 4, "Swift, which is 97% sure, cannot read it"


async def test_what_the_person_adds_ends_the_plan_that_was_made_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    buffer = "Action 1: FOCUS(red box)\nAction 2: FOCUS(green box)"
    strategy, model = asking(Shed(), PLAN, buffer, PLAN, "Action 1: OPEN(green box)")
    first = await strategy.act(Episode(TASK))
    done = Step(first, "You do it.", seen=Observation("You do it.", score=50.0))
    assert (await strategy.act(added("do not focus on it", steps=(done,)))).action == "open green box"
    assert "did not succeed" not in model.heard[2].last


WHICH_ONE = "Ambiguous request: Please enter the number for the action you intended (or blank to cancel):\n"
WHICH_ONE += "0:\tfocus on box (in shed)\n1:\tfocus on box (in red pot, in shed)\n"


class Boxes(Shed):
    """Asks which box."""

    def admissible(self) -> tuple[str, ...]:
        return ("0", "1") if self.done else ("focus on box",)


@pytest.mark.parametrize(("words", "number"), [(("the one in the red pot",), "1"), ((), "0")])
async def test_which_of_several_things_is_meant_is_asked_where_the_person_said_how(
    words: tuple[str, ...], number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(Unsure, monkeypatch, Swift)
    strategy, model = asking(world := Boxes(), PLAN, "Action 1: FOCUS(box)", PLAN, "Action 1: CHOOSE(1)")
    first = await strategy.act(added(*words))
    world.done.append(first.action)
    asked = Step(first, WHICH_ONE, seen=Observation(WHICH_ONE, score=0.0))
    assert (await strategy.act(added(*words, steps=(asked,)))).action == number
    assert len(model.heard) == (4 if words else 2) and (not words or "(in red pot, in shed)" in model.heard[2].last)


async def test_sage_hears_what_of_its_plan_was_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost(Unsure):
        def propose(self) -> list[Proposal]:
            return [Proposal(Act("focus on {}", (1,)), 0.1)]

    started(Lost, monkeypatch, Swift)
    buffer = "Action 1: FOCUS(red box)\nAction 2: OPEN(blue box)\nAction 3: OPEN(green box)"
    strategy, model = asking(world := Shed(), PLAN, buffer, PLAN, "Action 1: OPEN(green box)")
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=5), world=world)
    assert answer.solved and "given up" in model.heard[2].last
    assert model.heard[2].last.partition("did not succeed: ")[2].startswith("open blue box; open green box")


async def test_a_plan_is_adapted_to_what_came_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost(Unsure):
        def propose(self) -> list[Proposal]:
            return [Proposal(Act("focus on {}", (1,)), 0.1)]

    started(Lost, monkeypatch, Swift)
    answers = [PLAN, "Action 1: FOCUS(red box)", "Q4: Open the green box.", "Action 1: OPEN(green box)"]
    strategy, model = asking(world := Shed(), *answers)
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=5), world=world)
    assert answer.solved and len(model.heard) == 4
    assert "Your plan before" in model.heard[2].last and PLAN in model.heard[2].last
    assert "Steps so far: 1; score: 50 of 100." in model.heard[2].last


@pytest.mark.parametrize(("left_out", "calls"), [((), 4), (("handed",), 2)])
async def test_behind_a_plan_that_ended_swift_is_sure_or_sage_goes_on(
    left_out: tuple[str, ...], calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Likely(Unsure):
        def propose(self) -> list[Proposal]:
            return [Proposal(one.act, min(one.chance, 0.8)) for one in super().propose()]

    started(Likely, monkeypatch, Swift)
    answers = [PLAN, "Action 1: FOCUS(red box)", PLAN, "Action 1: OPEN(green box)"]
    strategy, model = asking(world := Shed(), *answers, trained=Trained(without=left_out))
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=5), world=world)
    assert answer.solved and world.done == ["focus on red box", "open green box"] and len(model.heard) == calls
    assert ("I asked Sage because the plan before ended" in answer.episode.steps[1].move.thought) == (calls == 4)


class Anew(Silent):
    """Begins the shed's task again."""

    before: tuple[Trial, ...] = ()

    def __init__(self, world: Shed) -> None:
        self._world = world

    async def again(self, number: int, trial: Trial) -> None:
        self._world.done.clear()


async def test_a_trial_that_was_lost_leaves_an_adaptation_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    answers = [PLAN, "Action 1: FOCUS(green box)", "Focus on the red one.", PLAN, "Action 1: FOCUS(red box)"]
    strategy, model = asking(world := Shed(), *answers)
    anew = Anew(world)
    answer = await think(TASK, strategy, dict, anew, Limits(steps=5), world=world, trials=anew)
    assert answer.solved and [trial.learnt.thought for trial in answer.episode.trials] == ["Focus on the red one."]
    assert "The world ended the task" in model.heard[2].last
    assert "What was learnt: Focus on the red one." in model.heard[3].last and "Your plan" not in model.heard[3].last


async def test_where_nothing_was_learnt_the_next_trial_begins_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    garbled = Garbled("All thinking.")
    strategy, model = asking(
        world := Shed(), PLAN, "Action 1: FOCUS(green box)", garbled, PLAN, "Action 1: FOCUS(red box)"
    )
    anew = Anew(world)
    answer = await think(TASK, strategy, dict, anew, Limits(steps=5), world=world, trials=anew)
    assert answer.solved and "What was learnt" not in model.heard[3].last


async def test_a_goal_that_was_reached_and_did_not_win_is_none_of_a_later_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mug, cup = (Goal("pick_and_place_simple", thing, "shelf") for thing in ("mug", "cup"))
    strategy, _ = asking(Shed(WorldSpec("alfworld", "shed")), goals={mug: 0.9, cup: 0.1})
    belief = Belief({cup: 0.1}, Memory(""))
    strategy._swift._play = SimpleNamespace(belief=belief)
    lost = Trial((), "steps", Move(""))
    strategy._begin_anew(Episode(TASK, trials=(lost,)))
    assert strategy._bench.goals == strategy._swift.goals == {cup: 0.1}


async def test_rooms_of_the_trial_amid_which_a_restart_came_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    scenes = [Scene("shed", ("red box",))]
    strategy, _ = asking(Shed(), PLAN, "Action 1: FOCUS(red box)", "Not that.", scenes=scenes)
    lost = Trial((), "steps", Move(""))
    await strategy.act(again := Episode(TASK, trials=(lost,)))
    assert strategy._bench.scenes == scenes
    await strategy.failed(again, "steps")
    strategy._begin_anew(Episode(TASK, trials=(lost, lost)))
    assert not strategy._bench.scenes and strategy._trial == 2


async def test_what_lost_a_trial_is_known_in_every_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    lost, known = [PLAN, "Action 1: FOCUS(green box)", "Not that."], list[frozenset[tuple[str, str]]]()
    strategy, _ = asking(world := Shed(), *lost, *lost, *lost)
    anew, begin = Anew(world), Swift._chosen

    def chosen(self: Swift, play: Play) -> Move:
        known.append(self._bench.lost)
        return begin(self, play)

    monkeypatch.setattr(Swift, "_chosen", chosen)
    answer = await think(TASK, strategy, dict, anew, Limits(steps=5), world=world, trials=anew)
    assert not answer.solved and [len(lost) for lost in known] == [0, 1, 1]
    assert {action for _, action in known[-1]} == {"focus on green box"}


async def test_what_others_did_before_is_not_held_against_swift(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Certain, monkeypatch, Swift)
    theirs = Step(in_world("", "wait"), "You wait.", seen=Observation("You wait.", score=0.0))
    strategy, model = asking(Shed())
    move = await strategy.act(Episode(TASK, (theirs,) * 6))
    assert move.action == "focus on red box" and model.heard == []


async def test_a_model_that_is_not_strong_is_never_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)
    strategy, model = asking(world := Shed(), abilities=SMALL)
    anew = Anew(world)
    answer = await think(TASK, strategy, dict, anew, Limits(steps=5), world=world, trials=anew)
    assert not answer.solved and world.done == ["focus on green box"] and model.heard == []
    assert answer.episode.trials == () and retrying(strategy) is None, "as `swift`, it does not try again"


async def test_where_the_model_fails_swift_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    started(Unsure, monkeypatch, Swift)

    def dead(_: object) -> list[BaseException]:
        return [Unreachable("It was silent.")]

    strategy = AskingSwift(Workbench(FakeModel(dead, dead, abilities=STRONG), dict, world=Shed()))
    move = await strategy.act(Episode(TASK))
    assert move.action == "focus on green box" and "It was silent." in move.thought
    assert isinstance(move.fault, Unreachable)


@pytest.mark.parametrize("listed", [True, False])
async def test_where_the_model_writes_nothing_readable_swifts_move_stands(
    monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    started(Unsure, monkeypatch, Swift)
    model = FakeModel(lambda _: ["I wonder."], silent, abilities=STRONG)
    move = await AskingSwift(Workbench(model, dict, world=ShownWorld(Shed(), listed))).act(Episode(TASK))
    assert (move.action, move.wrote, move.asked) == ("focus on green box", None, 2)
    assert move.confidence == pytest.approx(0.1) and "It gave no action" in move.thought


async def test_where_nothing_was_trained_sage_acts_alone() -> None:
    strategy, _ = asking(Shed(WorldSpec("textworld", "shed")), PLAN, "Action 1: OPEN(green box)")
    assert (await strategy.act(Episode(TASK))).action == "open green box"


def taken(*scores: float, confidence: float | None = 0.3, said: str = "You do it.") -> tuple[Step, ...]:
    move = in_world("", "open green box", confidence=confidence)
    return tuple(Step(move, said, seen=Observation(said, score=score)) for score in scores)


@pytest.mark.parametrize(
    ("move", "steps", "since", "reason"),
    [
        (in_world("", "focus on red box", confidence=0.95), (), 0, ""),
        (in_world("", "focus on red box", confidence=0.85), (), 0, "cannot be taken back"),
        (in_world("", "open red box", confidence=0.05), (), 0, ""),
        (in_world("", "wait", confidence=0.3), taken(5, 5, 5, 5, 5, 5), 0, "no reward"),
        (in_world("", "wait", confidence=0.3), taken(5, 5, 5, 5, 5, 5), 3, ""),
        (in_world("", "wait", confidence=0.3), taken(5, 5, 5, 5, 5, 9), 0, ""),
        (in_world("", "wait", confidence=0.3), taken(5, 5, 5, 5), 0, ""),
        (in_world("", "wait", confidence=0.3), taken(0, 0, 0, 0, 0), 0, "no reward"),
        (in_world("", "wait", confidence=0.3), taken(5, 5, 5, 5, 5, 5, confidence=0.9), 0, ""),
        (in_world("", "wait", confidence=0.9), taken(*[5] * 26, confidence=0.9), 0, "25 steps brought no reward"),
        (in_world("", "wait", confidence=0.9), taken(*[5] * 26, confidence=0.9), 2, ""),
        (in_world("", "wait", confidence=0.9), taken(*[5] * 25, 9, confidence=0.9), 0, ""),
        (in_world("", "wait", confidence=0.9), taken(5, 5, said="You can't open that."), 0, "refused"),
        (in_world("", "wait", confidence=0.9), taken(5, said="Nothing happens."), 0, ""),
        (in_world("", "wait", confidence=0.9), taken(5, 9, said="Nothing happens."), 0, "refused"),
    ],
)
def test_the_switch(move: Move, steps: tuple[Step, ...], since: int, reason: str) -> None:
    found = doubt(ALL_CONDITIONS, move, steps, since, ActionSpace(()))
    assert reason in found and bool(found) == bool(reason)


def test_what_drives_where_nobody_chose() -> None:
    chosen = {(w, s): default_world_strategy(w, s) for w in ("scienceworld", "textworld") for s in (True, False)}
    assert chosen == {
        ("scienceworld", True): "duet",
        ("scienceworld", False): "swift",
        ("textworld", True): "react",
        ("textworld", False): "react",
    }


async def test_where_nothing_was_trained_subgoals_give_up() -> None:
    world = Shed(WorldSpec("textworld", "shed"))
    move = await open_strategy("subgoals", bench(world)).act(Episode(TASK))
    assert move.gave_up and "no policy with sub-goals for `textworld`" in str(move.answer)
