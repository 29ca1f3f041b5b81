"""The ALFWorld policy: memory reads texts, the expert knows only what was seen, numpy says what torch says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from minds.policies.swift_alfworld.features import encode
from minds.policies.swift_alfworld.goals import LAMP
from minds.policies.swift_alfworld.memory import Memory
from minds.policies.swift_alfworld.network import Network, load
from minds.policies.swift_alfworld.policy import NoPolicy, Play, SwiftAlfworld
from minds.training.processes import write
from minds.training.rows import append, records
from minds.training.swift_alfworld import collect
from minds.training.swift_alfworld.collect import DEV_SEEDS, SEEDS, Record, Told, households, played
from minds.training.swift_alfworld.dataset import Sample, gather
from minds.training.swift_alfworld.expert import Expert, Prior, wanted
from minds.training.swift_alfworld.train import Scorer, collated, judged, train
from tools.worlds.alfworld import AlfWorlds
from tools.worlds.household import KINDS
from tools.worlds.world import Observation, World, WorldSpec

OPENING = (
    "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see "
    "a desk 1, a drawer 2, a drawer 1, a fridge 1, a shelf 1, and a sinkbasin 1.\n\n"
    "Your task is to: put a clean mug in shelf."
)
GOAL = "put a clean mug in shelf."
ANSWERS = (
    ("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed."),
    ("open drawer 1", "You open the drawer 1. The drawer 1 is open. In it, you see a mug 2, and a pen 1."),
    ("take mug 2 from drawer 1", "You pick up the mug 2 from the drawer 1."),
    ("go to sinkbasin 1", "You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing."),
    ("clean mug 2 with sinkbasin 1", "You clean the mug 2 using the sinkbasin 1."),
    ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a book 1."),
    ("move mug 2 to shelf 1", "You move the mug 2 to the shelf 1."),
)


def remembered(steps: int, goal: str = GOAL) -> Memory:
    memory = Memory(goal)
    memory.begin(OPENING)
    for action, said in ANSWERS[:steps]:
        memory.did(action, said)
    return memory


def guesses(memory: Memory) -> list[str]:
    return list(memory.possible())


def expert(holds: dict[tuple[str, str], int] | None = None, goal: str = GOAL) -> Expert:
    prior = Prior()
    prior.holds.update(holds or {("mug", "drawer"): 90})
    prior.there.update(dict.fromkeys(prior.holds, 100))
    return Expert(prior, wanted(goal))


def test_memory_reads_what_the_texts_say() -> None:
    memory = remembered(0)
    assert list(memory.places) == ["desk 1", "drawer 2", "drawer 1", "fridge 1", "shelf 1", "sinkbasin 1"]
    memory = remembered(1)
    assert memory.places["drawer 1"].shut and not memory.places["drawer 1"].looked and memory.at == "drawer 1"
    memory = remembered(2)
    assert memory.lies == {"mug 2": "drawer 1", "pen 1": "drawer 1"} and memory.places["drawer 1"].looked
    memory = remembered(5)
    assert memory.held == "mug 2" and memory.made["mug 2"] == {"clean"} and memory.taken_from == "drawer 1"
    memory = remembered(7)
    assert memory.lies["mug 2"] == "shelf 1" and memory.held == "" and memory.put == {"mug 2": "shelf 1"}


def test_what_is_within_reach_is_learned_from_a_refusal_too() -> None:
    memory = remembered(1)
    assert "go to drawer 2" in guesses(memory)
    memory.did("go to drawer 2", "Nothing happens.")
    assert memory.here == {"drawer 1", "drawer 2"} and "go to drawer 2" not in guesses(memory)
    memory.did("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see nothing.")
    memory.did("go to drawer 2", "You arrive at drawer 2. The drawer 2 is closed.")
    assert memory.here == {"drawer 1", "drawer 2"}


def test_a_refusal_is_remembered_until_something_changes() -> None:
    memory = remembered(3)
    memory.did("move mug 2 to drawer 1", "Nothing happens.")
    assert memory.futile == {"move mug 2 to drawer 1"}
    memory.did(*ANSWERS[3])
    assert memory.futile == set()


def test_cooling_undoes_heating() -> None:
    memory = remembered(3)
    memory.did("heat mug 2 with microwave 1", "You heat the mug 2 using the microwave 1.")
    memory.did("cool mug 2 with fridge 1", "You cool the mug 2 using the fridge 1.")
    assert memory.made["mug 2"] == {"cool"}


@pytest.mark.parametrize(
    ("goal", "thing", "place", "change", "lamp", "count"),
    [
        ("put a clean mug in shelf.", "mug", "shelf", "clean", "", 1),
        ("cool some bowl and put it in cabinet", "bowl", "cabinet", "cool", "", 1),
        ("put some watch on safe.", "watch", "safe", "", "", 1),
        ("find two pencil and put them in desk", "pencil", "desk", "", "", 2),
        ("examine the pen with the desklamp", "pen", "", "", "desklamp", 1),
        ("put a hot cup in fridge", "cup", "fridge", "heat", "", 1),
    ],
)
def test_the_expert_understands_goals(goal: str, thing: str, place: str, change: str, lamp: str, count: int) -> None:
    found = wanted(goal)
    assert (found.thing, found.place, found.made) == (thing, place or lamp, change)
    assert (found.kind == LAMP, KINDS[found.kind].count) == (bool(lamp), count)


def test_the_expert_searches_where_things_are_likely_and_then_does_what_is_asked() -> None:
    teacher = expert()
    for step, (action, _) in enumerate(ANSWERS):
        memory = remembered(step)
        acts = [memory.parse(text) for text in guesses(memory)]
        good = teacher.good(memory, acts)
        assert action in good and len(good) <= 2, good
        assert step or good == ["go to drawer 2", "go to drawer 1"]


def test_the_expert_does_not_take_what_it_has_placed_and_fills_one_place_with_two() -> None:
    goal = "put two mug in drawer"
    memory = remembered(3, goal)
    memory.did("go to drawer 2", "You arrive at drawer 2. The drawer 2 is open. In it, you see a mug 1.")
    teacher = expert({("mug", "desk"): 9}, goal)
    assert teacher.good(memory, [memory.parse(t) for t in guesses(memory)]) == ["move mug 2 to drawer 2"]
    memory.did("move mug 2 to drawer 2", "You move the mug 2 to the drawer 2.")
    assert teacher.good(memory, [memory.parse(t) for t in guesses(memory)]) == ["go to desk 1"]


def record(steps: int = len(ANSWERS)) -> Record:
    told = []
    for number, (action, said) in enumerate(ANSWERS[:steps]):
        told.append(Told(tuple(guesses(remembered(number))), (action,), action, said))
    return Record("household/x", 3, GOAL, OPENING, False, True, tuple(told))


def test_records_come_back_and_a_torn_file_gives_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.jsonl.gz"
    append(path, asdict(record()), {**asdict(record(3)), "round": 0})
    assert list(records(path, Record)) == [record(), record(3)]
    path.write_bytes(path.read_bytes()[:-20])
    assert next(records(path, Record)) == record()
    assert list(records(tmp_path / "none", Record)) == []


def network() -> Scorer:
    torch.manual_seed(0)
    scorer = Scorer()
    scorer.load_state_dict({k: v.half().float() for k, v in scorer.state_dict().items()})
    return scorer


def test_numpy_and_torch_agree(tmp_path: Path) -> None:
    data, scorer = gather([record()]), network()
    write(tmp_path / "n.safetensors", scorer.arrays(), {"meta": '{"temperature": 2.0, "bias": 0.5}'})
    mine = load(tmp_path / "n.safetensors")
    for number in range(len(data)):
        with torch.no_grad():
            out = scorer(collated([data[number]], 0.0, np.random.default_rng(0)))
        memory = remembered(number)
        scores, trust = mine.scores(encode(memory, [memory.parse(text) for text in guesses(memory)]))
        assert np.abs(scores - out[:, 0].log_softmax(0).numpy()).max() < 1e-3
        assert np.abs(trust - (out[:, 1] / 2 + 0.5).sigmoid().numpy()).max() < 1e-3


def goals(dice: random.Random, count: int) -> list[Sample]:
    """Steps in which the one right action is to go to the kind of place that the goal's last word names."""
    rows = []
    for _ in range(count):
        place = dice.choice(["desk", "shelf", "drawer", "fridge", "sinkbasin"])
        goal = f"put {dice.choice(['a', 'some'])} {dice.choice(['mug', 'pen'])} in {place}"
        memory = Memory(goal)
        memory.begin(OPENING)
        acts = guesses(memory)
        good = tuple(text for text in acts if text.startswith(f"go to {place}"))
        rows.append(
            Record("t", 0, goal, OPENING, False, False, (Told(tuple(acts), good, good[0], "Nothing happens."),))
        )
    return gather(rows)


@pytest.mark.slow
def test_training_learns_to_read_a_goal() -> None:
    scorer = train(goals(random.Random(0), 300), epochs=12, size=32, rate=5e-3)
    _, right = judged(scorer, goals(random.Random(1), 60))
    assert right.mean() > 0.95


class Fixed(Network):
    """Likes the actions in the order given."""

    def __init__(self, worth: Sequence[float]) -> None:
        super().__init__({})
        object.__setattr__(self, "worth", np.array(worth, np.float32))

    def scores(self, step: object) -> tuple[np.ndarray, np.ndarray]:
        worth: np.ndarray = self.worth  # type: ignore[attr-defined]
        return worth, np.full(len(worth), 0.5, np.float32)


def test_what_was_refused_or_done_in_vain_gives_way() -> None:
    acts = ["examine desk 1", "look", "go to shelf 1"]
    play = Play(Fixed([-0.1, -1.5, -4.0]), remembered(0))
    assert play.act(acts) == ("examine desk 1", 0.5)
    play.told("examine desk 1", "Nothing happens.")
    assert play.act(acts)[0] == "look"
    play = Play(Fixed([-0.1, -1.5, -4.0]), remembered(0))
    for expected in ("examine desk 1", "examine desk 1", "look"):
        assert play.act(acts)[0] == expected
        play.told(expected, "On the desk 1, you see nothing.")


def test_what_is_possible_need_not_be_told(tmp_path: Path) -> None:
    write(tmp_path / "n.safetensors", network().arrays(), {"meta": "{}"})
    policy = SwiftAlfworld.load(tmp_path / "n.safetensors")
    play = policy.start(GOAL, OPENING)
    for number, (action, said) in enumerate(ANSWERS):
        acts = guesses(remembered(number))
        assert play.act() == play.act(acts)
        play.told(action, said)


def test_without_weights_it_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(NoPolicy, match="train swift"):
        SwiftAlfworld.load(tmp_path / "none.safetensors")


class Scripted:
    """A simulator and its one game: only what ANSWERS has next can be done, or a look."""

    goal, at = GOAL, 0
    steps = closed = 0

    def open(self, spec: WorldSpec) -> Any:
        return self

    def reset(self) -> Observation:
        return Observation(OPENING)

    def admissible(self) -> tuple[str, ...]:
        return ("look", ANSWERS[self.at][0])

    def step(self, action: str) -> Observation:
        self.steps += 1
        if action == "look":
            return Observation("Nothing happens.")
        said, self.at = ANSWERS[self.at][1], self.at + 1
        won = self.at == len(ANSWERS)
        return Observation(said, done=won, won=won)

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("learner", [False, True])
def test_an_episode_is_recorded_with_what_the_expert_calls_good_at_every_step(
    learner: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "prior", lambda _: Prior())
    monkeypatch.setattr(collect, "SLIPS", (0.3,))
    monkeypatch.setattr(collect, "OFTEN", 1.0)
    monkeypatch.setattr(collect, "UNLISTED", 0.0)
    worlds: Any = Scripted()
    policy = SwiftAlfworld.load() if learner else None
    found = collect.play(worlds, households(SEEDS, 1)[0], policy, random.Random(2))
    assert found.won and found.listed and found.opening == OPENING and worlds.closed == 1
    assert [told.action for told in found.steps if told.action != "look"] == [action for action, _ in ANSWERS]
    assert "look" in [told.action for told in found.steps], "a slip"
    assert all(told.good == (told.possible[1],) for told in found.steps)


@pytest.mark.real  # the simulator
def test_demonstrations_come_from_train_seeds_and_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "COUNTED", 60)
    collect.prior.cache_clear()
    specs = households(SEEDS, 6)
    assert min(spec.variation for spec in specs) == SEEDS and len({spec.task for spec in specs}) == 6
    records = [record for spec in specs if (record := played(spec))]
    collect.prior.cache_clear()
    assert sum(record.won for record in records) >= 5
    assert all(set(told.good) <= set(told.possible) and told.good for r in records for told in r.steps)


def wins(policy: SwiftAlfworld, world: World, listed: bool) -> bool:
    """Whether the policy wins the game within 50 steps."""
    seen = world.reset()
    play = policy.start(world.goal, seen.text)
    while not seen.done and world.steps < collect.STEPS:
        action, trust = play.act(world.admissible() if listed else ())
        assert 0 <= trust <= 1
        seen = world.step(action)
        play.told(action, seen.text)
    world.close()
    return seen.won


@pytest.mark.real  # the simulator
@pytest.mark.parametrize("listed", [True, False])
def test_the_policy_wins_games_it_was_not_trained_on(listed: bool) -> None:
    policy = SwiftAlfworld.load()
    with closing(AlfWorlds()) as worlds:
        assert sum(wins(policy, worlds.open(spec), listed) for spec in households(DEV_SEEDS, 12)) >= 11
