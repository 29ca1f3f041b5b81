"""The picker's HTML: which model answers, what can be fetched, what runs here, what is behind a key. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chat.ui.fields import model_name
from chat.ui.language import N_, _, ngettext, number
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
    which = f"<em>{_(part)}</em>" if part else ""
    small = f"<small>{_('small')}</small>" if is_small(spec) else ""
    return (
        f'<span class="mind {escape(state)}"><i></i>{which}<b dir="auto">{escape(model_name(spec))}</b>{small}</span>'
    )


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
    told = _("{model} is not on this machine yet ({about}).").format(model=_bold(weights.title), about=about)
    fetch_it = _do("fetch", _("Fetch it"), weights.spec, css="yes")
    return f'<div class="offer"><p>{told}</p>{fetch_it}{_do("models", _("Other models"))}</div>'


def _bold(name: str) -> str:
    return f'<b dir="auto">{escape(name)}</b>'


def _going(fetch: Fetch) -> str:
    title, total = escape(fetch.title), fetch.total
    came = _("{n} of {total} MB").format(n=number(fetch.done / 1e6), total=number(total / 1e6))
    came = came if total else _("asking the hub")
    if fetch.state == "failed":
        again = _do("fetch", _("Try again"), fetch.spec) + _do("models", _("Other models"))
        dismiss = _do("drop-fetch", _("Dismiss"), fetch.spec)
        return f'<div class="offer failed" role="alert"><p>{sentence(fetch.fault)}</p>{again}{dismiss}</div>'
    if fetch.state == "stopped":
        again = _do("fetch", _("Go on"), fetch.spec, css="yes") + _do("models", _("Other models"))
        told = _("{model}: stopped at {came}; what came is kept.").format(model=_bold(fetch.title), came=came)
        return f'<div class="offer"><p>{told}</p>{again}</div>'
    came = _("{came} from {source}").format(came=came, source=escape(fetch.source)) if fetch.source else came
    told = _("Fetching {model}").format(model=_bold(fetch.title))
    bar = f'<progress max="{total or 1}" value="{fetch.done}" aria-label="{title}"></progress>'
    return (
        f'<div class="offer going"><p>{told} <span class="cost">{came}</span></p>'
        f"{_do('stop-fetch', _('Stop'), fetch.spec)}{bar}</div>"
    )


def panel(
    options: Options, weights: Sequence[tuple[Weights, bool, Fetch | None]], speed: float, room: int,
    found: Sequence[Found] | None, keys: Sequence[str],
) -> str:  # fmt: skip
    """`weights`: each with whether it is here, and how its download stands. `found` is None before a look around."""
    rows = "".join(_row(one, here, fetch, speed, room, options) for one, here, fetch in weights)
    here = f'<section><h3>{_("On this machine")}</h3><ul class="choices">{rows}</ul></section>'
    return f"{here}{_running(found)}{_keys(keys)}"


def _row(one: Weights, here: bool, fetch: Fetch | None, speed: float, room: int, options: Options) -> str:
    memory = _("{size} of memory").format(size=size(one.memory))
    parts = [size(one.size), escape(one.licence), memory]
    parts += [_("about {n} tokens/s here").format(n=_figure(expected(one, speed)))] if speed else []
    about = " · ".join(parts)
    fits = "" if one.room <= room else f'<span class="unfit">{_("wants more memory than is free")}</span>'
    used = _USED_BY.get((one.spec == options.fast_model, one.spec == options.slow_model), "")
    mark = f'<span class="used">{_(used)}</span>' if used else ""
    if fetch and fetch.state == "running":
        part = number(100 * fetch.done / max(1, fetch.total))
        action = _do("stop-fetch", _("Stop ({n}%)").format(n=part), one.spec)
    elif here:
        action = _do("use", _("Use"), one.spec)
    else:
        action = _do("fetch-use", _("Fetch and use"), one.spec)
    return (
        f'<li data-key="{escape(one.spec)}"><div>{_bold(one.title)}{mark}'
        f"<small>{about}</small>{fits}</div>{action}</li>"
    )


def _running(found: Sequence[Found] | None) -> str:
    if found is None:
        inside = f'<p class="none">{_("Looking …")}</p>'
    elif not found:
        none = _("No Ollama, LM Studio, llama-server or vLLM answers on its usual port.")
        inside = f'<p class="none">{none}</p>'
    else:
        inside = "".join(_server(server) for server in found)
    return f"<section><h3>{_('Running here already')} {_do('look', _('Look again'))}</h3>{inside}</section>"


def _server(server: Found) -> str:
    about = _("{address}; nothing is sent there unless you say so").format(address=f"<bdi>{escape(server.url)}</bdi>")
    return (
        f'<form class="try" data-key="{escape(server.url)}" data-url="{escape(server.url)}">'
        f"{_bold(server.name)}<small>{about}</small>"
        f'{_choice(server.models)}<button class="b text">{_("Try it")}</button></form>'
    )


def _choice(models: Sequence[Listed]) -> str:
    options = "".join(f'<option data-context="{one.context}">{escape(one.name)}</option>' for one in models[:MOST])
    return f'<select name="model" aria-label="{_("Model")}">{options}</select>'


def _keys(keys: Sequence[str]) -> str:
    if not keys:
        return ""
    rows = "".join(f"<li><span>{escape(where)}</span>{_do('forget-key', _('Forget'), where)}</li>" for where in keys)
    return f'<section><h3>{_("Keys that are kept")}</h3><ul class="kept">{rows}</ul></section>'


def whose() -> str:
    """A key that fits nobody for certain: it is sent nowhere before this is answered."""
    names = "".join(f"<option>{escape(one.name)}</option>" for one in PROVIDERS)
    asks = _("How this key begins does not tell whose it is, and it is sent to nobody else. Whose is it?")
    return (
        f"<p>{asks}</p><label>{_('Provider')} "
        f'<select name="provider" form="key-form"><option value=""></option>{names}</select></label>'
    )


def listed(name: str, url: str, models: Sequence[Listed]) -> str:
    """An address that answered."""
    answers = ngettext(
        "{name} answers and has {n} model.", "{name} answers and has {n} models.", len(models), name=_bold(name)
    )
    told = f"{answers} {_('Trying one makes two small calls.')}"
    return (
        f'<form class="try" data-url="{escape(url)}"><p>{told}</p>'
        f'{_choice(models)}<button class="b text yes">{_("Try it")}</button></form>'
    )


def tried(trial: Trial) -> str:
    """What a model can, and which mind it is for."""
    tools = _("It calls tools.") if trial.tools else _("It calls no tools: the slow mind asks it in words.")
    sight = _("It sees pictures.") if trial.sees else _("It sees no pictures.")
    reads = ngettext("It reads {n} token at once.", "It reads {n} tokens at once.", trial.context)
    context = reads if trial.context else _("How much it reads at once is not told.")
    quick = _("{model} answers: the first word came after {seconds} s, then {speed} tokens/s.")
    answers = quick if trial.speed else _("{model} answers: the first word came after {seconds} s.")
    told = answers.format(
        model=_bold(model_name(trial.spec)), seconds=number(trial.first, 1), speed=_figure(trial.speed)
    )
    uses = "".join(_do("use-for", _(words), trial.spec, mind=mind) for mind, words in _USES)
    return (
        f'<div class="tried"><p>{told} {tools} {sight} {context}</p><p>{_("Which mind is it for?")}</p>'
        f'<div class="uses">{uses}</div></div>'
    )


_USES = (("both", N_("Both minds")), ("fast", N_("Fast mind")), ("slow", N_("Slow mind")))
_USED_BY = {(True, False): N_("fast"), (False, True): N_("slow"), (True, True): N_("fast and slow")}


def fault(words: object) -> str:
    return f'<p class="fault" role="alert">{sentence(words)}</p>'


def size(bytes_: int) -> str:
    large = _("{n} GB").format(n=number(bytes_ / 1e9, 1))
    return large if bytes_ >= 1e8 else _("{n} MB").format(n=number(bytes_ / 1e6, 1))


def _figure(speed: float) -> str:
    return number(speed, 0 if speed >= 3 else 1)


def _do(do: str, words: str, value: str = "", *, css: str = "", mind: str = "") -> str:
    data = f' data-value="{escape(value)}"' if value else ""
    data += f' data-mind="{mind}"' if mind else ""
    return f'<button type="button" class="b text {css}" data-do="{do}"{data}>{words}</button>'
