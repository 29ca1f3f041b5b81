"""What can be typed behind `main.py`. Imports nothing heavy, so that help is quick."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from chat.command_line.commands import ALL
from chat.command_line.shared import Commands


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    commands = Commands()
    for command in ALL:
        command(commands)
    return commands.top


def spoken(argv: list[str]) -> list[str]:
    """`ask -hello` says so: what is no flag and stands last is what is said, dash or not."""
    if _command(argv) != "ask" or not argv[-1].startswith("-") or argv[-1] in ("-", "--") or "--" in argv:
        return argv
    flag = argv[-1].partition("=")[0]
    known = [each for each in ask_flags() if each == flag or (flag.startswith("--") and each.startswith(flag))]
    return argv if known else [*argv[:-1], "--", argv[-1]]


def _command(argv: list[str]) -> str:
    """The first that is one, and no value of an option before it."""
    commands = _commands()
    for before, typed in zip(["", *argv], argv, strict=False):
        valued = before.startswith("--") and "=" not in before and not before.startswith("--no-")
        if typed in commands and not valued:
            return typed
    return ""


def ask_flags() -> list[str]:
    """As they may be typed."""
    return list(_commands()["ask"]._option_string_actions)


def _commands() -> Mapping[str, argparse.ArgumentParser]:
    [commands] = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return commands.choices


def option_flags(given: Mapping[str, Any]) -> list[str]:
    """The given flags, as typed, that say how the minds work: only the process that does the thinking can hear them."""
    flags = {name: f"--{name.replace('_', '-')}" for name in ("fast_model", "slow_model", "strategy", "temperature")}
    return [flag for name, flag in {**flags, "memory": "--no-memory"}.items() if given.get(name) is not None]
