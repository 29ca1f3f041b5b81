"""Programs as small models write them: what they print, what they depend on, and what they cannot do."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic_monty import MontyError

from tools.desk import Artifact, Chunk, Desk, Kept, Search, ToolFault
from tools.python import FUNCTIONS, SEARCHES, execute, make
from tools.sandbox import runs
from tools.sandbox.dates import _free, named_day
from tools.sandbox.edits import edited, without_fence

DESK = Desk(
    session="s1",
    now=datetime(2026, 11, 21, 10, 5, 7, 123, tzinfo=ZoneInfo("Europe/Berlin")),
    chunks=[Chunk("manual.md", "Care", "The warranty is three years. The tank holds 3.2 litres.")],
    documents="digest",
    recall=lambda _: [Kept("", "My sister is Ann.")],
)

PROGRAMS = (Path(__file__).parent / "data" / "programs.txt").read_text(encoding="utf-8").strip().split("\n\n")
"""Programs, each with what it prints behind `->`."""


def test_its_description_is_as_short_as_servers_want_it() -> None:
    assert len(make(DESK).description) < 1024


@pytest.mark.slow
@pytest.mark.parametrize("block", PROGRAMS)
def test_ordinary_programs_run_as_in_python(block: str) -> None:
    lines = block.split("\n")
    printed = [line.removeprefix("-> ") for line in lines if line.startswith("-> ")]
    program = "\n".join(line for line in lines if not line.startswith("-> "))
    assert execute(program, DESK) == ("\n".join(printed), {})


CLOCKS: list[tuple[str, str, Artifact]] = [
    ("print(today(), weekday(today()))", "2026-11-21 Saturday", {"depends": {"date": "2026-11-21"}}),
    ("from datetime import date\nprint(date.today())", "2026-11-21", {"depends": {"date": "2026-11-21"}}),
    ("print(coming('14 January'), past('14 Jan'))", "2027-01-14 2026-01-14", {"depends": {"date": "2026-11-21"}}),
    (
        "print(coming('21 November'), past('21. November'))",
        "2026-11-21 2026-11-21",
        {"depends": {"date": "2026-11-21"}},
    ),
    (
        "print(coming('29 February'), past('29 de febrero'))",
        "2028-02-29 2024-02-29",
        {"depends": {"date": "2026-11-21"}},
    ),
    (
        "print(coming('saturday'), past('Samstag'), coming('Tuesday'), days_between(today(), 'Friday'))",
        "2026-11-28 2026-11-14 2026-11-24 6",
        {"depends": {"date": "2026-11-21"}},
    ),
    ("print(days_since('today'), days_between('Today', '24 November'))", "0 3", {"depends": {"date": "2026-11-21"}}),
    ("print(days_between('15 August', today()), weekday('8 March'))", "98 Monday", {"depends": {"date": "2026-11-21"}}),
    ("print(coming('3 May 2027'), coming('5 January', '2025-12-20'))", "2027-05-03 2026-01-05", {}),
    (
        "print(days_until('12 December'), days_since('12 December'), days_until('2026-11-01'), days_since(today()))",
        "21 344 -20 0",
        {"depends": {"date": "2026-11-21"}},
    ),
    ("print(days_between('2026-12-20', '5 January'), days_between('15 August', '2026-08-20'))", "16 5", {}),
    (
        "print(working_days('1 December', '31 December', 'DE'), add_working_days('23 December', 3, 'DE'))",
        "22 2026-12-29",
        {"depends": {"date": "2026-11-21"}},
    ),
    (
        "print(city('Valencia')['zone'], city('Valencia, Spain')['zone'], distance('Barcelona', 'London'))",
        "America/Caracas Europe/Madrid 1138.6\n(Valencia: Venezuela)\n(Barcelona: Spain)",
        {},
    ),
    ("print(age('1990-11-22'), age('1990-11-21'))", "35 36", {"depends": {"date": "2026-11-21"}}),
    ("print(now(), now('Tokyo') - now())", "2026-11-21 10:05:07 8:00:00", {"depends": {"minute": "2026-11-21T10:05"}}),
    (
        "from datetime import datetime\nprint(datetime.now().strftime('%H:%M'))",
        "10:05",
        {"depends": {"minute": "2026-11-21T10:05"}},
    ),
    (
        "import datetime\ndatetime = datetime.datetime\nprint(dict(datetime=datetime.today().hour))",
        "{'datetime': 10}",
        {"depends": {"minute": "2026-11-21T10:05"}},
    ),
    (
        "from datetime import date as datetime\nprint(datetime.today())",
        "2026-11-21",
        {"depends": {"date": "2026-11-21"}},
    ),
    (
        "import datetime\nnext_week = datetime.datetime.today() + datetime.timedelta(days=7)\n"
        "print(next_week.strftime('%d %B'), datetime.date.today(), datetime.today().hour)",
        "28 November 2026-11-21 10",
        {"depends": {"minute": "2026-11-21T10:05", "date": "2026-11-21"}},
    ),
    (
        "from datetime import datetime, UTC\nfrom zoneinfo import ZoneInfo\n"
        "print(datetime.now(UTC).hour, datetime.utcnow().hour, datetime.now(ZoneInfo('Asia/Tokyo')).hour)",
        "9 9 18",
        {"depends": {"minute": "2026-11-21T10:05"}},
    ),
    ("import time\nprint(time.strftime('%Y'))", "2026", {"depends": {"minute": "2026-11-21T10:05"}}),
    ("import random\nprint(random.randint(6, 6))", "6", {"depends": {"minute": "2026-11-21T10:05"}}),
    ("print(convert_time('9:30', 'London', 'Berlin'))", "2026-11-21 10:30:00", {"depends": {"date": "2026-11-21"}}),
    ("print(convert_time('9:30 PM', 'London', 'Berlin'))", "2026-11-21 22:30:00", {"depends": {"date": "2026-11-21"}}),
    ("print(convert_time('9am', 'London', 'Berlin'))", "2026-11-21 10:00:00", {"depends": {"date": "2026-11-21"}}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("program", "printed", "artifact"), CLOCKS)
def test_the_clock_is_the_persons_and_is_noted(program: str, printed: str, artifact: Artifact) -> None:
    assert execute(program, DESK) == (printed, artifact)


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        ("datetime(2026, 3, 28, 12, tzinfo=ZoneInfo('Europe/Berlin')) + timedelta(days=1)", "2026-03-29 19:00"),
        ("(datetime.now(ZoneInfo('Europe/Berlin')) + timedelta(180)).replace(hour=15, minute=0)", "2027-05-20 22:00"),
        ("datetime(2026, 3, 28, 12, tzinfo=ZoneInfo('Europe/Berlin'))", "2026-03-28 20:00"),
        ("datetime(2026, 10, 25, 1, tzinfo=ZoneInfo('UTC')).astimezone(ZoneInfo('Europe/Berlin'))", "2026-10-25 10:00"),
    ],
)  # fmt: skip
def test_a_moment_that_crossed_a_change_of_the_clocks_is_moved_as_it_stands(moment: str, shown: str) -> None:
    start = "from datetime import datetime, timedelta\nfrom zoneinfo import ZoneInfo\n"
    tokyo = f"print(({moment}).astimezone(ZoneInfo('Asia/Tokyo')).strftime('%Y-%m-%d %H:%M'))"
    assert execute(start + tokyo, DESK)[0] == shown
    assert execute(f"{start}print(convert_time({moment}, 'UTC', 'Tokyo'))", DESK)[0].startswith(shown)


@pytest.mark.parametrize("zone", ["zoneinfo import ZoneInfo as zone", "pytz import timezone as zone"])
def test_a_moment_without_a_zone_is_the_persons(zone: str) -> None:
    desk = replace(DESK, now=datetime(2026, 11, 21, 10, tzinfo=ZoneInfo("Asia/Kathmandu")))
    lines = ["from datetime import datetime", f"from {zone}", "at = datetime(2026, 7, 1, 9)"]
    program = "\n".join([*lines, "print(at.astimezone(zone('Asia/Tokyo')))"])
    assert execute(program, desk) == ("2026-07-01 12:15:00+09:00", {})


def test_a_clock_without_a_named_zone_will_do() -> None:
    desk = replace(DESK, now=datetime(2026, 11, 21, 10, tzinfo=timezone(timedelta(hours=5, minutes=30))))
    program = "from datetime import timezone\nprint(datetime(2026, 7, 1, 9).astimezone(timezone.utc), now('UTC'))"
    assert execute(program, desk)[0] == "2026-07-01 03:30:00+00:00 2026-11-21 04:30:00"


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("print(convert(5, 'miles', 'km'))", "8.04672"),
        ("print([round(convert(f, 'F', 'C')) for f in (32, 212)])", "[0, 100]"),
        ("print(f\"{convert(amount=2, unit='cups', to='ml'):.0f} ml\")", "473 ml"),
        ("try:\n    convert(1, 'kg', 'km')\nexcept ValueError as e:\n    print(e)", "kg measures mass, km length"),
    ],
)
def test_units_are_converted_inside(program: str, printed: str) -> None:
    assert execute(program, DESK)[0].startswith(printed)


def test_documents_and_memory_are_searched_inside() -> None:
    program = "print(search_documents('tank litres'))\nprint(recall('my sister'))\nprint(today())"
    printed, artifact = execute(program, DESK)
    assert '[manual.md, Care] "The warranty' in printed and "My sister is Ann." in printed
    assert artifact == {
        "depends": {"date": "2026-11-21", "documents": "digest", "session": "s1"},
        "sources": ["manual.md, Care"],
        "passages": [("manual.md, Care", "The warranty is three years. The tank holds 3.2 litres.")],
    }
    with pytest.raises(ToolFault, match="No documents were uploaded"):
        execute("search_documents('x')", replace(DESK, chunks=[]))


def test_searches_are_counted() -> None:
    asked: list[str] = []

    def remembered(search: Search) -> Sequence[Kept]:
        asked.append(search.about)
        return ()

    with pytest.raises(ToolFault, match=f"at most {SEARCHES} searches"):
        execute("while True:\n    recall('x')", replace(DESK, recall=remembered))
    assert len(asked) == SEARCHES + 1


ATTACKS = [
    ("open('/etc/passwd').read()", "no files and no network"),
    ("import pathlib\npathlib.Path('/etc/passwd').read_text()", "no files and no network"),
    ("with open('out.txt', 'w') as f:\n    f.write('x')", "no files and no network"),
    ("import os\nprint(os.environ)", "no files and no network"),
    ("import os\nos.listdir('/')", "no files and no network"),
    ("import os\nos.system('ls')", "no attribute 'system'"),
    ("__import__('os').system('ls')", "'__import__' is not defined"),
    ("eval('__import__(\"os\")')", "'__import__' is not defined"),
    ("import subprocess", "No module named 'subprocess'"),
    ("import socket", "No module named 'socket'"),
    ("().__class__.__bases__[0].__subclasses__()", "no attribute '__class__'"),
    ("print(convert.__globals__)", "no attribute '__globals__'"),
    ("while True:\n    try:\n        while True: pass\n    except:\n        pass", "5 seconds"),
    ("x = [0] * 10 ** 9", "too much memory"),
    ("x = []\nwhile True:\n    x.append('a' * 1000)", "too much memory"),
    ("2 ** 10 ** 10", "too much memory"),
    ("for i in range(10 ** 7):\n    print('a' * 99)", "printed too much"),
    ("print('a' * 7000)", "printed 7000 characters"),
    ("def f(n):\n    return f(n + 1)\nf(0)", "Use a loop"),
    ("convert(9, 'm**9**9**9', 'km')", "no unit of measure"),
    ("working_days('0001-01-01', '9999-12-31', 'DE')", "at most 100 years"),
    ("add_working_days('2026-01-01', 10 ** 9)", "at most 40000"),
    ("days_until('2 June 1990')", "days_until('02 June')"),
    ("_in_zone(5, 'Berlin')", "in_zone could not work this out"),
    ("import operator\nprint(operator.pow(7, 10 ** 8))", "too much memory"),
    ("from operator import mul\nx = 7 ** 10 ** 6\nwhile True:\n    x = mul(x, x)", "too"),
    ("import statistics\nstatistics.quantiles([1, 2, 3], n=3 * 10 ** 6)", "at most 1000 parts"),
    ("statistics.mean([1] * 200000)", "handed too much"),
    ("statistics.variance([10 ** 4000, 1])", "handed too much"),
    ("statistics.variance([Decimal('1e999999'), 1])", "handed too much"),
    ("import string\nstring.capwords('a ' * 10 ** 6)", "handed too much"),
    ("days_between('2024-01-01', '1 ' * 4000)", "no day"),
    ("convert_time('09:30', 'x' * 10 ** 7, 'Tokyo')", "handed too much"),
    ("import math\nmath.factorial(10 ** 7)", "5 seconds"),
    ("import math\nmath.comb(10 ** 7, 5 * 10 ** 6)", "5 seconds"),
    ("import math\nmath.perm(10 ** 7, 5 * 10 ** 6)", "5 seconds"),
    ("import math\nmath.lcm(*range(1, 200000))", "stopped"),
    ("print('a'.zfill(10 ** 9))", "too much memory"),
    ("1 << 10 ** 9", "too much memory"),
    ("(" * 5000, "SyntaxError"),
    ("x = 1\n" * 4000, "at most 20000"),
]


UNTIL = ("5 seconds", "stopped", "too", "printed too much")
WAITS, SHORT = [program for program, said in ATTACKS if said in UNTIL], 1.0
"""Programs that stop at nothing but the limit: the first of them waits for the product's own, the others as long."""


@pytest.mark.slow
@pytest.mark.parametrize(("program", "said"), ATTACKS)
def test_attacks_end_in_a_sentence(program: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolFault) as fault, monkeypatch.context() as patch:
        if program in WAITS[1:]:
            patch.setattr(runs, "SECONDS", SHORT)
        execute(program, DESK)
    assert said in str(fault.value) and len(str(fault.value)) < 600
    assert execute("print(1)", DESK)[0] == "1", "the next program runs"


@pytest.mark.parametrize(
    ("written", "coming", "past"),
    [
        ("Christmas", date(2026, 12, 25), date(2025, 12, 25)),
        ("halloween", date(2027, 10, 31), date(2026, 10, 31)),
        ("Good Friday", date(2027, 3, 26), date(2026, 4, 3)),
        ("Karfreitag", date(2027, 3, 26), date(2026, 4, 3)),
    ],
)
def test_a_day_may_be_called_as_calendars_call_it(written: str, coming: date, past: date) -> None:
    here = date(2026, 11, 28)
    assert named_day(written, lambda: here, ahead=True) == coming
    assert named_day(written, lambda: here, ahead=False) == past
    with pytest.raises(ValueError, match="no day"):
        named_day("Easter", lambda: here, ahead=True)  # their first is Easter Monday
    assert execute('print(days_between("3 March", "Christmas"))', DESK)[0] == "297"
    assert execute("print(days_between('17 May 2027', '2026-11-28'))", DESK)[0] == "170", "no day is -170 days away"


def test_a_long_text_is_not_even_read_as_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dateparser.parse", lambda *_, **__: pytest.fail("it takes seconds"))
    with pytest.raises(ValueError, match="no day"):
        named_day("1 " * 40, DESK.now.date, ahead=True)


def test_what_is_not_large_is_worked_out_outside() -> None:
    worked = "import statistics\nimport operator\nfrom operator import mul as times\n"
    worked += (
        "print(statistics.mean([1] * 50000), statistics.quantiles([1, 2, 3], n=2), times(2, 3), operator.pow(2, 9))"
    )
    assert execute(worked, DESK)[0] == "1 [2.0] 6 512"


def test_a_program_that_calls_for_ever_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_ASKED", 100)
    with pytest.raises(ToolFault, match="fewer"):
        execute("while True:\n    convert(1, 'km', 'mile')", DESK)
    assert execute("print(1)", DESK)[0] == "1", "the next program runs"


FAULTS = [
    ("x = 1\ny = 'a' + x\nprint(y)", "Line 2 (y = 'a' + x): TypeError: can only concatenate"),
    ("print(1", "Line 1 (print(1): SyntaxError"),
    ("for i in [1]:\nprint(i)", "Line 2 (print(i)): SyntaxError: Expected an indented block"),
    ("def f(n):\n    return 1 / n\n\nprint(f(0))", "Line 2 (return 1 / n): ZeroDivisionError"),
    ("from fractions import (\n    Fraction,\n)\nprint(1 / 0)", "Line 4 (print(1 / 0)): ZeroDivisionError"),
    ("from fractions import Fraction\nprint(Fraction(1, 2) < 1)", "take float(a), as in max(fractions, key=float)"),
    ("print(total)", "NameError: name 'total' is not defined"),
    ("print(date(2026, 2, 30))", "ValueError: day 30 must be in range 1..28"),
    ("import numpy as np", "Only the standard modules"),
    (
        "import datetime\nprint(datetime.time(7, 30) - datetime.timedelta(hours=3))",
        "Line 2 (print(datetime.time(7, 30) - datetime.timedelta(hours=3))): TypeError",
    ),
    ("import datetime\nprint(datetime.time(7, 30) - datetime.timedelta(hours=3))", "A time alone cannot be moved"),
    ("import datetime\nprint(datetime.date(2025, 3, 15) + datetime.timedelta(months=24))", "add_months(day, months)"),
    ("class Bad(Exception):\n    pass", "class inheritance"),
    ("def g():\n    yield 1", "yield expressions\nWrite it with plain functions"),
    ("rows = [1, 2, 3]\ndel rows[0]\ndel rows[::2]\nprint(rows)", "Line 3 (del rows[::2]): does not yet support"),
    ("class A:\n    x = 1\na = A()\ndel a.x\nprint(a.x)", "an item or a slice without a step can be deleted here"),
    (f"a = []\ndel a{'[0]' * 900}", "an item or a slice without a step can be deleted here"),
    ("import io\nprint('x', file=io.StringIO())", "write with buffer.write(...)"),
    ("name = input('?')", "Nobody can type here"),
    ("now('over there')", "no zone 'over there'; write the city or the country that is meant"),
    ("working_days('2026-01-01', '2026-02-01', 'Mordor')", "write a code such as DE, GB, US"),
    ("days_between('soon', '2026-01-01')", "no day 'soon'; write one such as '14 January'"),
    ("weekday(5)", "a day is date(2026, 3, 1), '2026-03-01' or '1 March'"),
    ("[1].sort(key=lambda n: convert(n, 'km', 'mile'))", "loop or a list comprehension"),
    ("x = 5", "print the result"),
    ("def f():\n    return 3", "print the result"),
    ("def f():\n    return 3\nf", "print the result"),
    ("", "program is empty"),
    ("```python\n```", "program is empty"),
]


@pytest.mark.parametrize(("program", "said"), FAULTS)
def test_faults_name_the_line_and_what_to_do(program: str, said: str) -> None:
    with pytest.raises(ToolFault) as fault:
        execute(program, DESK)
    assert said in str(fault.value) and str(fault.value).count("\n") <= 1


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 2\nprint(x)\n```",
        "```\nx = 2\nprint(x)```",
        "Here it is:\n```py\nx = 2\nprint(x)\n```\nThat prints 2.",
        "    x = 2\n    print(x)",
        "x = 2\\nprint(x)",
        "x = 2\r\nprint(x)\r\n",
    ],
)
def test_fences_and_written_line_breaks_come_off(text: str) -> None:
    assert without_fence(text) == "x = 2\nprint(x)"


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("import datetime\nprint(datetime.time(9, 05))", "09:05:00"),
        ("print('ä 05', 08 + 009)", "ä 05 17"),
        ('print(0, 00, 0.5, "05")', "0 0 0.5 05"),
    ],
)
def test_a_figure_may_begin_with_a_zero_as_on_a_clock(program: str, text: str) -> None:
    assert execute(program, DESK)[0] == text


def test_edits_keep_every_line_in_its_place() -> None:
    program = "import math\nfrom fractions import (\n    Fraction as F,\n)\nprint(F(1, 2), 'str.lower')"
    changed = edited(program).split("\n")
    assert changed[1] == "F = Fraction" and changed[4] == "print(F(1, 2), 'str.lower')"
    assert edited("print('nothing to do')  # ä") == "print('nothing to do')  # ä"
    assert edited("no python at all") == "no python at all"


def test_what_is_printed_is_plain_text() -> None:
    assert execute("print('a\\x1b[31m\\tb')\nprint('ü')", DESK)[0] == "a[31m\tb\nü"
    assert execute("print('12\\u00a0km')", DESK)[0] == "12\u00a0km", "no 12km"


def test_a_heap_that_a_program_wrote_out_gives_the_least_first() -> None:
    take = "print([heapq.heappop(h) for _ in range(3)])"
    assert execute(f"import heapq\nh = [1, 9, 2]\n{take}", DESK)[0] == "[1, 2, 9]"
    assert execute(f"import heapq\nh = [3, 9, 5]\nheapq.heappush(h, 1)\n{take}", DESK)[0] == "[1, 3, 5]"


def test_holidays_are_called_the_same_on_every_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    _free.cache_clear()
    assert execute("print(public_holidays('DE', 2027)[1][1])", DESK)[0] == "Good Friday"


def test_programs_share_nothing_and_run_side_by_side() -> None:
    with ThreadPoolExecutor(6) as pool:
        printed = list(pool.map(lambda n: execute(f"x = {n}\nprint(x * x)", DESK)[0], range(24)))
    assert printed == [str(n * n) for n in range(24)]
    execute("secret = 5\nprint(secret)", DESK)
    with pytest.raises(ToolFault, match="'secret' is not defined"):
        execute("print(secret)", DESK)


def test_a_worker_that_dies_is_replaced() -> None:
    with runs._pool().checkout() as session:
        pid = session.worker_pid
        assert pid
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(MontyError):
            session.feed_run("1")
    assert execute("print(2)", DESK)[0] == "2"


def test_every_function_that_the_model_reads_of_is_there() -> None:
    names = [line.split("(")[0] for line in FUNCTIONS.splitlines()]
    assert execute(f"print(len([{', '.join(names)}]))", DESK)[0] == str(len(names))


def test_the_tool_gives_text_and_artifact() -> None:
    call = {"name": "python", "args": {"program": "print(today())"}, "id": "1", "type": "tool_call"}
    message = make(DESK).invoke(call)
    assert message.content == "2026-11-21" and message.artifact == {"depends": {"date": "2026-11-21"}}
