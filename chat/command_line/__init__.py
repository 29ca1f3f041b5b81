"""What can be typed behind `main.py`. Imports nothing heavy, so that help is quick."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping
from typing import Any

from chat.command_line import measuring, using
from chat.command_line.shared import Commands


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    return _commands().top


def _commands() -> Commands:
    commands = Commands()
    for command in (
        *(using.serve, using.ask, using.talk, using.play, using.memory, using.models),
        *(using.backup, using.restore, using.users, using.doctor),
        *(measuring.evaluate, measuring.bench, measuring.train),
    ):
        command(commands)
    return commands


def spoken(argv: list[str]) -> list[str]:
    """`ask -hello` says so: what is no flag and stands last is what is said, dash or not."""
    known = _commands().all.choices
    if _command(argv, known) != "ask" or not argv[-1].startswith("-") or argv[-1] in ("-", "--") or "--" in argv:
        return argv
    flag, flags = argv[-1].partition("=")[0], known["ask"]._option_string_actions
    is_one = any(each == flag or (flag.startswith("--") and each.startswith(flag)) for each in flags)
    return argv if is_one else [*argv[:-1], "--", argv[-1]]


def _command(argv: list[str], commands: Collection[str]) -> str:
    """The first that is one, and no value of an option before it."""
    for before, typed in zip(["", *argv], argv, strict=False):
        valued = before.startswith("--") and "=" not in before and not before.startswith("--no-")
        if typed in commands and not valued:
            return typed
    return ""


def option_flags(given: Mapping[str, Any]) -> list[str]:
    """The given flags, as typed, that say how the minds work: only the process that does the thinking can hear them."""
    flags = {name: f"--{name.replace('_', '-')}" for name in ("fast_model", "slow_model", "strategy", "temperature")}
    return [flag for name, flag in {**flags, "memory": "--no-memory"}.items() if given.get(name) is not None]
