"""`models list` and `models fetch` on the command line."""

from __future__ import annotations

import sys

from chat.faults import ChatFault
from chat.settings import Settings


def models(settings: Settings, action: str, name: str) -> int:
    """Lists what can be had and what is here, or fetches one. Raises ChatFault."""
    from minds.models.language import ModelFault
    from minds.models.weights import CATALOGUE, fetch, is_here

    if action == "list":
        for weights in CATALOGUE.values():
            state = "here" if is_here(weights, settings.models_dir) else "not here"
            print(f"{weights.name:15} {weights.size / 1e6:6.0f} MB  {state:8}  {weights.about}")
        return 0
    try:
        path = fetch(name, settings.models_dir)
    except ModelFault as fault:
        raise ChatFault(str(fault)) from fault
    print(f"{name} is in {path}", file=sys.stderr)
    return 0
