"""The parts of the textworld and planner packages that ALFWorld's engine uses, imported late and kept from harm.

They read and set sys.argv, swap sys.stdout for all threads, parse the same sentences again and again, and open a copy
of a 33 MB library for each game, which can never be unloaded.
"""

from __future__ import annotations

import ctypes
import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from copy import deepcopy
from functools import cache, lru_cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any, TextIO, cast

LOCK = threading.RLock()
"""Held while anything of the packages runs: their parsers keep their state in globals."""
_LIBRARIES: list[Any] = []
"""Planner libraries that nobody uses now."""


def package(name: str) -> Any:
    """A module of the engine's packages; the translator reads the command line when it is first imported."""
    if name in sys.modules:
        return sys.modules[name]
    with LOCK:
        line, sys.argv = sys.argv, ["translate.py", "domain", "task"]
        try:
            return import_module(name)
        finally:
            sys.argv = line


def borrow() -> Any:
    """A planner library, of its own for each game that is open."""
    with LOCK:
        return _LIBRARIES.pop() if _LIBRARIES else package("fast_downward").load_lib()


def give_back(library: Any) -> None:
    """For the next game. What the package remembers of all facts it ever met, for ever, is forgotten."""
    with LOCK:
        _LIBRARIES.append(library)
        package("mementos.core")._memento_cache.clear()  # only saves making them anew: facts are equal by their value
    with suppress(OSError, AttributeError):  # other systems give memory back by themselves, or never
        ctypes.CDLL(None).malloc_trim(0)


@lru_cache(maxsize=4)
def logic(domain: str, grammar: str) -> Any:
    return package("textworld.envs.pddl.logic").GameLogic(domain=domain, grammar=grammar)


def translated(domain: str, problem: str) -> tuple[Any, bytes]:
    """(task, planner's input), nothing left out: unlike the planner, the game needs the useless facts too."""
    options = package("fast_downward.translate.options")
    options.filter_unimportant_vars = options.filter_unreachable_facts = False
    options.use_partial_encoding = options.add_implied_preconditions = False
    options.skip_variable_reordering, options.invariant_generation_max_candidates = True, 0
    parser, parse = (package(f"fast_downward.translate.pddl_parser.{m}") for m in ("lisp_parser", "parsing_functions"))
    with redirect_stdout(cast(TextIO, _Muted(sys.stdout))):
        task = parse.parse_task(
            parser.parse_nested_list(domain.split("\n")), parser.parse_nested_list(problem.split("\n"))
        )
        package("fast_downward.translate.normalize").normalize(task)
        written = io.StringIO()
        package("fast_downward.translate.translate").pddl_to_sas(task).output(written)
    return task, written.getvalue().encode()


def fresh_state(library: Any, task: Any, logic: Any) -> Any:
    """The package's state of a game that has just been loaded into `library`.

    Its constructor translates the problem twice; here it is told the translation.
    """
    module = package("textworld.envs.pddl.logic")
    translate, module.fast_downward = module.fast_downward, _Translated(task)
    try:
        return module.PddlState(_Loaded(library), "", logic)
    finally:
        module.fast_downward = translate


class _Translated:
    """Stands for the module `fast_downward` while a state is made, with the translation at hand."""

    def __init__(self, task: Any) -> None:
        self._task = task

    def pddl2sas(self, *args: Any, **kwargs: Any) -> tuple[Any, str]:
        return self._task, ""

    def __getattr__(self, name: str) -> Any:
        return getattr(package("fast_downward"), name)


class _Loaded:
    """A planner library that has its game already."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def load_sas(self, text: bytes) -> None:
        """Done before."""

    def load_sas_replan(self, text: bytes) -> None:
        """For plans from the middle of a game, which nobody asks for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


@contextmanager
def parsed_once() -> Iterator[None]:
    """The package parses the same sentences of its grammar at every step: most of the time it takes. Under LOCK."""
    module, ours = package("textworld.envs.pddl.textgen"), _parsers()
    theirs = module._parse_and_convert, module.Rule
    module._parse_and_convert, module.Rule = ours
    try:
        yield
    finally:
        module._parse_and_convert, module.Rule = theirs


@cache
def _parsers() -> tuple[Any, Any]:
    module = package("textworld.envs.pddl.textgen")
    symbols, query = module._parse_and_convert, module.Rule.parse_conjunctive_query
    keep = lru_cache(maxsize=1024)(lambda text: symbols(text, rule_name="symbols"))
    rules = SimpleNamespace(parse_conjunctive_query=lru_cache(maxsize=1024)(query))
    return lambda text, **_: deepcopy(keep(text)), rules


class _Muted:
    """What this thread prints is dropped; other threads print as ever."""

    def __init__(self, out: Any) -> None:
        self._out, self._thread = out, threading.get_ident()

    def write(self, text: str) -> int:
        return len(text) if threading.get_ident() == self._thread else int(self._out.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)
