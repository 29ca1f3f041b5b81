"""`models list` and `models fetch` on the command line."""

from __future__ import annotations

import sys

from chat.faults import ChatFault
from chat.settings import Settings


def models(settings: Settings, action: str, name: str) -> int:
    """Lists what can be had and what is here, or fetches one. Raises ChatFault."""
    from minds.models.language import ModelFault
    from minds.models.weights import entry, fetch_shown, listing

    if action == "list":
        for weights, here in listing(settings.models_dir):
            state = "here" if here else "not here"
            print(f"embedded:{weights.name:6} {weights.size / 1e6:6.0f} MB  {state:8}  {weights.repo}")
        return 0
    try:
        path = fetch_shown(entry(name.removeprefix("embedded").removeprefix(":") or "0.5b"), settings.models_dir)
    except ModelFault as fault:
        raise ChatFault(str(fault)) from fault
    print(f"{name} is in {path}", file=sys.stderr)
    return 0
