# ruff: noqa: E501  (one kind a line)
"""The kinds of tasks that the text worlds have, by plain names; the simulators call them otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

World = Literal["household", "laboratory"]


@dataclass(frozen=True)
class Kind:
    """One kind of task."""

    world: World
    task: str
    """The simulator's name."""
    says: str
    """One line for the model, and for the person."""
    plain: bool = False
    """Its name says it all to a model."""
    free: bool = False
    """Which thing it is about is for whoever acts to find, or has no name that a person knows: any task of the kind will
    do where none is about the thing that is named."""
    usual: str = ""
    """Of its tasks those with this word are meant where nothing else is said."""


KINDS = {
    "put_somewhere": Kind("household", "pick_and_place_simple", "find a thing and put it in or on a place", True),
    "put_two_somewhere": Kind("household", "pick_two_obj_and_place", "find two things of one kind and put both in or on a place"),
    "clean_and_put": Kind("household", "pick_clean_then_place_in_recep", "wash or clean a thing, then put it in or on a place", True),
    "heat_and_put": Kind("household", "pick_heat_then_place_in_recep", "heat a thing, then put it in or on a place", True),
    "cool_and_put": Kind("household", "pick_cool_then_place_in_recep", "cool a thing, then put it in or on a place", True),
    "look_at_under_lamp": Kind("household", "look_at_obj_in_light", "take a thing and look at it in the light of a lamp"),
    "boil": Kind("laboratory", "boil", "bring a substance to a boil", True),
    "melt": Kind("laboratory", "melt", "melt a substance", True),
    "freeze": Kind("laboratory", "freeze", "freeze a substance", True),
    "change_state_of_matter": Kind("laboratory", "change-the-state-of-matter-of", "change a substance's state of matter, whichever way"),
    "measure_temperature": Kind("laboratory", "use-thermometer", "measure how warm a substance is with the thermometer", True),
    "melting_point_known": Kind("laboratory", "measure-melting-point-known-substance", "measure the melting point of a substance whose name is known (chocolate, lead)"),
    "melting_point_unknown": Kind("laboratory", "measure-melting-point-unknown-substance", "measure the melting point of an unknown substance (`unknown substance B`)", free=True),
    "power_component": Kind("laboratory", "power-component", "build a circuit that powers a component (light bulb, motor, buzzer)"),
    "power_by_kind_of_energy": Kind("laboratory", "power-component-renewable-vs-nonrenewable-energy", "power a component by renewable energy (sun, wind) or by nonrenewable energy, whichever is named"),
    "conductivity_known": Kind("laboratory", "test-conductivity", "test whether a named object (a fork, a glass cup) conducts electricity"),
    "conductivity_unknown": Kind("laboratory", "test-conductivity-of-unknown-substances", "test whether an unknown substance (`unknown substance B`) conducts electricity", free=True),
    "find_living": Kind("laboratory", "find-living-thing", "find any living thing and bring it to a box", True, True),
    "find_nonliving": Kind("laboratory", "find-non-living-thing", "find a thing that is not alive and bring it to a box", True, True),
    "find_plant": Kind("laboratory", "find-plant", "find a plant and bring it to a box", True, True),
    "find_animal": Kind("laboratory", "find-animal", "find an animal and bring it to a box", True, True),
    "grow_plant": Kind("laboratory", "grow-plant", "grow a plant from a seed", True),
    "grow_fruit": Kind("laboratory", "grow-fruit", "grow a fruit, which needs bees to pollinate flowers"),
    "mix_chemicals": Kind("laboratory", "chemistry-mix", "make a substance by mixing others after a recipe (salt water, rust, soap)"),
    "mix_paint_secondary": Kind("laboratory", "chemistry-mix-paint-secondary-color", "mix two primary paints to a secondary colour: green, orange or violet"),
    "mix_paint_tertiary": Kind("laboratory", "chemistry-mix-paint-tertiary-color", "mix paints in two rounds to a tertiary colour, whose name has two parts: yellow-orange, blue-green"),
    "longest_lived": Kind("laboratory", "lifespan-longest-lived", "find the animal that lives longest", True),
    "shortest_lived": Kind("laboratory", "lifespan-shortest-lived", "find the animal that lives shortest", True),
    "longest_then_shortest_lived": Kind("laboratory", "lifespan-longest-lived-then-shortest-lived", "find first the animal that lives longest, then the one that lives shortest", True),
    "life_stages_plant": Kind("laboratory", "identify-life-stages-2", "point out the life stages of a plant in order", True),
    "life_stages_animal": Kind("laboratory", "identify-life-stages-1", "point out the life stages of an animal in order", True),
    "steeper_plane": Kind("laboratory", "inclined-plane-determine-angle", "find out which of two inclined planes (ramps, slopes) is steeper, by their angles", True, True, "steepest"),
    "friction_named": Kind("laboratory", "inclined-plane-friction-named-surfaces", "compare the friction of two planes whose surfaces are named (steel, sandpaper)"),
    "friction_unnamed": Kind("laboratory", "inclined-plane-friction-unnamed-surfaces", "compare the friction of two planes whose surfaces have no names (`unknown material B`)", free=True),
    "genetics_known": Kind("laboratory", "mendelian-genetics-known-plant", "find out whether a trait of pea plants is dominant or recessive"),
    "genetics_unknown": Kind("laboratory", "mendelian-genetics-unknown-plant", "find out whether a trait of an unknown plant (`unknown plant B`) is dominant or recessive", free=True),
}  # fmt: skip
"""Plain name -> kind, the household's six first."""
if TYPE_CHECKING:
    KindName = str
else:
    KindName = Literal[tuple(KINDS)]
