#!/usr/bin/env python3
"""Duet: a conversational assistant with a fast and a slow mind. `python main.py --help` lists the commands."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code; what goes wrong is one sentence on standard error."""
    from chat.command_line import parser, spoken
    from chat.faults import ChatFault, is_disk_full

    if sys.stdin is None:  # it was closed: nothing is to be read there
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = run(parser().parse_args(spoken(list(sys.argv[1:] if argv is None else argv))))
        if sys.stdout:
            sys.stdout.flush()
        return code
    except ChatFault as fault:
        print(fault, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `| head` closed the pipe
        sys.stderr.close()
        return 141
    except OSError as error:
        if not is_disk_full(error):
            raise
        print(f"The output could not be written ({error.strerror}): make room, or send it elsewhere.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left would be tried again at the end
        return 74


def run(args: argparse.Namespace) -> int:
    """Dispatches; each command imports what it needs."""
    import asyncio

    from chat.command_line import option_flags, whose_flags
    from chat.faults import ChatFault
    from chat.quiet import hush, log_to
    from chat.settings import read_settings

    hush()
    given: dict[str, Any] = vars(args)
    flags: tuple[str, ...] = (
        "home",
        "user",
        "fast_model",
        "slow_model",
        "strategy",
        "temperature",
        "memory",
        "domain",
        "host",
        "port",
        "token",
    )
    command = args.command or "serve"
    in_worlds = command == "play"
    if command == "bench":
        from chat.bench import BENCHES, WORLDS

        in_worlds = args.name in WORLDS or args.name not in BENCHES  # what is wrong there is the name
    if in_worlds:  # its strategy is one for worlds: it goes with what opens them
        flags = tuple(flag for flag in flags if flag != "strategy")
    settings = read_settings({name: given[name] for name in flags if given.get(name) is not None})
    if command != "doctor":
        log_to(settings.home)
    if command == "serve":
        from chat.server import serve

        return serve(settings)
    if command == "ask":
        from chat.terminal import ask

        text = sys.stdin.read() if args.text == "-" else args.text
        session, domain = given.get("session"), given.get("domain")
        how = bool(given.get("json")), domain, option_flags(given), given.get("file", ())
        return asyncio.run(ask(settings, text, session, *how))
    if command == "play":
        from chat.terminal import play

        return asyncio.run(play(settings, given, option_flags({**given, "strategy": None})))
    if command == "talk":
        from chat.terminal import talk

        session, domain = given.get("session"), given.get("domain")
        return asyncio.run(talk(settings, session, domain, option_flags(given), whose_flags(given)))
    if command in ("backup", "restore"):
        from chat.commands import backup, restore

        return (backup if command == "backup" else restore)(settings.home, given.get("file"))
    if command == "users":
        from chat.commands import users

        flags = ("admin", "without_password", "with_conversations")
        return users(settings, args.action, args.name, *(bool(given.get(flag)) for flag in flags))
    if command == "models":
        from chat.commands import models

        return models(settings, args.action, args.name)
    if command == "memory":
        from chat.commands import memory

        return memory(settings, args.action, given)
    if command == "bench":
        from chat.bench import run_bench

        return run_bench(settings, args.name, given)
    if command == "evaluate":
        from chat.evaluation.command import evaluate

        return evaluate(settings, args.what, given.get("more", []), given)
    if command == "train":
        from minds.training import TRAININGS, run_training

        if args.name not in TRAININGS:
            raise ChatFault(f"There is no training `{args.name}`; choose one of: {', '.join(TRAININGS)}.")
        return run_training(args.name, args.rest)
    from chat.doctor import doctor

    return doctor(settings)


if __name__ == "__main__":
    sys.exit(main())
