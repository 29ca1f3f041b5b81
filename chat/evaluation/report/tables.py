"""The tables of a report, once: table.html shows them, and they are Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chat.evaluation.figures import PAPER, PROGRAM
from chat.evaluation.report import paper
from chat.evaluation.rubric import Rubric

Figures = Mapping[str, Any]
NONE = "–"
TRUSTED = 0.7
"""The least kappa of a judge to be recommended."""


@dataclass(frozen=True)
class Table:
    """Rows of cells; a cell's second line is small."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    quiet: frozenset[int] = frozenset()
    """Rows that are not ours."""

    def markdown(self) -> str:
        lines = [f"| {' | '.join(self.head)} |", f"|{'---|' * len(self.head)}"]
        lines += [f"| {' | '.join(cell.replace(chr(10), ' ') for cell in row)} |" for row in self.rows]
        return "\n".join([f"### {self.title}", "", *lines, *(["", self.note] if self.note else []), ""])


def all_tables(figures: Figures, rubric: Rubric) -> list[Table]:
    """In the order of the report."""
    found = [beside_paper(figures, rubric, "shared")]
    counts = {system["scripts"] for system in figures["systems"].values()}
    if len(counts) > 1:
        found.append(beside_paper(figures, rubric, "metrics"))
    found += [costs(figures, "shared_cost"), pairs(figures, rubric)]
    return found


def beside_paper(figures: Figures, rubric: Rubric, part: str) -> Table:
    """Our systems, and under them the paper's; `part`: `shared` for the scripts all have, `metrics` for each one's."""
    metrics = list(rubric.metrics)
    titles = [m.title for m in metrics]
    rows, quiet = list[tuple[str, ...]](), set[int]()
    for name, system in figures["systems"].items():
        cells = [estimate(system[part][m.name]) for m in metrics]
        rows.append(
            (f"{name}\n{_played(system, figures, part)}", *cells, *_means(system[part]), passes(system["pass"]))
        )
    if any(m.paper for m in metrics):
        for name, scores in paper.TABLE.items():
            given = dict(zip(paper.METRICS, scores, strict=True))
            cells = [f"{given[m.name]:.3f}" if m.name in given else NONE for m in metrics]
            quiet.add(len(rows))
            rows.append((f"{name}\nthe paper, table 2", *cells, f"{sum(scores) / len(scores):.3f}", NONE, NONE))
    which = (
        f"the {figures['shared_scripts']} scripts that all systems played" if part == "shared" else "all its scripts"
    )
    title = f"Scores of each system on {which}"
    head = ("System", *titles, "Mean of the paper's six", "Mean decided by program", "pass^k")
    return Table(title, head, tuple(rows), paper.NOTE if quiet else "", frozenset(quiet))


def _played(system: Figures, figures: Figures, part: str) -> str:
    count = figures["shared_scripts"] if part == "shared" else system["scripts"]
    return f"{count} scripts"


def _means(found: Mapping[str, Any]) -> tuple[str, str]:
    return estimate(found[PAPER]), estimate(found[PROGRAM])


def estimate(found: Mapping[str, Any] | None) -> str:
    """`1.52` over `1.31 to 1.70, n 38`."""
    if not found:
        return NONE
    return f"{found['mean']:.2f}\n{found['low']:.2f} to {found['high']:.2f}, n {found['n']}"


def passes(found: Mapping[str, float | None]) -> str:
    """`0.62` for one seed; with the largest k beside it for several."""
    known = [(int(k), value) for k, value in found.items() if value is not None]
    if not known:
        return NONE
    last = f"\n^{known[-1][0]}: {known[-1][1]:.2f}" if len(known) > 1 else ""
    return f"{known[0][1]:.2f}{last}"


def costs(figures: Figures, part: str) -> Table:
    """What a dialogue takes."""
    head = (
        "System", "Slow runs a dialogue", "Turns without one", "From memory", "Tool calls", "Tokens a dialogue",
        "First words (s)", "Final reply (s)", "Invoke precision", "Invoke recall",
    )  # fmt: skip
    rows = []
    for name, system in figures["systems"].items():
        cost, invoke = system[part], system["invoke"]
        rows.append(
            (
                name,
                f"{cost['slow_runs']:.2f}",
                f"{cost['slow_avoided']:.0%}",
                str(cost["from_memory"]),
                f"{cost['tool_calls']:.2f}",
                f"{cost['tokens']:,.0f}",
                f"{_seconds(cost['first_p50'])}\np90 {_seconds(cost['first_p90'])}",
                f"{_seconds(cost['seconds_p50'])}\np90 {_seconds(cost['seconds_p90'])}",
                _share(invoke["precision"]),
                _share(invoke["recall"]),
            )
        )
    note = (
        "Seconds are medians and 9th deciles over turns; precision and recall are over the turns of which the script "
    )
    return Table("What it costs", head, tuple(rows), note + "says whether the slow mind is needed.")


def _seconds(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}" if value >= 0.1 else f"{value:.3f}"


def _share(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def pairs(figures: Figures, rubric: Rubric) -> Table:
    """Differences that are more than chance at 5% after Holm's adjustment, and all of the two means."""
    titles = {m.name: m.title for m in rubric.metrics} | {
        PAPER: "Mean of the paper's six",
        PROGRAM: "Decided by program",
    }
    rows = [
        (
            titles[test["metric"]],
            f"{test['first']} less {test['second']}",
            f"{test['difference']:+.2f}\n{test['low']:+.2f} to {test['high']:+.2f}",
            f"{test['p']:.3f}",
            f"{test['p_adjusted']:.3f}",
            str(test["n"]),
        )
        for test in figures["pairs"]
        if test["p_adjusted"] < 0.05 or test["metric"] in (PAPER, PROGRAM)
    ]
    note = (
        "Two-sided sign-flip permutation tests over scripts, p adjusted within each metric (Holm); shown are the two "
        "means, and of single metrics what stays under 5%."
    )
    return Table("Who beats whom", ("Metric", "Systems", "Difference", "p", "adjusted", "Scripts"), tuple(rows), note)


def calibrated(found: Mapping[str, Any] | None, rubric: Rubric, judge: str) -> Table:
    """Agreement with hand grades."""
    head = ("Metric", "Hand grades", "Quadratic kappa", "Equal grades", "Not graded")
    if not found or not found.get("turns"):
        return Table("Agreement with hand grades", head, (), "No turns were graded by hand for this suite.")
    titles = {metric.name: metric.title for metric in rubric.metrics}
    rows = [_agreement_row(titles.get(name, name), each) for name, each in found["metrics"].items()]
    rows += [_agreement_row(f"All decided by {by}", each) for by, each in found["by"].items() if each["n"]]
    if count := found.get("corrected"):
        title = f"the same, {count} hand grade{'s' if count > 1 else ''} as first given"
        rows += [_agreement_row(f"{by}: {title}", each) for by, each in found["first"].items() if each["n"]]
    return Table("Agreement with hand grades", head, tuple(rows), _bias_note(found, judge))


def _agreement_row(title: str, each: Mapping[str, Any]) -> tuple[str, ...]:
    kappa = NONE if each["kappa"] is None else f"{each['kappa']:.2f}"
    same = NONE if each["agreement"] is None else f"{each['agreement']:.0%}"
    return title, str(each["n"]), kappa, same, str(each["ungraded"])


def _bias_note(found: Mapping[str, Any], judge: str) -> str:
    parts = [f"Judge: {judge or 'none'}."]
    kappa = found["by"]["judge"]["kappa"]
    if kappa is not None and kappa < TRUSTED:
        parts.append(f"Its kappa is under {TRUSTED}: do not rest on what it grades.")
    names = {"backwards": "with the scores listed in the other order", "padded": "with filler around every reply"}
    for name, told in names.items():
        bias = found.get("bias", {}).get(name, {})
        if bias.get("n"):
            shift = f"mean shift {bias['shift']:+.2f}"
            parts.append(f"Asked again {told}: {bias['same']:.0%} equal grades, {shift} (n {bias['n']}).")
    return " ".join(parts)


def human(found: Mapping[str, Mapping[str, Any]], rubric: Rubric) -> Table:
    """Agreement with those who graded in this run, by metric."""
    head = ("Metric", "Graded by people", "Quadratic kappa", "Equal grades", "Not graded")
    titles = {metric.name: metric.title for metric in rubric.metrics}
    rows = tuple(_agreement_row(titles.get(name, name), each) for name, each in found.items())
    return Table("Agreement with the people who graded this run", head, rows)
