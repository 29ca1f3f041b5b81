"""What several commands share: the options of everybody and of the minds, and how help is laid out."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from minds.strategies import WORLD_STRATEGIES as STRATEGIES_IN_WORLDS
from tools.domains import DOMAINS

SPEC = (
    "embedded, embedded:0.5b, embedded:1.5b, embedded:4b, gguf:PATH, gguf:hf:OWNER/NAME/FILE.gguf, openai:MODEL[@URL], "
    "langchain:PROVIDER:MODEL, hf:REPO_OR_PATH[?quant=4bit|8bit]"
)
QUESTION_STRATEGIES = "react (default), or plain: react without the help that a small model gets"
WORLD_STRATEGIES = ", ".join(STRATEGIES_IN_WORLDS)
EXAMPLES = """examples:
  python main.py                                        opens the page at http://127.0.0.1:7860
  python main.py ask "What is 15% of 80?"
  python main.py talk --slow-model openai:gpt-4.1
  python main.py play scienceworld boil --human
  python main.py doctor                                 says what works here

Options may stand before or behind the command. `python main.py COMMAND --help` tells more of each."""


class Commands:
    """The parser while it is made. Only what was typed is in its namespace: defaults stand in chat/settings.py."""

    def __init__(self) -> None:
        what = "Duet: an assistant with a fast and a slow mind."
        self.top = argparse.ArgumentParser("main.py", description=what, epilog=EXAMPLES, **OPTIONS)
        self.all = self.top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
        _where(self.top)
        _minds(self.top, QUESTION_STRATEGIES)
        self.top.add_argument("--host", help=argparse.SUPPRESS)
        self.top.add_argument("--port", type=int, help=argparse.SUPPRESS)

    def add(self, name: str, text: str, *, minds: str = "", more: str = "") -> argparse.ArgumentParser:
        """A command, its own options still to come.

        text: what it is, in one phrase. minds: the strategies it takes, where it has minds. more: stands below it.
        """
        about = f"{text[0].upper()}{text[1:]}."
        made = self.all.add_parser(name, help=text, description=about, epilog=more, **OPTIONS)
        _where(made)
        if minds:
            _minds(made, minds)
        return made


OPTIONS: dict[str, Any] = {
    "argument_default": argparse.SUPPRESS,  # a flag before the command must not be overwritten by the command's default
    "formatter_class": argparse.RawDescriptionHelpFormatter,
}


def _where(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("where and who")
    group.add_argument("--home", metavar="DIR", help="where all is kept (DUET_HOME; default ~/.local/share/duet)")
    group.add_argument("--user", metavar="NAME", help="whose conversations and memory (DUET_USER; default: your login)")


def _minds(command: argparse.ArgumentParser, strategies: str) -> None:
    group = command.add_argument_group("minds")
    fast, slow = "model of the fast mind (DUET_FAST_MODEL", "model of the slow mind (DUET_SLOW_MODEL"
    group.add_argument("--fast-model", metavar="SPEC", help=f"{fast}; default embedded)")
    group.add_argument("--slow-model", metavar="SPEC", help=f"{slow}; default embedded). A SPEC is: {SPEC}")
    group.add_argument("--strategy", metavar="NAME", help=f"how the slow mind works: {strategies}")
    temperature = "how freely the models choose words: 0 (default) to 2"
    group.add_argument("--temperature", type=float, metavar="T", help=temperature)
    domain = f"whose desk the assistant is (DUET_DOMAIN; default nobody's): {', '.join(DOMAINS)}"
    group.add_argument("--domain", metavar="NAME", help=domain)
    off = "neither recall nor remember"
    group.add_argument("--no-memory", dest="memory", action="store_const", const=False, help=off)


def listed(title: str, says: Mapping[str, str]) -> str:
    """Names with what each says, to stand below a help."""
    width = max(map(len, says))
    return "\n".join([f"{title}:", *(f"  {name:{width}}  {text}" for name, text in says.items())])
