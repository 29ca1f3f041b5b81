"""Places people name -> time zones. Every city of the zone database is known by itself; these are the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_MORE = """
America/New_York: new york city, nyc, washington, washington dc, boston, philadelphia, miami, atlanta, orlando, \
charlotte, baltimore, pittsburgh, cleveland, ottawa, montreal, eastern time, eastern, est, edt, et, us eastern
America/Chicago: dallas, houston, austin, san antonio, new orleans, minneapolis, st louis, milwaukee, nashville, \
kansas city, memphis, central time, cst, cdt, ct, us central, texas, illinois
America/Denver: salt lake city, albuquerque, mountain time, mst, mdt, mt, colorado, utah
America/Phoenix: arizona
America/Los_Angeles: la, san francisco, sf, seattle, san diego, las vegas, portland, sacramento, san jose, \
silicon valley, pacific time, pacific, pst, pdt, pt, us pacific, california
America/Anchorage: alaska
Pacific/Honolulu: hawaii, hst
America/Toronto: quebec, ontario
America/Vancouver: british columbia
America/Mexico_City: mexico
America/Sao_Paulo: rio de janeiro, rio, brasilia, brazil
America/Argentina/Buenos_Aires: argentina
America/Santiago: chile
America/Bogota: colombia
America/Lima: peru
America/Caracas: venezuela
America/Havana: cuba
America/Montevideo: uruguay
America/Halifax: nova scotia, atlantic time
America/St_Johns: newfoundland, st john's
Europe/London: uk, united kingdom, england, britain, great britain, scotland, wales, edinburgh, manchester, \
liverpool, glasgow, birmingham, cambridge, oxford, bst, british time
Europe/Dublin: ireland
Europe/Paris: france, marseille, nice, toulouse, bordeaux
Europe/Berlin: germany, munich, muenchen, hamburg, frankfurt, cologne, stuttgart, dresden, leipzig, cet, cest, \
central european time
Europe/Madrid: spain, barcelona, valencia, seville
Europe/Rome: italy, milan, naples, turin, venice, florence
Europe/Vienna: austria, salzburg
Europe/Zurich: switzerland, geneva, bern, basel
Europe/Brussels: belgium, antwerp
Europe/Amsterdam: netherlands, holland, rotterdam, the hague
Europe/Copenhagen: denmark
Europe/Oslo: norway, bergen
Europe/Stockholm: sweden, gothenburg
Europe/Helsinki: finland, eet, eest
Europe/Warsaw: poland, krakow
Europe/Prague: czechia, czech republic
Europe/Budapest: hungary
Europe/Bucharest: romania
Europe/Sofia: bulgaria
Europe/Athens: greece
Europe/Lisbon: portugal, porto
Europe/Istanbul: turkey, ankara, turkiye
Europe/Kyiv: kiev, ukraine
Europe/Moscow: russia, st petersburg, saint petersburg, msk
Europe/Belgrade: serbia
Europe/Zagreb: croatia
Europe/Luxembourg: luxemburg
Atlantic/Reykjavik: iceland
Asia/Jerusalem: israel, tel aviv
Asia/Dubai: uae, abu dhabi, united arab emirates
Asia/Riyadh: saudi arabia
Asia/Qatar: doha
Asia/Tehran: iran
Asia/Baghdad: iraq
Asia/Karachi: pakistan, lahore, islamabad
Asia/Kolkata: india, mumbai, bombay, delhi, new delhi, bangalore, bengaluru, chennai, hyderabad, pune, calcutta, ist
Asia/Dhaka: bangladesh
Asia/Kathmandu: nepal
Asia/Colombo: sri lanka
Asia/Bangkok: thailand
Asia/Ho_Chi_Minh: vietnam, saigon, hanoi
Asia/Jakarta: indonesia
Asia/Kuala_Lumpur: malaysia
Asia/Singapore: sgt
Asia/Manila: philippines
Asia/Shanghai: china, beijing, shenzhen, guangzhou
Asia/Hong_Kong: hongkong, hkt
Asia/Taipei: taiwan
Asia/Tokyo: japan, osaka, kyoto, jst
Asia/Seoul: korea, south korea, busan, kst
Asia/Kabul: afghanistan
Asia/Tashkent: uzbekistan
Australia/Sydney: canberra, aest, aedt, new south wales
Australia/Melbourne: victoria
Australia/Brisbane: queensland
Australia/Perth: awst, western australia
Pacific/Auckland: new zealand, wellington, nzst, nzdt
Pacific/Fiji: suva
Africa/Cairo: egypt, alexandria
Africa/Lagos: nigeria, abuja
Africa/Nairobi: kenya
Africa/Johannesburg: south africa, cape town, durban, pretoria, sast
Africa/Addis_Ababa: ethiopia
Africa/Casablanca: morocco, rabat, marrakesh
Africa/Algiers: algeria
Africa/Tunis: tunisia
Africa/Accra: ghana
UTC: utc, gmt, zulu, z time, coordinated universal time, greenwich mean time
"""
_NOT_PLACES = frozenset(
    {"easter", "factory", "center", "central", "eastern", "universal", "east", "west", "north", "wake", "midway"}
)
_WIDE = {
    "usa": "America/New_York", "us": "America/New_York", "united states": "America/New_York",
    "america": "America/New_York", "canada": "America/Toronto", "australia": "Australia/Sydney",
}  # fmt: skip
"""Countries of several zones: the zone of the largest city is taken, and said."""


_INITIALS = frozenset({
    "nyc", "est", "edt", "et", "cst", "cdt", "ct", "mst", "mdt", "mt", "la", "sf", "pst", "pdt", "pt",
    "hst", "uk", "bst", "cet", "cest", "eet", "eest", "msk", "uae", "ist", "sgt", "hkt", "jst", "kst",
    "aest", "aedt", "awst", "nzst", "nzdt", "sast", "utc", "gmt", "usa", "us", "met", "wet",
})  # fmt: skip
"""Shown in capitals."""


@dataclass(frozen=True)
class Place:
    """A place named in a request: `name` as it is shown, `start` where it stands in the text."""

    name: str
    zone: tzinfo
    start: int


@cache
def _zones() -> dict[str, str]:
    names: dict[str, str] = dict(_WIDE)
    for line in _MORE.replace("\\\n", "").strip().splitlines():
        zone, _, places = line.partition(": ")
        names.update(dict.fromkeys((place.strip() for place in places.split(",")), zone))
        names[zone.rsplit("/", 1)[-1].replace("_", " ").lower()] = zone
    for zone in sorted(available_timezones()):
        names.setdefault(zone.lower(), zone)
        area, _, city = zone.rpartition("/")
        city = city.replace("_", " ").lower()
        if area and not area.startswith(("Etc", "US", "SystemV")) and city not in _NOT_PLACES:
            names.setdefault(city, zone)
    return names


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_zones(), key=len, reverse=True)
    return re.compile(
        rf"(?<![\w/])(?:(?:utc|gmt)\s?([+-]\d{{1,2}})(?::?(\d\d))?|({'|'.join(map(re.escape, names))}))(?![\w/])"
    )


def places(text: str) -> list[Place]:
    """The places named in `text` (lower case), in order."""
    return [_place(found) for found in _pattern().finditer(text)]


def _place(found: re.Match[str]) -> Place:
    if found[1]:
        hours, minutes = int(found[1]), int(found[2] or 0)
        return Place(found[0].upper(), _fixed(hours, minutes), found.start())
    zone = _zones()[found[3]]
    name = found[3].upper() if found[3] in _INITIALS else zone if "/" in found[3] else found[3].title()
    if found[3] in _WIDE:
        name = f"{name} ({zone.rsplit('/', 1)[-1].replace('_', ' ')})"
    return Place(name, ZoneInfo(zone), found.start())


def _fixed(hours: int, minutes: int) -> ZoneInfo:
    """`UTC+5:30` as a zone; the database has only whole hours, with the sign turned round."""
    if minutes in (0,) and -12 <= hours <= 14:
        return ZoneInfo(f"Etc/GMT{-hours:+d}" if hours else "UTC")
    whole = {(5, 30): "Asia/Kolkata", (5, 45): "Asia/Kathmandu", (9, 30): "Australia/Darwin", (3, 30): "Asia/Tehran",
             (4, 30): "Asia/Kabul", (6, 30): "Asia/Yangon", (8, 45): "Australia/Eucla"}  # fmt: skip
    return ZoneInfo(whole.get((hours, minutes), "UTC"))
