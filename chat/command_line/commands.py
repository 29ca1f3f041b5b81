"""The commands with their options: those of everybody, and those that measure (evaluations, benchmarks, trainings)."""

from __future__ import annotations

import argparse

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


BENCHES = {
    "chat": "everyday questions: how many are answered rightly, with and without Duet",
    "ways": "the same questions: words, one program and a second one, each alone and together",
    "ordinary": "ordinary talk: how often it is taken for a wish in a text world (needs --data)",
    "gate": "the learned decision to call the slow mind, on turns that it was not fitted on",
    "speed": "first words, replies from memory, the page's start, beside the bare model server",
    "streaming": "how soon words reach the page, and how soon a stop ends them",
    "load": "many accounts at once, without and with a hostile one",
    "requests": "wishes for a task in a text world, from the words to the open task",
    "grounding": "what is said in an open text world, from the words to the action (needs --data)",
    "memory": "what is recalled of long talks, served of pairs of questions, saved and known; how quick it is",
    "scienceworld": "a strategy plays the episodes of a split",
    "alfworld": "a strategy plays the episodes of a split",
}
TRAININGS = {
    "gate": "the decision to call the slow mind, for small models",
    "swift": "the policy that acts in a text world without a language model",
    "subgoals": "the two-level policy of sub-goals",
    "annotate": "sub-goals of demonstrations, asked of a chat model",
    "goals": "the index of the laboratory's tasks",
    "wishes": "what a person wishes for in a text world",
    "adapter": "layers of the embedded 1.5B that read wishes and actions, note facts, or answer about a task",
    "agreement": "how sure an answer is, by how several ways agree",
    "sameness": "whether two questions ask the same",
}
SYSTEMS = "fast-only, slow-only, dual, dual+memory, react"


def evaluate(commands: Commands) -> None:
    what = {
        "FOLDER": "plays the suite in this folder with several systems, and grades it",
        "init NAME": "makes a small suite, in the folder NAME",
        "check FOLDER": "says what is wrong with a suite, with file and line",
        "report DIR": "grades a run anew, and writes its report",
        "diff DIR DIR": "compares two runs",
        "pool DIR DIR ...": "counts several runs as one",
        "grade DIR": "lets a person overrule the grades of a run",
    }
    text = "scripted dialogues, played with several systems, graded and compared"
    weigh = commands.add("evaluate", text, minds=QUESTION_STRATEGIES, more=listed("what", what))
    weigh.add_argument("what", metavar="WHAT", help="a suite's folder, or one of those below")
    weigh.add_argument("more", nargs="*", metavar="NAME", help="the names that belong to it")
    weigh.add_argument("--systems", metavar="NAMES", help=f"some of: {SYSTEMS}; NAME:core plays only the suite's core")
    weigh.add_argument("--seeds", type=int, metavar="N", help="play everything N times")
    weigh.add_argument("--limit", type=int, metavar="N", help="at most so many dialogues, of all intents in turn")
    weigh.add_argument("--core", action="store_true", help="only the dialogues of the suite's core")
    weigh.add_argument("--jobs", type=int, metavar="N", help="dialogues at once (default 1)")
    weigh.add_argument("--out", metavar="DIR", help="the run's folder; the same command goes on where it stopped")
    weigh.add_argument("--judge", metavar="SPEC", help="model that grades what no program can (default: none)")
    weigh.add_argument("--calibrate", action="store_true", help="also compare the judge with grades by people")
    weigh.add_argument("--person", metavar="SPEC", help="model that plays simulated people")
    weigh.add_argument("--fail-under", type=float, metavar="X", help="exit 1 where the mean of the programs is below X")
    weigh.add_argument("--port", type=int, metavar="N", help="grade: where its page is (default 7861)")
    weigh.add_argument("--junit", metavar="FILE", help="also write the result as JUnit XML")


def bench(commands: Commands) -> None:
    text = "a benchmark; its last line is one JSON object with its figures"
    both = f"outside of worlds {QUESTION_STRATEGIES}; in worlds {WORLD_STRATEGIES}"
    bench = commands.add("bench", text, minds=both, more=listed("benchmarks", BENCHES))
    bench.add_argument("name", metavar="NAME", help="one of those below")
    bench.add_argument("--limit", type=int, metavar="N", help="at most so many cases")
    out = "folder for the run's files; the same command goes on where it stopped"
    bench.add_argument("--out", metavar="DIR", help=out)
    bench.add_argument("--data", metavar="FILE", help="cases of your own, as JSON lines")
    without = (
        "leave these out, to see what they bring: of a small model's help gate, program, check, worlds, english; "
        "in worlds a policy's rules, a strategy's conditions or roles"
    )
    bench.add_argument("--without", nargs="+", metavar="NAME", help=without)
    _bench_of_one(bench.add_argument_group("of one benchmark"))
    _bench_of_worlds(bench.add_argument_group("of scienceworld and alfworld"))


def _bench_of_one(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--bare", action="store_true", help="chat: ask the model of --slow-model alone, without Duet")
    group.add_argument(
        "--embedded", action="store_true", help="streaming: the embedded model beside a slow run; gate: with its layers"
    )
    group.add_argument("--locomo", metavar="FOLDER", help="memory: long conversations in LoCoMo's form")
    group.add_argument("--pairs", metavar="FILE", help="memory: question pairs, as JSON lines")
    group.add_argument("--repeats", metavar="FILE", help="memory: turns with repeats, played with and without it")
    group.add_argument("--lives", metavar="FILE", help="memory: lives told over weeks, and questions about them")
    sizes = "memory: recall among N notes of one user each (default 10000 100000), and --users of 100 (default 1000)"
    group.add_argument("--scale", type=int, nargs="*", metavar="N", help=sizes)
    group.add_argument("--users", type=int, metavar="N", help="load: accounts at once (default 50)")


def _bench_of_worlds(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--split", metavar="NAME", help="which part of the episodes is played")
    group.add_argument("--protocol", metavar="NAME", help="swiftsage (default), tales or strict")
    group.add_argument("--jobs", type=int, metavar="N", help="processes that play (default 1); 0: this one")
    group.add_argument("--weights", metavar="DIR", help="a training's --out, in place of the project's weights")
    group.add_argument("--type", nargs="+", metavar="TYPE", help="only these types of task")
    reworded = "alfworld: tasks in others' words: a file, or `people` for the data set's own descriptions"
    group.add_argument("--reworded", metavar="FILE", help=reworded)
    goals = "how --reworded is read: odds (default), turn (both minds), words (fed to the policy as they are)"
    group.add_argument("--goals", metavar="HOW", help=goals)
    steps = "at most so many in a trial, under tales in all (default: the protocol's)"
    group.add_argument("--steps", type=int, metavar="N", help=steps)
    group.add_argument("--trials", type=int, metavar="N", help="at most so many, of a strategy that tries again")


def train(commands: Commands) -> None:
    train = commands.add("train", "fits anew what Duet learned", more=listed("trainings", TRAININGS))
    train.add_argument("name", metavar="NAME", help="one of those below")
    options = "options of that training: `train NAME --help` lists them"
    train.add_argument("rest", metavar="OPTIONS", nargs=argparse.REMAINDER, help=options)


ALL = (serve, ask, talk, play, memory, models, backup, restore, users, doctor, evaluate, bench, train)
"""In the order in which help lists them."""
