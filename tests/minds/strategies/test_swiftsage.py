"""SwiftSage, point by point: four conditions, two prompts, an action buffer, and back to Swift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from minds.dialogue import Answer, Dialogue, Episode, Move, Step, Task, in_world
from minds.models.language import Unreachable
from minds.policies.trained import Trained
from minds.slow import Limits, Workbench, think
from minds.strategies import swiftsage
from minds.strategies.formal import templates
from minds.strategies.swiftsage import ALL_CONDITIONS, SwiftSage, reason
from tests.fakes import FakeModel, Heard
from tests.minds.strategies.toy import CHAT, HELD, PLAIN
from tests.minds.test_world_strategies import Silent
from tools.worlds.actions import ActionSpace
from tools.worlds.world import Observation, Scene, WorldSpec

ROOMS = {"kitchen": ("stove", "metal pot"), "hallway": ("picture",), "outside": ("axe", "wood")}
DEEDS = {
    "hallway": ("focus on picture",),
    "kitchen": ("open stove", "activate stove", "pick up metal pot", "move metal pot to stove"),
}
TASK = Task("Your task is to boil water.", "boil water", Dialogue("s", "ada"))
PLAN = "Q1: metal pot, kitchen\nQ2: metal pot\nQ3: take the pot; heat it\nQ4: take the pot\nQ5: none"


@dataclass
class Lab:
    """Three rooms; a reward for taking the pot, won with it on the stove, lost by a wrong focus."""

    spec: WorldSpec = WorldSpec("scienceworld", "boil", 0, ("easy",))  # noqa: RUF009 (frozen)
    goal: str = TASK.question
    place: str = "hallway"
    done: list[str] = field(default_factory=list)
    score: float = 0.0

    @property
    def steps(self) -> int:
        return len(self.done)

    def reset(self) -> Observation:
        return Observation(self.look(), score=0.0)

    def step(self, action: str) -> Observation:
        self.done.append(action)
        if action not in self.admissible():
            return Observation("No known action matches that input.", score=self.score)
        if action.startswith("teleport to "):
            self.place = action.removeprefix("teleport to ")
            return Observation(f"You teleport to the {self.place}.", score=self.score)
        if action == "focus on picture":
            return Observation("You focus on the picture.", score=-100.0, done=True)
        if action == "open stove":
            return Observation("The stove appears broken, and can't be opened.", score=self.score)
        if action == "pick up metal pot":
            self.score = 50.0
        if action == "move metal pot to stove" and self.score == 50.0:
            return Observation("It boils.", score=100.0, done=True, won=True)
        return Observation("You do it.", score=self.score)

    def admissible(self) -> tuple[str, ...]:
        rooms = tuple(f"teleport to {room}" for room in ROOMS if room != self.place)
        return (*rooms, *DEEDS.get(self.place, ()), "look around", "wait")

    def look(self) -> str:
        return f"This room is called the {self.place}. In it, you see: {', '.join(ROOMS[self.place])}"

    def inventory(self) -> str:
        return "In your inventory, you see: a metal pot" if self.score else "In your inventory, you see: nothing"

    def scene(self) -> Scene:
        return Scene(self.place, ROOMS[self.place], tuple(ROOMS), ())

    def gold(self) -> tuple[str, ...]:
        raise AssertionError

    def close(self) -> None: ...


class Swifts:
    """Swift as the test wants it: these actions, the last one again and again."""

    def __init__(self, *actions: str) -> None:
        self.left, self.asked, self.watched = list(actions), 0, list[int]()

    def watch(self, number: int) -> None:
        self.watched.append(number)

    async def act(self, episode: Episode) -> Move:
        self.asked += 1
        action = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        return in_world("I have seen this done.", action, confidence=0.9)


def sage(*grounded: str, plan: str = PLAN, abilities: object = PLAIN) -> FakeModel:
    """Answers the planning prompt with the plan and each grounding prompt with its next lines."""
    left = list(grounded)

    def says(heard: Heard) -> Sequence[str]:
        if "You plan for an agent" in str(heard.messages[0].content):
            return [plan]
        return [left.pop(0) if len(left) > 1 else left[0]]

    return FakeModel(says, abilities=abilities)  # type: ignore[arg-type]


@dataclass
class Stage:
    """Everything at hand."""

    world: Lab
    swift: Swifts
    model: FakeModel
    strategy: SwiftSage

    async def play(self, steps: int = 20) -> Answer:
        return await think(TASK, self.strategy, dict, Silent(), Limits(steps=steps), world=self.world)

    @property
    def plans(self) -> list[str]:
        return [h.last for h in self.model.heard if "You plan for an agent" in str(h.messages[0].content)]

    @property
    def groundings(self) -> list[Heard]:
        return [h for h in self.model.heard if "You turn a plan" in str(h.messages[0].content)]


def stage(
    monkeypatch: pytest.MonkeyPatch, swift: Swifts, model: FakeModel, *without: str, world: Lab | None = None
) -> Stage:
    monkeypatch.setattr(swiftsage, "learned", lambda _: swift)
    world = world or Lab()
    strategy = SwiftSage(Workbench(model, dict, world=world, trained=Trained(without=without)))
    return Stage(world, swift, model, strategy)


GO = "Action 1: TELEPORT(kitchen)\nAction 2: PICK(metal pot)\nAction 3: MOVE(metal pot, stove)"


# -- Swift, until it should not be trusted (3.4)


async def test_swift_acts_alone_while_no_condition_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    swift = Swifts("teleport to kitchen", "pick up metal pot", "move metal pot to stove")
    on = stage(monkeypatch, swift, sage(GO))
    assert (await on.play()).solved and on.model.heard == []


async def test_condition_1_five_steps_in_a_row_without_a_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("wait"), sage(GO))
    answer = await on.play()
    assert answer.solved and on.world.done == ["wait"] * 5 + ["teleport to kitchen", *on.world.done[6:]]
    assert answer.episode.steps[5].move.thought.startswith("I asked Sage because 5 steps brought no reward.")


async def test_an_answer_to_the_worlds_own_question_is_not_sages(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts(*["wait"] * 5, "0"), sage(GO))
    await on.play(6)
    assert on.model.heard == [] and on.swift.asked == 6


async def test_condition_1_counts_no_steps_that_others_took_before(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("wait"), sage(GO))
    theirs = Step(in_world("", "wait"), "You wait.", seen=Observation("You wait.", score=0.0))
    move = await on.strategy.act(Episode(TASK, (theirs,) * 6))
    assert move.action == "wait" and on.model.heard == []


async def test_condition_2_swifts_next_action_is_not_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("pick up spoon"), sage(GO))
    answer = await on.play()
    assert answer.solved and on.world.done[0] == "teleport to kitchen" and "not possible" in _first(answer)


async def test_condition_3_a_critical_action_before_sage_was_ever_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("focus on picture"), sage("Action 1: LOOK_AROUND()"))
    answer = await on.play()
    assert "critical decision" in _first(answer)
    assert on.world.done == ["look around", "focus on picture"], "once Sage was asked Swift may focus"
    assert len(on.plans) == 1


async def test_condition_4_an_exception_in_the_observation(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("teleport to kitchen", "open stove", "wait"), sage(GO.split("\n", 1)[1]))
    answer = await on.play()
    assert answer.solved and on.world.done[:3] == ["teleport to kitchen", "open stove", "pick up metal pot"]
    assert "`open stove` met an exception" in answer.episode.steps[2].move.thought


def _first(answer: Answer) -> str:
    return answer.episode.steps[0].move.thought


SPACE = ActionSpace(("wait", "focus on pot"))
STILL = tuple(Step(in_world("", "wait"), "You wait.", seen=Observation("", score=0.0)) for _ in range(5))
BROKEN = (Step(in_world("", "open stove"), "The stove appears broken.", seen=Observation("", score=0.0)),)


@pytest.mark.parametrize(
    ("condition", "move", "steps"),
    [
        ("stalled", in_world("", "wait"), STILL),
        ("invalid", in_world("", "fly"), ()),
        ("critical", in_world("", "focus on pot"), ()),
        ("exception", in_world("", "wait"), BROKEN),
    ],
)
def test_each_condition_is_a_switch(condition: str, move: Move, steps: tuple[Step, ...]) -> None:
    assert reason(ALL_CONDITIONS, move, steps, 0, SPACE, False)
    assert reason(replace(ALL_CONDITIONS, **{condition: False}), move, steps, 0, SPACE, False) == ""


@pytest.mark.parametrize(("scores", "holds"), [((0, 0, 0, 0), False), ((0, 5, 5, 5, 5, 5), False), ((5,) * 6, True)])
def test_a_reward_among_the_five_steps_is_one(scores: tuple[float, ...], holds: bool) -> None:
    steps = tuple(Step(in_world("", "wait"), "", seen=Observation("", score=score)) for score in scores)
    assert bool(reason(ALL_CONDITIONS, in_world("", "wait"), steps, 0, SPACE, True)) == holds


async def test_conditions_are_left_out_by_name_and_swift_never_hears_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Workbench] = []

    def learned(bench: Workbench) -> Swifts:
        heard.append(bench)
        return Swifts("wait")

    monkeypatch.setattr(swiftsage, "learned", learned)
    bench = Workbench(sage(GO), dict, world=Lab(), trained=Trained(without=("stalled", "guard")))
    answer = await think(TASK, SwiftSage(bench), dict, Silent(), Limits(steps=9), world=Lab())
    assert len(answer.episode.steps) == 9 and heard[0].trained.without == ("guard",)


# -- Sage: one prompt with five questions, one with templates (3.3, C.2)


async def test_one_planning_prompt_asks_the_five_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("pick up spoon"), sage(GO))
    await on.play(1)
    (heard,) = (h for h in on.model.heard if "You plan for" in str(h.messages[0].content))
    system = str(heard.messages[0].content)
    assert all(f"Q{n}: " in system for n in range(1, 6)) and "which objects do I need to collect?" in system
    assert "boil water" in heard.last and "This room is called the hallway" in heard.last


async def test_the_history_is_condensed_with_the_place_of_each_action(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("teleport to kitchen", "wait", "wait", "wait", "wait"), sage(GO))
    await on.play(6)
    assert "- teleport to kitchen [location: hallway] -> You teleport to the kitchen." in on.plans[0]
    assert "- wait [location: kitchen] (4 times) -> You do it." in on.plans[0]


async def test_of_a_long_history_the_beginning_and_the_end_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    swift = Swifts("teleport to outside", *[f"teleport to {room}" for room in ("kitchen", "hallway") * 40], "dance")
    on = stage(monkeypatch, swift, sage(GO), "stalled")
    await on.play(82)
    lines = on.plans[0].partition("What I did so far:\n")[2].partition("\n\n")[0].splitlines()
    assert lines[0].startswith("- teleport to outside [location: hallway]") and "- (21 more)" in lines[1:-1]
    assert len(lines) == swiftsage.FIRST + 1 + swiftsage.LAST and lines[-1].startswith("- teleport to hallway")


async def test_things_seen_in_rooms_that_were_left_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("teleport to kitchen", "teleport to outside", "dance"), sage(GO))
    await on.play(3)
    others = on.plans[0].partition("What I saw in other places:")[2].partition("Where I am now")[0]
    assert "- kitchen: stove, metal pot" in others and "- hallway: picture" in others and "axe" not in others


async def test_what_was_seen_before_it_began_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swiftsage, "learned", lambda _: Swifts("dance"))
    scenes = Scene("foundry", ("blast furnace",)), Scene("hallway", ROOMS["hallway"])
    model = sage(GO)
    strategy = SwiftSage(Workbench(model, dict, world=Lab(), scenes=scenes))
    done = (Step(in_world("", "teleport to hallway"), "You teleport to the hallway."),)
    await think(TASK, strategy, dict, Silent(), Limits(steps=2), done, Lab())
    assert "- foundry: blast furnace" in model.heard[0].last
    assert "- teleport to hallway [location: foundry] -> " in model.heard[0].last


async def test_where_the_person_says_how_it_may_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    class Steered(Silent):
        async def checkpoint(self) -> tuple[str, ...]:
            return ("walk, no teleporting",)

    on = stage(monkeypatch, Swifts("dance"), sage("Action 1: GO(kitchen)"))
    await on.play(1)
    steered = stage(monkeypatch, Swifts("dance"), sage("Action 1: GO(kitchen)"))
    answer = await think(TASK, steered.strategy, dict, Steered(), Limits(steps=1), world=steered.world)
    assert "GO(room)" not in str(on.groundings[0].messages[0].content)
    assert "GO(room)" in str(steered.groundings[0].messages[0].content)
    assert answer.episode.steps[0].move.wrote == "go to kitchen"


@pytest.mark.parametrize(("kind", "told"), [("alfworld", True), ("scienceworld", False)])
async def test_in_a_household_it_is_told_what_lies_where_it_stands(
    kind: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = Lab(WorldSpec(kind, "boil", 0, ("easy",)))
    on = stage(monkeypatch, Swifts("dance"), sage("Action 1: EXAMINE(picture)"), world=world)
    await on.play(1)
    assert ("Here: picture" in on.plans[0]) is told


async def test_the_grounding_prompt_has_the_answers_the_templates_and_the_last_ten_actions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    swift = Swifts(*[f"teleport to {room}" for room in ("kitchen", "outside") * 6], "dance")
    on = stage(monkeypatch, swift, sage(GO), "stalled")
    await on.play(13)
    (heard,) = on.groundings
    system = str(heard.messages[0].content)
    assert "POUR(object, container): pour all that is in a container" in system
    assert "TELEPORT(room)" in system and "teleport to {object}" not in system
    assert PLAN in heard.last
    assert heard.last.partition("My last actions:")[2].partition("Where I am now")[0].count("- teleport") == 10


async def test_the_auxiliary_answers_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("pick up spoon"), sage(GO), "auxiliary")
    await on.play(1)
    assert "Q4: take the pot" in on.groundings[0].last and "Q1:" not in on.groundings[0].last


def test_formal_actions_become_the_worlds_and_what_is_not_permitted_is_left_out() -> None:
    written = "Here you go:\nAction 1: MOVE(metal pot, stove)\nAction 2: FLY(moon)\n3. POUR (jug, red cup)\nWAIT()"
    written += "\nCHOOSE(0)\nMOVE(pot)\nTELEPORT('art studio')"
    assert templates(Lab()).read(written) == [
        "move metal pot to stove",
        "pour jug into red cup",
        "wait",
        "0",
        "teleport to art studio",
    ]


POT = "metal pot (containing water)"


@pytest.mark.parametrize(
    ("written", "actions"),
    [
        (f"MOVE({POT}, stove)\nACTIVATE(stove)", ["move metal pot to stove", "activate stove"]),
        ("FOCUS(pot 3 (containing a pea plant in the adult stage, soil))", ["focus on pot 3"]),
        ("**TELEPORT**(kitchen)", ["teleport to kitchen"]),
        ("Action 1: Teleport(kitchen)", ["teleport to kitchen"]),
        ("1. `TELEPORT(kitchen)`\nAction 2: WAIT\nLOOK_AROUND", ["teleport to kitchen", "wait", "look around"]),
        ("MOVE(jug, sink), ACTIVATE(sink); WAIT()", ["move jug to sink", "activate sink", "wait"]),
        ("I will use FOCUS(water) only later.\nWait for it.", []),
        ("FOCUS(substance) # careful: FOCUS(water) ends", ["focus on substance"]),
        ("MOVE(metal pot, sto", []),
    ],
)
def test_a_line_begins_with_its_actions_and_names_may_have_brackets(written: str, actions: list[str]) -> None:
    assert templates(Lab()).read(written) == actions


def test_where_a_laboratory_has_no_teleport_sage_walks() -> None:
    written = "TELEPORT(kitchen)\nOPEN(door to kitchen)\nGO(kitchen)"
    assert templates(Lab()).read(written) == ["teleport to kitchen", "open door to kitchen"]
    walking = templates(Lab(WorldSpec("scienceworld", "boil")))
    assert walking.read(written) == ["open door to kitchen", "go to kitchen"] and "TELEPORT" not in walking.shown


def test_a_household_has_templates_of_its_own_and_an_unknown_world_those_of_its_state() -> None:
    household = templates(Lab(WorldSpec("alfworld", "mug")))
    assert household.read("PUT(mug 1, shelf 2)") == ["move mug 1 to shelf 2"]
    assert templates(Lab(WorldSpec("textworld", "box"))).read("TELEPORT_TO(kitchen)") == ["teleport to kitchen"]


# -- the action buffer (3.4, C.3)


async def test_the_buffer_is_run_until_it_is_empty_then_swift_acts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("pick up spoon", "wait"), sage("TELEPORT(kitchen)\nPICK(metal pot)"))
    await on.play(4)
    assert on.world.done == ["teleport to kitchen", "pick up metal pot", "wait", "wait"]
    assert len(on.plans) == 1, "Sage was asked once for all of it"


async def test_swift_looks_before_every_step_of_the_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("pick up spoon", "wait"), sage("TELEPORT(kitchen)\nPICK(metal pot)"))
    await on.play(4)
    assert on.swift.watched == [0, 1, 2, 3]


async def test_one_action_that_is_not_possible_becomes_the_nearest_and_the_buffer_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on = stage(monkeypatch, Swifts("dance"), sage("TELEPORT(kitchn)\nPICK(metal pot)\nMOVE(metal pot, stove)"))
    answer = await on.play()
    assert answer.solved and answer.episode.steps[0].move.wrote == "teleport to kitchn"


async def test_two_actions_in_a_row_that_are_not_possible_end_the_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    grounded = "EXAMINE(moon)\nOPEN(sun)\nTELEPORT(outside)"
    on = stage(monkeypatch, Swifts("dance", "wait"), sage(grounded))
    answer = await on.play(3)
    assert "teleport to outside" not in on.world.done and on.world.done[1:] == ["wait", "wait"]
    assert [step.move.wrote for step in answer.episode.steps] == ["examine moon", None, None]


async def test_two_exceptions_in_a_row_end_the_buffer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Lab(place="kitchen")
    on = stage(monkeypatch, Swifts("dance", "wait"), sage("OPEN(stove)\nOPEN(stove)\nTELEPORT(outside)"), world=world)
    await on.play(3)
    assert on.world.done == ["open stove", "open stove", "wait"]


async def test_what_succeeds_in_between_is_no_second_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Lab(place="kitchen")
    grounded = "OPEN(stove)\nACTIVATE(stove)\nOPEN(stove)\nTELEPORT(outside)"
    on = stage(monkeypatch, Swifts("dance", "wait"), sage(grounded), world=world)
    await on.play(4)
    assert on.world.done == ["open stove", "activate stove", "open stove", "teleport to outside"]


async def test_steps_without_a_reward_count_anew_when_swift_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("wait"), sage("WAIT()"))
    await on.play(12)
    assert [plan.count("wait [location: hallway] (") for plan in on.plans] == [1, 1]
    assert "(5 times)" in on.plans[0] and "(11 times)" in on.plans[1]


class Asking(Lab):
    """Asks which pot is meant."""

    asks = False

    def admissible(self) -> tuple[str, ...]:
        return ("0", "1") if self.asks else super().admissible()

    def step(self, action: str) -> Observation:
        if action == "pick up metal pot":
            self.done.append(action)
            self.asks = True
            options = ("pick up metal pot (in cupboard, in kitchen)", "pick up metal pot (in kitchen)")
            said = "Ambiguous request: Please enter the number for the action you intended:\n"
            return Observation(said + "".join(f"{n}:\t{one}\n" for n, one in enumerate(options)), score=0.0)
        if self.asks:
            self.asks = False
            self.score = 50.0 * (action == "1")
            self.done.append(action)
            return Observation("You move the metal pot to the inventory.", score=self.score)
        return super().step(action)


@pytest.mark.parametrize(
    "planned", [GO, GO.replace("\nAction 3", "\nCHOOSE(1)\nAction 3"), GO.partition("\nAction 3")[0]]
)
async def test_where_the_world_asks_which_one_the_buffer_waits(monkeypatch: pytest.MonkeyPatch, planned: str) -> None:
    on = stage(monkeypatch, Swifts("dance", "move metal pot to stove"), sage(planned), world=Asking())
    answer = await on.play(4)
    assert answer.solved and len(on.plans) == 1
    assert on.world.done == ["teleport to kitchen", "pick up metal pot", "1", "move metal pot to stove"]
    assert [step.move.wrote for step in answer.episode.steps] == [None] * 4


@pytest.mark.parametrize(
    ("action", "options", "meant"),
    [
        ("move soil to pot 1", ("move soil (in pot 2) to pot 1", "move soil (in inventory, in agent) to pot 1"), "1"),
        (
            "pick up soil",
            ("pick up soil (in inventory, in agent)", "pick up soil (in outside, in the large hole)"),
            "1",
        ),
        ("open jar", ("open jar (in kitchen, in cupboard)", "open jar (in kitchen)"), "1"),
    ],
)
async def test_what_is_carried_is_used_and_what_is_not_is_picked_up(
    monkeypatch: pytest.MonkeyPatch, action: str, options: tuple[str, str], meant: str
) -> None:
    on = stage(monkeypatch, Swifts("wait"), sage(GO))
    asked = "Ambiguous request: Please enter the number:\n" + "".join(f"{n}:\t{one}\n" for n, one in enumerate(options))
    on.strategy._own = 0
    assert on.strategy._meant((Step(in_world("", action), asked),)) == meant


# -- any model, and none


@pytest.mark.parametrize("abilities", [PLAIN, CHAT, HELD])
async def test_any_chat_model_can_be_sage(monkeypatch: pytest.MonkeyPatch, abilities: object) -> None:
    on = stage(monkeypatch, Swifts("dance"), sage(GO, abilities=abilities))
    assert (await on.play()).solved


async def test_sage_that_says_nothing_useful_leaves_swift_in_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("waite"), sage("I am sorry."))
    answer = await on.play(1)
    assert on.world.done == ["wait"] and answer.episode.steps[0].move.wrote == "waite"
    assert "It gave no action." in _first(answer)


async def test_a_model_that_dies_leaves_swift_in_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    dead = FakeModel(lambda _: (Unreachable("It was silent."),), abilities=PLAIN)
    on = stage(monkeypatch, Swifts("focus on picture"), dead)
    answer = await on.play()
    assert on.world.done == ["focus on picture"] and "Sage failed: It was silent." in _first(answer)


async def test_only_a_plan_that_was_written_ends_condition_3(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(((Unreachable("It was silent."),), (PLAN,), ("LOOK_AROUND()",)))
    on = stage(monkeypatch, Swifts("focus on picture"), FakeModel(lambda _: next(answers), abilities=PLAIN))
    assert (await on.strategy.act(Episode(TASK))).action == "focus on picture"
    assert (await on.strategy.act(Episode(TASK))).action == "look around", "it may be asked now"


async def test_in_an_unknown_world_sage_may_do_what_can_be_done_now(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Lab(WorldSpec("textworld", "box"))
    on = stage(monkeypatch, Swifts("dance"), sage("PICK_UP(metal pot)"), world=world)
    world.step("teleport to kitchen")
    assert (await on.strategy.act(Episode(TASK))).action == "pick up metal pot"
    assert "PICK_UP(object)" in str(on.groundings[0].messages[0].content)


async def test_an_answer_that_nobody_asked_for_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("dance", "wait"), sage("TELEPORT(kitchen)\nCHOOSE(0)\nPICK(metal pot)\nCHOOSE(1)"))
    answer = await on.play(3)
    assert on.world.done == ["teleport to kitchen", "pick up metal pot", "wait"]
    assert [step.move.wrote for step in answer.episode.steps] == [None] * 3


async def test_where_nothing_was_trained_a_plan_without_actions_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Untrained(Swifts):
        async def act(self, episode: Episode) -> Move:
            return Move("", answer="Nothing was trained.", gave_up=True)

    on = stage(monkeypatch, Untrained(), sage("I wonder.", GO))
    answer = await on.play()
    assert answer.solved and on.world.done[0] == "look around" and answer.episode.steps[0].move.asked == 2


async def test_the_first_action_of_a_plan_carries_what_sage_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    on = stage(monkeypatch, Swifts("dance"), sage(GO))
    answer = await on.play()
    assert [(step.move.asked, step.move.read) for step in answer.episode.steps] == [(2, 20), (0, 0), (0, 0)]
