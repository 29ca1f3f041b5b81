"""Swift at play: the general rules around the network, and that nothing but the view and the goal reaches it."""

from __future__ import annotations

import inspect

import pytest

from minds.policies.subgoals.play import SubgoalPolicy
from minds.policies.swift import play as play_module
from minds.policies.swift.network import Lexicon, Network
from minds.policies.swift.play import Play, Proposal, Rules
from minds.policies.swift.policy import NoPolicy, SwiftPolicy, witness
from minds.policies.swift.wording import ROOMS, Act

SHED = "This room is called the shed. In it, you see: \n\ta red box\n\ta white pillow\n\ta green box\n"
EMPTY = "In your inventory, you see:\n\tnothing\n"
RED, PILLOW, GREEN = (Act("open {}", (i,)) for i in range(3))


class Wishing(Play):
    """Proposes what the test wishes."""

    wishes: tuple[tuple[Act, float], ...] = ()

    def propose(self) -> list[Proposal]:
        return [Proposal(act, chance) for act, chance in self.wishes]


def playing(*wishes: tuple[Act, float], rules: Rules | None = None) -> Wishing:
    made = Wishing(Network({}, 4, 1, Lexicon({}, (), ("shed", "yard"))), "open a box", rules or Rules())
    made.wishes = wishes
    return made


def test_an_ambiguous_request_is_answered() -> None:
    play = playing((GREEN, 0.9))
    play.act(SHED, EMPTY)
    play.told("Ambiguous request: ...\n0:\topen red box (in shed)\n1:\topen green box (in shed)\n", 0)
    assert play.act(SHED, EMPTY)[0] == "1"


@pytest.mark.parametrize("tiring", [0.7, 0.0])
def test_what_brings_nothing_in_this_view_gives_way_unless_that_rule_is_left_out(tiring: float) -> None:
    play, done = playing((RED, 0.6), (GREEN, 0.3), rules=Rules(tiring=tiring)), []
    for _ in range(5):
        done.append(play.act(SHED, EMPTY)[0])
        play.told("You can't open that.", 0)
    assert ("open green box" in done) == bool(tiring)
    play.told("The box is now open.", 1.0)
    assert play.act(SHED, EMPTY)[0] == "open red box"


def test_what_ended_the_task_in_this_view_is_not_done_there_again() -> None:
    lost = frozenset({(SHED + EMPTY, "open red box")})
    play = Wishing(Network({}, 4, 1, Lexicon({}, (), ("shed", "yard"))), "open a box", lost=lost)
    play.wishes = ((RED, 0.9), (GREEN, 0.1))
    assert play.act(SHED, EMPTY)[0] == "open green box"
    play.told("The box is now open.", 1.0)
    assert play.act(SHED, "In your inventory, you see:\n\ta key\n")[0] == "open red box"


def test_a_critical_act_needs_confidence() -> None:
    focus = Act("focus on {}", (0,))
    assert playing((focus, 0.3), (GREEN, 0.2)).act(SHED, EMPTY)[0] == "open green box"
    assert playing((focus, 0.6), (GREEN, 0.2)).act(SHED, EMPTY)[0] == "focus on red box"
    several = [(Act("focus on {}", (i,)), 0.3) for i in range(2)]
    assert playing(*several, (GREEN, 0.2)).act(SHED, EMPTY)[0] == "focus on red box"


def test_a_critical_act_is_done_at_last_where_all_else_was_in_vain() -> None:
    play = playing((Act("focus on {}", (0,)), 0.2), (Act("wait1"), 0.7))
    done = []
    for _ in range(25):
        done.append(play.act(SHED, EMPTY)[0])
        play.told("Time passes.", 0)
    assert done[:8] == ["wait1"] * 8
    assert "focus on red box" in done


def test_the_kind_of_act_is_chosen_before_the_thing() -> None:
    rooms = [(Act(ROOMS, (), name), 0.2) for name in ("yard", "attic", "cellar")]
    assert playing((GREEN, 0.3), *rooms).act(SHED, EMPTY)[0] == "teleport to yard"
    assert playing((GREEN, 0.3), *rooms, rules=Rules(kind_first=False)).act(SHED, EMPTY)[0] == "open green box"


def test_the_room_it_is_in_is_no_place_to_go() -> None:
    here, there = Act(ROOMS, (), "shed"), Act(ROOMS, (), "yard")
    assert playing((here, 0.7), (there, 0.1)).act(SHED, EMPTY)[0] == "teleport to yard"


def test_nothing_is_put_where_it_is() -> None:
    shed = SHED + "\ta cup (containing a bean seed)\n"
    wishes = ((Act("move {} to {}", (4, 3)), 0.7), (GREEN, 0.1))
    assert playing(*wishes).act(shed, EMPTY)[0] == "open green box"
    assert playing(*wishes, rules=Rules(elsewhere=False)).act(shed, EMPTY)[0] == "move bean seed to cup"


def test_rooms_gone_to_in_vain_give_way_to_others() -> None:
    rooms = [(Act(ROOMS, (), name), chance) for name, chance in (("yard", 0.5), ("attic", 0.3))]
    steps = {True: [], False: []}  # type: dict[bool, list[str]]
    for rule, done in steps.items():
        play = playing(*rooms, rules=Rules(roaming=0.7 if rule else 0.0, tiring=0.0))
        for number in range(4):
            done.append(play.act(SHED, EMPTY)[0].rpartition(" ")[2])
            play.told("You teleport.", 1.0 if number == 2 else 0.0)
    assert steps == {True: ["yard", "attic", "yard", "yard"], False: ["yard"] * 4}


def test_what_somebody_else_did_is_remembered() -> None:
    play = playing((RED, 0.9))
    witness(play, SHED, EMPTY, "open green box", "The green box is now open.", 3.0)
    witness(play, SHED, EMPTY, "sing", "You sing.", 3.0)
    assert play.memory.uses["green box"][0].ok
    assert play.memory.at == 2


def test_what_the_world_asked_about_is_remembered_as_the_policys_own_would_be() -> None:
    asked, opened = "Ambiguous request: ...\n0:\topen red box (in shed)\n1:\topen green box (in shed)\n", "It is open."
    own, other = playing((GREEN, 0.9)), playing((GREEN, 0.9))
    for said in (asked, opened):
        own.act(SHED, EMPTY)
        own.told(said, 3.0)
    own.settle()
    witness(other, SHED, EMPTY, "open green box", asked, 3.0)
    witness(other, SHED, EMPTY, "1", opened, 3.0)
    assert other.memory.uses == own.memory.uses and other.memory.recent == own.memory.recent
    assert (other.memory.at, other.memory.waits, other.memory.done) == (1, 0, own.memory.done)


def test_the_policy_sees_nothing_but_goal_and_views() -> None:
    """It has no world to ask: no gold path, no admissible list, no name or number of the task can reach it."""
    assert list(inspect.signature(Play.act).parameters) == ["self", "look", "inventory"]
    assert list(inspect.signature(SwiftPolicy.start).parameters) == ["self", "goal", "teleports", "lost"]
    assert "tools.worlds" not in inspect.getsource(play_module)


def test_a_world_without_weights_says_what_to_do(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NoPolicy, match="train swift"):
        SwiftPolicy.load("scienceworld", tmp_path)
    for kind in (SwiftPolicy, SubgoalPolicy):
        with pytest.raises(NoPolicy, match=r"for `nowhere`: choose another strategy, such as react\.$"):
            kind.load("nowhere", tmp_path)
