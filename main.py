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

BENCHES = (
    "chat, ways, ordinary, gate, speed, streaming, kills, load, requests, grounding, memory, perturbed, harness, "
    "replays, rooms, scienceworld, alfworld, curve"
)
SYSTEMS = "fast-only, slow-only, dual, dual+memory, react"


def parser() -> argparse.ArgumentParser:
    """Light on purpose: nothing heavy is imported before a command is known."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--home", help="where Duet keeps its state (DUET_HOME; default ~/.local/share/duet)")
    common.add_argument("--user", help="whose conversations and memory (DUET_USER; default: your login)")
    minds = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    spec = (
        "embedded, embedded:0.5b, embedded:1.5b, embedded:4b, gguf:PATH, gguf:hf:REPO/FILE, openai:MODEL[@URL], "
        "langchain:PROVIDER:MODEL, hf:REPO_OR_PATH[?quant=4bit|8bit]"
    )
    minds.add_argument("--fast-model", metavar="SPEC", help=f"model of the fast mind (DUET_FAST_MODEL): {spec}")
    minds.add_argument("--slow-model", metavar="SPEC", help="model of the slow mind (DUET_SLOW_MODEL): likewise")
    minds.add_argument(
        "--strategy",
        help="how the slow mind works (DUET_STRATEGY): react; "
        "of `play`: auto, swift, duet, swiftsage, subgoals, react, act, reflexion, saycan, interact, oracle",
    )
    minds.add_argument("--temperature", type=float, help="0 (default) to 2")
    minds.add_argument("--domain", metavar="NAME", help="whose desk the assistant is (DUET_DOMAIN): housing, library")
    minds.add_argument(
        "--no-memory", dest="memory", action="store_const", const=False, help="neither recall nor remember"
    )

    top = argparse.ArgumentParser(prog="main.py", description=__doc__, parents=[common, minds])
    top.add_argument("--host", help=argparse.SUPPRESS)
    top.add_argument("--port", type=int, help=argparse.SUPPRESS)
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, text: str, *parents: argparse.ArgumentParser) -> argparse.ArgumentParser:
        # A flag before the command must not be overwritten by the command's own default.
        return commands.add_parser(
            name, help=text, description=text, parents=[common, *parents], argument_default=argparse.SUPPRESS
        )

    serve = command("serve", "the page (the default)", minds)
    serve.add_argument("--host", help="address of this machine alone to listen on (default 127.0.0.1)")
    serve.add_argument("--port", type=int, help="default 7860; 0 takes a free one")
    token = "the page asks for a token, which stands in the printed address (or one of your own: DUET_TOKEN)"
    serve.add_argument("--token", action="store_const", const="new", help=token)
    ask = command("ask", "one turn, waiting for the final reply", minds)
    ask.add_argument("text", help="what you say; - reads it from standard input, and -- goes before a dash")
    ask.add_argument("--session", metavar="ID", help="go on with this conversation")
    ask.add_argument("--json", action="store_true", help="one event a line on standard output")
    talk = command("talk", "a conversation on the terminal", minds)
    talk.add_argument("--session", metavar="ID", help="go on with this conversation")
    play = command("play", "a task in a text world, on the terminal", minds)
    play.add_argument("world", help="scienceworld, alfworld or textworld")
    play.add_argument("task", nargs="?", help="a task's name; without it the tasks are listed")
    play.add_argument("--variation", type=int, metavar="N", help="which of the task's variations (default 0)")
    play.add_argument("--human", action="store_true", help="you hold the wheel: type what is to be done")
    play.add_argument("--session", metavar="ID", help="in this conversation")
    play.add_argument("--json", action="store_true", help="one event a line on standard output")
    command("backup", "a copy of the transcript (one is made each day while the page is served)").add_argument(
        "file", nargs="?", help="where to; default: backups/ in DUET_HOME"
    )
    command("restore", "puts a backup in the transcript's place; what is there is kept aside").add_argument(
        "file", nargs="?", help="which; default: the newest whole one"
    )
    users = command("users", "who may sign in, where Duet is reached from elsewhere: the first one is an admin")
    users.add_argument("action", choices=["add", "list", "remove", "password"])
    users.add_argument("name", nargs="?", default="")
    users.add_argument("--admin", action="store_true", help="of add: may choose models")
    without = "of add: signs in by a provider or a proxy (SECURITY.md), not by a password"
    users.add_argument("--without-password", action="store_true", help=without)
    models = command("models", "list the models that can be had here, or fetch one")
    models.add_argument("action", choices=["list", "fetch"])
    models.add_argument(
        "name",
        nargs="?",
        default="",
        help="embedded (what this machine has room for), embedded:0.5b, embedded:1.5b, embedded:4b, or "
        "gguf:hf:OWNER/NAME/FILE.gguf; default: what the minds are",
    )
    kept = command("memory", "what is kept of you: list, search, show, edit, forget, export, import")
    kept.add_argument(
        "action",
        choices=[
            "list",
            "search",
            "show",
            "edit",
            "pin",
            "withdraw",
            "restore",
            "forget",
            "undo",
            "confirm",
            "on",
            "off",
            "export",
            "import",
        ],
    )
    kept.add_argument("what", nargs="*", help="words, a note's id, or the file of an import (- for standard input)")
    kept.add_argument("--kind", help="turn, result, fact or episode")
    kept.add_argument("--state", choices=["current", "former"], help="what is still so, or what no longer is")
    kept.add_argument("--since", metavar="DAY", help="from this day on, as 2026-05-01")
    kept.add_argument("--until", metavar="DAY", help="up to this day")
    kept.add_argument("--text", help="edit: the note's new text")
    kept.add_argument("--answer", help="edit: a result's new answer")
    kept.add_argument("--all", action="store_true", help="forget: everything")
    kept.add_argument("--yes", action="store_true", help="forget: without asking")
    kept.add_argument("--limit", type=int, help="at most so many notes")
    kept.add_argument("--json", action="store_true", help="as JSON")
    bench = command("bench", f"a benchmark: {BENCHES}", minds)
    bench.add_argument("name", help=BENCHES)
    bench.add_argument("--limit", type=int, help="at most so many cases")
    bench.add_argument(
        "--out", help="folder for the run's files (chat: the file of its replies, which is gone on with)"
    )
    bench.add_argument("--split", help="grounding: a file of sentences, such as dev41; of a world: one of its own")
    bench.add_argument("--data", metavar="FILE", help="cases of your own, as JSON lines (chat, grounding, requests)")
    bench.add_argument("--locomo", metavar="FOLDER", help="memory: recall over long conversations in LoCoMo's form")
    bench.add_argument("--pairs", metavar="FILE", help="memory: what is served of question pairs, as JSON lines")
    bench.add_argument("--times", type=int, metavar="N", help="kills: so often (default 200)")
    bench.add_argument("--users", type=int, metavar="N", help="load: accounts that come at once (default 50)")
    bench.add_argument("--conversations", type=int, metavar="N", help="load: of each of them (default 20)")
    bench.add_argument("--peaceful", action="store_true", help="load: only without the hostile account")
    bench.add_argument(
        "--without",
        nargs="+",
        metavar="NAME",
        help="left out, to see what it brings: an aid for a small model (gate, program, check, worlds, english);"
        " of a world: a policy's rule, a strategy's condition or role",
    )
    bench.add_argument("--bare", action="store_true", help="chat: ask the model of --slow-model alone, without Duet")
    bench.add_argument("--embedded", action="store_true", help="streaming: the embedded model beside a slow run")
    weigh = command("evaluate", "scripted dialogues, played by several systems, graded, put side by side", minds)
    weigh.add_argument(
        "what",
        help="a suite's folder, or: init NAME, check FOLDER, report DIR, diff DIR DIR, pool DIR DIR ..., grade DIR",
    )
    weigh.add_argument("more", nargs="*", metavar="NAME", help="of init, check, report, diff, pool and grade")
    weigh.add_argument("--systems", help=f"some of: {SYSTEMS}; NAME:core plays only the suite's core")
    weigh.add_argument("--seeds", type=int, metavar="N", help="play everything N times")
    weigh.add_argument("--limit", type=int, metavar="N", help="at most so many dialogues, of all intents in turn")
    weigh.add_argument("--core", action="store_true", help="only the dialogues of the suite's core")
    weigh.add_argument("--jobs", type=int, metavar="N", help="dialogues at once (default 1)")
    weigh.add_argument("--out", metavar="DIR", help="the run's folder; the same command goes on with it")
    weigh.add_argument("--judge", metavar="SPEC", help="model that grades what no program can (default: nobody)")
    weigh.add_argument("--calibrate", action="store_true", help="also hold the judge against what people graded")
    weigh.add_argument("--person", metavar="SPEC", help="model that plays simulated people")
    weigh.add_argument("--fail-under", type=float, metavar="X", help="exit 1 where a program's mean is below this")
    weigh.add_argument("--junit", metavar="FILE", help="also write the result as JUnit XML")
    played = bench.add_argument_group("worlds", "for `bench scienceworld` and `bench alfworld`, with --strategy")
    played.add_argument("--protocol", help="swiftsage (default), tales or strict")
    played.add_argument("--jobs", type=int, metavar="N", help="processes that play (default 1)")
    played.add_argument("--weights", metavar="DIR", help="a training's --out, in place of the project's weights")
    played.add_argument("--type", nargs="+", metavar="TYPE", help="only these types of task")
    played.add_argument("--reworded", metavar="FILE", help="alfworld: tasks in others' words; `people`: the data set's")
    played.add_argument("--goals", help="how --reworded is read: odds (default), turn (both minds) or words (not)")
    played.add_argument("--steps", type=int, metavar="N", help="at most so many in a trial (default: the protocol's)")
    played.add_argument("--trials", type=int, metavar="N", help="at most so many, of a strategy that tries again")
    train = command("train", "fit what Duet learned: gate, goals, wishes, agreement, swift, subgoals, sameness")
    train.add_argument("name", help="gate, goals, wishes, agreement, swift, annotate, subgoals, sameness")
    train.add_argument("rest", nargs=argparse.REMAINDER, help="options of that training")
    command("doctor", "what works here, and for what does not, the command that mends it", minds)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code; what goes wrong is one sentence on standard error."""
    from chat.faults import ChatFault, is_disk_full

    if sys.stdin is None:  # it was closed: nothing is to be read there
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
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


def spoken(argv: list[str]) -> list[str]:
    """`ask -hello` says so: what is no flag and stands last is what is said, dash or not."""
    if "ask" not in argv or not argv[-1].startswith("-") or argv[-1] in ("-", "--") or "--" in argv:
        return argv
    flag = argv[-1].partition("=")[0]
    known = [each for each in ask_flags() if each == flag or (flag.startswith("--") and each.startswith(flag))]
    return argv if known else [*argv[:-1], "--", argv[-1]]


def ask_flags() -> list[str]:
    """As they may be typed."""
    [commands] = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return list(commands.choices["ask"]._option_string_actions)


def option_flags(given: dict[str, Any]) -> list[str]:
    """The given flags, as typed, that say how the minds work: only the process that does the thinking can hear them."""
    flags = {name: f"--{name.replace('_', '-')}" for name in ("fast_model", "slow_model", "strategy", "temperature")}
    return [flag for name, flag in {**flags, "memory": "--no-memory"}.items() if given.get(name) is not None]


def run(args: argparse.Namespace) -> int:
    """Dispatches; each command imports what it needs."""
    import asyncio

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
    if command in ("play", "bench"):  # its strategy is one for worlds: it goes with what opens them
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
        return asyncio.run(ask(settings, text, session, bool(given.get("json")), domain, option_flags(given)))
    if command == "play":
        from chat.worlds.play import play

        return asyncio.run(play(settings, given))
    if command == "talk":
        from chat.terminal import talk

        return asyncio.run(talk(settings, given.get("session"), given.get("domain"), option_flags(given)))
    if command in ("backup", "restore"):
        from chat.backups import back_up, bring_back

        return (back_up if command == "backup" else bring_back)(settings.home, given.get("file"))
    if command == "users":
        from chat.access.users import users

        return users(
            settings.home, args.action, args.name, bool(given.get("admin")), bool(given.get("without_password"))
        )
    if command == "models":
        from chat.weights import models

        return models(settings, args.action, args.name)
    if command == "memory":
        from chat.memory_command import memory

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
