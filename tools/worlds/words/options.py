"""Every admissible action as an option of a sentence, by what the words say for it; to do nothing is one too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tools.worlds.words.alone import ALONE
from tools.worlds.words.evidence import BOTH, Features, View
from tools.worlds.words.likeness import Likeness
from tools.worlds.words.siblings import Siblings
from tools.worlds.words.spots import Heard
from tools.worlds.words.surroundings import Act, Surroundings


@dataclass(frozen=True)
class Option:
    """An action (empty: to do nothing) by the features of one way to find it in the sentence."""

    action: str
    features: Features
    act: Act | None = None


def options(sentence: Heard, here: Surroundings) -> list[Option]:
    """Each action once for each verb phrase that may mean it; to do nothing comes first."""
    view = View(sentence, here)
    siblings, likeness = Siblings(view), Likeness(sentence.words, here)
    found = [Option("", view.nothing())]
    for key, start, size in sentence.alone:
        action = next((action for action in ALONE[key][0] if action in here.admissible), "")
        if action:
            found.append(Option(action, view.alone(key, start, size)))
    for verb in here.verbs:
        for act in here.acts(verb):
            found += _ways(act, view, siblings, likeness)
    return _marked(found)


def _ways(act: Act, view: View, siblings: Siblings, likeness: Likeness) -> Iterator[Option]:
    if not act.args:
        yield Option(act.text, {"bare": 1.0, f"bare {act.verb}": 1.0} | siblings.features(act), act)
        return
    spoken = view.speaks_of(act)
    if not spoken and not _thinkable(act, view):
        return
    extra = siblings.features(act) | likeness.features(act)
    if view.forbidden(act):
        extra["forbidden"] = 1.0
    if not spoken:
        extra |= {"unspoken": 1.0, f"unspoken {act.verb}": 1.0}
    ways = view.ways(act.verb)
    for frame, cue in ways if spoken else ways[-2:]:
        features = view.features(act, frame, cue) | extra
        if cue is not None and view.negated(cue.start):
            features["verb forbidden"] = 1.0
        yield Option(act.text, features, act)


def _thinkable(act: Act, view: View) -> bool:
    """In a laboratory every thing goes with every other: of two one has to be spoken of, or be at hand."""
    if len(act.args) < 2 or view.here.world == "alfworld" or act.verb not in BOTH:
        return True
    if len(set(act.args)) < len(act.args):
        return False
    near = (*view.here.holding, *view.chooser.antecedents[:2])
    if any(arg in view.by_name for arg in act.args):
        return True
    return act.verb == "move" and act.args[0] in near


def _marked(found: list[Option]) -> list[Option]:
    """With a mark on what has another beside it that differs in nothing but its number."""
    seen: dict[tuple[object, ...], set[str]] = {}
    for one in found:
        if one.act:
            seen.setdefault(_kind(one), set()).add(one.action)
    for one in found:
        if one.act and len(seen[_kind(one)]) > 1:
            one.features["tie"] = 1.0
            one.features["tie, some" if "arg0 some" in one.features else "tie, the"] = 1.0
    return found


def _kind(one: Option) -> tuple[object, ...]:
    return one.act.verb if one.act else "", tuple(sorted(one.features.items()))
