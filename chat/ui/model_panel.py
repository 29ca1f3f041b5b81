"""The picker's HTML: which model answers, what can be fetched, what runs here, what is behind a key. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chat.ui.fields import model_name
from chat.ui.markup import escape, sentence
from minds.models.catalogue import Weights
from minds.models.language import ModelFault
from minds.models.listing import PROVIDERS, Found, Listed
from minds.models.machine import expected
from minds.models.spec import parse

if TYPE_CHECKING:
    from chat.fetching import Fetch
    from chat.loading import Health
    from chat.settings import Options
    from minds.models.trial import Trial

MOST = 400
"""Models of one server that are listed."""


def is_small(spec: str) -> bool:
    try:
        return parse(spec).small
    except ModelFault:
        return False


def minds(fast: str, slow: str, health: Sequence[Health]) -> str:
    """Which model answers, always in sight; a dot says whether it can."""
    states = {line.part: line.state for line in health}
    both = [("", fast)] if fast == slow else [("fast", fast), ("slow", slow)]
    return "".join(_mind(name, spec, states.get(name or "fast", "idle")) for name, spec in both)


def _mind(part: str, spec: str, state: str) -> str:
    which = f"<em>{part}</em>" if part else ""
    small = "<small>small</small>" if is_small(spec) else ""
    return f'<span class="mind {escape(state)}"><i></i>{which}<b>{escape(model_name(spec))}</b>{small}</span>'


def offer(missing: Sequence[Weights], fetches: Sequence[Fetch]) -> str:
    """Over the composer: weights that the conversation waits for, and downloads as they stand."""
    going = {fetch.spec: fetch for fetch in fetches if fetch.state != "here"}
    wanted = [_wanted(weights, going.pop(weights.spec, None)) for weights in missing]
    others = [_going(fetch) for fetch in going.values() if fetch.state in ("running", "failed")]
    return "".join(wanted + others)


def _wanted(weights: Weights, fetch: Fetch | None) -> str:
    if fetch:
        return _going(fetch)
    about = f"{size(weights.size)}, {escape(weights.licence)}"
    return (
        f'<div class="offer"><p><b>{escape(weights.title)}</b> is not on this machine yet ({about}).</p>'
        f"{_do('fetch', 'Fetch it', weights.spec, css='yes')}{_do('models', 'Other models')}</div>"
    )


def _going(fetch: Fetch) -> str:
    title, total = escape(fetch.title), fetch.total
    came = f"{fetch.done / 1e6:,.0f} of {total / 1e6:,.0f} MB" if total else "asking the hub"
    if fetch.state == "failed":
        again = _do("fetch", "Try again", fetch.spec) + _do("models", "Other models")
        dismiss = _do("drop-fetch", "Dismiss", fetch.spec)
        return f'<div class="offer failed" role="alert"><p>{sentence(fetch.fault)}</p>{again}{dismiss}</div>'
    if fetch.state == "stopped":
        again = _do("fetch", "Go on", fetch.spec, css="yes") + _do("models", "Other models")
        return f'<div class="offer"><p><b>{title}</b>: stopped at {came}; what came is kept.</p>{again}</div>'
    source = f" from {escape(fetch.source)}" if fetch.source else ""
    bar = f'<progress max="{total or 1}" value="{fetch.done}" aria-label="{title}"></progress>'
    return (
        f'<div class="offer going"><p>Fetching <b>{title}</b> <span class="cost">{came}{source}</span></p>'
        f"{_do('stop-fetch', 'Stop', fetch.spec)}{bar}</div>"
    )


def panel(
    options: Options, weights: Sequence[tuple[Weights, bool, Fetch | None]], speed: float, room: int,
    found: Sequence[Found] | None, keys: Sequence[str],
) -> str:  # fmt: skip
    """`weights`: each with whether it is here, and how its download stands. `found` is None before a look around."""
    rows = "".join(_row(one, here, fetch, speed, room, options) for one, here, fetch in weights)
    return f'<section><h3>On this machine</h3><ul class="choices">{rows}</ul></section>{_running(found)}{_keys(keys)}'


def _row(one: Weights, here: bool, fetch: Fetch | None, speed: float, room: int, options: Options) -> str:
    quick = f" · about {_figure(expected(one, speed))} tokens/s here" if speed else ""
    fits = "" if one.room <= room else '<span class="unfit">wants more memory than is free</span>'
    about = f"{size(one.size)} · {escape(one.licence)} · {size(one.memory)} of memory{quick}"
    used = [name for name, spec in (("fast", options.fast_model), ("slow", options.slow_model)) if spec == one.spec]
    mark = f'<span class="used">{" and ".join(used)}</span>' if used else ""
    if fetch and fetch.state == "running":
        action = _do("stop-fetch", f"Stop ({fetch.done / max(1, fetch.total):.0%})", one.spec)
    elif here:
        action = _do("use", "Use", one.spec)
    else:
        action = _do("fetch-use", "Fetch and use", one.spec)
    return (
        f'<li data-key="{escape(one.spec)}"><div><b>{escape(one.title)}</b>{mark}'
        f"<small>{about}</small>{fits}</div>{action}</li>"
    )


def _running(found: Sequence[Found] | None) -> str:
    if found is None:
        inside = '<p class="none">Looking …</p>'
    elif not found:
        inside = '<p class="none">No Ollama, LM Studio, llama-server or vLLM answers on its usual port.</p>'
    else:
        inside = "".join(_server(server) for server in found)
    return f"<section><h3>Running here already {_do('look', 'Look again')}</h3>{inside}</section>"


def _server(server: Found) -> str:
    return (
        f'<form class="try" data-key="{escape(server.url)}" data-url="{escape(server.url)}">'
        f"<b>{escape(server.name)}</b><small>{escape(server.url)}; nothing is sent there unless you say so</small>"
        f'{_choice(server.models)}<button class="b text">Try it</button></form>'
    )


def _choice(models: Sequence[Listed]) -> str:
    options = "".join(f'<option data-context="{one.context}">{escape(one.name)}</option>' for one in models[:MOST])
    return f'<select name="model" aria-label="Model">{options}</select>'


def _keys(keys: Sequence[str]) -> str:
    if not keys:
        return ""
    rows = "".join(f"<li><span>{escape(where)}</span>{_do('forget-key', 'Forget', where)}</li>" for where in keys)
    return f'<section><h3>Keys that are kept</h3><ul class="kept">{rows}</ul></section>'


def whose() -> str:
    """A key that fits nobody for certain: it is sent nowhere before this is answered."""
    names = "".join(f"<option>{escape(one.name)}</option>" for one in PROVIDERS)
    return (
        "<p>How this key begins does not tell whose it is, and it is sent to nobody else. Whose is it?</p>"
        f'<label>Provider <select name="provider" form="key-form"><option value=""></option>{names}</select></label>'
    )


def listed(name: str, url: str, models: Sequence[Listed]) -> str:
    """An address that answered."""
    return (
        f'<form class="try" data-url="{escape(url)}"><p><b>{escape(name)}</b> answers and has '
        f"{len(models)} model{'' if len(models) == 1 else 's'}. Trying one makes two small calls.</p>"
        f'{_choice(models)}<button class="b text yes">Try it</button></form>'
    )


def tried(trial: Trial) -> str:
    """What a model can, and which mind it is for."""
    tools = "It calls tools." if trial.tools else "It calls no tools: the slow mind asks it in words."
    sight = "It sees pictures." if trial.sees else "It sees no pictures."
    context = (
        f"It reads {trial.context:,} tokens at once." if trial.context else "How much it reads at once is not told."
    )
    speed = f", then {_figure(trial.speed)} tokens/s" if trial.speed else ""
    uses = "".join(_do("use-for", words, trial.spec, mind=mind) for mind, words in _USES)
    return (
        f'<div class="tried"><p><b>{escape(model_name(trial.spec))}</b> answers: the first word came '
        f"after {trial.first:.1f} s{speed}. {tools} {sight} {context}</p>"
        f'<p>Which mind is it for?</p><div class="uses">{uses}</div></div>'
    )


_USES = (("both", "Both minds"), ("fast", "Fast mind"), ("slow", "Slow mind"))


def fault(words: object) -> str:
    return f'<p class="fault" role="alert">{sentence(words)}</p>'


def size(bytes_: int) -> str:
    return f"{bytes_ / 1e9:.1f} GB" if bytes_ >= 1e8 else f"{bytes_ / 1e6:.1f} MB"


def _figure(speed: float) -> str:
    return f"{speed:.0f}" if speed >= 3 else f"{speed:.1f}"


def _do(do: str, words: str, value: str = "", *, css: str = "", mind: str = "") -> str:
    data = f' data-value="{escape(value)}"' if value else ""
    data += f' data-mind="{mind}"' if mind else ""
    return f'<button type="button" class="b text {css}" data-do="{do}"{data}>{words}</button>'
