"""The picker's HTML, by models.html: which model answers, what can be fetched, what runs here, what is behind a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chat.fetching import Fetch
from chat.loading import Health
from chat.settings import Options
from chat.ui.drawing import macros
from chat.ui.fields import model_name
from chat.ui.language import N_, _, number
from minds.models.catalogue import Weights
from minds.models.language import ModelFault
from minds.models.listing import Found
from minds.models.machine import expected
from minds.models.spec import parse

MOST = 400
"""Models of one server that are listed."""
_USED_BY = {(True, False): N_("fast"), (False, True): N_("slow"), (True, True): N_("fast and slow")}
ADMINS = N_("Models are fetched, tried and given keys by the admins of this Duet.")


def parts() -> Any:
    """Macros that give what the picker shows."""
    return macros("models.html", model_name=model_name, figure=_figure, MOST=MOST)


def is_small(spec: str) -> bool:
    try:
        return parse(spec).small
    except ModelFault:
        return False


def minds(fast: str, slow: str, health: Sequence[Health]) -> str:
    """Which model answers, always in sight; a dot says whether it can."""
    states = {line.part: line.state for line in health}
    both = [("", fast)] if fast == slow else [("fast", fast), ("slow", slow)]
    shown = [(part, model_name(spec), is_small(spec), states.get(part or "fast", "idle")) for part, spec in both]
    return str(parts().minds(shown))


def offer(missing: Sequence[Weights], fetches: Sequence[Fetch], *, admin: bool) -> str:
    """Over the composer: weights that the conversation waits for, and downloads as they stand; buttons for an admin."""
    going = {fetch.spec: fetch for fetch in fetches if fetch.state != "here"}
    shown = []
    for weights in missing:
        fetch = going.pop(weights.spec, None)
        shown.append(parts().going(fetch, admin) if fetch else parts().wanted(weights, size(weights.size), admin))
    shown += [parts().going(fetch, admin) for fetch in going.values() if fetch.state in ("running", "failed")]
    return "".join(shown)


def panel(
    options: Options, weights: Sequence[tuple[Weights, bool, Fetch | None]], speed: float, room: int,
    found: Sequence[Found] | None, keys: Sequence[str],
) -> str:  # fmt: skip
    """`weights`: each with whether it is here, and how its download stands. `found` is None before a look around."""
    rows = []
    for one, here, fetch in weights:
        about = [size(one.size), one.licence, _("{size} of memory").format(size=size(one.memory))]
        about += [_("about {n} tokens/s here").format(n=_figure(expected(one, speed)))] if speed else []
        used = _USED_BY.get((one.spec == options.fast_model, one.spec == options.slow_model), "")
        part = 100 * fetch.done / max(1, fetch.total) if fetch and fetch.state == "running" else None
        rows.append((one, about, one.room <= room, used, here, part))
    return str(parts().panel(rows, found, keys))


def allowed_panel(options: Options, allowed: Mapping[str, str]) -> str:
    """For who is no admin: `allowed` are the specs that may be chosen, with their names."""
    minds = minds_of(options)
    used = {spec: _USED_BY.get((spec == minds[0], spec == minds[1]), "") for spec in allowed}
    return str(parts().allowed([(spec, name, used[spec]) for spec, name in allowed.items()], ADMINS))


def minds_of(options: Options) -> tuple[str, str]:
    """The specs of the fast mind and the slow."""
    return options.fast_model, options.slow_model


def size(bytes_: int) -> str:
    large = _("{n} GB").format(n=number(bytes_ / 1e9, 1))
    return large if bytes_ >= 1e8 else _("{n} MB").format(n=number(bytes_ / 1e6, 1))


def _figure(speed: float) -> str:
    return number(speed, 0 if speed >= 3 else 1)
