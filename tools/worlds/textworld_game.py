"""A TextWorld or Z-machine game in this process: only its own one runs this (textworld.py)."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from tools.worlds.alfworld_package import LOCK, package
from tools.worlds.world import Observation, Scene, WorldFault, WorldLost, WorldSpec

KNOWN = ("description", "inventory", "won", "lost", "score", "max_score", "objective", "admissible_commands")
_ROOM = re.compile(r"-= (.+?) =-")
_LISTED = re.compile(r"(?:\ban?|\bthe|\bsome) ([^,.:\n]+?)(?=,| and |\.|\n|$)")


class TextWorld:
    """One episode. Games that TextWorld made (`game.json` beside them) know what is possible and how they are won."""

    def __init__(self, spec: WorldSpec, path: Path) -> None:
        self.spec, self.goal, self.steps = spec, "", 0
        self._state: Any = None
        made_here = path.with_suffix(".json").is_file()
        asked = set(KNOWN) if made_here else set()
        with LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a game is not on a list of known ones
            try:
                textworld = package("textworld")
                infos = textworld.EnvInfos(**dict.fromkeys(asked, True), extras=["walkthrough"] if made_here else [])
                self._env: Any = textworld.start(str(path), infos)
            except Exception as fault:
                raise WorldFault(
                    f"{path} cannot be played ({type(fault).__name__}); name another game file."
                ) from fault

    def reset(self) -> Observation:
        with LOCK:
            self._state, self.steps = self._running().reset(), 0
        self.goal = _plain(self._get("objective") or "")
        return self._seen(done=False)

    def step(self, action: str) -> Observation:
        env = self._running()
        with LOCK:
            try:
                self._state, _, done = env.step(action.replace("\n", " ")[:200])
            except Exception as fault:
                raise WorldLost(f"The game broke at {action[:60]!r}; open it again and replay the actions.") from fault
        self.steps += 1
        return self._seen(bool(done))

    def admissible(self) -> tuple[str, ...]:
        return tuple(self._get("admissible_commands") or ())

    def look(self) -> str:
        return _plain(self._get("description") or self._get("feedback") or "")

    def inventory(self) -> str:
        return _plain(self._get("inventory") or "")

    def scene(self) -> Scene:
        """What the texts name; exits are the directions that the look speaks of."""
        look, rooms = self.look(), _ROOM.findall(str(self._get("description") or self._get("raw") or ""))
        exits = tuple(way for way in ("north", "east", "south", "west") if re.search(rf"\b{way}\b", look))
        return Scene(rooms[-1] if rooms else "", (), exits, tuple(_LISTED.findall(self.inventory())))

    def gold(self) -> tuple[str, ...]:
        way = self._get("extra.walkthrough")
        if not way:
            raise WorldFault("This game file has no walkthrough; play it, or name another game.")
        return tuple(way)

    def close(self) -> None:
        env, self._env = getattr(self, "_env", None), None
        if env is not None:
            env.close()

    def _running(self) -> Any:
        if self._env is None:
            raise WorldFault("This game is closed; open it again.")
        return self._env

    def _get(self, name: str) -> Any:
        return None if self._state is None else self._state.get(name)

    def _seen(self, done: bool) -> Observation:
        won, most, score = bool(self._get("won")), self._get("max_score"), self._get("score")
        percent = 100.0 * score / most if most and score is not None else None
        return Observation(_plain(self._get("feedback") or ""), percent, done, won)


def _plain(text: str) -> str:
    """Without the big letters at the start and the status line at the end."""
    text = re.sub(r"\n>\s*(?:-= .* =-\S*)?\s*$", "", text)
    letters = [line for line in text.splitlines() if "$$" in line]
    return (text.rpartition(letters[-1])[2] if letters else text).strip()
