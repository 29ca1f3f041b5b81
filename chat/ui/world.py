"""The panel beside the conversation that shows a world episode: what chat/worlds/view.py gives, as HTML.

Sections always come in the same order and number, hidden where they have nothing to show, so that the page can bring
one state to the next without closing what a person opened. Everything a world or a person said is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from urllib.parse import quote

from chat.ui import world_map, world_plot
from chat.ui.icons import button, icon
from chat.ui.markup import escape, sentence
from chat.worlds.commands import WORDS
from chat.worlds.telling import plain_goal, short_goal
from chat.worlds.view import Line, WorldView

NAMES = {"scienceworld": "ScienceWorld", "alfworld": "ALFWorld", "textworld": "TextWorld"}
MANY = 14
"""Actions that are shown at once; more are put under their verbs."""
LISTED = 500
"""Steps of the list, and actions of one verb, at most."""
THINGS = 24
_VERB = re.compile(r"\w+(?: (?:to|up|at|in|on|off|into|down|around)\b)?")


def panel(view: WorldView, session: str, state: str) -> str:
    """The whole panel. `state`: what runs in the session (chat/runs.py)."""
    return "".join(
        (
            _section("tabs", _tabs(view), len(view.tabs) > 1),
            _section("goal", _goal(view)),
            _section("wheel", _wheel(view, state)),
            _section("score", _score(view), any(score is not None for score in view.scores)),
            _section("replay", _replay(view), view.steps > 0),
            _section("here", _here(view)),
            _section("places", _map(view), bool(view.map.spots)),
            _possible(view, state),
            _section("rises", _rises(view), bool(view.rises)),
            _section("deeds", _deeds(view), view.steps > 0),
            _section("files", _files(view, session)),
        )
    )


def _section(name: str, body: str, shown: bool = True) -> str:
    return f'<section class="{name}" data-key="{name}"{"" if shown else " hidden"}>{body if shown else ""}</section>'


def _tabs(view: WorldView) -> str:
    parts = [
        f'<button type="button" class="tab" data-do="episode" data-number="{tab.number}" '
        f'aria-pressed="{"true" if tab.shown else "false"}" title="{escape(tab.title)}">'
        f"<b>{tab.number}</b><span>{escape(tab.title)}</span></button>"
        for tab in view.tabs
    ]
    return f'<div role="group" aria-label="Tasks of this conversation">{"".join(parts)}</div>'


def _goal(view: WorldView) -> str:
    spec = view.record.spec
    kind = escape(NAMES.get(spec.world, spec.world))
    more = f" · {escape(', '.join(spec.options))}" if spec.options else ""
    title = next(tab.title for tab in view.tabs if tab.shown)
    first, all_of_it = short_goal(view.record), plain_goal(view.record)
    whole = f'<details class="whole"><summary>The whole goal</summary><p>{escape(all_of_it)}</p></details>'
    return (
        f'<p class="kind" title="{escape(spec.task)}">{icon("world")}{kind} · {escape(title)}{more}</p>'
        f'<h2 dir="auto">{escape(first[:1].upper() + first[1:])}</h2>{whole if len(all_of_it) > len(first) + 1 else ""}'
    )


# -- who drives


def _wheel(view: WorldView, state: str) -> str:
    if not view.now:
        return f'<p class="past">{icon("retry")}<span>You look back at step {view.step} of {view.steps}.</span></p>'
    record = view.record
    if not view.in_hand:
        word = "Closed" if record.state == "closed" else "Not in hand now"
        again = _say(f"/world return {record.number}", WORDS["return"], "play")
        return f'<p class="held">{_outcome(view)}<span>{word}.</span></p><div class="hands">{again}</div>'
    return f'<p class="held">{_holder(view, state)}{_outcome(view)}</p><div class="hands">{_hands(view, state)}</div>'


def _holder(view: WorldView, state: str) -> str:
    person = view.record.wheel == "person"
    badge = f"{icon('person')}you" if person else f"{icon('spiral')}slow mind"
    doing = {"slow": "is acting", "paused": "is paused"}.get(state, "") if not person else ""
    doing = doing or ("act here" if person else "acts here")
    return f'<b class="holder {"person" if person else "slow"}">{badge}</b><span>{doing}</span>'


def _outcome(view: WorldView) -> str:
    if view.seen.won:
        return '<b class="mark won">solved</b>'
    return '<b class="mark lost">over, not solved</b>' if view.seen.done else ""


def _hands(view: WorldView, state: str) -> str:
    person, over, busy = view.record.wheel == "person", view.seen.done, state == "slow"
    go_on = button("resume", "Let the slow mind go on", "play", css="text", words="Go on")
    if state != "paused":
        go_on = _say("/world go on", WORDS["go on"], "play", off=over or busy)
    return (
        _say("/world take", WORDS["take"], "person", off=over or (person and not busy))
        + go_on
        + _say("/world undo", WORDS["undo"], "undo", off=view.steps == 0)
        + _say("/world close", WORDS["close"], "close")
    )


def _say(command: str, words: str, name: str, *, off: bool = False) -> str:
    """A button that gives a command in the person's name."""
    return (
        f'<button type="button" class="b text" data-do="say" data-words="{escape(command)}"'
        f' title="{escape(command)}"{" disabled" if off else ""}>{icon(name)}<span>{words}</span></button>'
    )


# -- how it goes


def _score(view: WorldView) -> str:
    score = view.seen.score
    return (
        f'<h3>Score <span class="of"><b>{0 if score is None else score:g}</b> of 100</span></h3>'
        f"{world_plot.draw(view.scores, view.step)}"
    )


def _replay(view: WorldView) -> str:
    at = f"Step {view.step} of {view.steps}"
    now = (
        ""
        if view.now
        else '<button type="button" class="b text" data-do="now" title="Back to how it stands now">Now</button>'
    )
    return (
        f'<div class="slide"><input id="replay" type="range" min="0" max="{view.steps}" value="{view.step}" step="1" '
        f'data-step="{view.step}" aria-label="Replay: the step that is shown" aria-valuetext="{at}">'
        f"<output>{at}</output>{now}</div>"
    )


def _here(view: WorldView) -> str:
    scene, deed = view.scene, view.record.deeds[view.step - 1] if view.step else None
    shown = f'<h3>{icon("pin")}<span dir="auto">{escape(scene.place or "Somewhere")}</span></h3>'
    if deed:
        who = "You" if deed.by == "person" else "Slow mind"
        shown += f'<p class="did"><span>{who} did</span> <code>{escape(deed.action)}</code></p>'
    if deed and deed.thought:
        shown += f'<p class="thought">{escape(deed.thought)}</p>'
    shown += f'<div class="seen" tabindex="0" role="region" aria-label="What was seen">{escape(view.seen.text)}</div>'
    return shown + _list("In sight", scene.things, "Nothing to be seen.") + _list("Carried", scene.holding, "Nothing.")


def _list(name: str, things: Sequence[str], none: str) -> str:
    items = "".join(f"<li>{escape(thing)}</li>" for thing in things[:THINGS])
    if len(things) > THINGS:
        rest = ", ".join(things[THINGS:])
        items += f'<li class="more" title="{escape(rest)}">and {len(things) - THINGS} more</li>'
    return f"<h4>{name}</h4>" + (f'<ul class="things">{items}</ul>' if items else f'<p class="none">{none}</p>')


def _map(view: WorldView) -> str:
    drawn = world_map.draw(view.map)
    key = (
        '<p class="key"><span><i class="here"></i>here</span><span><i class="been"></i>visited</span>'
        '<span><i class="hollow"></i>not visited</span></p>'
    )
    return f"<h3>Map</h3>{drawn}{key}" if drawn else ""


def _rises(view: WorldView) -> str:
    items = "".join(
        f"<li{'' if line.step <= view.step else ' class=later'}>step {line.step}: "
        f"{f'<b>{_signed(line.gained)}</b> ' if line.gained > 0 else ''}({escape(line.reached or line.action)})</li>"
        for line in view.rises
    )
    return f"<h3>Sub-goals done</h3><ul>{items}</ul>"


def _deeds(view: WorldView) -> str:
    shown = view.lines[-LISTED:]
    cut = (
        f'<li class="cut">The first {len(view.lines) - LISTED} are in the transcript.</li>'
        if view.lines[LISTED:]
        else ""
    )
    items = "".join(_deed(line, view.step) for line in shown)
    count = f"{view.steps} step{'' if view.steps == 1 else 's'}"
    return (
        f'<details class="fold" data-key="deeds-{view.record.number}"><summary>{icon("chevron")}<b>What was done</b>'
        f'<span class="cost">{count}</span></summary><ol>{cut}{items}</ol></details>'
    )


def _deed(line: Line, step: int) -> str:
    who = "you" if line.by == "person" else "slow mind"
    gained = (
        f'<span class="gain {"up" if line.gained > 0 else "off"}">{_signed(line.gained)}</span>' if line.gained else ""
    )
    current = ' aria-current="step"' if line.step == step else ""
    return (
        f'<li><button type="button" data-do="step" data-step="{line.step}"{current} title="Look at step {line.step}">'
        f"<small>{line.step}</small><code>{escape(line.action)}</code>{gained}"
        f'<i class="{line.by}">{who}</i></button></li>'
    )


def _signed(gained: float) -> str:
    return f"{gained:+g}".replace("-", "−")


def _files(view: WorldView, session: str) -> str:
    path = f"conversations/{quote(session, safe='')}/worlds/{view.record.number}"
    return (
        f"<p>{icon('import')}<span>Download transcript:</span>"
        f'<a href="{path}.md" download>Markdown</a><a href="{path}.json" download>JSON</a></p>'
    )


# -- what can be done


def _possible(view: WorldView, state: str) -> str:
    """Its content belongs to the browser (`data-own`): it is asked for when the person opens it."""
    shown = view.in_hand and view.now and not view.seen.done
    return (
        f'<section class="possible" data-key="possible" data-for="{view.record.number}:{view.steps}"'
        f' data-busy="{"yes" if state in ("fast", "slow") else ""}"{"" if shown else " hidden"}>'
        f'<details class="fold" data-key="possible-fold" data-own><summary>{icon("chevron")}'
        "<b>What can be done here</b></summary>"
        '<label class="find"><input id="filter" type="search" placeholder="Filter the actions" '
        'aria-label="Filter the actions" autocomplete="off"></label>'
        '<div id="possible" role="group" aria-label="Actions: each one fills the message box"></div>'
        "</details></section>"
    )


def possible(actions: Sequence[str]) -> str:
    """Buttons that fill the box; many are put under their verbs."""
    if not actions:
        return '<p class="none">Nothing can be done here any more.</p>'
    if len(actions) <= MANY:
        return f'<div class="acts">{"".join(map(_act, actions))}</div>'
    groups = [(verb, list(group)) for verb, group in groupby(sorted(actions, key=_verb), key=_verb)]
    alone = "".join(_act(group[0]) for _, group in groups if len(group) == 1)
    several = "".join(_verbs(verb, group) for verb, group in groups if len(group) > 1)
    return f'<div class="acts">{alone}</div>{several}'


def fault(text: object) -> str:
    """Why there are no actions to choose from."""
    return f'<p class="fault" role="alert">{sentence(text)}</p>'


def _verb(action: str) -> str:
    found = _VERB.match(action)
    return found.group() if found else action[:20]


def _verbs(verb: str, actions: Sequence[str]) -> str:
    rest = f'<p class="none">and {len(actions) - LISTED} more</p>' if len(actions) > LISTED else ""
    return (
        f'<details class="verb" data-key="verb-{escape(verb)}"><summary>{icon("chevron")}<span>{escape(verb)}</span>'
        f'<small>{len(actions)}</small></summary><div class="acts">{"".join(map(_act, actions[:LISTED]))}</div>{rest}'
        "</details>"
    )


def _act(action: str) -> str:
    return f'<button type="button" data-do="fill"><b>{escape(action)}</b></button>'
