"""The report as one HTML file: charts, tables, every dialogue with its grades and traces. Needs no network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from chat.evaluation.figures import Scores
from chat.evaluation.record import Call, Exchange, Grade, Played
from chat.evaluation.report import charts
from chat.evaluation.report.tables import Table, all_tables

HERE = Path(__file__).parent
COLOURS = 10


@dataclass(frozen=True)
class Told:
    """All that a report tells."""

    title: str
    scores: Scores
    figures: Mapping[str, Any]
    config: Mapping[str, Any]
    intents: Mapping[str, str]
    """Script -> intent."""
    extra: tuple[Table, ...] = ()
    """Calibration, and agreement with people."""
    gradable: bool = False
    """Served to a person who grades."""


def page(told: Told, token: str = "") -> str:
    """The whole file. `token`: of the server that takes grades."""
    css, js = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    body = "".join(
        [
            _top(told),
            _charts(told),
            *(f"<h2>{escape(t.title)}</h2><div class=card {_id(t)}>{t.html()}</div>" for t in _tables(told)),
            _dialogues(told),
            _repeat(told),
        ]
    )
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width,initial-scale=1">'
        f"<title>{escape(told.title)}</title><style>{css}</style></head>"
        f'<body data-token="{escape(token)}"><main>{body}</main><script>{js}</script></body></html>'
    )


def _tables(told: Told) -> list[Table]:
    return [*all_tables(told.figures, told.scores.rubric), *told.extra]


def _top(told: Told) -> str:
    about = told.config
    models = dict.fromkeys([about.get("fast_model", ""), about.get("slow_model", "")])
    facts = [
        f"{told.figures['dialogues']} dialogues of {told.figures['scripts']} scripts",
        f"models: {', '.join(map(str, models))}",
        f"judge: {about.get('judge') or 'none'}",
        f"temperature {about.get('temperature', 0)}, {len(about.get('seeds', []))} seed(s)",
    ]
    if told.figures.get("overhead") is not None:
        facts.append(f"the harness took {told.figures['overhead']:.2%} of the time")
    return f"<h1>{escape(told.title)}</h1><p class=soft>{escape(' · '.join(facts))}</p>"


def _charts(told: Told) -> str:
    """The radar has the paper's metrics, the bars all of them; on the scripts that all systems share."""
    systems = {name: system["shared"] for name, system in told.figures["systems"].items()}
    axes = [(metric.name, metric.title) for metric in told.scores.rubric.metrics]
    round_ = [(metric.name, metric.title) for metric in told.scores.rubric.metrics if metric.paper] or axes
    most = max(metric.best for metric in told.scores.rubric.metrics)
    legend = "".join(
        f'<span><i class="s{number % COLOURS}"></i>{escape(name)}</span>' for number, name in enumerate(systems)
    )
    count = told.figures["shared_scripts"]
    note = f"Means over the {count} scripts that all systems played; whiskers are 95% bootstrap intervals over scripts."
    radar = charts.radar(systems, round_, most) if len(round_) >= 3 else ""
    return (
        f"<h2>Scores</h2><p class=soft>{note}</p><div class=legend>{legend}</div>"
        f"<div class=two><div class=card>{radar}</div><div class=card>{charts.bars(systems, axes, most)}</div></div>"
    )


def _id(table: Table) -> str:
    return "id=agreement" if "people who graded" in table.title else ""


def _dialogues(told: Told) -> str:
    parts = [_dialogue(told, dialogue) for dialogue in told.scores.dialogues.values()]
    return f"<h2>Every dialogue</h2>{_filters(told)}{''.join(parts)}"


def _filters(told: Told) -> str:
    metrics = "".join(
        f"<option value={_slug(m.name)}>{escape(m.title)} below 2</option>" for m in told.scores.rubric.metrics
    )
    return (
        "<div class=filters>"
        f"<select data-filter=system aria-label=System><option value=''>every system</option>"
        f"{_options(told.scores.systems)}</select>"
        f"<select data-filter=intent aria-label=Intent><option value=''>every intent</option>"
        f"{_options(dict.fromkeys(told.intents.values()))}</select>"
        f"<select data-filter=low aria-label=Score><option value=''>any score</option>{metrics}</select>"
        "<input data-filter=words type=search placeholder='words in the dialogue' aria-label='Words'>"
        "<span id=count class=soft></span></div>"
    )


def _slug(name: str) -> str:
    """A metric's name as a part of an attribute's name, which no escaping makes safe."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def _options(names: Iterable[str]) -> str:
    return "".join(f"<option>{escape(name)}</option>" for name in names)


def _dialogue(told: Told, dialogue: Played) -> str:
    key, grades = str(dialogue.key), dict(_grades(told, dialogue))
    data = "".join(
        f' data-m_{_slug(name)}="{grade.score or 0}"'
        for name, grade in grades.items()
        if grade.score is not None or grade.error
    )
    chips = "".join(_chip(told, name, grade) for name, grade in grades.items())
    intent = told.intents.get(dialogue.key.script, "")
    turns = "".join(_turn(key, exchange) for exchange in dialogue.turns)
    fault = f"<p class='err card'>Broke off: {escape(dialogue.fault)}</p>" if dialogue.fault else ""
    seed = f" · seed {dialogue.key.seed}" if len(told.config.get("seeds", [])) > 1 else ""
    return (
        f'<details class=d id="{escape(key)}" data-system="{escape(dialogue.key.system)}" '
        f'data-intent="{escape(intent)}"{data}><summary><span class=id>{escape(dialogue.key.script)}</span>'
        f"<span class=soft>{escape(dialogue.key.system)}{seed}</span><span class=chips>{chips}</span></summary>"
        f"<div class=inner>{fault}{_grade_table(told, key, dialogue)}{_form(told, key, dialogue)}{turns}"
        "</div></details>"
    )


def _grades(told: Told, dialogue: Played) -> Iterator[tuple[str, Grade]]:
    for metric in told.scores.rubric.metrics:
        if grade := told.scores.grade(dialogue, metric.name):
            yield metric.name, grade


def _chip(told: Told, name: str, grade: Grade) -> str:
    title = told.scores.rubric[name].title
    if grade.error:
        return f'<span class="chip ge" title="{escape(f"{title}: {grade.error}")}">!</span>'
    if grade.score is None:
        return ""
    level = round(2 * grade.score / max(told.scores.rubric[name].best, 1))
    return f'<span class="chip g{level}" title="{escape(f"{title}: {grade.reason}")}">{grade.score}</span>'


def _grade_table(told: Told, key: str, dialogue: Played) -> str:
    """Every grade there is: a person's does not hide the one it stands over."""
    rows = []
    for metric in told.scores.rubric.metrics:
        for by in ("human", "program", "judge"):
            grade = told.scores.grades.get((key, metric.name, by))
            if grade and (grade.score is not None or grade.error):
                rows.append(_grade_row(key, metric.title, grade))
    head = "<tr><th class=l>Metric</th><th>Score</th><th>By</th><th class=l>Why</th><th class=l>Rests on</th></tr>"
    return f"<div class=scroll><table>{head}{''.join(rows)}</table></div>"


def _grade_row(key: str, title: str, grade: Grade) -> str:
    score = "!" if grade.error else str(grade.score)
    link = f'<a href="#" data-turn="{escape(key)}/{grade.turn}">turn {grade.turn}</a> ' if grade.turn else ""
    quote = f"“{escape(grade.quote[:160])}”" if grade.quote else ""
    return (
        f"<tr><td>{escape(title)}</td><td><b>{score}</b></td><td>{escape(grade.by)}</td>"
        f"<td class=l>{escape(grade.error or grade.reason)}</td><td class=l>{link}<small>{quote}</small></td></tr>"
    )


def _form(told: Told, key: str, dialogue: Played) -> str:
    """Shown by the page's script where a server takes grades."""
    metrics = "".join(
        f'<option value="{escape(m.name)}">{escape(m.title)}</option>' for m in told.scores.rubric.metrics
    )
    scale = sorted({score for metric in told.scores.rubric.metrics for score in metric.scores})
    turns = "".join(f"<option value={e.number}>turn {e.number}</option>" for e in dialogue.turns)
    if not told.gradable:
        return ""
    return (
        f'<form class=grading data-key="{escape(key)}" hidden><b>Your grade</b>'
        f"<select name=metric aria-label=Metric>{metrics}</select>"
        f"<select name=of aria-label=Of><option value=0>whole dialogue</option>{turns}</select>"
        f"<select name=score aria-label=Score><option value=''>score</option>{_options(map(str, scale))}</select>"
        "<input name=reason placeholder=reason aria-label=Reason><button>Store</button><output></output></form>"
    )


def _turn(key: str, exchange: Exchange) -> str:
    interim = f"<div class='it interim'>{escape(exchange.interim)}</div>" if exchange.interim else ""
    reply = f"<div class=it>{escape(exchange.reply)}</div>" if exchange.reply else ""
    error = f"<div class='it err'>{escape(exchange.error)}</div>" if exchange.error else ""
    changed = "".join(f"<div class=meta>database: {escape(_change(c))}</div>" for c in exchange.changes)
    meta = f"{exchange.number} · {exchange.by} · {exchange.seconds:.1f} s · {exchange.tokens:,} tokens"
    back = "<p class='soft later'>The person comes back later, in a new conversation.</p>" if exchange.later else ""
    return (
        f'{back}<div class=turn id="{escape(key)}/{exchange.number}"><div class=me>{escape(exchange.said)}</div>'
        f"{interim}{_trace(exchange)}{reply}{error}{changed}<div class=meta>{meta}</div></div>"
    )


def _change(change: Mapping[str, Any]) -> str:
    rest = ", ".join(f"{name} {value}" for name, value in change.items() if name not in ("kind", "done") and value)
    return f"{change.get('kind')} {change.get('done')} ({rest})"


def _trace(exchange: Exchange) -> str:
    if not exchange.calls and not exchange.slow:
        return ""
    steps = "".join(_step(call) for call in exchange.calls)
    result = f"<pre>SlowMind[{escape(exchange.slow)}]</pre>" if exchange.slow else ""
    told = f"{len(exchange.calls)} tool call{'s' if len(exchange.calls) != 1 else ''}"
    return f"<details class=trace><summary>{told}</summary>{steps}{result}</details>"


def _step(call: Call) -> str:
    thought = f"Thought: {call.thought}\n" if call.thought else ""
    failed = " (failed)" if call.failed else ""
    text = f"{thought}Act: {call.tool}[{call.argument}]{failed}\nObs: {call.observation}"
    return f"<pre>{escape(text)}</pre>"


def _repeat(told: Told) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=l><code>{escape(_brief(value))}</code></td></tr>"
        for name, value in told.config.items()
        if name != "rubric"
    )
    criteria = "".join(
        f"<h3>{escape(m.title)}</h3><p>{escape(m.asks)} <span class=soft>Decided by: {escape(m.by)}. "
        f"{escape(m.decides)}</span></p><ul>{''.join(f'<li>{s}: {escape(t)}</li>' for s, t in m.scores.items())}</ul>"
        for m in told.scores.rubric.metrics
    )
    return (
        f"<h2>The rubric</h2><div class=card>{criteria}</div>"
        f"<h2>To repeat it</h2><div class='card scroll'><table>{rows}</table></div>"
    )


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= 400 else text[:400] + " ..."
