"""What can be typed behind `main.py`, by commands.toml. Imports nothing heavy, so that help is quick."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from minds.strategies import WORLD_STRATEGIES
from tools.domains import DOMAINS
from tools.worlds import WORLDS

_TOLD = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
COMMANDS: dict[str, dict[str, Any]] = _TOLD["commands"]
QUESTION_STRATEGIES, SYSTEMS = str(_TOLD["questions"]), str(_TOLD["systems"])
MEMORY_ACTIONS: dict[str, str] = COMMANDS["memory"]["listed"]["actions"]
BENCHES: dict[str, str] = COMMANDS["bench"]["listed"]["benchmarks"]
TRAININGS: dict[str, str] = COMMANDS["train"]["listed"]["trainings"]
_NAMES = {"domains": ", ".join(DOMAINS), "worlds": ", ".join(WORLDS), "strategies": ", ".join(WORLD_STRATEGIES)}
_NAMES |= {name: _TOLD[name] for name in ("spec", "questions", "systems")}
_TYPES = {"int": int, "float": float}
_OPTIONS: dict[str, Any] = {
    "argument_default": argparse.SUPPRESS,  # a flag before the command must not be overwritten by the command's default
    "formatter_class": argparse.RawDescriptionHelpFormatter,
}


def parser() -> argparse.ArgumentParser:
    """The whole command line. Only what was typed is in its namespace: defaults stand in chat/settings.py."""
    about = "Duet: an assistant with a fast and a slow mind."
    top = argparse.ArgumentParser(prog="main.py", description=about, epilog=_TOLD["examples"], **_OPTIONS)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _share(top, "$questions")
    _add(top, {"--host": {"help": argparse.SUPPRESS}, "--port": {"type": "int", "help": argparse.SUPPRESS}})
    for name, told in COMMANDS.items():
        text, more = told["text"], told.get("more") or _listed(told.get("listed", {}))
        about = f"{text[0].upper()}{text[1:]}."
        made = commands.add_parser(name, help=text, description=about, epilog=more, **_OPTIONS)
        _share(made, told.get("minds", ""))
        _add(made, told.get("options", {}))
        for title, options in told.get("groups", {}).items():
            _add(made.add_argument_group(title), options)
    return top


def _share(made: argparse.ArgumentParser, minds: str) -> None:
    """Adds the options of everybody, and where it has minds theirs; `minds`: the strategies that it takes."""
    for title, options in _TOLD["shared"].items():
        if minds or title != "minds":
            _add(made.add_argument_group(title), options, minds=_filled(minds))


def _add(made: Any, options: Mapping[str, Mapping[str, Any]], minds: str = "") -> None:
    for name, told in options.items():
        how = dict(told) | {"help": _filled(told["help"], minds)}
        how |= {"type": _TYPES[told["type"]]} if "type" in told else {}
        how |= {"choices": [*MEMORY_ACTIONS]} if told.get("choices") == "actions" else {}
        made.add_argument(name, **how)


def _filled(text: str, minds: str = "") -> str:
    return Template(text).substitute(_NAMES, minds=minds)


def _listed(listed: Mapping[str, Mapping[str, str]]) -> str:
    """Names with what each says, to stand below a help."""
    lines = []
    for title, says in listed.items():
        width = max(map(len, says))
        lines += [f"{title}:", *(f"  {name:{width}}  {text}" for name, text in says.items())]
    return "\n".join(lines)


def spoken(argv: list[str]) -> list[str]:
    """`ask -hello` says so: what is no flag and stands last is what is said, dash or not."""
    if _command(argv) != "ask" or not argv[-1].startswith("-") or argv[-1] in ("-", "--") or "--" in argv:
        return argv
    flag = argv[-1].partition("=")[0]
    known = [each for each in ask_flags() if each == flag or (flag.startswith("--") and each.startswith(flag))]
    return argv if known else [*argv[:-1], "--", argv[-1]]


def _command(argv: list[str]) -> str:
    """The first that is one, and no value of an option before it."""
    for before, typed in zip(["", *argv], argv, strict=False):
        valued = before.startswith("--") and "=" not in before and not before.startswith("--no-")
        if typed in COMMANDS and not valued:
            return typed
    return ""


def ask_flags() -> list[str]:
    """As they may be typed."""
    [commands] = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return list(commands.choices["ask"]._option_string_actions)


def whose_flags(given: Mapping[str, Any]) -> list[str]:
    """The given flags with their values, as typed, that say whose conversations are meant, and where they are kept."""
    return [word for name in ("home", "user") if name in given for word in (f"--{name}", str(given[name]))]


def option_flags(given: Mapping[str, Any]) -> list[str]:
    """The given flags, as typed, that say how the minds work: only the process that does the thinking can hear them."""
    flags = {name: f"--{name.replace('_', '-')}" for name in ("fast_model", "slow_model", "strategy", "temperature")}
    return [flag for name, flag in {**flags, "memory": "--no-memory"}.items() if given.get(name) is not None]
