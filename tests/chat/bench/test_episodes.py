"""Episodes as they are played and counted: on the toy household, and on trajectories that are written down here."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chat.bench import Ask, asked
from chat.bench.episodes.crew import outcomes
from chat.bench.episodes.play import Outcome, Player, Setup, scored, stop
from chat.bench.episodes.protocols import HOUSEHOLD, SCIENCE, Case, Protocol, cases, in_turn
from chat.bench.episodes.report import summary, types
from chat.bench.episodes.reworded import about, reworded, with_first
from chat.bench.episodes.run import config, minutes, of_types, played, run, setup_of
from chat.bench.episodes.stage import ShownWorld
from chat.evaluation.folder import RunFolder
from chat.faults import ChatFault
from chat.settings import read_settings
from minds import strategies
from minds.dialogue import Episode, Move, in_world
from minds.models.language import Garbled, ModelFault, Refused, Unreachable, Usage, unheard
from minds.policies.swift_alfworld.goals import Goal
from minds.slow import Strategy, Workbench
from tests.toyworld import GOLD, ToyWorld, ToyWorlds
from tools.worlds import simulator
from tools.worlds.world import Simulator, UnknownTask, WorldFault, WorldSpec


def toys(_: str) -> ToyWorlds:
    return ToyWorlds()


def setup(
    strategy: str = "oracle",
    protocol: Protocol = HOUSEHOLD["swiftsage"],
    simulator: Callable[[str], Simulator] = toys,
    **asked_for: Any,
) -> Setup:
    return Setup(Ask(read_settings(), world="alfworld", strategy=strategy, **asked_for), protocol, simulator)


def case(number: int = 0, kind: str = "mug") -> Case:
    return Case(f"{kind}/{number}", kind, WorldSpec("alfworld", "mug", number))


# -- which episodes, in which order


def test_the_further_split_holds_twenty_test_variations_of_each_type_beyond_the_papers() -> None:
    home = simulator("scienceworld")
    chosen = cases(home, "scienceworld", "further", SCIENCE["swiftsage"])
    papers = {one.id for one in cases(home, "scienceworld", "test", SCIENCE["swiftsage"])}
    assert len(chosen) == 380
    assert len({one.id for one in chosen} - papers) == 380
    for kind in {one.type for one in chosen}:
        rest = [spec.variation for spec in home.variations(kind, "test")][10:]
        drawn = sorted(random.Random(f"{kind} 20").sample(rest, 20))
        assert [one.spec.variation for one in chosen if one.type == kind] == drawn


def test_any_beginning_is_spread_over_the_types() -> None:
    chosen = in_turn(case(n, kind) for kind, count in (("a", 3), ("b", 1), ("c", 2)) for n in range(count))
    assert [one.id for one in chosen] == ["a/0", "b/0", "c/0", "a/1", "c/1", "a/2"]


def test_the_papers_episodes_are_the_first_ten_test_variations_of_each_type() -> None:
    chosen = cases(simulator("scienceworld"), "scienceworld", "test", SCIENCE["swiftsage"])
    assert len(chosen) == 271
    assert [one.type for one in chosen[:3]] == ["boil", "melt", "freeze"]
    assert len({one.type for one in chosen[:30]}) == 30
    assert [one.spec.variation for one in chosen if one.type == "use-thermometer"] == list(range(405, 415))
    assert {one.spec.options for one in chosen} == {("easy",)}
    assert {one.spec.options for one in cases(simulator("scienceworld"), "scienceworld", "dev", SCIENCE["strict"])} == {
        ()
    }


def test_two_hundred_households_of_seeds_that_nothing_was_trained_on() -> None:
    from minds.training.swift_alfworld.collect import DEV_SEEDS, SEEDS

    chosen = cases(ToyWorlds(), "alfworld", "household", HOUSEHOLD["swiftsage"])
    assert len({one.id for one in chosen}) == 200
    assert max(one.spec.variation for one in chosen) < DEV_SEEDS < SEEDS


def test_an_unknown_split_or_protocol_is_refused_in_a_sentence() -> None:
    with pytest.raises(UnknownTask, match="no split `exam`"):
        cases(simulator("scienceworld"), "scienceworld", "exam", SCIENCE["swiftsage"])
    with pytest.raises(ChatFault, match="swiftsage, tales, strict"):
        setup_of(replace(setup().ask, protocol="lenient"))
    with pytest.raises(ChatFault, match="how --reworded is read"):
        setup_of(replace(setup().ask, goals="turn"))


# -- tasks in a person's words


def a_game(folder: Path) -> str:
    """The name of the one game of a data set that is made here."""
    name = "valid_seen/pick_and_place_simple-Mug-None-Desk-301/trial_1"
    game = folder / "json_2.1.1" / name
    game.mkdir(parents=True)
    (game / "game.tw-pddl").write_text("{}", encoding="utf-8")
    told = {"task_desc": "Carry the cup to the desk."}
    notes = {
        "task_type": "pick_and_place_simple",
        "pddl_params": {"object_target": "Mug", "parent_target": "Desk"},
        "turk_annotations": {"anns": [told, told]},
    }
    (game / "traj_data.json").write_text(json.dumps(notes), encoding="utf-8")
    return name


def test_each_description_of_a_game_is_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = a_game(tmp_path)
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    found = reworded("people", "valid_seen")
    assert [one.id for one in found] == [f"{name}#1", f"{name}#2"]
    assert {(one.says, one.type) for one in found} == {("Carry the cup to the desk.", "pick_and_place_simple")}


def test_wordings_come_from_a_file_too_and_a_wrong_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = a_game(tmp_path)
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    file = tmp_path / "told.jsonl"
    file.write_text(json.dumps({"game": name, "says": "Mug, desk, please"}), encoding="utf-8")
    assert [one.says for one in reworded(str(file), "valid_seen")] == ["Mug, desk, please"]
    file.write_text(json.dumps({"game": "valid_seen/none/trial_1", "says": "Mug"}), encoding="utf-8")
    with pytest.raises(ChatFault, match="no game of valid_seen"):
        reworded(str(file), "valid_seen")
    with pytest.raises(ChatFault, match="odds, turn, words"):
        about("people", "guesses")


def test_the_world_shows_the_persons_words_and_hides_its_own() -> None:
    player = Player(setup("oracle"))
    row = player.play(replace(case(), says="Away with the cup!", read=False)).row
    player.close()
    assert (row["goal"], row["goal_right"]) == ("Away with the cup!", False)
    told = ToyWorlds().open(WorldSpec("alfworld", "mug", 0))
    told.goal = "see a desk 1"  # a part of what it says at first
    shown = ShownWorld(told, says="Away with the cup!")
    assert "you Away with the cup!" in shown.reset().text and shown.goal == "Away with the cup!"


def test_what_a_model_asked_for_comes_before_the_odds() -> None:
    mug, cup = (Goal("pick_and_place_simple", thing, "desk") for thing in ("mug", "cup"))
    assert with_first({mug: 0.7, cup: 0.3}, cup)[cup] > 1.0
    assert with_first({mug: 0.7, cup: 0.3}, Goal("pick_and_place_simple", "", "desk")) == {mug: 1.7, cup: 1.3}
    assert with_first({mug: 0.7}, cup) == {cup: 1.0, mug: 0.7}
    assert with_first({mug: 0.7}, None) == {mug: 0.7}


# -- how they are counted


def test_scores_are_counted_in_four_ways() -> None:
    counts = scored([0.0, 20.0, 50.0, -100.0])
    assert counts == {"final": 50.0, "highest": 50.0, "clamped": 0.0, "stop_rule": 50.0}
    assert scored([])["final"] == 0.0
    assert scored([-100.0])["final"] == 0.0


def test_the_stop_rule_ends_what_goes_nowhere_after_a_hundred_steps() -> None:
    late = [10.0] * 120 + [100.0]
    assert scored(late)["stop_rule"] == 10.0
    assert stop(late) == 99, "the repository counts the reset as a reward of nothing"
    assert scored([10.0] * 97 + [100.0])["stop_rule"] == 100.0, "over before the rule holds"
    assert stop([float(i) for i in range(300)]) == 300, "each step brings something"
    slow = [float(i // 30) for i in range(200)]
    assert stop(slow) == 200, "a reward every thirty steps is enough"
    assert stop([float(i // 31) for i in range(200)]) < 200


def row(kind: str, final: float, **changes: Any) -> dict[str, Any]:
    counts = {"final": final, "highest": final, "clamped": final, "stop_rule": final}
    return {"id": kind, "type": kind, "steps": 2, "won": final == 100, "tokens": 6, **counts, **changes}


def test_types_weigh_alike_and_episodes_beside_them() -> None:
    rows = [row("a", 100.0), row("a", 100.0), row("a", 40.0), row("b", 0.0), row("c", 100.0)]
    steps = [{"policy_ms": ms, "processor_ms": ms / 2, "simulator_ms": 10.0} for ms in (1.0, 2.0, 3.0, 4.0, 90.0)]
    figures = summary(rows, steps, minutes=1.5, unplayed=1)
    assert figures["final"] == pytest.approx((80 + 0 + 100) / 3, abs=0.01)
    assert figures["episode_average"]["final"] == 68.0
    assert (figures["success"], figures["types_solved"], figures["types"]) == (60.0, 1, 3)
    assert (figures["worst_type"], figures["worst_final"]) == ("b", 0.0)
    assert (figures["p50_ms"], figures["seconds_per_action"], figures["tokens_per_action"]) == (3.0, 0.03, 6.0)
    assert figures["processor_p50_ms"] == 1.5
    assert [one["solved"] for one in types(rows)] == [False, False, True]
    assert summary([], [], 0.0, 3) == {"episodes": 0, "unplayed": 3}


def test_the_clock_runs_over_all_starts() -> None:
    assert minutes([{"start": 1, "at": 30.0}, {"start": 1, "at": 60.0}, {"start": 2, "at": 30.0}]) == 1.5


# -- how they are played


def test_an_episode_goes_through_the_loop_and_every_step_is_written() -> None:
    player = Player(setup())
    outcome = player.play(case())
    player.close()
    assert outcome.row["won"] and outcome.row["ended"] == "won" and outcome.row["final"] == 100.0
    assert [step["action"] for step in outcome.steps] == list(GOLD)
    assert [step["step"] for step in outcome.steps] == [1, 2, 3, 4, 5]
    assert outcome.steps[-1]["score"] == 100.0 and outcome.steps[0]["simulator_ms"] >= 0


class Clumsy:
    """Drops the mug as soon as it can: a lost episode of three steps."""

    def __init__(self, bench: Workbench) -> None:
        self._world = bench.world

    async def act(self, episode: Episode) -> Move:
        assert self._world is not None
        possible = self._world.admissible()
        wanted = ("drop mug 1", "take mug 1 from desk 1", "go to desk 1")
        return in_world("", next(act for act in wanted if not possible or act in possible), tokens=7)


@pytest.fixture
def clumsy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Clumsy(bench))


def test_a_lost_episode_ends(clumsy: None) -> None:
    found = next(outcomes(setup(), 0, [case()]))
    assert (found.row["ended"], found.row["steps"], found.row["tries"], found.row["tokens"]) == ("lost", 3, 1, 21)


def test_under_tales_it_begins_anew_until_its_steps_are_used_up(clumsy: None) -> None:
    rules = replace(HOUSEHOLD["tales"], steps=8, listed=True)
    found = next(outcomes(setup(protocol=rules), 0, [case()]))
    assert (found.row["steps"], found.row["tries"], found.row["ended"]) == (8, 3, "steps")


class Learns(Clumsy):
    """Drops the mug in its first trial, and knows better in the second."""

    trials, trial_steps = 4, None

    async def act(self, episode: Episode) -> Move:
        if not episode.trials:
            return await super().act(episode)
        return in_world("", GOLD[len(episode.steps)], tokens=2)

    async def failed(self, episode: Episode, why: str) -> Move:
        return Move("I must not drop it.", tokens=30)


def test_a_report_tells_what_was_learnt_and_the_last_trials_steps(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Learns(bench))
    played(folder, [case(0)], partial(outcomes, setup(steps=3, trials=2), 0))
    _, _, told = (folder.path / "report.md").read_text().partition("## Failures")
    assert "Trial 1 (3 steps): I must not drop it.\n\n| step |" in told
    assert re.findall(r"^\| (\d+) \| ", told, re.MULTILINE) == ["4", "5", "6"]


def test_every_trial_is_in_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Learns(bench))
    found = next(outcomes(setup(), 0, [case()]))
    assert found.row["won"] and found.row["final"] == 100.0 and found.row["tokens"] == 3 * 7 + 30 + 5 * 2
    assert [step["trial"] for step in found.steps] == [1] * 3 + [2] * 5
    first, second = found.row["trials"]
    assert (first["why"], first["steps"], first["learnt"], first["tokens"]) == ("lost", 3, "I must not drop it.", 30)
    assert (second["why"], second["steps"]) == ("won", 5)
    one = next(outcomes(setup(trials=1), 0, [case()]))
    assert one.row["ended"] == "lost" and len(one.row["trials"]) == 1
    short = next(outcomes(setup(steps=2), 0, [case()]))
    assert [trial["steps"] for trial in short.row["trials"]] == [2, 2, 2, 2] and short.row["ended"] == "steps"


class Silenced(Learns):
    """Its model dies `left` times: before that step of a trial, or over what it learns of one where `at` is None."""

    at: int | None = 2
    left = 0

    def _dies(self, here: bool) -> None:
        if here and Silenced.left:
            Silenced.left -= 1
            raise Unreachable("The model was silent.")

    async def act(self, episode: Episode) -> Move:
        self._dies(self.at == len(episode.steps))
        return await Clumsy.act(self, episode)

    async def failed(self, episode: Episode, why: str) -> Move:
        self._dies(self.at is None)
        return await super().failed(episode, why)


@pytest.fixture(params=[2, None], ids=["in mid-episode", "over its reflection"])
def silenced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Silenced]:
    monkeypatch.setattr(Silenced, "at", request.param)
    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Silenced(bench))
    return Silenced


def test_a_model_that_dies_leaves_a_row_that_says_so(silenced: type[Silenced]) -> None:
    silenced.left = 1
    found = next(outcomes(setup(), 0, [case()]))
    assert found.fault.startswith("The model was silent. That was after") and "silent" in found.row["said"]
    assert (found.row["ended"], found.row["steps"], len(found.steps)) == ("model", *[silenced.at or 3] * 2)


def test_under_tales_what_was_tried_before_the_model_died_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Later(Clumsy):
        async def act(self, episode: Episode) -> Move:
            if dies.pop():
                raise Unreachable("The model was silent.")
            return await super().act(episode)

    dies = [True, False, False, False]  # as its second try begins
    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Later(bench))
    found = next(outcomes(setup(protocol=replace(HOUSEHOLD["tales"], steps=8, listed=True)), 0, [case()]))
    assert (found.row["ended"], found.row["steps"], found.row["tries"]) == ("model", 3, 2) and found.fault


def test_under_tales_all_trials_share_its_steps_and_are_not_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hopeless(Learns):
        act = Clumsy.act

    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Hopeless(bench))
    rules = replace(HOUSEHOLD["tales"], steps=8, listed=True)
    found = next(outcomes(setup(protocol=rules), 0, [case()]))
    assert [trial["steps"] for trial in found.row["trials"]] == [3, 3, 2]
    assert (found.row["steps"], found.row["tries"], found.row["ended"]) == (8, 1, "steps")
    found = next(outcomes(setup(protocol=replace(rules, steps=20)), 0, [case()]))
    assert (len(found.row["trials"]), found.row["steps"], found.row["tries"]) == (4, 12, 1)


def test_where_nothing_is_listed_nobody_is_told_what_can_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, ...]] = []

    class Asks(Clumsy):
        async def act(self, episode: Episode) -> Move:
            assert self._world is not None
            told.append(self._world.admissible())
            return Move("", answer="enough", gave_up=True)

    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Asks(bench))
    for name in ("swiftsage", "strict"):
        next(outcomes(setup(protocol=HOUSEHOLD[name]), 0, [case()]))
    assert told[0] and told[1] == ()


# -- nothing of the solution reaches whoever is measured


class Guarded(ToyWorld):
    """Counts how often its solution is asked for."""

    golds = 0

    def gold(self) -> tuple[str, ...]:
        Guarded.golds += 1
        return super().gold()


class GuardedWorlds(ToyWorlds):
    def open(self, spec: WorldSpec) -> Guarded:
        return Guarded(self, spec)


def guarded(_: str) -> GuardedWorlds:
    return GuardedWorlds()


def test_swift_sees_neither_the_solution_nor_which_episode_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    Guarded.golds = 0
    opened: list[str] = []
    monkeypatch.setattr("minds.models.open_model", lambda *_, **__: opened.append("a model"))
    benches: list[Workbench] = []
    really = strategies.open_strategy

    def noted(name: str, bench: Workbench) -> Strategy:
        benches.append(bench)
        return really(name, bench)

    monkeypatch.setattr("minds.strategies.open_strategy", noted)
    found = next(outcomes(setup("swift", simulator=guarded), 0, [case(41)]))
    assert found.row["steps"] > 0 and found.row["tokens"] == 0
    assert Guarded.golds == 0, "no solution was asked for in the whole episode"
    assert opened == [], "and no language model was opened"
    world = benches[0].world
    assert world is not None
    with pytest.raises(WorldFault, match="nobody but the strategy `oracle`"):
        world.gold()
    assert (world.spec.task, world.spec.variation) == ("a task of a benchmark", 0)
    public = [name for name in dir(world) if not name.startswith("_")]
    assert not any(isinstance(getattr(world, name), ToyWorld) for name in public), "the simulator is not handed out"


def test_the_oracle_is_told() -> None:
    Guarded.golds = 0
    found = next(outcomes(setup("oracle", simulator=guarded), 0, [case()]))
    assert found.row["won"] and Guarded.golds == 1


def test_what_is_trained_on_and_what_is_reported_have_no_episode_in_common() -> None:
    from minds.training.swift.collect import wanted

    science = simulator("scienceworld")
    learned = {name[:2] for name in wanted(science, 10_000)}
    for name in ("test", "dev"):
        reported = {
            (one.spec.task, one.spec.variation) for one in cases(science, "scienceworld", name, SCIENCE["tales"])
        }
        assert reported and not reported & learned
    assert len(learned) > 3000


def test_collected_data_of_this_machine_holds_no_test_variation() -> None:
    from minds.training.rows import stored
    from minds.training.swift.demonstrations import FILES, data_folder

    folder = data_folder("scienceworld")
    rows = [row for name in (*FILES, "oracle") for row in stored(folder / f"{name}.jsonl")]
    if not rows:
        pytest.skip("nothing was collected here")
    science = simulator("scienceworld")
    kept = {name: {spec.variation for spec in science.variations(name, "train")} for name in {r["task"] for r in rows}}
    assert [(r["task"], r["variation"]) for r in rows if r["variation"] not in kept[r["task"]]] == []


# -- runs


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    opened = RunFolder.open(tmp_path / "run", config(setup(), "toys"))
    yield opened
    opened.close()


def test_a_run_goes_on_where_it_was(folder: RunFolder) -> None:
    chosen = [case(n, kind) for n in range(2) for kind in ("a", "b")]
    first = played(folder, chosen[:2], partial(outcomes, setup(), 0))
    assert (first["episodes"], first["final"], first["steps"]) == (2, 100.0, 10)
    with (folder.path / "steps.jsonl").open("a") as file:
        file.write('{"start": 1, "id": "a/1", "act')  # killed in mid-line
    folder.close()
    on = RunFolder.open(folder.path, config(setup(), "toys"))
    again = played(on, chosen, partial(only, {"a/1", "b/1"}))
    assert (again["episodes"], again["steps"], again["unplayed"]) == (4, 20, 0)
    assert [row["start"] for row in on.rows("episodes")] == [1, 1, 2, 2]
    told = (on.path / "report.md").read_text()
    assert told.startswith("# `oracle` plays ALFWorld\n\n4 episodes of toys") and "| mug | " not in told
    assert (
        "| a | 2 | 100.0 | 100% | 5.0 |" in told
        and "| b | 2 | 100.0 | 100% | 5.0 |" in told
        and "| a/1 | 100 | 5 | won | 1 |" in told
    )
    on.close()


def only(allowed: set[str], cases: Sequence[Case]) -> Iterator[Outcome]:
    """May only be asked for some."""
    assert {one.id for one in cases} == allowed, "what is finished is not played again"
    return outcomes(setup(), 0, cases)


def test_what_the_engine_failed_at_is_tried_again(folder: RunFolder) -> None:
    dying = ToyWorlds(dying=1)
    crew = partial(outcomes, setup(simulator=lambda _: dying), 0)
    figures = played(folder, [case(0), case(1)], crew)
    assert (figures["episodes"], figures["unplayed"], figures["success"]) == (2, 0, 100.0)
    assert [row["id"] for row in folder.rows("faults")] == ["mug/0"]
    assert [row["id"] for row in folder.rows("episodes")] == ["mug/1", "mug/0"]


def test_moves_without_the_model_that_was_asked_are_counted(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    class Alone(Clumsy):
        async def act(self, episode: Episode) -> Move:
            heard = bool(episode.steps)
            fault = None if heard else Unreachable("The model was silent.")
            return replace(await super().act(episode), fault=fault).paid(Usage(calls=1))

    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Alone(bench))
    figures = played(folder, [case(0)], partial(outcomes, setup(), 0))
    assert figures["unheard"] == 1 and [step["fault"] for step in folder.rows("steps")] == [
        "The model was silent.",
        "",
        "",
    ]
    assert "1 times it could not be heard" in (folder.path / "report.md").read_text()


class Unheard(Clumsy):
    """Its model is never heard; `alone`: its policy acts then."""

    alone = False
    fault: ModelFault

    async def act(self, episode: Episode) -> Move:
        if not Unheard.alone:
            raise Unheard.fault
        return replace(await super().act(episode), fault=Unheard.fault).paid(Usage(calls=1))


@pytest.mark.parametrize("fault", [Refused("It does not accept the key."), Garbled("It is dizzy.")])
@pytest.mark.parametrize("alone", [False, True])
def test_a_model_that_is_never_heard_ends_the_start_and_one_that_answers_badly_does_not(
    folder: RunFolder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: ModelFault,
    *,
    alone: bool,
) -> None:
    monkeypatch.setattr("minds.strategies.open_strategy", lambda _, bench: Unheard(bench))
    monkeypatch.setattr(Unheard, "alone", alone)
    monkeypatch.setattr(Unheard, "fault", fault, raising=False)
    figures = played(folder, [case(number) for number in range(9)], partial(outcomes, setup(), 0))
    assert len([*folder.rows("faults")]) == (3 if unheard(fault) else 27), "a bad answer is one, and asked for again"
    assert figures["episodes"] == figures.get("model_died", 0), "what a policy did alone is no row of the strategy"
    assert "9 episodes could not be played out" in (told := capsys.readouterr().err)
    assert str(fault).removesuffix(".") in told


def test_where_a_model_died_and_stayed_dead_the_last_try_that_came_anywhere_counts(
    folder: RunFolder, silenced: type[Silenced]
) -> None:
    silenced.left, tried = 1, 0

    def crew(cases: Sequence[Case]) -> Iterator[Outcome]:
        nonlocal tried
        tried += 1
        return outcomes(setup(), 0, cases) if tried == 1 else (Outcome(one, fault="gone") for one in cases)

    figures = played(folder, [case(0)], crew)
    assert (figures["episodes"], figures["unplayed"], figures["model_died"]) == (1, 0, 1)
    assert figures["steps"] == (silenced.at or 3) and len(list(folder.rows("faults"))) == 3


def test_a_model_that_died_is_tried_again_and_where_it_lasts_is_counted_until_the_next_start(
    folder: RunFolder, silenced: type[Silenced], capsys: pytest.CaptureFixture[str]
) -> None:
    crew = partial(outcomes, setup(), 0)
    silenced.left = 3
    figures = played(folder, [case(0)], crew)
    assert (figures["episodes"], figures["unplayed"], figures["model_died"]) == (1, 0, 1)
    assert figures["steps"] == (silenced.at or 3), "of the last attempt alone"
    assert len(list(folder.rows("faults"))) == 3 and "start the command again" in capsys.readouterr().err
    assert "in 1 of them it died: the next start" in (folder.path / "report.md").read_text()
    folder.close()
    on = RunFolder.open(folder.path, config(setup(), "toys"))
    silenced.left = 2
    again = played(on, [case(0)], crew)
    assert (again["episodes"], again["steps"], "model_died" in again) == (1, 12, False), "four trials, all lost"
    assert [row["ended"] for row in on.rows("episodes")] == ["model", "lost"]
    on.close()
    assert (
        played(RunFolder.open(folder.path, config(setup(), "toys")), [case(0)], partial(only, set()))["episodes"] == 1
    )


def test_what_cannot_be_played_is_told_and_left_for_the_next_start(
    folder: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = played(folder, [case(0)], partial(outcomes, setup(simulator=lambda _: ToyWorlds(dying=99)), 0))
    assert figures == {"episodes": 0, "unplayed": 1}
    rows = list(folder.rows("faults"))
    why = str(rows[-1]["fault"]).removesuffix(".")
    said = f"1 episodes could not be played out (faults.jsonl; the last: {why}): start the command again."
    assert len(rows) == 3 and why and said in capsys.readouterr().err


def test_steps_of_a_start_that_was_killed_do_not_count(folder: RunFolder) -> None:
    folder.append("steps", {"start": 0, "id": "mug/0", "step": 1, "policy_ms": 1e9, "score": 55.0})
    assert played(folder, [case(0)], partial(outcomes, setup(), 0))["steps"] == 5


@pytest.mark.real
def test_processes_play_as_this_one_does() -> None:
    found = sorted(outcomes(setup(), 2, [case(n) for n in range(3)]), key=lambda outcome: outcome.case.id)
    assert [outcome.row["final"] for outcome in found] == [100.0] * 3
    assert [outcome.case.id for outcome in found] == ["mug/0", "mug/1", "mug/2"]


class Deadly(ToyWorlds):
    def open(self, spec: WorldSpec, wants: object = None) -> ToyWorld:
        if spec.variation == 0:
            import os

            os._exit(1)
        return ToyWorld(self, spec)


def deadly(_: str) -> Deadly:
    return Deadly()


@pytest.mark.real
def test_a_process_that_dies_costs_the_episode_it_was_at() -> None:
    found = list(outcomes(setup(simulator=deadly), 1, [case(0), case(1)]))
    assert [(outcome.case.id, bool(outcome.fault)) for outcome in found] == [("mug/0", True), ("mug/1", False)]


# -- what is asked for


def ask(tmp_path: Path, **given: Any) -> Any:
    return asked(read_settings({"home": tmp_path}), "scienceworld", given)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"strategy": "guess"}, "no strategy `guess`"),
        ({"protocol": "lenient"}, "no protocol `lenient`"),
        ({"without": ["luck"]}, "no rule `luck`"),
        ({"weights": "nowhere"}, "no weights"),
        ({"strategy": "react", "without": ["guard"]}, "no rules"),
        ({"strategy": "react", "weights": "here"}, "leave it out"),
        ({"strategy": "swiftsage", "without": ["luck"]}, "no rule `luck`; choose one of: .*critical"),
        ({"strategy": "duet", "without": ["luck"]}, "no rule `luck`; choose one of: .*handed"),
    ],
)
def test_what_cannot_be_asked_for_is_told_in_one_sentence(tmp_path: Path, given: Any, told: str) -> None:
    with pytest.raises(ChatFault, match=told):
        setup_of(ask(tmp_path, **given))


def test_sub_goals_are_played_with_both_of_their_networks_only(tmp_path: Path) -> None:
    made = config(setup_of(setup("subgoals").ask), "household")
    assert list(made["weights"]) == [f"subgoals_alfworld_{part}.safetensors" for part in ("aims", "deeds")]
    assert made["about"]["rules"] == []
    (tmp_path / "subgoals_scienceworld_aims.safetensors").write_bytes(b"")
    with pytest.raises(ChatFault, match="`subgoals` has no weights for `scienceworld`"):
        setup_of(ask(tmp_path, strategy="subgoals", weights=str(tmp_path)))
    made = config(setup_of(ask(tmp_path, strategy="subgoals", without=["guard", "tiring"])), "test")
    assert list(made["weights"]) == [f"subgoals_scienceworld_{part}.safetensors" for part in ("aims", "deeds")]
    assert {rule["name"] for rule in made["about"]["rules"] if not rule["on"]} == {"guard", "tiring"}


def test_conditions_and_swifts_rules_can_be_left_out_of_swiftsage(tmp_path: Path) -> None:
    made = setup_of(ask(tmp_path, strategy="swiftsage", without=["stalled", "guard"], steps=25, trials=2))
    about = config(made, "test")
    assert {rule["name"] for rule in about["about"]["rules"] if not rule["on"]} == {"stalled", "guard"}
    assert (about["protocol"]["steps"], about["protocol"]["trials"]) == (25, 2)
    assert about["model"] and about["weights"], "it has both"


def test_only_some_types_of_task_are_played() -> None:
    found = [case(n, kind) for n in range(2) for kind in ("a", "b")]
    assert [one.id for one in of_types(found, ("b",))] == ["b/0", "b/1"] and of_types(found, ()) == found
    with pytest.raises(ChatFault, match="no type of task `c`; choose one of: a, b"):
        of_types(found, ("c",))


def test_what_was_read_cached_and_written_is_in_the_figures() -> None:
    spent = {"tokens": 300, "read": 900, "cached": 700, "written": 100, "calls": 8, "replaced": 1}
    steps = [{"policy_ms": 900.0, "processor_ms": 1.0, "simulator_ms": 100.0}] * 4
    figures = summary([row("a", 100.0, **spent)], steps, minutes=1.0, unplayed=0)
    assert (figures["tokens_per_action"], figures["read_per_action"], figures["written_per_action"]) == (75, 225, 25)
    assert (figures["reused"], figures["calls_per_action"], figures["score_per_action"]) == (700 / 9, 2, 25)
    assert (figures["seconds_per_action"], figures["replaced_per_action"]) == (1.0, 0.25)


def test_a_run_needs_a_folder_and_a_limit_that_counts(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="--limit"):
        ask(tmp_path, limit=0)
    with pytest.raises(ChatFault, match="--out"):
        run(ask(tmp_path, strategy="swift"))


def test_the_config_names_weights_and_rules(tmp_path: Path) -> None:
    made = config(setup_of(ask(tmp_path, without=["guard"])), "test")
    assert list(made["weights"]) == ["swift_scienceworld.safetensors"]
    assert made["without"] == ["guard"] and made["model"] is None
    off = [rule["name"] for rule in made["about"]["rules"] if not rule["on"]]
    assert off == ["guard"] and len(made["about"]["rules"]) > 3
    assert config(setup_of(ask(tmp_path, strategy="react")), "test")["model"] == "embedded"
    oracle = config(setup_of(ask(tmp_path, strategy="oracle")), "test")
    assert oracle["weights"] == {} and "goals_by" not in oracle
    given = {"strategy": "oracle", "goals": "turn", "reworded": "people"}
    told = asked(read_settings({"home": tmp_path}), "alfworld", given)
    assert config(setup_of(told), "test")["goals_by"] == ["embedded"] * 2
