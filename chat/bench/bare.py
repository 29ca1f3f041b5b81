"""The simulators' own packages as they are used without Duet, to be measured against."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, cast

from tools.worlds.world import WorldSpec


class Bare(Protocol):
    """A package's own environment."""

    def start(self, spec: WorldSpec) -> None:
        """Loads an episode and resets it."""
        ...

    def step(self, action: str) -> object: ...


class BareScienceWorld:
    """`ScienceWorldEnv`, whose step also builds the look, the inventory and all valid actions."""

    def __init__(self, env: Any) -> None:
        self._env = env

    def start(self, spec: WorldSpec) -> None:
        self._env.load(spec.task, spec.variation, ",".join(spec.options))
        self._env.reset()

    def step(self, action: str) -> object:
        return self._env.step(action)


class BareAlfWorld:
    """The package's TextWorld environment, with the infos its own agents ask for."""

    def __init__(self, folder: Path) -> None:
        self._file, self._env = folder / "game.tw-pddl", cast(Any, None)

    def start(self, spec: WorldSpec) -> None:
        from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
        from textworld.core import EnvInfos  # type: ignore[import-untyped,unused-ignore]
        from textworld.envs.pddl import PddlEnv  # type: ignore[import-untyped,unused-ignore]

        from tools.worlds.alfworld import load
        from tools.worlds.alfworld_games import write

        write(load(spec), self._file)
        self._env = AlfredDemangler(PddlEnv(EnvInfos(won=True, admissible_commands=True)))
        self._env.load(str(self._file))
        self._env.reset()

    def step(self, action: str) -> object:
        return self._env.step(action)


@contextmanager
def bare(world: str) -> Iterator[Bare]:
    """A package's environment; what it leaves behind is put right."""
    with _BARE[world]() as made:
        yield made


@contextmanager
def _scienceworld() -> Iterator[Bare]:
    from scienceworld import ScienceWorldEnv

    from tools.worlds.jvm import java

    path, binary = os.environ.get("PATH", ""), java()
    if binary:
        os.environ["PATH"] = f"{binary.parent}{os.pathsep}{path}"
    try:
        env = ScienceWorldEnv()
    finally:
        os.environ["PATH"] = path
    process = env._gateway.java_process
    try:
        yield BareScienceWorld(env)
    finally:
        env.close()
        process.wait(timeout=30)
        process.stdin.close()
        env._obj_tree_tempdir.cleanup()
        ScienceWorldEnv.__del__ = lambda self: None  # it would close what is closed


@contextmanager
def _alfworld() -> Iterator[Bare]:
    line, out = sys.argv, sys.stdout
    with tempfile.TemporaryDirectory() as folder:
        data = os.environ.get("ALFWORLD_DATA")
        if data is None:
            os.environ["ALFWORLD_DATA"] = folder  # else the package makes a folder in the home
        try:
            yield BareAlfWorld(Path(folder))
        finally:
            sys.argv, sys.stdout = line, out
            if data is None:
                with suppress(KeyError):
                    del os.environ["ALFWORLD_DATA"]


_BARE = {"scienceworld": _scienceworld, "alfworld": _alfworld}
