"""Commands that measure: evaluations, benchmarks, trainings."""

from __future__ import annotations

import argparse

from chat.command_line.shared import QUESTION_STRATEGIES, WORLD_STRATEGIES, Commands, listed

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
