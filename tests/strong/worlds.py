"""Plays whole tasks in text worlds with a strategy whose model is the recorded strong one (tests/strong/server.py).

python -m tests.strong.worlds EPISODE                       replays an episode, a line for each step
python -m tests.strong.worlds EPISODE --by-hand FOLDER      what is not recorded waits in FOLDER for a reply
python -m tests.strong.worlds EPISODE --without RULE ...    without these rules; what was not recorded fails
"""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import dataclass
from pathlib import Path

from minds.dialogue import Answer, Call, Dialogue, Move, Step, Task, Trial
from minds.models import ModelSettings, open_model
from minds.policies.trained import Trained
from minds.slow import Limits, Workbench, think
from minds.strategies import open_strategy
from tests.strong.server import PATIENCE, PIECE, StrongModel, serving
from tools.worlds import simulator
from tools.worlds.world import World, WorldSpec

HERE = Path(__file__).parent
ENDLESS = 10**9


@dataclass(frozen=True)
class Recorded:
    """One task as it was played."""

    strategy: str
    spec: WorldSpec
    steps: int = 50
    """Of each trial."""
    trials: int | None = None

    @property
    def file(self) -> Path:
        """Of its strategy's recordings."""
        return HERE / f"worlds_{self.strategy}.jsonl"


def household(kind: str, seed: int) -> WorldSpec:
    """A game of the generator, which every machine can make."""
    return WorldSpec("alfworld", f"household/{kind}", seed)


def laboratory(task: str, variation: int) -> WorldSpec:
    """With the simplifications that SwiftSage's protocol has."""
    return WorldSpec("scienceworld", task, variation, ("easy",))


EPISODES = {
    "react_put": Recorded("react", household("pick_and_place_simple", 61)),
    "react_cool": Recorded("react", household("pick_cool_then_place_in_recep", 62)),
    "react_living": Recorded("react", laboratory("find-living-thing", 160)),
    "reflexion_clean": Recorded("reflexion", household("pick_clean_then_place_in_recep", 63), steps=9),
    "reflexion_two": Recorded("reflexion", household("pick_two_obj_and_place", 67), steps=10),
    "reflexion_plant": Recorded("reflexion", laboratory("find-plant", 161), steps=8),
    "swiftsage_animal": Recorded("swiftsage", laboratory("find-animal", 160)),
    "swiftsage_boil": Recorded("swiftsage", laboratory("boil", 14)),
    "swiftsage_freeze": Recorded("swiftsage", laboratory("freeze", 15)),
    "duet_thermometer": Recorded("duet", laboratory("use-thermometer", 270), trials=1),
    "interact_heat": Recorded("interact", household("pick_heat_then_place_in_recep", 151)),
    "interact_two": Recorded("interact", household("pick_two_obj_and_place", 132)),
    "interact_look": Recorded("interact", household("look_at_obj_in_light", 123)),
    "sala_put": Recorded("sala", household("pick_and_place_simple", 124)),
    "sala_keychain": Recorded("sala", household("pick_and_place_simple", 104), steps=8, trials=3),
    "sala_two": Recorded("sala", household("pick_two_obj_and_place", 156), steps=8, trials=3),
}


class Told:
    """Listens to the loop, tells each step, and begins a task anew where a trial failed."""

    before: tuple[Trial, ...] = ()

    def __init__(self, world: World, aloud: bool = False) -> None:
        self._world, self._aloud = world, aloud

    async def acting(self, number: int, move: Move, call: Call) -> None: ...

    async def stepped(self, number: int, step: Step) -> None:
        self._say(f"{number}. {step.move.thought}\n   > {step.action}\n   {step.observation}")

    async def checkpoint(self) -> tuple[str, ...]:
        return ()

    async def again(self, number: int, trial: Trial) -> None:
        self._say(f"Trial {number} failed ({trial.why}): {trial.learnt.thought}")
        await asyncio.to_thread(self._world.reset)

    def _say(self, text: str) -> None:
        if self._aloud:
            print(text, flush=True)


async def play(model: StrongModel, recorded: Recorded, aloud: bool = False, without: tuple[str, ...] = ()) -> Answer:
    """The whole task, through the slow mind's own loop."""
    home = simulator(recorded.spec.world)
    world = home.open(recorded.spec)
    mind = open_model(model.spec, ModelSettings(Path(), first=PATIENCE, between=PATIENCE), role="slow")
    try:
        opening, told = world.reset().text, Told(world, aloud)
        bench = Workbench(mind, dict, world=world, opening=opening, trained=Trained(without=without))
        strategy = open_strategy(recorded.strategy, bench)
        task = Task(world.goal, world.goal, Dialogue("", ""))
        limits = Limits(recorded.steps, ENDLESS, ENDLESS, recorded.trials)
        return await think(task, strategy, dict, told, limits, world=world, trials=told)
    finally:
        await mind.close()
        world.close()
        home.close()


def main() -> None:
    """See the head of the file."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("episode", choices=EPISODES)
    arguments.add_argument("--by-hand", type=Path, metavar="FOLDER")
    arguments.add_argument("--without", nargs="+", metavar="RULE", default=())
    given = arguments.parse_args()
    recorded = EPISODES[given.episode]
    if given.by_hand:
        given.by_hand.mkdir(parents=True, exist_ok=True)
    with serving(by_hand=given.by_hand, file=recorded.file) as model:
        answer = asyncio.run(play(model, recorded, True, tuple(given.without)))
    tried = sum(len(trial.steps) for trial in answer.episode.trials)
    tokens = sum(one.tokens + len(one.content) // PIECE for one in model.made)
    print(answer.solved, answer.why, *model.unmatched, sep="\n")
    print(f"{tried + len(answer.episode.steps)} steps, {len(model.made)} calls, about {tokens} tokens")


if __name__ == "__main__":
    main()
