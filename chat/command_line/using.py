"""Commands of everybody: the page, the terminal, worlds, the memory, models, backups, accounts."""

from __future__ import annotations

from chat.command_line.shared import QUESTION_STRATEGIES, WORLD_STRATEGIES, Commands, listed
from tools.worlds import WORLDS

MEMORY_ACTIONS = {
    "list": "the notes, the newest first and pinned ones above",
    "search": "the notes that these words find",
    "show": "one note with all that is known of it",
    "edit": "gives a note another --text or --answer",
    "pin": "keeps a note above the others",
    "withdraw": "no longer uses a note, but keeps it",
    "restore": "uses a withdrawn note again",
    "forget": "deletes a note, those that words find, or --all; asks once",
    "undo": "takes the last edit back, or a deletion of the last five minutes, while the page is served",
    "confirm": "lets an imported note answer questions",
    "on": "remembers and recalls",
    "off": "does neither; what is kept stays",
    "export": "all notes as JSON",
    "import": "takes in an export",
}


def serve(commands: Commands) -> None:
    serve = commands.add(
        "serve", "the page, in your browser (what happens without a command)", minds=QUESTION_STRATEGIES
    )
    serve.add_argument("--host", help="address to listen on (default 127.0.0.1); others need accounts, see `users`")
    serve.add_argument("--port", type=int, help="default 7860; 0 takes a free one")
    token = "ask whoever opens the page for a token; the printed address has it (one of your own: DUET_TOKEN)"
    serve.add_argument("--token", action="store_const", const="new", help=token)


def ask(commands: Commands) -> None:
    ask = commands.add("ask", "one question, and its reply on the terminal", minds=QUESTION_STRATEGIES)
    ask.add_argument("text", metavar="TEXT", help="what you say; - reads it from standard input")
    ask.add_argument("--session", metavar="ID", help="go on with this conversation")
    ask.add_argument("--json", action="store_true", help="print every event, as one JSON object a line")


def talk(commands: Commands) -> None:
    talk = commands.add("talk", "a conversation on the terminal", minds=QUESTION_STRATEGIES)
    talk.add_argument("--session", metavar="ID", help="go on with this conversation")


def play(commands: Commands) -> None:
    more = "example:\n  python main.py play scienceworld boil --variation 3 --human"
    play = commands.add(
        "play", "a task in a text world, on the terminal", minds=f"auto (default), {WORLD_STRATEGIES}", more=more
    )
    play.add_argument("world", metavar="WORLD", help=f"one of: {', '.join(WORLDS)}")
    play.add_argument(
        "task", metavar="TASK", nargs="?", help="a task's name, or a game file; without it the tasks are listed"
    )
    play.add_argument("--variation", type=int, metavar="N", help="which of the task's variations (default 0)")
    play.add_argument("--human", action="store_true", help="you act: type what is to be done")
    play.add_argument("--session", metavar="ID", help="in this conversation")
    play.add_argument("--json", action="store_true", help="print every event, as one JSON object a line")


def memory(commands: Commands) -> None:
    kept = commands.add(
        "memory", "what is kept of you: list it, change it, delete it", more=listed("actions", MEMORY_ACTIONS)
    )
    kept.add_argument("action", metavar="ACTION", choices=[*MEMORY_ACTIONS], help="one of those below")
    kept.add_argument(
        "what", metavar="WHAT", nargs="*", help="words, a note's id, or the file of an import (- for standard input)"
    )
    kept.add_argument("--kind", metavar="KIND", help="only of this kind: turn, result, fact or episode")
    kept.add_argument("--state", choices=["current", "former"], help="only what is still so, or what no longer is")
    kept.add_argument("--since", metavar="DAY", help="only from this day on, such as 2026-05-01")
    kept.add_argument("--until", metavar="DAY", help="only up to this day")
    kept.add_argument("--text", metavar="TEXT", help="edit: the note's new text")
    kept.add_argument("--answer", metavar="TEXT", help="edit: a result's new answer")
    kept.add_argument("--all", action="store_true", help="forget: everything")
    kept.add_argument("--yes", action="store_true", help="forget: without asking")
    kept.add_argument("--limit", type=int, metavar="N", help="at most so many notes")
    kept.add_argument("--json", action="store_true", help="print JSON")


def models(commands: Commands) -> None:
    models = commands.add("models", "the models that can be had here: list them, or fetch one")
    models.add_argument("action", metavar="ACTION", choices=["list", "fetch"], help="list or fetch")
    name = (
        "embedded (what this machine has room for), embedded:0.5b, embedded:1.5b, embedded:4b, or "
        "gguf:hf:OWNER/NAME/FILE.gguf; default: those that the minds have"
    )
    models.add_argument("name", metavar="NAME", nargs="?", default="", help=name)


def backup(commands: Commands) -> None:
    backup = commands.add(
        "backup", "a copy of all conversations in one file (made each day, too, while the page is served)"
    )
    backup.add_argument("file", metavar="FILE", nargs="?", help="where to; default: backups/ in DUET_HOME")


def restore(commands: Commands) -> None:
    restore = commands.add("restore", "brings a backup back; the conversations that are there are kept aside")
    restore.add_argument("file", metavar="FILE", nargs="?", help="which backup; default: the newest whole one")


def users(commands: Commands) -> None:
    users = commands.add(
        "users", "accounts, for a Duet that is reached from other machines (the first one is an admin)"
    )
    actions = "add, list, remove, or password (gives a new one)"
    users.add_argument("action", metavar="ACTION", choices=["add", "list", "remove", "password"], help=actions)
    users.add_argument("name", metavar="NAME", nargs="?", default="", help="whose account")
    users.add_argument("--admin", action="store_true", help="add: may choose models")
    without = "add: signs in by a provider or a proxy (SECURITY.md), not by a password"
    users.add_argument("--without-password", action="store_true", help=without)


def doctor(commands: Commands) -> None:
    commands.add("doctor", "what works here, and the command that mends what does not", minds=QUESTION_STRATEGIES)
