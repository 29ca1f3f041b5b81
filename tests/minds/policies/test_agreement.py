"""Which of several ways to an answer is believed: they agree on figures that were not said, or in most words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from minds.policies.agreement import WEIGHTS, Way, agree, asserted, chosen, features, sure
from minds.training.agreement import chosen_bar, fold_of, main

TABLE = "Here it is:\n\n| what | how many |\n|---|---|\n| socks | 5 |"
EMPTY = "\n".join(json.dumps({"id": f"{n}", "said": "1", "ways": [], "right": []}) for n in range(20))
"""Items of many folds to which no way gave an answer."""
SAID = "I have 3 boxes of 12 eggs and drop 5. How many are left?"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *[("one", "one"), ("a\n\nb\n\n c \n\n", "c"), ("a\nb", "b"), ("", ""), (" \n\n ", "")],
        *[("A. B. C.\n---", "B. C."), ("It fell.\n-5 degrees.", "-5 degrees.")],
        *[(TABLE, TABLE), ("Take:\n- socks\n- soap", "Take:\n- socks\n- soap")],
    ],
)
def test_the_last_sentences_are_asserted_and_of_a_table_or_list_all(text: str, wanted: str) -> None:
    assert asserted(text) == wanted


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("31 eggs are left.", "So 36 - 5 = 31.", True),
        ("31 eggs are left.", "36 eggs.", False),
        ("1,250.50", "That makes 1250.5 in all", True),
        ("It is 12.", "3 times 12", True),  # all of it was said: then that is what is asserted
        ("The second shop is cheaper.", "the second shop is cheaper, by far", True),
        ("The second shop is cheaper.", "The first one.", False),
        ("31", "many", False),
        ("", "31", False),
        ("The 12 eggs go to Monday's cake.", "The 12 eggs go to Tuesday's cake.", False),
        ("It is a Sunday.", "That will be on Sunday then.", True),
    ],
)
def test_answers_agree_on_what_was_not_said(one: str, other: str, same: bool) -> None:
    assert agree(one, other, SAID) is same and agree(other, one, SAID) in (same, True)


def test_what_words_and_program_both_find_is_believed_above_what_one_finds() -> None:
    ways = [Way("program", "99", -2.0), Way("again", "31", -2.0), Way("words", "31 are left", -2.0)]
    best, p = chosen(ways, SAID)
    alone = chosen(ways[:1], SAID)[1]
    assert best in (1, 2) and p > alone
    assert chosen([ways[1], ways[2]], SAID)[1] > alone


def test_features_tell_kinds_agreement_and_how_sure_the_model_was() -> None:
    ways = [Way("program", "31", -3.0, "print(3 * 12 - 5)"), Way("words", "It is 31.", -90.0, "36 - 5")]
    program, words = features(ways, 0, SAID), features(ways, 1, SAID)
    assert program[:5] == [0, 0, 1, 0, 0] and words[:5] == [1, 0, 1, 0, 0]
    assert program[5:9] == [0, 0, -0.3, 0] and words[5:9] == [0, 0, 0, -4]
    behind = [features(ways, number, SAID, behind=True)[5:7] for number in (0, 1)]
    assert behind == [[1, 0], [1, 1]]


def test_a_fit_on_what_was_collected_finds_that_agreement_is_right(tmp_path: Path) -> None:
    rows = []
    for n in range(40):
        good = n % 2 == 0
        ways = [
            {"kind": kind, "answer": str(100 + n if good or kind == "words" else 900), "odds": -4.0, "working": ""}
            for kind in ("program", "words")
        ]
        rows.append({"id": str(n), "kind": "sum", "said": "how many?", "ways": ways, "right": [good, good]})
    data, out = tmp_path / "ways.jsonl", tmp_path / "agreement.json"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    main(["--data", str(data), "--out", str(out)])
    fitted = json.loads(out.read_text(encoding="utf-8"))
    assert len(fitted["weights"]) == len(json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"])
    assert fitted["weights"][2] > fitted["weights"][4] + 0.5 and 0 < fitted["sure"] < 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "No such file"),
        ("", "holds no items"),
        ("[]", "a row that is none"),
        ('{"id": "a"}', "a row that is none"),
        ('{"id": "a", "said": "1", "ways": [], "right": []}', "too few items"),
        (EMPTY, "too few items with a way"),
        ('{"id": "a", "said": "1", "ways": [], "right": []}\n{', "line 2 of .* is no JSON"),
    ],
)
def test_data_that_cannot_be_fitted_on_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, told: str
) -> None:
    if text is not None:
        (tmp_path / "ways.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path / "ways.jsonl"), "--out", str(tmp_path / "out.json")])
    assert re.search(told, capsys.readouterr().err)


def test_an_item_is_in_the_same_fold_in_every_file() -> None:
    """Told as a number here: the hash must be the same in every process."""
    assert fold_of({"id": "a"}) == fold_of({"id": "a", "said": "again"}) == 3
    assert len({fold_of({"id": f"gsm8k-{n}"}) for n in range(100)}) == 8


def test_the_bar_parts_sure_from_doubt() -> None:
    assert sure(1.0) and not sure(0.0)


def test_the_bar_is_chosen_as_the_ways_are_tried_until_one_is_sure() -> None:
    """Each item would be right in the end, but a bar below 0.6 would stop at the wrong program."""
    bar, figures = chosen_bar([[(0.6, False), (0.9, True)]] * 10)
    assert 0.6 < bar <= 0.9 and figures["wrong_and_sure"] == 0 and figures["right_free_of_doubt"] == 1
