"""The network: numpy says what torch says, training learns a rule, and names that were dropped do not matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from minds.policies.swift.features import State, Token, state
from minds.policies.swift.memory import Memory
from minds.policies.swift.mentions import Text
from minds.policies.swift.network import Lexicon, Network, load
from minds.policies.swift.play import beam
from minds.training import Unready
from minds.training.swift.command import main
from minds.training.swift.dataset import Sample, gather
from minds.training.swift.train import Batch, Recipe, Swift, save, taken_over, train

KNOWN = Lexicon({f"f{i}": i + 1 for i in range(40)}, ("wait", "take {}", "put {} in {}"), ("shed", "yard"))


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Of two, one waits for a core in every small step where the machine is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_numpy_and_torch_agree(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = Swift(41, 3, 32, 2).eval()
    network.load_state_dict({k: v.half().float() for k, v in network.state_dict().items()})
    save(tmp_path / "n.safetensors", [network], KNOWN)
    other = load(tmp_path / "n.safetensors")
    assert other.known == KNOWN
    token = np.array([0, 0, 1, 2, 2, 2, 4])
    ids = np.array([3, 4, 5, 6, 7, 8, 9])
    now = State([Token([f"f{i - 1}" for i in ids[token == n]], []) for n in range(5)], 2, KNOWN.rooms)
    lengths = np.bincount(token, minlength=5)
    starts = torch.tensor(np.cumsum(lengths) - lengths)
    batch = Batch(torch.tensor(ids), starts, torch.zeros(5).long(), torch.arange(5), torch.ones(1, 5).bool())
    with torch.no_grad():
        theirs = network.tokens(batch)
        mine = other.tokens(now)
        assert np.abs(theirs.numpy() - mine).max() < 1e-4
        second = network.second(theirs, batch.mask, torch.tensor([2]), torch.tensor([1])).log_softmax(-1)[0].numpy()
    assert np.abs(second - other.second(mine, 2, 1)[0])[[2, 3, 4]].max() < 1e-4


def test_several_networks_as_one_say_the_mean(tmp_path: Path) -> None:
    every = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        every.append(Swift(41, 3, 32, 1))
        save(tmp_path / f"{seed}.safetensors", every[-1:], KNOWN)
    save(tmp_path / "both.safetensors", every, KNOWN)
    whole = Text("take the red box", "goal")
    memory = Memory(whole)
    memory.see("This room is called the shed. In it, you see: \n\ta box\n\ta jar\n", "In your inventory, you see:\n")
    now = state(memory, KNOWN.rooms)
    one, other, both = (dict(beam(load(tmp_path / f"{name}.safetensors"), now)) for name in (1, 2, "both"))
    assert len(both) > 3
    assert both == pytest.approx({act: (one[act] + other[act]) / 2 for act in both}, abs=1e-5)


def sample(sign: int, dice: np.random.Generator) -> Sample:
    """Token 1 or 2 carries f5; it is to be taken where the whole carries f1, the other one where it carries f2."""
    marked = int(dice.integers(1, 3))
    chosen = marked if sign == 1 else 3 - marked
    ids = np.array([sign, 5 if marked == 1 else 6, 5 if marked == 2 else 6], np.int32)
    return Sample(ids, np.array([0, 1, 2], np.int16), np.zeros(3, np.int8), 3, (1, chosen, -1), ("t", 0))


@pytest.mark.slow
def test_training_learns_a_rule_that_binds_two_things() -> None:
    dice = np.random.default_rng(0)
    data = [sample(int(dice.integers(1, 3)), dice) for _ in range(400)]
    network = train(data, KNOWN, Recipe(epochs=10, width=32, size=32, rate=4e-3, drop_any=0.0, cap=400))
    fresh = [sample(int(dice.integers(1, 3)), dice) for _ in range(60)]
    right = 0
    for one in fresh:
        batch = Batch(
            torch.tensor(one.ids).long(),
            torch.arange(3),
            torch.zeros(3).long(),
            torch.arange(3),
            torch.ones(1, 3).bool(),
        )
        with torch.no_grad():
            tokens = network.tokens(batch)
            right += int(network.first(tokens, batch.mask, torch.tensor([1])).argmax()) == one.choice[1]
    assert right >= 57


def test_features_of_one_variation_are_left_out() -> None:
    shed = "This room is called the shed. In it, you see: \n\t{}\n"
    row = {"inv": "", "learn": True, "said": "You move it.", "score": 0.0, "act": ["pick up {}", [0], ""]}
    episodes = [
        {
            "task": "t",
            "variation": n,
            "goal": "fetch it",
            "rows": [row | {"look": shed.format(f"a {name}"), "text": text}],
        }
        for n, (name, text) in enumerate(
            (("spoon", "pick up spoon"), ("spoon", "pick up spoon"), ("vase", "pick up vase"))
        )
    ]
    rows, known = gather(episodes, ("shed",))
    assert len(rows) == 3
    assert "n:spoon" in known.features
    assert "n:vase" not in known.features


def test_a_training_goes_on_from_what_others_know_by_name(tmp_path: Path) -> None:
    torch.manual_seed(1)
    former = Swift(41, 3, 32, 1)
    save(tmp_path / "n.safetensors", [former, former], KNOWN)
    more = Lexicon({"a": 1, **{name: n + 1 for name, n in KNOWN.features.items()}}, ("new", *KNOWN.patterns), ("shed",))
    network = Swift(42, 4, 32, 1)
    taken_over(network, load(tmp_path / "n.safetensors"), 1, more)
    assert torch.allclose(network.embed.weight[2:], former.embed.weight[1:], atol=1e-3)
    assert not network.embed.weight[1].any()
    assert torch.allclose(network.chosen.weight[1:], former.chosen.weight, atol=1e-2)
    assert torch.allclose(network.ask[0][0].weight, former.ask[0][0].weight, atol=1e-3)


def made(folder: Path, seed: int, known: Lexicon) -> Network:
    """Two new networks in a folder."""
    torch.manual_seed(seed)
    networks = [Swift(len(known.features) + 1, len(known.patterns), 32, 1) for _ in range(2)]
    save(folder / "swift_scienceworld.safetensors", networks, known)
    return load(folder / "swift_scienceworld.safetensors")


def test_networks_of_two_trainings_are_joined(tmp_path: Path) -> None:
    more = replace(KNOWN, features={name: n for n, name in enumerate(sorted([*KNOWN.features, "a"]), 1)})
    one, other = made(tmp_path / "one", 1, KNOWN), made(tmp_path / "other", 2, more)
    folders = [str(tmp_path / name) for name in ("one", "other")]
    main(["--join", *folders, "--out", str(tmp_path / "out")])
    both = load(tmp_path / "out" / "swift_scienceworld.safetensors")
    assert both.known == more
    for name in one.arrays:
        if name == "embed.weight":
            rows = [0, *(more.features[feature] for feature in one.known.features)]
            assert np.array_equal(both.arrays[name][rows, 0], one.arrays[name][:, 0])
            assert not both.arrays[name][more.features["a"], 0].any()
            assert np.array_equal(both.arrays[name][:, 1], other.arrays[name][:, 1])
        else:
            assert np.array_equal(both.arrays[name], np.stack([one.arrays[name][0], other.arrays[name][1]]))


def test_networks_that_choose_among_other_acts_are_not_joined(tmp_path: Path) -> None:
    made(tmp_path / "one", 1, KNOWN)
    made(tmp_path / "other", 2, replace(KNOWN, patterns=("wait",)))
    with pytest.raises(Unready, match="the same acts"):
        main(["--join", str(tmp_path / "one"), str(tmp_path / "other"), "--out", str(tmp_path / "out")])


def test_what_was_known_before_stays_known() -> None:
    known = gather([], ("shed",), before=Lexicon({"f": 1}, ("wait", "sing {}"), ("shed",)))[1]
    assert known.features == {"f": 1} and known.patterns == ("sing {}", "wait")
