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
from chat.ui.fields import in_steps
from chat.ui.icons import button, icon
from chat.ui.language import _, ngettext, number
from chat.ui.markup import escape, sentence
from chat.worlds.commands import WORDS
from chat.worlds.episodes import Record
from chat.worlds.telling import plain_goal, short_goal
from chat.worlds.view import Line, WorldView, ahead

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
            _section("game", _game(view, state), bool(view.game)),
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
    return f'<div role="group" aria-label="{_("Tasks of this conversation")}">{"".join(parts)}</div>'


def _goal(view: WorldView) -> str:
    spec = view.record.spec
    kind = escape(NAMES.get(spec.world, spec.world))
    more = f" · {escape(', '.join(spec.options))}" if spec.options else ""
    title = next(tab.title for tab in view.tabs if tab.shown)
    first, all_of_it = short_goal(view.record), plain_goal(view.record)
    whole = f'<details class="whole"><summary>{_("The whole goal")}</summary><p>{escape(all_of_it)}</p></details>'
    return (
        f'<p class="kind" title="{escape(spec.task)}">{icon("world")}{kind} · {escape(title)}{more}</p>'
        f'<h2 dir="auto">{escape(first[:1].upper() + first[1:])}</h2>{whole if len(all_of_it) > len(first) + 1 else ""}'
    )


# -- who drives


def _wheel(view: WorldView, state: str) -> str:
    if not view.now:
        back = _("You look back at step {n} of {total}.").format(n=number(view.step), total=number(view.steps))
        return f'<p class="past">{icon("retry")}<span>{back}</span></p>'
    record = view.record
    if not view.in_hand:
        word = _("Closed.") if record.state == "closed" else _("Not in hand now.")
        again = _say(f"/world return {record.number}", _(WORDS["return"]), "play")
        return f'<p class="held">{_outcome(view)}<span>{word}</span></p><div class="hands">{again}</div>'
    return f'<p class="held">{_holder(view, state)}{_outcome(view)}</p><div class="hands">{_hands(view, state)}</div>'


def _holder(view: WorldView, state: str) -> str:
    person = view.record.wheel == "person"
    badge = f"{icon('person')}{_('you')}" if person else f"{icon('spiral')}{_('slow mind')}"
    doing = {"slow": _("is acting"), "paused": _("is paused")}.get(state, "") if not person else ""
    doing = doing or (_("act here") if person else _("acts here"))
    return f'<b class="holder {"person" if person else "slow"}">{badge}</b><span>{doing}</span>'


def _outcome(view: WorldView) -> str:
    if view.seen.won:
        return f'<b class="mark won">{_("solved")}</b>'
    return f'<b class="mark lost">{_("over, not solved")}</b>' if view.seen.done else ""


def _hands(view: WorldView, state: str) -> str:
    close = _say("/world close", _(WORDS["close"]), "close")
    if view.record.game:  # each plays alone
        return close
    person, over, busy = view.record.wheel == "person", view.seen.done, state == "slow"
    go_on = button("resume", _("Let the slow mind go on"), "play", css="text", words=_("Go on"))
    if state != "paused":
        go_on = _say("/world go on", _(WORDS["go on"]), "play", off=over or busy)
    return (
        _say("/world take", _(WORDS["take"]), "person", off=over or (person and not busy))
        + go_on
        + _say("/world undo", _(WORDS["undo"]), "undo", off=view.steps == 0)
        + close
    )


def _say(command: str, words: str, name: str, *, off: bool = False) -> str:
    """A button that gives a command in the person's name."""
    return (
        f'<button type="button" class="b text" data-do="say" data-words="{escape(command)}"'
        f' title="{escape(command)}"{" disabled" if off else ""}>{icon(name)}<span>{words}</span></button>'
    )


# -- a game: both play the same task


def _game(view: WorldView, state: str) -> str:
    """Both sides beside one another; what can be done about it only at the one in hand."""
    you, duet = view.game.get("person"), view.game.get("slow")
    over = [side is not None and _side_over(side, state) for side in (you, duet)]
    heads = "".join(f'<th scope="col">{head}</th>' for head in (_("Steps"), _("Score"), _("How it went")))
    rows = _side(_("You"), you, over[0]) + _side("Duet", duet, over[1])
    told = _verdict(you, duet) if you and duet and all(over) else _("The same task for both; fewer steps win.")
    busy = view.record.wheel == "slow" and not over[1]
    pass_ = _say("/world pass", _pass_words(view.record, all(over)), "swap", off=busy) if view.in_hand else ""
    return (
        f"<h3>{_('You against Duet')}</h3><table><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        f'<p role="status">{told}</p><div class="hands">{pass_}</div>'
    )


def _side_over(side: Record, state: str) -> bool:
    running = side.wheel == "person" or state in ("fast", "slow", "paused")
    return side.last.done or side.state == "closed" or not running


def _side(name: str, side: Record | None, over: bool) -> str:
    if side is None:
        return f'<tr><th scope="row">{name}</th><td>–</td><td>–</td><td>{_("to come")}</td></tr>'
    score = "–" if side.last.score is None else f"{side.last.score:g}"
    went = _("solved") if side.last.won else _("not solved") if over else _("is playing")
    return f'<tr><th scope="row">{name}</th><td>{number(len(side.deeds))}</td><td>{score}</td><td>{went}</td></tr>'


def _verdict(you: Record, duet: Record) -> str:
    solved = you.last.won or duet.last.won
    both = you.last.won and duet.last.won
    if (better := ahead(you, duet)) == 0:
        return _("A draw.")
    if better > 0:
        why = _("You win: fewer steps.") if both else _("You win: Duet did not solve it.")
        return why if solved else _("You win: nobody solved it, and you scored more.")
    why = _("Duet wins: fewer steps.") if both else _("Duet wins: you did not solve it.")
    return why if solved else _("Duet wins: nobody solved it, and it scored more.")


def _pass_words(record: Record, again: bool) -> str:
    if record.wheel == "slow":
        return _("Play again") if again else _("Your turn")
    return _("Duet’s turn") if again or record.last.done else _("Give up: Duet’s turn")


# -- how it goes


def _score(view: WorldView) -> str:
    score, of = view.seen.score, _("{n} of 100")
    return (
        f'<h3>{_("Score")} <span class="of">{of.format(n=f"<b>{0 if score is None else score:g}</b>")}</span></h3>'
        f"{world_plot.draw(view.scores, view.step)}"
    )


def _replay(view: WorldView) -> str:
    at = _("Step {n} of {total}").format(n=number(view.step), total=number(view.steps))
    hint = _("Back to how it stands now")
    now = f'<button type="button" class="b text" data-do="now" title="{hint}">{_("Now")}</button>'
    return (
        f'<div class="slide"><input id="replay" type="range" min="0" max="{view.steps}" value="{view.step}" step="1" '
        f'data-step="{view.step}" aria-label="{_("Replay: the step that is shown")}" aria-valuetext="{at}">'
        f"<output>{at}</output>{'' if view.now else now}</div>"
    )


def _here(view: WorldView) -> str:
    scene, deed = view.scene, view.record.deeds[view.step - 1] if view.step else None
    shown = f'<h3>{icon("pin")}<span dir="auto">{escape(scene.place or _("Somewhere"))}</span></h3>'
    if deed:
        who = _("You did") if deed.by == "person" else _("Slow mind did")
        shown += f'<p class="did"><span>{who}</span> <code dir="auto">{escape(deed.action)}</code></p>'
    if deed and deed.thought:
        shown += f'<p class="thought" dir="auto">{escape(deed.thought)}</p>'
    what = f'tabindex="0" role="region" aria-label="{_("What was seen")}"'
    shown += f'<div class="seen" dir="auto" {what}>{escape(view.seen.text)}</div>'
    shown += _list(_("In sight"), scene.things, _("Nothing to be seen."))
    return shown + _list(_("Carried"), scene.holding, _("Nothing."))


def _list(name: str, things: Sequence[str], none: str) -> str:
    items = "".join(f"<li>{escape(thing)}</li>" for thing in things[:THINGS])
    if len(things) > THINGS:
        rest = ", ".join(things[THINGS:])
        items += f'<li class="more" title="{escape(rest)}">{_and_more(len(things) - THINGS)}</li>'
    return f"<h4>{name}</h4>" + (f'<ul class="things">{items}</ul>' if items else f'<p class="none">{none}</p>')


def _and_more(count: int) -> str:
    return ngettext("and {n} more", "and {n} more", count)


def _map(view: WorldView) -> str:
    drawn = world_map.draw(view.map)
    key = (
        f'<p class="key"><span><i class="here"></i>{_("here")}</span><span><i class="been"></i>{_("visited")}</span>'
        f'<span><i class="hollow"></i>{_("not visited")}</span></p>'
    )
    return f"<h3>{_('Map')}</h3>{drawn}{key}" if drawn else ""


def _rises(view: WorldView) -> str:
    items = "".join(
        f"<li{'' if line.step <= view.step else ' class=later'}>{_('step {n}:').format(n=number(line.step))} "
        f"{f'<b>{_signed(line.gained)}</b> ' if line.gained > 0 else ''}({escape(line.reached or line.action)})</li>"
        for line in view.rises
    )
    return f"<h3>{_('Sub-goals done')}</h3><ul>{items}</ul>"


def _deeds(view: WorldView) -> str:
    shown = view.lines[-LISTED:]
    before = len(view.lines) - LISTED
    told = ngettext("The first is in the transcript.", "The first {n} are in the transcript.", before)
    cut = f'<li class="cut">{told}</li>' if before > 0 else ""
    items = "".join(_deed(line, view.step) for line in shown)
    return (
        f'<details class="fold" data-key="deeds-{view.record.number}"><summary>{icon("chevron")}'
        f"<b>{_('What was done')}</b>"
        f'<span class="cost">{in_steps(view.steps)}</span></summary><ol>{cut}{items}</ol></details>'
    )


def _deed(line: Line, step: int) -> str:
    who = _("you") if line.by == "person" else _("slow mind")
    look = _("Look at step {n}").format(n=number(line.step))
    gained = (
        f'<span class="gain {"up" if line.gained > 0 else "off"}">{_signed(line.gained)}</span>' if line.gained else ""
    )
    current = ' aria-current="step"' if line.step == step else ""
    return (
        f'<li><button type="button" data-do="step" data-step="{line.step}"{current} title="{look}">'
        f'<small>{line.step}</small><code dir="auto">{escape(line.action)}</code>{gained}'
        f'<i class="{line.by}">{who}</i></button></li>'
    )


def _signed(gained: float) -> str:
    return f"{gained:+g}".replace("-", "−")


def _files(view: WorldView, session: str) -> str:
    path = f"conversations/{quote(session, safe='')}/worlds/{view.record.number}"
    return (
        f"<p>{icon('import')}<span>{_('Download transcript:')}</span>"
        f'<a href="{path}.md" download>Markdown</a><a href="{path}.json" download>JSON</a></p>'
    )


# -- what can be done


def _possible(view: WorldView, state: str) -> str:
    """Its content belongs to the browser (`data-own`): it is asked for when the person opens it."""
    shown = view.in_hand and view.now and not view.seen.done
    waits = _("Something is being done there; the actions come when it is over.")
    return (
        f'<section class="possible" data-key="possible" data-for="{view.record.number}:{view.steps}"'
        f' data-busy="{"yes" if state in ("fast", "slow") else ""}"{"" if shown else " hidden"}>'
        f'<details class="fold" data-key="possible-fold" data-own><summary>{icon("chevron")}'
        f"<b>{_('What can be done here')}</b></summary>"
        f'<label class="find"><input id="filter" type="search" placeholder="{_("Filter the actions")}" '
        f'aria-label="{_("Filter the actions")}" autocomplete="off"></label>'
        f'<div id="possible" role="group" aria-label="{_("Actions: each one fills the message box")}" '
        f'data-asking="{_("Asking the world …")}" data-waits="{waits}"></div>'
        "</details></section>"
    )


def possible(actions: Sequence[str]) -> str:
    """Buttons that fill the box; many are put under their verbs."""
    if not actions:
        return f'<p class="none">{_("Nothing can be done here any more.")}</p>'
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
    rest = f'<p class="none">{_and_more(len(actions) - LISTED)}</p>' if len(actions) > LISTED else ""
    return (
        f'<details class="verb" data-key="verb-{escape(verb)}"><summary>{icon("chevron")}<span>{escape(verb)}</span>'
        f'<small>{len(actions)}</small></summary><div class="acts">{"".join(map(_act, actions[:LISTED]))}</div>{rest}'
        "</details>"
    )


def _act(action: str) -> str:
    return f'<button type="button" data-do="fill"><b>{escape(action)}</b></button>'
