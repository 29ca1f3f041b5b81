"""What programs ask of the periodic table (periodictable, masses of IUPAC)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, TypedDict

LONGEST = 200
"""Characters of a formula."""
_HYDRATE = re.compile(r"(?<!\b0)(?<!\D0)\.(\d+\.\d+|\d*)H2O(?![a-z\d])")
"""A full stop before water is an addition, as in CuSO4.5H2O, but not within a number: Fe0.95O."""
_SPELT = {"aluminium": "aluminum", "caesium": "cesium", "sulphur": "sulfur"}


class Element(TypedDict):
    """What `element` gives."""

    symbol: str
    name: str
    number: int
    mass: float
    """Grams of a mole."""


def functions() -> dict[str, Callable[..., object]]:
    """What a program can call, by name."""
    return {"element": element, "molar_mass": molar_mass}


def element(name: str | int) -> Element:
    """By its symbol, English name or number: `Fe`, `iron`, 26. Raises ValueError."""
    found = _found(str(name).strip())
    if found is None:
        raise ValueError(f"no element {str(name)[:40]!r}; write its symbol, English name or number, such as 'Fe'")
    return Element(symbol=found.symbol, name=found.name, number=found.number, mass=float(found.mass))


def _found(name: str) -> Any:
    from periodictable import elements

    spelt = _SPELT.get(name.casefold(), name.casefold())
    known = (one for one in elements if one.number)  # the neutron comes first
    return next((one for one in known if name in (one.symbol, str(one.number)) or spelt == one.name), None)


def molar_mass(formula: str) -> float:
    """Grams of a mole: `H2O`, `Ca(OH)2`, `CuSO4·5H2O`. Raises ValueError."""
    from periodictable import formula as parsed
    from pyparsing import ParseBaseException

    plain = unicodedata.normalize("NFKC", str(formula)).replace("·", "+").replace("*", "+").strip()
    plain = plain if "+" in plain else _HYDRATE.sub(r"+\1H2O", plain)
    try:
        mass = float(parsed(plain).mass) if 0 < len(plain) <= LONGEST else 0.0
    except (ParseBaseException, ValueError, TypeError, KeyError, RecursionError):
        mass = 0.0
    if not mass:
        raise ValueError(
            f"no formula {str(formula)[:40]!r}; write one such as 'H2O' or 'Ca(OH)2', with capitals as in 'Co'"
        )
    return round(mass, 6)
