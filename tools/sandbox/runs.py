"""One run of a program in the sandbox, within its limits; what went wrong, told so that the model can mend it."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from tools.desk import ToolFault
from tools.plain import readable
from tools.sandbox.dates import Clock, add_working_days, working_days, zone_of
from tools.sandbox.edits import edited, without_fence
from tools.sandbox.modules import csv_rows, offered
from tools.sandbox.places import city, namesakes

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontyError, OSPolicy, ResourceLimits

SECONDS, MEMORY, PRINTED, LONGEST = 5.0, 80_000_000, 6_000, 20_000
"""Of one run: its own time, its bytes, the characters it may print, the characters of the program."""
PATIENCE = 20.0
"""Seconds in all, with what its functions take outside."""
OF_PLACES = ("city", "distance", "now", "convert_time")
"""Functions that are handed names of places, which others may have, too."""
_ASKED = 10_000
"""Calls of host functions in one run."""
_VALUES, _TEXT, _BITS = 100_000, 10_000, 1_024
"""What a host function is handed at most, since no limit of the sandbox holds there: values, characters of a text, bits
of a number."""
_WORKERS = 4

_opening = Lock()


def run(program: str, functions: Mapping[str, Callable[..., object]], clock: Clock) -> str:
    """What the program prints, or else the value of its last expression. Raises ToolFault."""
    source = edited(own := without_fence(program), functions.keys())
    if not source.strip():
        raise ToolFault("The program is empty; write a short Python program that prints its result.")
    if len(source) > LONGEST:
        raise ToolFault(f"The program has {len(source)} characters; at most {LONGEST} can be run.")
    asked = list[str]()
    printed, value = _fed(source, own, {**functions, **_own(clock)}, clock, asked)
    printed = printed.strip("\n").rstrip()
    shown = printed or _shown(value)
    if not shown:
        raise ToolFault("The program ran but printed nothing; print the result: end it with print(...).")
    if len(shown) > PRINTED:
        raise ToolFault(f"The program printed {len(shown)} characters; print only the result ({PRINTED} at most).")
    return readable("\n".join([shown, *(f"({name}: {where})" for name, where in namesakes(asked))]))


def _fed(
    source: str, own: str, functions: Mapping[str, Callable[..., object]], clock: Clock, asked: list[str]
) -> tuple[str, Any]:
    """`own`: the program as the model wrote it, whose lines a fault names; `asked` takes the places that it named."""
    from pydantic_monty import CollectString, MontyError

    limits: ResourceLimits = {
        "max_feed_duration_secs": SECONDS, "max_memory": MEMORY, "max_suspensions": _ASKED, "max_recursion_depth": 900
    }  # fmt: skip
    by = time.monotonic() + PATIENCE
    printed = CollectString(max_bytes=16 * PRINTED)
    policy: OSPolicy = {
        "datetime": "call_host", "random_start": "call_host", "sleep": "zero", "timezone": clock.zone
    }  # fmt: skip
    modules = offered(lambda name, function: _safe(name, function, by))
    try:
        with _pool().checkout(limits=limits, os_policy=policy, external_modules=modules) as session:
            session.feed_run(_prelude())
            value = session.feed_run(
                source,
                external_lookup={
                    name: _safe(name.lstrip("_"), _heard(function, asked) if name in OF_PLACES else function, by)
                    for name, function in functions.items()
                },
                print_callback=printed,
                os=_system(clock),
            )
            return printed.output, value
    except MontyError as error:
        raise ToolFault(_worded(error, own.split("\n"))) from error


@cache
def _prelude() -> str:
    return Path(__file__).with_name("prelude.txt").read_text(encoding="utf-8")


def _pool() -> Monty:
    """All runs share one: a worker is a process of its own, and is replaced when it dies."""
    with _opening:
        return _opened()


@cache
def _opened() -> Monty:
    from pydantic_monty import Monty

    pool = Monty(
        max_processes=_WORKERS, checkout_timeout=30.0, request_timeout=SECONDS + 3, max_checkouts_per_worker=200
    )
    atexit.register(pool.__exit__, None, None, None)
    return pool.__enter__()


def _own(clock: Clock) -> dict[str, Callable[..., object]]:
    """What the prelude and the edits call."""
    return {
        "_today": clock.today,
        "_coming": clock.coming,
        "_past": clock.past,
        "_working_days": working_days,
        "_add_working_days": add_working_days,
        "_zone_name": lambda name: str(zone_of(name)),
        "_in_zone": clock.placed,
        "_to_zone": clock.moved,
        "_utcnow": lambda: clock.moment(UTC).replace(tzinfo=None),
        "_csv_rows": csv_rows,
        "_strptime": lambda text, form: datetime.strptime(text, form),
    }


def _heard(function: Callable[..., object], asked: list[str]) -> Callable[..., object]:
    """The same, which notes the words that it was handed; not those of a city whose country is named."""

    def called(*values: object, **named: object) -> object:
        words = [value for value in (*values, *named.values()) if isinstance(value, str)]
        asked.extend(words if function is not city or len(words) == 1 else ())
        return function(*values, **named)

    return called


def _safe(name: str, function: Callable[..., object], by: float) -> Callable[..., object]:
    """A host function whose faults are ordinary errors inside the program; after `by` it answers no more, and it is
    handed nothing large."""

    def called(*values: object, **named: object) -> object:
        if time.monotonic() > by:
            raise TimeoutError("too many calls of functions")
        if _large([*values, *named.values()]):
            raise ValueError(f"{name} was handed too much; hand it fewer values, or smaller ones")
        try:
            return function(*values, **named)
        except ToolFault as fault:
            raise ValueError(str(fault)) from None
        except (ValueError, TypeError, OverflowError, ArithmeticError):
            raise
        except Exception as error:
            raise RuntimeError(f"{name} could not work this out") from error

    return called


def _large(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) > _TEXT
    if isinstance(value, int):
        return value.bit_length() > _BITS
    if isinstance(value, Decimal):
        return value.is_finite() and max(abs(value.adjusted()), len(value.as_tuple().digits)) * 3 > _BITS
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    return isinstance(value, Collection) and (len(value) > _VALUES or any(map(_large, value)))


def _system(clock: Clock) -> Callable[..., object]:
    """The clock and the dice; files, the environment and all else of the machine are not there."""
    from pydantic_monty import NOT_HANDLED

    def asked(*, name: str, args: tuple[Any, ...] = (), **_: object) -> object:
        if name == "date.today":
            return clock.today()
        if name == "datetime.now":
            zone = args[0] if args else None
            return clock.moment(zone) if zone else clock.moment().replace(tzinfo=None)
        if name == "time.time":
            return clock.moment().timestamp()
        if name == "os.urandom":
            clock.moment()  # another run gives another result
            return os.urandom(args[0]) if args[0] <= 4096 else NOT_HANDLED
        return NOT_HANDLED

    return asked


def _shown(value: object) -> str:
    if value is None or type(value).__module__.startswith("pydantic_monty") or str(value).startswith("<function"):
        return ""
    return str(value)


_PLAIN = "Write it with plain functions, loops, lists and dicts."
_NOTHING = "There are no files and no network here."
_HINTS = (
    ("cannot suspend", "Call it in a loop or a list comprehension first, not inside sorted, max, map or filter."),
    ("suspension limit", "Call functions fewer times."),
    (
        "ModuleNotFoundError",
        "Only the standard modules for sums, dates and text are here, and functions such as convert(amount, unit, to) "
        "and distance(city, city) in km.",
    ),
    ("'del' statement", "Only an item or a slice without a step can be deleted here; for all else make a new list."),
    ("does not yet support", _PLAIN),
    ("are not supported", _PLAIN),
    ("'Fraction'", "Fractions have + - * / ** and ==; for all else take float(a), as in max(fractions, key=float)."),
    ("'datetime.time'", "A time alone cannot be moved; take datetime.datetime.combine(today(), datetime.time(7, 30))."),
    ("argument 'months'", "add_months(day, months) counts months."),
    ("'file' argument", "What is to be kept as text, write with buffer.write(...) or collect in a list."),
    ("PermissionError", _NOTHING),
    ("in this environment", _NOTHING),
    ("TimeoutError", f"It may run for {SECONDS:g} seconds; use a formula or fewer steps."),
    ("MemoryError", "It used too much memory or printed too much; keep only what is needed."),
    ("RecursionError", "Use a loop in place of the recursion."),
    ("name 'input'", "Nobody can type here; write the values into the program."),
)


def _worded(error: MontyError, program: Sequence[str]) -> str:
    """`line 2 (x = 'a' + 1): TypeError: ...`, and what to do. In the model's own words: what the edits put in their
    place it would take for functions that it is to write."""
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError

    if isinstance(error, MontyCrashedError):
        return "The program was stopped: it took too long or too much memory. Write it with fewer steps."
    said = " ".join(str(error).split()).removeprefix("NotImplementedError: The monty syntax parser ")
    said = f"SyntaxError: {said}" if isinstance(error, MontySyntaxError) else said.replace("_span()", "timedelta()")
    frames = error.traceback() if isinstance(error, MontyRuntimeError | MontySyntaxError) else []
    own = [frame for frame in frames if frame.filename.endswith("-1>")]
    where = ""
    if own:
        number = own[-1].line
        line = program[number - 1].strip()[:100] if number <= len(program) else ""
        where = f"Line {number} ({line}): " if line else f"Line {number}: "
    hint = next((hint for sign, hint in _HINTS if sign in said), "Mend it and send the whole program again.")
    return f"{where}{said[:300]}\n{hint}"
