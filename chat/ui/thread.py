"""Bubbles -> the HTML of each turn. All words pass through markup.py on their way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from chat.ui import chart
from chat.ui.bubbles import Bubble, Metadata
from chat.ui.code import figure
from chat.ui.fields import lasted, model_name
from chat.ui.icons import button, icon
from chat.ui.language import N_, _, ngettext
from chat.ui.markup import escape, markdown, sentence
from chat.ui.panels import picture_src

LONG = 4_000
"""Characters of a person's message that are shown before it is folded."""
STANDING = 6
"""Words of the reply that are shown beside the place where they stand."""
LINES = {"reason": N_("Reason"), "act": N_("Act"), "obs": N_("Obs")}
BADGES = {
    "fast": ("bolt", N_("fast"), N_("The fast mind answered at once")),
    "slow": ("spiral", N_("slow"), N_("The slow mind reasoned and acted before this reply")),
    "memory": ("book", N_("from memory"), N_("A result that the slow mind found before")),
    "world": ("world", N_("in the world"), N_("Told from what happened in the world")),
}
ENDS = {
    "stopped": N_("Stopped. Nothing more comes for this turn."),
    "interrupted": N_("Duet was closed while it worked on this."),
    "discarded": N_("Discarded."),
    "failed": N_("This turn could not be finished: send it again, or change the model in the settings."),
}


def turn(bubbles: Sequence[Bubble], *, last: bool, versions: Sequence[int] = (), source: Source | None = None) -> str:
    """The bubbles of one turn as HTML; `last`: no turn comes after it, so it may be taken back.

    `versions`: the numbers of all versions of the turn, where there are several; `source`: where pictures are.
    """
    parts = []
    for bubble in bubbles:
        meta = bubble["metadata"]
        if meta["part"] == "user":
            parts.append(_said(bubble, last=last, source=source or at_home) + _versions(meta["turn"], versions))
        elif meta["part"] == "run":
            parts.append(_trace(bubble, [b for b in bubbles if b["metadata"].get("parent_id") == meta["id"]]))
        elif "parent_id" not in meta:
            parts.append(_PARTS[meta["part"]](bubble, last))
    return "".join(parts)


Source = Callable[[Mapping[str, Any]], str]
"""Where the bytes of a picture are to be had."""


def at_home(picture: Mapping[str, Any]) -> str:
    """On the page they are the conversation's own file."""
    return picture_src(picture["session"], picture["id"])


def _pictures(pictures: Sequence[Mapping[str, Any]], source: Source) -> str:
    shown = "".join(
        f'<a href="{source(each)}" target="_blank" rel="noopener"><img src="{source(each)}" '
        f'alt="{escape(each["name"])}" width="{each["width"]}" height="{each["height"]}" loading="lazy"></a>'
        for each in pictures
    )
    return f'<div class="pictures">{shown}</div>' if shown else ""


def _said(bubble: Bubble, *, last: bool, source: Source) -> str:
    text, turn = bubble["content"], bubble["metadata"]["turn"]
    shown = _pictures(bubble["metadata"].get("pictures", ()), source)
    tools = button("edit", _("Edit this message"), "pen", turn=turn)
    tools += button("copy", _("Copy this message"), "copy")
    if last:
        tools += button("undo", _("Take this turn back"), "undo", turn=turn)
    said = f' data-said="{escape(given)}"' if (given := bubble["metadata"].get("said")) else ""
    unfold = f'<button type="button" class="more" data-do="unfold">{_("Show all")}</button>'
    fold = unfold if len(text) > LONG else ""
    words = f'<div class="words" dir="auto"{said}>{escape(text)}</div>'
    return (
        f'{shown}<div class="said{" folded" if fold else ""}">{words}{fold}'
        f'<div class="tools" role="toolbar" aria-label="{_("Your message")}">{tools}</div></div>'
    )


def _versions(turn: int, versions: Sequence[int]) -> str:
    """Arrows to the versions before and after this one, and which one it is."""
    if turn not in versions:
        return ""
    at = versions.index(turn)

    def arrow(to: int, label: str, name: str) -> str:
        there = 0 <= to < len(versions)
        made = button("choose", label, name, turn=versions[to] if there else turn)
        return made if there else made.replace("<button", "<button disabled", 1)

    which = f'<span aria-live="polite">{at + 1} / {len(versions)}</span>'
    arrows = arrow(at - 1, _("The version before"), "left") + which + arrow(at + 1, _("The next version"), "chevron")
    return f'<div class="versions" role="group" aria-label="{_("Versions of this turn")}">{arrows}</div>'


def _reply(bubble: Bubble, last: bool) -> str:
    meta = bubble["metadata"]
    by = meta["by"] if meta["by"] in BADGES else "fast"
    pending = meta.get("status") == "pending"
    kind = "interim" if not meta["final"] else "pending" if pending else "final"
    text = bubble["content"]
    words = markdown(text, meta.get("unfounded", ()), coming=pending)
    source = f' data-source="{escape(text)}"' if kind == "final" else ""
    body = f'<div class="prose" dir="auto"{source}>{words}</div>'
    foot = (_cut(last) if meta.get("cut") else "") + (_choices(meta) if last else "") + _sources(meta)
    foot += f'<p class="note">{sentence(meta["note"])}</p>' if meta.get("note") else ""
    tools = _reply_tools(meta, last) if kind == "final" else ""
    quiet = ' aria-live="off"' if pending else ""
    return f'<div class="reply {by} {kind}"{quiet}>{_badge(by, meta)}{body}{foot}{tools}</div>'


def _badge(by: str, meta: Metadata) -> str:
    name, word, hint = BADGES["world" if by == "fast" and meta.get("episode") else by]
    interim = f'<span class="interim-word">{_("interim")}</span>' if not meta["final"] else ""
    named = f'<b title="{_(hint)}">{_(word)}</b>'
    if note := meta.get("from_note"):
        told = _("A result that the slow mind found before: see it, correct it")
        named = f'<a href="memory?note={quote(note, safe="")}" title="{told}">{named}</a>'
    if notes := meta.get("rests_on"):
        chosen = "&amp;".join(f"note={quote(note, safe='')}" for note in notes)
        told = _("It rests on what you told before: see it, correct it")
        named += f'<a class="rests" href="memory?{chosen}" title="{told}">{_("from memory")}</a>'
    head = f"{icon(name)}{named}{interim}{_solved(meta) or _sure(meta)}{_cost(meta)}"
    return f'<p class="badge" data-by="{by}">{head}</p>'


def _sure(meta: Metadata) -> str:
    """How far the mind that answered trusts its answer, where that is less than usual."""
    if meta.get("doubt"):
        told = _("The mind that answered is not sure of this")
        return f'<span class="mark doubt" title="{told}">{_("not sure")}</span>'
    if meta.get("checked"):
        told = _("A first answer: the slow mind works it out in another way")
        return f'<span class="mark" title="{told}">{_("being checked")}</span>'
    return ""


def _cost(meta: Metadata) -> str:
    """Who worded it, and what that took."""
    spec, thinker = meta.get("model", ""), meta.get("thinker", "")
    by, found = (
        _("Worded by {model}").format(model=escape(spec)),
        _("Found out by {model}").format(model=escape(thinker)),
    )
    model = f'<span title="{by}">{escape(model_name(spec))}</span>' if spec else ""
    hint = _("A small model: it is more often wrong than a large one")
    small = f'<span title="{hint}">{_("small model")}</span>'
    thought = f'<span title="{found}">{_("{model} thought").format(model=escape(model_name(thinker)))}</span>'
    parts = [thought if thinker else "", model, small if meta.get("small") else "", escape(meta.get("log", ""))]
    parts = [part for part in parts if part]
    return f'<span class="cost">{" · ".join(parts)}</span>' if parts else ""


def _cut(last: bool) -> str:
    say = f'<button type="button" class="b text" data-do="say" data-words="{_("Go on.")}">{_("Go on")}</button>'
    return f'<div class="cut"><p>{_("The model’s limit ended this reply here.")}</p>{say if last else ""}</div>'


def _choices(meta: Metadata) -> str:
    """What may have been meant, each said by a click."""
    words = [escape(one) for one in meta.get("choices", ())]
    each = [f'<button type="button" class="b text" data-do="say" data-words="{one}">{one}</button>' for one in words]
    return f'<div class="choose" dir="ltr">{"".join(each)}</div>' if each else ""


def _solved(meta: Metadata) -> str:
    """The world's own word on the goal, at the slow mind's report."""
    if not meta.get("episode") or "solved" not in meta:
        return ""
    css, word = ("won", _("solved")) if meta["solved"] else ("lost", _("not solved"))
    return f'<span class="mark {css}">{word}</span>'


def _reply_tools(meta: Metadata, last: bool) -> str:
    tools, turn, mark = button("copy", _("Copy this reply"), "copy"), meta["turn"], meta.get("feedback", 0)
    for value, name, label in ((1, "up", _("Good reply")), (-1, "down", _("Bad reply"))):
        thumb = button("feedback", label, name, turn=turn, value=0 if mark == value else value)
        tools += thumb.replace("<button", f'<button aria-pressed="{"true" if mark == value else "false"}"', 1)
    tools += button("speak", _("Read this reply aloud"), "voice")
    tools += button("retry", _("Answer this again"), "retry", turn=turn)
    tools += button("retry-with", _("Answer this again with another model"), "swap", turn=turn)
    return f'<div class="tools" role="toolbar" aria-label="{_("Reply")}">{tools}</div>'


def _sources(meta: Metadata) -> str:
    if not (sources := meta.get("sources")):
        return ""
    items = "".join(f"<li>{icon('file')}{escape(source)}{_standing(meta, source)}</li>" for source in sources)
    return f'<ul class="sources" aria-label="{_("Sources")}">{items}</ul>'


def _standing(meta: Metadata, source: str) -> str:
    """What of the reply stands in that place."""
    words = meta.get("places", {}).get(source, ())
    return "".join(f"<mark>{escape(each)}</mark>" for each in words[:STANDING])


def _trace(run: Bubble, inner: list[Bubble]) -> str:
    meta = run["metadata"]
    working = meta["status"] == "pending"
    clock = f'<time class="clock" data-since="{meta["since"]:.3f}"></time>' if working and "since" in meta else ""
    log = " · ".join(w for w in (meta.get("log", ""), _seconds(meta) if not working else "") if w)
    request = meta.get("request", "")
    asked = _("Asked the slow mind: {request}").format(request=f"<bdi>{escape(request)}</bdi>")
    steps = f'<li class="step request"><p>{asked}</p></li>' if request else ""
    if meta.get("earlier"):
        cut = ngettext(
            "The first step is in the world panel.", "The first {n} steps are in the world panel.", meta["earlier"]
        )
        steps += f'<li class="step cut">{cut}</li>'
    steps += "".join(_step(b) if b["metadata"]["part"] == "step" else _steer(b) for b in inner)
    dots = f'<span class="dots" role="img" aria-label="{_("thinking")}"><i></i><i></i><i></i></span>'
    waiting = f'<li class="step waiting">{dots}</li>'
    if working and not any(b["metadata"].get("status") == "pending" for b in inner) and meta["state"] != "paused":
        steps += waiting
    opened = " open" if working else ""
    name, css = ("person", "trace own") if meta.get("by") == "person" else ("spiral", "trace")
    return (
        f'<details class="{css}" data-key="{meta["id"]}" data-state="{escape(meta["state"])}"{opened}>'
        f'<summary>{icon(name)}<b>{escape(meta["title"])}</b>{clock}<span class="cost">{escape(log)}</span>'
        f'{icon("chevron")}</summary><ol class="steps">{steps}</ol></details>'
    )


def _seconds(meta: Metadata) -> str:
    duration = meta.get("duration", 0.0)
    return lasted(duration, 0 if duration >= 10 else 1) if duration >= 0.1 else ""


def _step(bubble: Bubble) -> str:
    meta = bubble["metadata"]
    state = "pending" if meta["status"] == "pending" else "failed" if meta.get("failed") else "done"
    act = f"<code>{escape(meta['action'])}</code>" if meta.get("action") else _("finish")
    lines = _line("reason", meta.get("thought", "")) + (_ran(bubble) if meta.get("program") else _acted(bubble))
    gained = f'<span class="gain {"up" if g > 0 else "off"}">{g:+g}</span>' if (g := meta.get("gained", 0.0)) else ""
    return (
        f'<li class="step {state}"><details data-key="{meta["id"]}" open><summary>{act}'
        f'{gained}<span class="gist" dir="auto">{escape(_gist(bubble))}</span>'
        f'<span class="cost">{escape(meta.get("log", ""))}</span>'
        f"</summary><dl>{lines}</dl>{_sources(meta)}</details></li>"
    )


def _acted(bubble: Bubble) -> str:
    meta = bubble["metadata"]
    return _line("act", _call(meta) if meta.get("action") else "", code=True) + _line("obs", bubble["content"])


def _ran(bubble: Bubble) -> str:
    """A program and what it printed, each to be copied; the program can be changed and run again (rerun.js)."""
    output, program = bubble["content"], bubble["metadata"]["program"]
    hint = _("Change it and run it again")
    change = f'<button type="button" data-do="change" title="{hint}">{_("Change")}</button>' if output else ""
    act = f'<div class="act program"><dt>{_("Act")}</dt><dd>{figure(program, "python", change)}</dd></div>'
    if not output:
        return act
    charts = "" if bubble["metadata"].get("failed") else chart.draw(output)
    printed = figure(output, _("output")) + charts
    obs = f'<div class="obs program"><dt>{_("Obs")}</dt><dd>{printed}</dd></div>'
    return f'{act}{obs}<div class="rerun program" data-own data-key="{bubble["metadata"]["id"]}-again"></div>'


def _line(name: str, text: str, *, code: bool = False) -> str:
    """Reason, Act or Obs; nothing where there is nothing to show yet."""
    if not text:
        return ""
    words = f"<code>{escape(text)}</code>" if code else escape(text)
    return f'<div class="{name}"><dt>{_(LINES[name])}</dt><dd dir="auto">{words}</dd></div>'


def _call(meta: Metadata) -> str:
    """A tool with its argument; an action in a world, and a tool without arguments, is whole by itself."""
    argument = meta.get("argument", "")
    return f"{meta['action']}[{argument}]" if argument else meta["action"]


def _gist(bubble: Bubble) -> str:
    """What a closed step says of itself."""
    meta = bubble["metadata"]
    text = " ".join((bubble["content"] or meta.get("program") or meta.get("argument", "")).split())
    return text if len(text) <= 60 else text[:59] + "…"


def _steer(bubble: Bubble) -> str:
    when = _("It counts from the next step on; the one under way is finished first.")
    small = f"<small>{when}</small>" if bubble["metadata"].get("status") == "pending" else ""
    added = _("You added: {words}").format(words=f"<bdi>{escape(bubble['content'])}</bdi>")
    return f'<li class="step steer"><p>{added}</p>{small}</li>'


def _status(bubble: Bubble, last: bool) -> str:
    words = f"<span>{escape(_(bubble['content']))}</span>"
    return f'<div class="reply waiting" role="status"><span class="dots"><i></i><i></i><i></i></span>{words}</div>'


def _error(bubble: Bubble, last: bool) -> str:
    turn = bubble["metadata"]["turn"]
    again = _again(turn) if last else ""
    return f'<div class="fault" role="alert">{icon("warn")}<p>{sentence(bubble["content"])}</p>{again}</div>'


def _end(bubble: Bubble, last: bool) -> str:
    meta = bubble["metadata"]
    buttons = ""
    if meta["state"] == "interrupted":
        buttons = button("resume", _("Resume"), "play", css="text", words=_("Resume"))
        buttons += button("discard", _("Discard"), "trash", css="text", words=_("Discard"))
    elif last:
        buttons = _again(meta["turn"])
    return f'<div class="ended {escape(meta["state"])}"><p>{_(ENDS.get(meta["state"], ""))}</p>{buttons}</div>'


def _again(turn: int) -> str:
    return button("retry", _("Answer this again"), "retry", css="text", words=_("Try again"), turn=turn)


_PARTS = {"reply": _reply, "status": _status, "error": _error, "end": _end}
