"""`models list` and `models fetch` on the command line."""

from __future__ import annotations

import sys

from chat.faults import ChatFault
from chat.settings import Settings


def models(settings: Settings, action: str, name: str) -> int:
    """Lists what can be had and what is here, or fetches one. Raises ChatFault."""
    return _list(settings) if action == "list" else _fetch(settings, name)


def _list(settings: Settings) -> int:
    from minds.models.default import called
    from minds.models.weights import listing

    for weights, here in listing(settings.models_dir):
        state = "here" if here else "not here"
        print(f"embedded:{weights.name:6} {weights.size / 1e6:6.0f} MB  {state:8}  {weights.repo}")
    print(f"embedded is {called('embedded', settings.models_dir)}")
    return 0


def _fetch(settings: Settings, name: str) -> int:
    """`embedded` or an explicit one; without a name, those that the settings' minds are."""
    from minds.models.language import ModelFault
    from minds.models.spec import parse

    wanted = [name if name.startswith("embedded") else f"embedded:{name}"] if name else _of_minds(settings)
    try:
        for spec in wanted:
            _fetch_one(settings, parse(spec).name)
    except ModelFault as fault:
        raise ChatFault(str(fault)) from fault
    if not wanted:
        print("Neither mind has an embedded model: nothing is to be fetched.", file=sys.stderr)
    return 0


def _of_minds(settings: Settings) -> list[str]:
    both = dict.fromkeys([settings.fast_model, settings.slow_model])
    return [spec for spec in both if spec.startswith("embedded")]


def _fetch_one(settings: Settings, name: str) -> None:
    from minds.models.default import called, fetch_default
    from minds.models.weights import entry, fetch_shown

    if name:
        path = fetch_shown(entry(name), settings.models_dir)
        print(f"embedded:{name} is in {path}", file=sys.stderr)
        return
    fetch_default(settings.models_dir, fetch_shown, lambda why: print(why, file=sys.stderr))
    print(f"embedded is {called('embedded', settings.models_dir)}, in {settings.models_dir}", file=sys.stderr)
