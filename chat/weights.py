"""`models list` and `models fetch` on the command line."""

from __future__ import annotations

import asyncio
import sys

from chat.faults import ChatFault
from chat.settings import Settings


def models(settings: Settings, action: str, name: str) -> int:
    """Lists what can be had and what is here, or fetches one. Raises ChatFault."""
    return _list(settings) if action == "list" else _fetch(settings, name)


def _list(settings: Settings) -> int:
    from minds.models.catalogue import known
    from minds.models.default import called
    from minds.models.machine import expected, probed, room

    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    speed, free = probed(settings.home), room()
    print(f"{'model':14} {'size':>8}  {'licence':12} {'memory':>8}  {'expected':>12}  {'fits':4}")
    for weights in known(settings.models_dir):
        fits, here = (
            "yes" if weights.room <= free else "no",
            "here" if weights.here(settings.models_dir) else "not here",
        )
        print(
            f"{weights.spec:14} {weights.size / 1e9:5.1f} GB  {weights.licence:12} {weights.memory / 1e9:5.1f} GB  "
            f"{expected(weights, speed):5.0f} tokens/s  {fits:4}  {here}"
        )
    print(f"embedded is {called('embedded', settings.models_dir)}")
    _list_servers()
    return 0


def _list_servers() -> None:
    """What runs here already: it can be used, and is not unless somebody says so."""
    from minds.models.listing import running_here

    for found in asyncio.run(running_here()):
        names = ", ".join(model.name for model in found.models[:5])
        print(f"{found.name} runs at {found.url} with {names}: openai:{found.models[0].name}@{found.url}")


def _fetch(settings: Settings, name: str) -> int:
    """`embedded` or an explicit one; without a name, those that the settings' minds are."""
    from minds.models.language import ModelFault

    wanted = [name if name.startswith(("embedded", "gguf:")) else f"embedded:{name}"] if name else _of_minds(settings)
    try:
        for spec in wanted:
            _fetch_one(settings, spec)
    except ModelFault as fault:
        raise ChatFault(str(fault)) from fault
    if not wanted:
        print("Neither mind has an embedded model: nothing is to be fetched.", file=sys.stderr)
    return 0


def _of_minds(settings: Settings) -> list[str]:
    both = dict.fromkeys([settings.fast_model, settings.slow_model])
    return [spec for spec in both if spec.startswith(("embedded", "gguf:hf:"))]


def _fetch_one(settings: Settings, spec: str) -> None:
    from minds.models.default import called, fetch_default
    from minds.models.spec import parse
    from minds.models.weights import fetch_shown, wanted

    if name := parse(spec).name:
        weights = wanted(name, settings.models_dir)
        path = fetch_shown(weights, settings.models_dir)
        print(f"{weights.spec} is in {path}", file=sys.stderr)
        return
    fetch_default(settings.models_dir, fetch_shown, lambda why: print(why, file=sys.stderr))
    print(f"embedded is {called('embedded', settings.models_dir)}, in {settings.models_dir}", file=sys.stderr)
