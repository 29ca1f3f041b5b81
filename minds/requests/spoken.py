"""What a household request names outright: its thing, its place and its kind by their usual words, nothing learned.

People's descriptions teach which words mean what, but only for tasks that somebody made a game of. "Put two pillows
on the couch" is clear without any.
"""

from __future__ import annotations

import re
from functools import cache

from minds.requests.lexicon import tokens
from minds.requests.words import stem

_ALIASES = {
    "ArmChair": "armchair", "CellPhone": "phone|cellphone|mobile", "CoffeeMachine": "coffee maker|coffee machine",
    "CounterTop": "counter|countertop", "DeskLamp": "lamp|light", "DiningTable": "dining table|kitchen table",
    "Fridge": "refrigerator|fridge", "GarbageCan": "trash|bin|garbage|trashcan", "HandTowel": "towel",
    "KeyChain": "keys|key ring", "RemoteControl": "remote", "SideTable": "nightstand|night stand|end table",
    "SoapBar": "bar of soap|soap", "Sofa": "couch|settee", "StoveBurner": "stove|burner", "TissueBox": "tissues",
    "ToiletPaper": "rolls of toilet paper", "ToiletPaperHanger": "toilet paper holder", "WineBottle": "bottle of wine",
    "Cabinet": "cupboard", "DishSponge": "sponge", "Newspaper": "paper", "Statue": "figurine", "Glassbottle": "bottle",
}  # fmt: skip
_KINDS = (
    ("look_at_obj_in_light", re.compile(r"\b(?:lamp|light)", re.I)),
    ("pick_heat_then_place_in_recep", re.compile(r"\b(?:heat|warm|hot\b|cook|microwave[ds]? (?:an?|the)\b)", re.I)),
    ("pick_cool_then_place_in_recep", re.compile(r"\b(?:cool|chill|cold|refrigerate)", re.I)),
    ("pick_clean_then_place_in_recep", re.compile(r"\b(?:clean|wash|rins)", re.I)),
    ("pick_two_obj_and_place", re.compile(r"\b(?:two|2|both|pair|couple)\b", re.I)),
)
_MEANS = {"pick_heat_then_place_in_recep": {"Microwave", "StoveBurner"}, "pick_cool_then_place_in_recep": {"Fridge"}}
_SOURCE = re.compile(
    r"\b(?:from|off|out of)\b.*?(?=\b(?:to|into|in|on|onto|and)\b|$)|\b(?:left|right|side) of .*", re.I
)
_SEVERAL = re.compile(r"[a-z]{2,}[^aisu]s")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def spoken_kind(said: str) -> str:
    """The kind that the plainest words tell; without any of them something is only put somewhere."""
    return next((kind for kind, pattern in _KINDS if pattern.search(said)), "pick_and_place_simple")


def spoken_combos(said: str) -> tuple[str, frozenset[str], str]:
    """Kind, things and place that were said outright; the place is empty where none or more than one was said.

    Where a thing is to be taken from does not count, nor what it is heated or cooled with, nor one of several things.
    """
    kind, heard = spoken_kind(said), f" {_stems(_SOURCE.sub(' ', said))} "
    if kind == "pick_and_place_simple" and any(_several(word) for word in tokens(said)):
        return kind, frozenset(), ""
    names = set()
    for phrase, name in _phrases():  # the longest first, so that toilet paper is no toilet
        if f" {phrase} " in heard:
            heard = heard.replace(f" {phrase} ", " | ")
            names.add(name)
    places = [name for name in names - _MEANS.get(kind, set()) if name in PLACES.split()]
    return kind, frozenset(names & set(THINGS.split())), places[0] if len(places) == 1 else ""


@cache
def _phrases() -> list[tuple[str, str]]:
    """(phrase, name) of every name's usual words, the longest first."""
    usual = {name: [_HUMP.sub(" ", name), name, *_ALIASES.get(name, name).split("|")] for name in _names()}
    pairs = {(_stems(phrase), name) for name, phrases in usual.items() for phrase in phrases}
    return sorted(pairs, key=lambda pair: (-len(pair[0]), pair))


@cache
def _thing_words() -> frozenset[str]:
    return frozenset(word for phrase, name in _phrases() if name in THINGS for word in phrase.split())


def _names() -> list[str]:
    return f"{THINGS} {PLACES}".split()


def _several(word: str) -> bool:
    return bool(_SEVERAL.fullmatch(word)) and stem(word) in _thing_words()


def _stems(said: str) -> str:
    return " ".join(stem(word) for word in tokens(said))


THINGS = (
    "AlarmClock Apple Book Bowl Box Bread ButterKnife CD Candle CellPhone Cloth CreditCard Cup DishSponge Egg Fork "
    "Glassbottle HandTowel Kettle KeyChain Knife Ladle Laptop Lettuce Mug Newspaper Pan Pen Pencil PepperShaker Pillow "
    "Plate Pot Potato RemoteControl SaltShaker SoapBar SoapBottle Spatula Spoon SprayBottle Statue TissueBox "
    "ToiletPaper Tomato Vase Watch WateringCan WineBottle"
)
PLACES = (
    "ArmChair Bed Cabinet Cart CoffeeMachine CoffeeTable CounterTop Desk DeskLamp DiningTable Drawer Dresser Fridge "
    "GarbageCan Microwave Ottoman Safe Shelf SideTable Sofa StoveBurner Toilet ToiletPaperHanger"
)
"""By the data set's names, with blanks between."""
