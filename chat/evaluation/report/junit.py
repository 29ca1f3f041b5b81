"""JUnit XML: one test case a dialogue, for machines that wait for a run."""

from __future__ import annotations

from xml.etree import ElementTree as Tree

from chat.evaluation.figures import Scores


def junit(scores: Scores, name: str) -> str:
    """A dialogue that does not pass is a failure, one that broke off or could not be graded an error."""
    suites = Tree.Element("testsuites", name=name)
    for system in scores.systems:
        played = scores.of(system)
        suite = Tree.SubElement(suites, "testsuite", name=f"{name}.{system}", tests=str(len(played)))
        failures = errors = 0
        for dialogue in played:
            label = f"{dialogue.key.script} (seed {dialogue.key.seed})"
            case = Tree.SubElement(
                suite, "testcase", classname=f"{name}.{system}", name=label, time=f"{dialogue.seconds:.3f}"
            )
            found = [(m, scores.grade(dialogue, m.name)) for m in scores.rubric.metrics]
            wrong = [f"{m.title}: {grade.error}" for m, grade in found if grade and grade.error]
            low = [
                f"{m.title} {grade.score}: {grade.reason}"
                for m, grade in found
                if grade and grade.score is not None and grade.score < scores.rubric.pass_at
            ]
            if dialogue.fault or wrong:
                errors += 1
                Tree.SubElement(case, "error", message=_clean(dialogue.fault or wrong[0])).text = _clean(
                    "\n".join(wrong)
                )
            elif not scores.passed(dialogue):
                failures += 1
                Tree.SubElement(case, "failure", message=_clean(low[0] if low else "")).text = _clean("\n".join(low))
        suite.set("failures", str(failures))
        suite.set("errors", str(errors))
    Tree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Tree.tostring(suites, encoding="unicode") + "\n"


def _clean(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(c for c in text if c in "\t\n\r" or ord(c) >= 32)
