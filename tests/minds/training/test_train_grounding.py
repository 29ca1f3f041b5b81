"""Words to actions, as they are fitted: made sentences, networks, and the weights file that the rules' side reads."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from minds.training.grounding import train as train_grounding
from minds.training.grounding.cases import FRESH, GROUPS, Case, judge, read_cases
from minds.training.grounding.choice import Choices, fit_decider
from minds.training.grounding.gist import Gists, read_of
from minds.training.grounding.net import Index, Scorer, Shown, Vectors, coded, fit_scorer, likely, shown, tensors
from minds.training.grounding.said import Said, chat, labelled, made, others, phrases
from minds.training.grounding.sentences import files, rows
from tools.worlds.words import scorer
from tools.worlds.words.gist import LEAST, Gist, gist
from tools.worlds.words.options import options
from tools.worlds.words.spots import heard

LISTED = ("go to desk 1", "go to drawer 1", "go to drawer 2", "take mug 1 from desk 1", "open drawer 1", "look")
ROOM = Said("take the mug", "alfworld", "On the desk 1, you see a mug 1.", LISTED, (), ("take mug 1 from desk 1",))
SAYINGS = [
    ROOM,
    Said("go to the desk", "alfworld", "", LISTED, (), ("go to desk 1",)),
    Said("open drawer 1", "alfworld", "", LISTED, (), ("open drawer 1",)),
    Said("nice weather", "alfworld", "", LISTED, (), ()),
]


def everything() -> tuple[list[tuple[Shown, ...]], Vectors, Index]:
    rows = [shown(said) for said in SAYINGS]
    names = sorted({name for ways in rows for args in ways[0].args for name in args})
    features = sorted({name for ways in rows for name in ways[0].signs})
    verbs = ["", "?", *sorted({verb for ways in rows for verb in ways[0].verbs} - {""})]
    index = Index(*({name: i for i, name in enumerate(table)} for table in (features, verbs, names)))
    chance = np.random.default_rng(1)
    said = {said.says: chance.normal(size=(4, 384)).astype(np.float32) for said in SAYINGS}
    return (
        rows,
        Vectors(said, chance.normal(size=(len(names), 384)).astype(np.float32), np.zeros(384, np.float32)),
        index,
    )


def test_a_sentence_is_shown_with_its_verb_and_without() -> None:
    plain, deaf = shown(ROOM)
    assert plain.actions[0] == "" and [a for a, ok in zip(plain.actions, plain.right, strict=True) if ok] == [
        "take mug 1 from desk 1"
    ]
    assert "cue" in plain.signs and len(deaf.signs) < len(plain.signs)
    assert plain.starts[-1] == len(plain.signs) == len(plain.values)


def test_made_sentences_ask_for_what_is_admissible() -> None:
    found = made([ROOM] * 2 + [Said("x", "scienceworld", "", ("go to kitchen", "wait1", "eat apple"), (), ())])
    assert 10 < len(found) <= 22 and all(set(said.expect) <= set(said.admissible) for said in found)
    assert any(not said.expect for said in found) and len({said.says for said in found}) > 10
    assert made([ROOM]) == made([ROOM])
    assert {"go to", "take", "none"} <= phrases().keys() and "couch" in others()["sofa"]
    assert all(not said.expect for said in chat([ROOM], 5))


def test_sentences_come_in_their_states() -> None:
    assert {*files()} == {file for group in GROUPS for file in group}
    assert sum(len(rows(file)) for file in files()) == 14787
    first, second = labelled("dev")[:2]
    assert first.admissible == second.admissible and "take lettuce 3 from diningtable 2" in first.admissible
    assert second.expect == ("take lettuce 3 from diningtable 2",) and second.recent[-1] == "go to diningtable 2"
    assert rows("test") == []


def test_what_is_fitted_is_what_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.numpy import save_file

    shown_rows, vectors, index = everything()
    rows = [tuple(coded(way, index) for way in ways) for ways in shown_rows]
    monkeypatch.setattr("minds.training.grounding.net.EPOCHS", 30)
    net = fit_scorer(rows, [1.0] * len(rows), vectors, index, 0, lambda _: None)
    guesses = likely(net, [ways[0] for ways in rows], vectors, True)
    assert [max(guess, key=lambda a: guess[a]) for guess in guesses] == [(*said.expect, "")[0] for said in SAYINGS]
    stored = tensors(net, "net0") | {"mean": vectors.mean, "names": vectors.names}
    about = {key: list(table) for key, table in vars(index).items()} | {"signs": [], "heard": []}
    save_file(stored, tmp_path / "w.safetensors", {key: json.dumps(value) for key, value in about.items()})
    weights = scorer.load(tmp_path / "w.safetensors")
    for said, guess in zip(SAYINGS, guesses, strict=True):
        found = options(heard(said.says, said.here), said.here)
        run = scorer.chances(vectors.said[said.says], found, said.here, lambda text: vectors.said[text], weights)
        assert all(math.isclose(math.exp(run[a]), math.exp(guess[a]), abs_tol=0.02) for a in guess)


def test_a_decider_learns_which_sign_counts() -> None:
    table = np.array([[1, 0], [0, 1]] * 20, np.float32)
    right = np.array([True, False] * 20)
    net = fit_decider(table, np.repeat(np.arange(20), 2), right, np.ones(20, np.float32), 0)
    with torch.no_grad():
        scores = net(torch.from_numpy(table[:2]))
    assert scores[0] > scores[1] + 1
    assert set(tensors(Scorer(3, 2), "net0")) >= {"net0.signs", "net0.attend_bias", "net0.words", "net0.top"}


def test_the_rules_judge_the_sentences() -> None:
    cases = read_cases(limit=6)
    assert {case.file for case in cases} == {file for group in GROUPS for file in group} > FRESH
    assert all(case.heard.whole.kind in ("did", "ask", "no", "none") for case in cases)
    assert all(set(case.heard.whole.actions) <= {*case.said.admissible} for case in cases)
    assert judge(ROOM).whole.actions == ROOM.expect


def test_the_decision_is_fitted_to_candidates_of_all_cases() -> None:
    cases = [Case("a" if i % 2 else "b", said, judge(said)) for i, said in enumerate(SAYINGS * 4)]
    chances = {**dict.fromkeys(LISTED, -3.0), "": -1.0}
    about = Gist(1.0, {"take": -0.1, "go to": -2.0})
    choices = Choices(cases, [chances] * len(cases), [about] * len(cases))
    assert choices.right(choices.fitted(), "a") + choices.right(choices.fitted(), "b") == len(cases)
    assert {"did", "mass", "act: asked", "verb beaten"} <= {*choices.signs}


def test_the_gist_that_is_fitted_is_the_one_that_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    _, vectors, _ = everything()
    monkeypatch.setattr("minds.training.grounding.gist.EPOCHS", 60)
    cases = [Case("a", said, judge(said)) for said in SAYINGS]
    gists = Gists([read_of(case) for case in cases], vectors, lambda _: None)
    every = range(len(cases))
    reader = gists.fitted(every, [True] * len(cases), 0)
    found = gists.read([reader], every)
    assert [about.asked > 0 for about in found] == [bool(said.expect) for said in SAYINGS]
    assert all(about.of(["levitate"]) == [LEAST] for about in found)
    net = {key.removeprefix("g."): tensor.astype(np.float32) for key, tensor in tensors(reader, "g").items()}
    index = {verb: i for i, verb in enumerate(gists.verbs)}
    for said, about, read in zip(SAYINGS, found, gists.reads, strict=True):
        run = gist(vectors.said[said.says.lower()] - vectors.mean, read.last, read.aside, [net], index)
        assert math.isclose(run.asked, about.asked, abs_tol=0.05)
        assert all(math.isclose(run.of([verb])[0], about.verbs[verb], abs_tol=0.05) for verb in gists.verbs)


def test_what_is_kept_is_made_anew_for_other_sentences(tmp_path: Path) -> None:
    kept = train_grounding.Kept(tmp_path)
    assert kept.get("x", ("a",), lambda: 1) == 1 and kept.get("x", ("a",), lambda: 2) == 1
    assert kept.get("x", ("b",), lambda: 3) == 3
    (tmp_path / "x.pickle").write_bytes(b"broken")
    assert kept.get("x", ("b",), lambda: 4) == 4


def test_without_sentences_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("minds.training.grounding.cases.labelled", lambda file: [])
    assert train_grounding.main(["--out", str(tmp_path)]) == 1
    assert "no development sentences" in capsys.readouterr().out
