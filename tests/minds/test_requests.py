"""A person's words to a world and a task, with the shipped weights and the shipped sentence vectors."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest

from memory.embedder import Embedder
from minds.dialogue import Dialogue, Turn
from minds.requests import Combo, NoSuch, Read, Request, Requests, RequestsFault, Unclear
from minds.requests.asking import QUESTIONS, household_says
from minds.requests.forms import asks_to_act
from minds.requests.laboratory import FAMILIES, TASKS, variation
from minds.requests.lexicon import spotted, tokens
from minds.requests.loglinear import Floats, LogLinear
from minds.requests.plain import named
from minds.requests.rooms import Rooms
from minds.requests.words import buckets, household_grams, intent_grams
from minds.training.requests.household import Recipe, fit_household
from minds.training.requests.tables import rows_of, set_apart
from minds.training.requests.train import Fit, Table, fit
from minds.training.requests.turns import Game, filled, phrases


@pytest.fixture(scope="module")
def reader() -> Requests:
    return Requests.load()


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def read(reader: Requests, embedder: Embedder, said: str, dialogue: Dialogue | None = None) -> Read:
    return reader.read(said, dialogue, embed=lambda texts: embedder.embed(texts))


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("bring some water to a boil over in the lab", "boil"),
        ("pls melt teh chocolate", "melt"),
        ("use the thermometer on the ice cream", "use-thermometer"),
        ("measure the melting point of the unknown substance", "measure-melting-point-unknown-substance"),
        ("light the green bulb with renewable energy only", "power-component-renewable-vs-nonrenewable-energy"),
        ("find something that isn't alive", "find-non-living-thing"),
        ("grow a peach tree from seed", "grow-plant"),
        ("mix green paint", "chemistry-mix-paint-secondary-color"),
        ("identify the life stages of the turtle", "identify-life-stages-1"),
        ("is the metal fork a conductor? test it in the lab", "test-conductivity"),
    ],
)
def test_a_laboratory_task_is_read(reader: Requests, embedder: Embedder, said: str, task: str) -> None:
    found = read(reader, embedder, said)
    assert isinstance(found, Request)
    assert (found.world, found.task) == ("scienceworld", task)
    assert found.says == TASKS[task][1]


@pytest.mark.parametrize(
    ("said", "kind", "thing", "place"),
    [
        ("put two newspapers in the drawer", "pick_two_obj_and_place", "Newspaper", "Drawer"),
        ("microwave an egg and put it in the fridge", "pick_heat_then_place_in_recep", "Egg", "Fridge"),
        ("rinse a fork and put it in the drawer", "pick_clean_then_place_in_recep", "Fork", "Drawer"),
        ("put a chilled tomato in the microwave", "pick_cool_then_place_in_recep", "Tomato", "Microwave"),
        ("examine the book by the desk lamp", "look_at_obj_in_light", "Book", "DeskLamp"),
        ("could you put the vase in the safe", "pick_and_place_simple", "Vase", "Safe"),
    ],
)
def test_a_household_task_is_read(
    reader: Requests, embedder: Embedder, said: str, kind: str, thing: str, place: str
) -> None:
    found = read(reader, embedder, said)
    assert isinstance(found, Request)
    assert (found.world, found.task, found.object, found.receptacle) == ("alfworld", kind, thing, place)


@pytest.mark.parametrize(
    "said",
    [
        "", "What is the boiling point of water?", "how do I put a picture in a document", "can you heat up my mood",
        "write me a note to put the trash out", "convert 3 cups to ml", "I put the mug on the table yesterday",
        "thanks, that helped", "remind me to water the plants tomorrow", "Tell me a joke about penguins.",
    ],
)  # fmt: skip
def test_chat_is_no_request(reader: Requests, embedder: Embedder, said: str) -> None:
    assert read(reader, embedder, said) is None


@pytest.mark.parametrize(
    ("said", "family"),
    [("mix the paints", "mix"), ("measure something", "measure"), ("do a science experiment", "science")],
)
def test_what_is_unclear_is_asked(reader: Requests, embedder: Embedder, said: str, family: str) -> None:
    found = read(reader, embedder, said)
    assert isinstance(found, Unclear)
    assert found.question == QUESTIONS[family]
    assert {option.task for option in found.options} <= set(FAMILIES[family])


def test_the_answer_to_a_question_back_is_read_among_its_options(reader: Requests, embedder: Embedder) -> None:
    asked = Dialogue("s", "u", (Turn("user", "mix the paints"), Turn("fast", QUESTIONS["mix"])))
    found = read(reader, embedder, "a tertiary one", asked)
    assert isinstance(found, Request)
    assert found.task == "chemistry-mix-paint-tertiary-color"
    assert read(reader, embedder, "a tertiary one") != found


@pytest.mark.parametrize("said", ["fold the laundry", "fly to the moon in the lab", "vacuum the carpet"])
def test_what_no_world_has_gets_the_nearest_three(reader: Requests, embedder: Embedder, said: str) -> None:
    found = read(reader, embedder, said)
    assert isinstance(found, NoSuch)
    assert len(found.nearest) == 3


def test_only_what_can_be_opened_is_read(reader: Requests, embedder: Embedder) -> None:
    def shelves(combo: Combo) -> bool:
        return combo.place == "Shelf"

    found = reader.read("put a vase on the table", embed=embedder.embed, openable=shelves)
    assert isinstance(found, Request | Unclear)
    options = found.options if isinstance(found, Unclear) else (found,)
    assert {option.receptacle for option in options} == {"Shelf"}
    assert reader.likely("put a vase on the table", np.zeros(384, np.float32), lambda combo: False) == ()


def test_weights_for_other_words_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.safetensors").write_bytes(b"no")
    with pytest.raises(RequestsFault, match="train requests"):
        Requests.load(tmp_path / "bad.safetensors")


# -- its parts


@pytest.mark.parametrize(
    ("said", "world", "task", "number"),
    [
        ("start scienceworld boil variation 3", "scienceworld", "boil", 3),
        ("play task 1-1", "scienceworld", "boil", None),
        ("open scienceworld: find living thing", "scienceworld", "find-living-thing", None),
        ("run grow-plant var 12 please", "scienceworld", "grow-plant", 12),
        ("open alfworld valid_seen/some-folder/trial_1", "alfworld", "valid_seen/some-folder/trial_1", None),
        ("household/pick_two_obj_and_place seed 4", "alfworld", "household/pick_two_obj_and_place", 4),
        ("play games/mine.z8", "textworld", "games/mine.z8", None),
    ],
)
def test_names_are_taken_by_their_word(said: str, world: str, task: str, number: int | None) -> None:
    found = named(said)
    assert found is not None
    assert (found.world, found.task, found.variation) == (world, task, number)


@pytest.mark.parametrize("said", ["we lost 1-1 last night", "boil some water", "I'll take the train/bus", "melt"])
def test_what_names_nothing_is_left_to_the_model(said: str) -> None:
    assert named(said) is None


@pytest.mark.parametrize(
    "said",
    ["can you boil water?", "how about melting some ice", "does it conduct? test it", "I want you to find a plant"],
)
def test_the_form_of_a_request(said: str) -> None:
    assert asks_to_act(said)


@pytest.mark.parametrize(
    "said",
    ["how do I boil water?", "does it conduct?", "I found a plant", "tell me about ice", "my mug is in the sink"],
)
def test_the_form_of_talk(said: str) -> None:
    assert not asks_to_act(said)


def test_words_that_mean_the_same_are_one_group() -> None:
    seen = dict(spotted(tokens("melt the ice cream with no idea what")))
    assert "solid" in seen["ice cream"]
    assert "unknown" in seen["no idea what"]
    assert seen["melt"] == ()


def test_a_variation_is_chosen_by_what_sets_it_apart() -> None:
    kept = set_apart([(0, "boil water now"), (1, "boil water now"), (4, "boil orange juice now")])
    assert kept == {"water": 0, "orang juic": 4}
    assert variation("boil", "boil some orange juice") != variation("boil", "boil the water")
    assert variation("boil", "boil it") is None


def test_a_household_task_is_said_in_plain_english() -> None:
    said = household_says("pick_heat_then_place_in_recep", "Egg", "CounterTop", sliced=False)
    assert said == "heat an egg and put it on the counter top"
    assert household_says("look_at_obj_in_light", "CD", "DeskLamp", sliced=False) == "look at a CD under the desk lamp"


def test_the_part_a_word_plays_is_seen() -> None:
    grams = household_grams("take the mug from the desk to the shelf")
    assert {"s desk", "g shelf", "G shelf", "O mug shelf"} <= set(grams)
    assert "G desk" not in grams


def test_phrases_are_filled_the_same_each_time() -> None:
    own = phrases()
    assert list(filled(own)) == list(filled(own))
    assert not [said for copies in filled(own) for said in copies if "{" in said.text]
    families = {f"unclear:{family}" for family in QUESTIONS} - {"unclear:game"}
    assert {said.label for said in own} == {*TASKS, "alfworld", "none", "nosuch", *families}


def test_a_model_learns_what_tells_its_choices_apart_and_survives_storage() -> None:
    texts = ["boil water", "freeze water", "boil milk", "freeze milk"] * 20
    rows = rows_of([buckets(intent_grams(text)) for text in texts])
    wanted = np.array([text.startswith("freeze") for text in texts]).astype(int)
    table = Table(rows, np.zeros((len(texts), 8), np.float32), wanted)
    model = fit(table, np.arange(2)[:, None], np.zeros(2, np.float32), Fit(epochs=5, rate=0.3))
    for kept in (model, LogLinear.unpacked(model.packed("x"), "x")):
        assert kept.scores(buckets(intent_grams("freeze juice")), np.zeros(8, np.float32)).argmax() == 1
        assert kept.scores(buckets(intent_grams("boil juice")), np.zeros(8, np.float32)).argmax() == 0


def test_household_tasks_that_no_game_has_can_be_read() -> None:
    kind = "pick_and_place_simple"
    told = [(f"put the {thing} on the {place}", thing.title(), place.title())
            for thing, place in (("mug", "desk"), ("mug", "shelf"), ("pen", "shelf"))] * 20  # fmt: skip
    described = [Game(text, kind, thing, place) for text, thing, place in told]
    model, combos, _ = fit_household(described, blind)
    pen_on_desk, nothing = combos.index(Combo(kind, "Pen", "Desk")), np.zeros(384, np.float32)

    def score(said: str) -> float:
        return float(model.scores(buckets(household_grams(said)), nothing)[pen_on_desk])

    assert score("put the pen on the desk") > max(score("put the mug on the desk"), score("put the pen on the shelf"))


def test_what_a_place_is_called_in_one_home_tells_the_task_by_its_home() -> None:
    kind = "pick_and_place_simple"
    told = [("the mug goes under the mirror", "Mug", "Shelf", 1), ("the cup goes under the clock", "Cup", "Shelf", 2)]
    told += [("the mug goes to the shelf", "Mug", "Shelf", 2), ("the cup goes to the shelf", "Cup", "Shelf", 1)]
    told += [("the pen goes under the mirror", "Pen", "Desk", 1), ("the pen goes under the clock", "Pen", "Desk", 2)]
    described = [Game(text, kind, thing, place, home) for text, thing, place, home in told * 20]
    _, combos, rooms = fit_household(described, blind, Recipe(batch=8, rate_rooms=0.05))
    mug, cup = (combos.index(Combo(kind, thing, "Shelf")) for thing in ("Mug", "Cup"))
    here: list[bool | Collection[int]] = [frozenset()] * len(combos)
    here[mug], here[cup] = frozenset({1}), frozenset({2})
    for kept in (rooms, Rooms.unpacked(rooms.packed())):
        said = "it goes under the mirror"
        gained = kept.gained(said, np.zeros(384, np.float32), here)
        assert gained[mug] > gained[cup] + 1
        assert np.isfinite(gained).sum() == 2


def blind(texts: list[str]) -> Floats:
    return np.zeros((len(texts), 384), np.float32)


def test_a_task_in_a_home_without_a_fitted_game_gains_as_much_as_the_middle_one() -> None:
    none = np.zeros((1 << 11, 1), np.float32)
    model = LogLinear(none, np.zeros((384, 1), np.float32), np.zeros((3, 1), np.int64), np.array([1.0, 2.0, 4.0], "f"))
    rooms = Rooms(model, np.array([0, 1, 2]), np.array([7, 7, 7]))
    gained = rooms.gained("anything", np.zeros(384, np.float32), [True, {7}, {7, 8}, {9}, False])
    assert gained.tolist() == pytest.approx([1, 2, 4, 2, -np.inf])
