"""Sub-goals: cut from demonstrations where the score rises and around walks, seen by both networks, reached in play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minds.policies.subgoals.play import AIMS, DEEDS, SubgoalPlay, SubgoalPolicy, likely
from minds.policies.subgoals.segment import Progress, Subgoal, overall, part, towards
from minds.policies.swift.features import State
from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.network import Lexicon, Network
from minds.policies.swift.policy import NoPolicy, witness
from minds.policies.swift.wording import ROOMS, Act
from minds.training import Unready
from minds.training.subgoals import train as train_subgoals
from minds.training.subgoals.train import UNTOLD, aims, deeds, segmented

GOAL = "Your task is to weigh the spoon. First, focus on the spoon. Then, bring it to the yard."
SHED = "This room is called the shed. In it, you see: \n\ta drawer. The drawer door is closed. \n\ta metal pot\n"
OPENED = "This room is called the shed. In it, you see: \n\ta drawer. In the drawer is: a spoon. \n\ta metal pot\n"
YARD = "This outside location is called the yard. Here you see: \n\tan axe\n"
EMPTY = "In your inventory, you see:\n\tnothing\n"
SPOON = "In your inventory, you see:\n\ta spoon\n"
ROOM_NAMES = ("shed", "yard")


def row(
    look: str, inv: str, act: tuple[str, list[int], str], text: str, score: float, learn: bool = True
) -> dict[str, Any]:
    about = {"look": look, "inv": inv, "act": list(act), "text": text, "learn": learn}
    return about | {"score": score, "said": "You do it."}


def episode(variation: int = 0) -> dict[str, Any]:
    """Open the drawer, focus on the spoon (+50), pick it up, a stray walk and back, to the yard, drop it (+50)."""
    rows = [
        row(SHED, EMPTY, ("open {}", [0], ""), "open drawer", 0),
        row(OPENED, EMPTY, ("focus on {}", [1], ""), "focus on spoon", 50),
        row(OPENED, EMPTY, ("pick up {}", [1], ""), "pick up spoon", 50),
        row(OPENED, SPOON, (ROOMS, [], "shed"), "teleport to shed", 50, learn=False),
        row(OPENED, SPOON, (ROOMS, [], "yard"), "teleport to yard", 50),
        row(YARD, SPOON, ("drop {}", [1], ""), "drop spoon", 100),
    ]
    return {"task": "weigh", "variation": variation, "goal": GOAL, "rows": rows, "score": 100.0}


NAMES = ["focus on {}|@0", "focus on {}|@0", "pick up {}|@0", "teleport to {}|@2", "teleport to {}|@2", "drop {}|@0"]


def test_segments_end_where_the_score_rises_and_around_walks() -> None:
    assert segmented(episode()) == NAMES


def test_behind_the_last_end_there_is_no_sub_goal() -> None:
    last = episode()
    last["rows"].append(row(YARD, EMPTY, (ROOMS, [], "shed"), "teleport to shed", 100, learn=False))
    assert segmented(last) == [*NAMES, ""]


def test_an_episode_with_nothing_to_learn_has_no_sub_goals() -> None:
    told = episode()
    none = {**told, "rows": [{**row, "learn": False} for row in told["rows"]]}
    assert segmented(none) == [""] * len(none["rows"])


def test_things_have_the_part_that_the_goal_gives_them() -> None:
    goal = Text(GOAL, "goal")
    assert [part(name, goal) for name in ("spoon", "yard", "flower pot 3", "plane with a wet face")] == [
        "@0",
        "@2",
        "pot",
        "plane",
    ]
    assert Subgoal.of(Subgoal("move {} to {}", ("@0", "pot")).name) == Subgoal("move {} to {}", ("@0", "pot"))


def remembered() -> Memory:
    memory = Memory(Text(GOAL, "goal"))
    memory.see(OPENED, EMPTY)
    return memory


@pytest.mark.parametrize(
    ("act", "said", "score", "current", "reached"),
    [
        (Act("pick up {}", (1,)), "You move it.", 0.0, "pick up {}|@0", "pick up {}|@0"),
        (Act("pick up {}", (1,)), "You move it.", 0.0, "focus on {}|@0", ""),
        (Act("pick up {}", (1,)), "You move it.", 5.0, "focus on {}|@0", "pick up {}|@0"),
        (Act("pick up {}", (1,)), "You can't pick up that.", 5.0, "pick up {}|@0", ""),
        (Act(ROOMS, (), "yard"), "You teleport.", 0.0, "", "teleport to {}|@2"),
        (Act("wait1"), "You wait.", 0.0, "wait1", ""),
        (Act("wait1"), "You wait.", 9.0, "wait1", "wait1"),
    ],
)
def test_a_sub_goal_is_reached_by_its_act_by_a_walk_or_where_the_score_rises(
    act: Act, said: str, score: float, current: str, reached: str
) -> None:
    progress = Progress()
    assert progress.took(act, said, score, remembered(), current) == reached
    assert progress.done == [reached] * bool(reached)


def test_the_sub_goal_is_marked_on_what_has_a_part_in_it() -> None:
    memory, progress = remembered(), Progress()
    plain = overall(memory, progress, ROOM_NAMES)
    assert not any("sub:" in f for token in plain.tokens for f in token.base)
    seen = towards(plain, memory, Subgoal("focus on {}", ("@0",)))
    marked = [i for i, token in enumerate(seen.tokens) if "sub:0:focus on {}" in token.base]
    assert marked == [2] and "sub:focus on {}|@0" in seen.tokens[0].base
    walk = towards(overall(memory, progress, ROOM_NAMES), memory, Subgoal(ROOMS, ("@2",)))
    assert [i for i, t in enumerate(walk.tokens) if f"sub:0:{ROOMS}" in t.base] == [len(walk.tokens) - 1]


def test_each_network_learns_its_own_choice_of_every_step() -> None:
    learned = [0, 1, 2, 4, 5]
    assert [act.pattern for _, act in aims(episode(), ROOM_NAMES)] == [NAMES[i] for i in learned]
    assert [act.pattern for _, act in deeds(episode(), ROOM_NAMES)] == [episode()["rows"][i]["act"][0] for i in learned]
    states = [now for now, _ in aims(episode(), ROOM_NAMES)]
    assert "did:focus on {}|@0:1" in states[2].tokens[0].base and "d1:pick up {}|@0" in states[3].tokens[0].base


def test_now_and_then_the_sub_goal_is_left_out() -> None:
    long = episode()
    long["rows"][2:2] = [row(OPENED, EMPTY, ("wait1", [], ""), "wait1", 50)] * UNTOLD
    told = [any(f.startswith("sub:") for f in now.tokens[0].base) for now, _ in deeds(long, ROOM_NAMES)]
    assert told.count(False) == len(told) // UNTOLD > 0


def planned(planner: Network, now: State) -> list[tuple[Subgoal, float]]:
    """Wishes for one sub-goal after the other, whatever it sees."""
    done = sum(f.startswith("did:") for f in now.tokens[0].base)
    names = ["focus on {}|@0", "teleport to {}|@2"]
    first = min(done, 1)
    return [(Subgoal.of(names[first]), 0.6), (Subgoal.of(names[1 - first]), 0.2), (Subgoal.of("wait1"), 0.02)]


def playing(heard: list[State], monkeypatch: pytest.MonkeyPatch) -> SubgoalPlay:
    def beam(network: Network, now: State) -> list[tuple[Act, float]]:
        heard.append(now)
        goes = f"sub:{ROOMS}" in now.tokens[0].base
        return [(Act(ROOMS, (), "yard") if goes else Act("focus on {}", (min(1, now.things - 1),)), 0.9)]

    monkeypatch.setattr("minds.policies.subgoals.play.beam", beam)
    monkeypatch.setattr("minds.policies.subgoals.play.likely", planned)
    empty = Network({}, 4, 1, Lexicon({}, (), ROOM_NAMES))
    return SubgoalPolicy(empty, empty).start(GOAL)


def test_in_play_actions_follow_the_sub_goal_and_what_is_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[State] = []
    play = playing(heard, monkeypatch)
    action, chance = play.act(OPENED, EMPTY)
    assert action == "focus on spoon" and np.isclose(chance, 0.9 * 0.75)
    assert len(heard) == 2, "the unlikely sub-goal is not weighed"
    assert (play.worded(), play.reached) == ("focus on spoon", "")
    play.told("You focus on the spoon.", 50)
    assert play.act(OPENED, EMPTY)[0] == "teleport to yard"
    assert (play.worded(), play.reached) == ("teleport to yard", "focus on spoon")
    assert "did:focus on {}|@0:1" in heard[2].tokens[0].base
    play.told("You teleport.", 50)
    play.act(YARD, EMPTY)
    assert play.reached == "teleport to yard"


def test_a_critical_act_is_done_only_for_a_sub_goal_that_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    play = playing([], monkeypatch)
    both = [(Act("focus on {}", (1,)), 0.6), (Act("open {}", (0,)), 0.4)]
    monkeypatch.setattr("minds.policies.subgoals.play.beam", lambda *_: both)
    play.progress.counts["any"] = 1  # the second sub-goal, to walk, is the likelier one now
    walks = {p.act.pattern: p.chance for p in _seen(play).propose()}
    assert walks == {"open {}": pytest.approx(0.4), "focus on {}": pytest.approx(0.6 * 0.25)}


def _seen(play: SubgoalPlay) -> SubgoalPlay:
    play.memory.see(OPENED, EMPTY)
    return play


def test_what_others_did_counts_as_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    play = playing([], monkeypatch)
    witness(play, OPENED, EMPTY, "focus on spoon", "You focus on the spoon.", 50.0)
    assert play.reached == "focus on spoon" and play.act(OPENED, EMPTY)[0] == "teleport to yard"


def test_what_was_not_seen_yet_has_no_name_in_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    play = playing([], monkeypatch)
    play.memory.see(SHED, EMPTY)
    play.current = Subgoal("move {} to {}", ("@0", "pot"))
    assert play.worded() == "move what is asked for to pot"


@pytest.mark.slow
def test_training_writes_two_networks_and_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUET_HOME", str(tmp_path))
    with pytest.raises(Unready, match="train swift --world scienceworld --collect"):
        train_subgoals.main(["--out", str(tmp_path)])
    monkeypatch.setattr(train_subgoals, "demonstrations", lambda *_: [episode(n) for n in range(12)])
    train_subgoals.main(["--out", str(tmp_path), "--epochs", "14", "--jobs", "1", "--seed", "5"])
    card = (tmp_path / train_subgoals.CARD).read_text(encoding="utf-8")
    assert "- seed: 5\n- epochs: 14\n" in card and '- train variations: {"weigh": 12}\n' in card
    assert all((tmp_path / name.format(world="scienceworld")).is_file() for name in (AIMS, DEEDS))
    policy = SubgoalPolicy.load(folder=tmp_path)
    found = likely(policy.planner, overall(remembered(), Progress(), policy.actor.known.rooms))
    assert np.isclose(sum(chance for _, chance in found), 1.0, atol=1e-3)
    play = policy.start(GOAL)
    assert play.act(SHED, EMPTY)[0] == "open drawer" and play.worded() == "focus on what is asked for"


def test_a_world_without_weights_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoPolicy, match="train subgoals"):
        SubgoalPolicy.load("scienceworld", tmp_path)
