"""The report of a run: one HTML file that needs nothing else, in the light or the dark as its reader likes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from chat.bench.episodes import charts, published
from chat.bench.episodes.figures import FULL, Type, curve, mean_curve, types
from chat.bench.episodes.play import AFTER
from chat.evaluation.folder import RunFolder

LAST, LONGEST, MOST = 7, 220, 60
"""Steps shown of a failure, characters of an observation, and failures in all."""
STRATEGIES = {"swift": "Swift", "subgoals": "Sub-goals", "react": "ReAct", "oracle": "The oracle"}
WORLDS = {"scienceworld": "ScienceWorld", "alfworld": "ALFWorld"}
COUNTED = {
    "final": "Final: the last score of an episode that is not negative (SwiftSage, appendix B).",
    "stop_rule": "Stop rule: the final score of the same episode where SwiftSage's repository would have stopped it: "
    f"after {AFTER} actions or more, when the last 30 brought no reward.",
    "highest": "Highest: the best score on the way (as TALES counts).",
    "clamped": "Clamped: the engine's last word; an episode that ends with a failing action counts as 0.",
}
ORANGE = (
    "In some grow-fruit episodes the starting inventory already holds the fruit that is asked for; those can be won "
    "by focusing on it."
)
Row = Mapping[str, Any]


def write_report(folder: RunFolder, figures: Row, rows: Sequence[Row], steps: Mapping[str, Sequence[Row]]) -> None:
    """`report.html`, replaced in one stroke."""
    starts = [row["about"] or {} for row in folder.rows("starts")]
    beside = folder.path / "report.new"
    beside.write_text(page(folder.config, figures, rows, steps, starts), encoding="utf-8")
    beside.replace(folder.path / "report.html")


def page(
    config: Row, figures: Row, rows: Sequence[Row], steps: Mapping[str, Sequence[Row]], starts: Sequence[Row]
) -> str:
    """The whole of it."""
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    title = f"{STRATEGIES.get(config['strategy'], config['strategy'])} plays {WORLDS[config['world']]}"
    each = _in_order(types(rows))
    parts = [_head(config, figures, title)]
    if rows:
        curves = {row["id"]: [step["score"] or 0.0 for step in steps[row["id"]]] for row in rows}
        parts += [
            _tiles(figures),
            _over_steps(config, figures, each, rows, curves),
            _table(config, each, figures),
            _small(each, rows, curves),
            _failures(rows, steps),
            _cost(config, figures),
        ]
    parts += [_rules(config), _run(config, starts)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def _in_order(each: Sequence[Type]) -> list[Type]:
    """The papers' order where they number the types."""
    order = {name: number for number, name in enumerate(published.types())}
    return sorted(each, key=lambda one: (order.get(one.name, len(order)), one.name))


def _head(config: Row, figures: Row, title: str) -> str:
    rules = config["protocol"]
    left = f"; {figures['unplayed']} could not be played yet" if figures.get("unplayed") else ""
    without = f" Without the rules: {', '.join(config['without'])}." if config["without"] else ""
    return (
        f'<div class="kicker">{escape(config["split"])} · protocol {escape(rules["name"])}</div>'
        f"<h1>{escape(title)}</h1>"
        f"<p>{figures['episodes']} episodes{left}. {_coded(rules['says'])}.{escape(without)}</p>"
    )


def _tiles(figures: Row) -> str:
    tiles = [
        ("Final score", f"{figures['final']:.1f}", "of 100", True),
        ("Under the stop rule", f"{figures['stop_rule']:.1f}", "", False),
        ("Highest", f"{figures['highest']:.1f}", "", False),
        ("Clamped", f"{figures['clamped']:.1f}", "", False),
        ("Episodes won", f"{figures['success']:.1f}", "%", False),
        ("Types solved throughout", f"{figures['types_solved']}", f"of {figures['types']}", False),
        ("A decision (p50)", f"{figures['p50_ms']:.1f}", "ms", False),
        ("Tokens an action", f"{figures['tokens_per_action']:.0f}", "", False),
    ]
    return '<dl class="tiles">{}</dl>'.format(
        "".join(
            f'<div class="tile{" lead" if lead else ""}"><dt>{name}</dt><dd>{value}<small>{unit}</small></dd></div>'
            for name, value, unit, lead in tiles
        )
    )


def _over_steps(
    config: Row, figures: Row, each: Sequence[Type], rows: Sequence[Row], curves: Mapping[str, Sequence[float]]
) -> str:
    length = max(row["steps"] for row in rows)
    means = [mean_curve([curve(curves[r["id"]], length) for r in rows if r["type"] == one.name]) for one in each]
    science = config["world"] == "scienceworld"
    stop = float(AFTER) if science and config["protocol"]["name"] == "swiftsage" else None
    drawn = charts.large(mean_curve(means), stop)
    card = f'<div class="card"><h3>Mean score after so many actions</h3>{drawn}</div>'
    if not science:
        return f"<h2>Score over steps</h2><p>Task average over all episodes.</p>{card}"
    others = [(column.name, column.overall, False) for column in published.columns()]
    ours = (f"{STRATEGIES.get(config['strategy'], config['strategy'])} (this run)", float(figures["final"]), True)
    ranked = charts.bars(sorted([*others, ours], key=lambda bar: bar[1]))
    beside = (
        "" if config["protocol"]["name"] == "swiftsage" else " Theirs are under SwiftSage's protocol, this run is not."
    )
    return (
        f"<h2>Score over steps, and beside the papers</h2><p>Task averages.{beside}</p>"
        f'<div class="pair">{card}<div class="card"><h3>Final score, task average</h3>{ranked}</div></div>'
    )


def _table(config: Row, each: Sequence[Type], figures: Row) -> str:
    known = published.types() if config["world"] == "scienceworld" else {}
    papers = published.columns() if known else ()
    others = "".join(f'<th{_rule(i)} title="{escape(c.says)}">{escape(c.name)}</th>' for i, c in enumerate(papers))
    groups = f'<tr class="groups"><th></th><th colspan="7">This run</th>{_group(len(papers))}</tr>' if papers else ""
    head = (
        f"<thead>{groups}<tr><th>Type of task</th><th>Episodes</th><th>Final</th><th>Stop rule</th><th>Highest</th>"
        f"<th>Clamped</th><th>Won, %</th><th>Steps</th>{others}</tr></thead>"
    )
    body = "".join(_line(one, known.get(one.name), papers) for one in each)
    foot = _foot("Task average", figures, figures, papers)
    foot += _foot("Episode average", figures["episode_average"], figures, papers)
    notes = "".join(f"<li>{text}</li>" for text in COUNTED.values())
    sources = "".join(f"<li>{escape(c.name)}: {escape(c.says)}.</li>" for c in papers)
    orange = f"<li>{ORANGE}</li>" if known else ""
    return (
        "<h2>By type of task</h2><p>Means over a type's episodes; the average at the foot weighs every type alike.</p>"
        f'<div class="scroll"><table>{head}<tbody>{body}</tbody><tfoot>{foot}</tfoot></table></div>'
        f'<ul class="note">{notes}{sources}{orange}</ul>'
    )


def _rule(number: int) -> str:
    return ' class="rule"' if number == 0 else ""


def _group(count: int) -> str:
    return f'<th class="rule" colspan="{count}">The papers, final score</th>'


def _line(one: Type, known: published.TaskType | None, papers: Sequence[published.Column]) -> str:
    final = one.counts["final"]
    tone = " low" if final < 40 else " full" if one.solved else ""
    number = f'<span class="id">{known.id}</span>' if known else ""
    cells = [
        f"<td>{one.episodes}</td>",
        f'<td class="main{tone}"><span class="track"><i style="width:{final:.1f}%"></i></span><b>{final:.1f}</b></td>',
        *(f"<td>{one.counts[count]:.1f}</td>" for count in ("stop_rule", "highest", "clamped")),
        f"<td>{one.won:.0f}</td><td>{one.steps:.0f}</td>",
    ]
    for number_, column in enumerate(papers):
        score = f"{known.scores[column.key]:.1f}" if known else "–"
        cells.append(f'<td class="faint{" rule" if number_ == 0 else ""}">{score}</td>')
    return f"<tr><th><div>{number}<span>{escape(one.name)}</span></div></th>{''.join(cells)}</tr>"


def _foot(name: str, counts: Row, figures: Row, papers: Sequence[published.Column]) -> str:
    average = name.startswith("Task")
    cells = f"<td>{figures['episodes'] if average else ''}</td>"
    cells += "".join(f"<td>{counts[count]:.1f}</td>" for count in ("final", "stop_rule", "highest", "clamped"))
    cells += f"<td>{'' if average else format(figures['success'], '.1f')}</td>"
    cells += f"<td>{'' if average else format(figures['steps_per_episode'], '.1f')}</td>"
    overall = (f"{column.overall:.1f}" if average else "" for column in papers)
    cells += "".join(f"<td{_rule(i)}>{score}</td>" for i, score in enumerate(overall))
    return f"<tr><th>{name}</th>{cells}</tr>"


def _small(each: Sequence[Type], rows: Sequence[Row], curves: Mapping[str, Sequence[float]]) -> str:
    figures = []
    for one in each:
        own = [row for row in rows if row["type"] == one.name]
        length = max(1, *(row["steps"] for row in own))
        lines = [curve(curves[row["id"]], length) for row in own]
        figures.append(
            f'<figure><figcaption><b title="{escape(one.name)}">{escape(one.name)}</b>'
            f"<span>{length}</span></figcaption>{charts.small(lines, mean_curve(lines), one.name)}</figure>"
        )
    return (
        "<h2>Every episode</h2><p>Score from 0 to 100 against actions (their number at the right); a thin line an "
        f'episode, the mean in colour.</p><div class="many">{"".join(figures)}</div>'
    )


def _failures(rows: Sequence[Row], steps: Mapping[str, Sequence[Row]]) -> str:
    lost = sorted((row for row in rows if row["final"] < FULL or not row["won"]), key=lambda row: row["final"])
    if not lost:
        return "<h2>Failures</h2><p>None: every episode was won.</p>"
    more = f" The {MOST} lowest are shown." if len(lost) > MOST else ""
    shown = "".join(_failure(row, steps[row["id"]]) for row in lost[:MOST])
    told = f"{len(lost)} of {len(rows)} episodes, the lowest first, with their last steps.{more}"
    return f"<h2>Failures</h2><p>{told}</p>{shown}"


def _failure(row: Row, steps: Sequence[Row]) -> str:
    shown = "".join(
        f'<li><span class="n">{step["step"]}</span><span class="a">{escape(step["action"])}</span>'
        f'<span class="o">{escape(_brief(step["said"]))}</span><span class="s">{step["score"] or 0:.0f}</span></li>'
        for step in steps[-LAST:]
    )
    said = f"<p>{escape(row['said'])}</p>" if row["said"] else ""
    return (
        f'<details><summary><b class="score">{row["final"]:.0f}</b><b>{escape(row["id"])}</b>'
        f"<span>{row['steps']} steps, {_ended(row)}</span></summary>"
        f'<div><p class="goal">{escape(row["goal"])}</p>{said}<ol class="steps">{shown}</ol></div></details>'
    )


def _ended(row: Row) -> str:
    ends: dict[str, str] = {
        "steps": "out of steps",
        "lost": "ended by a failing action",
        "gave up": "gave up",
        "won": "won",
    }
    tries = f", {row['tries']} tries" if row["tries"] > 1 else ""
    return ends.get(row["ended"], str(row["ended"])) + tries


def _coded(text: str) -> str:
    """What stands in backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _brief(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= LONGEST else one[:LONGEST].rstrip() + " …"


def _cost(config: Row, figures: Row) -> str:
    lines = [
        ("Steps in all", f"{figures['steps']:,}", f"{figures['steps_per_episode']:.1f} an episode"),
        ("A decision", f"{figures['policy_ms']:.1f} ms", f"p50 {figures['p50_ms']:.1f}, p95 {figures['p95_ms']:.1f}"),
        ("Of the processor", f"{figures['processor_p50_ms']:.1f} ms", "p50; others' load does not count"),
        ("The simulator", f"{figures['simulator_ms']:.1f} ms", "a step, with what the strategy looks at"),
        ("On the clock", f"{figures['minutes']:.1f} min", "all starts of the run"),
        ("Tokens an action", f"{figures['tokens_per_action']:.1f}", "of language models"),
    ]
    own = "".join(f'<tr><th>{a}</th><td class="n">{b}</td><td class="faint">{c}</td></tr>' for a, b, c in lines)
    table = f'<div class="scroll"><table class="plain"><tbody>{own}</tbody></table></div>'
    spent = [(c.name, c.tokens_per_action) for c in published.columns() if c.tokens_per_action is not None]
    papers = "".join(f"<tr><th>{escape(name)}</th><td>{tokens:,.0f}</td></tr>" for name, tokens in spent)
    head = "<thead><tr><th>The papers</th><th>Tokens an action</th></tr></thead>"
    beside = f'<div class="scroll"><table>{head}<tbody>{papers}</tbody></table></div>'
    pair = f'<div class="pair">{table}{beside if config["world"] == "scienceworld" else ""}</div>'
    return f"<h2>What it cost</h2><p>Milliseconds on the machine of the run, which may have been busy.</p>{pair}"


def _rules(config: Row) -> str:
    rules = (config.get("about") or {}).get("rules") or []
    if not rules:
        return ""
    listed = "".join(
        f'<li class="{"" if rule["on"] else "off"}"><code>{escape(rule["name"])}</code>'
        f"<span>{_coded(rule['says'])}</span></li>"
        for rule in rules
    )
    return (
        "<h2>Rules at inference</h2><p>All there are; none knows a task. Everything else was learned from train "
        "episodes. Leave some out with <code>--without NAME</code> to see what they are worth.</p>"
        f'<div class="card"><ul class="rules">{listed}</ul></div>'
    )


def _run(config: Row, starts: Sequence[Row]) -> str:
    about = config.get("about") or {}
    commits = list(dict.fromkeys(str(start.get("commit")) for start in starts if start.get("commit")))
    weights = [f"{name} ({checksum})" for name, checksum in config["weights"].items()]
    lines = {
        "Weights": ", ".join(weights) or "none",
        "Language model": config["model"] or "none",
        "Commit": ", ".join(commits) or "not a checkout",
        "Starts": str(len(starts)),
        "Python": about.get("python", ""),
        "Packages": ", ".join(f"{name} {version}" for name, version in (about.get("packages") or {}).items()),
        "Simplifications": ", ".join(config["protocol"]["simplifications"]) or "none",
    }
    listed = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in lines.items())
    return f'<h2>The run</h2><div class="card"><dl class="run">{listed}</dl></div>'
