"""The map of a world episode as SVG, 320 units wide: rooms on a grid with ways between them, or a household's places.

The layout only ever adds: a room keeps its cell while the map grows, so that the eye does not have to search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from chat.ui.language import _
from chat.ui.markup import escape
from chat.worlds.view import Spot, WorldMap, kind_of

WIDTH = 320
COLUMNS, CELL, CHIP = 3, (106, 50), 25
"""Rooms: columns, the width and height of a cell, the height of a room in it."""
ROW, LABEL, MARK = 24, 128, 23
"""Households: the height of a row, the width of its name, the width of a place in it."""
Cell = tuple[int, int]
"""Column and row."""


def draw(world: WorldMap) -> str:
    """The map; empty where nothing is known of any place."""
    known = [spot for spot in world.spots if spot.heard <= world.step]
    if not known:
        return ""
    body, height = _rooms(world) if world.rooms else _household(world)
    return (
        f'<svg class="map" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(_told(world, known))}">'
        f"{body}</svg>"
    )


def _told(world: WorldMap, known: Sequence[Spot]) -> str:
    """The map in words."""
    here = _("Here: {place}.").format(place=world.spots[world.here].name) if world.here >= 0 else ""
    been = [spot.name for spot in known if _been(spot, world.step)]
    rest = [_name(spot, world.step) for spot in known if not _been(spot, world.step)]
    visited = _("Visited: {places}.").format(places=", ".join(been) or _("nothing"))
    unseen = _("Not visited: {places}.").format(places=", ".join(rest) or _("nothing known"))
    return " ".join(part for part in (_("Map."), here, visited, unseen) if part)


def _been(spot: Spot, step: int) -> bool:
    return spot.came is not None and spot.came <= step


def _name(spot: Spot, step: int) -> str:
    return spot.way if spot.way and not _been(spot, step) else spot.name


def _state(world: WorldMap, number: int) -> str:
    return "here" if number == world.here else "been" if _been(world.spots[number], world.step) else "hollow"


def _hint(world: WorldMap, number: int) -> str:
    """What the mouse tells of a place."""
    spot = world.spots[number]
    if not _been(spot, world.step):
        told = _("{place}: not visited yet").format(place=_name(spot, world.step))
    elif spot.came:
        told = _("{place}: first visited at step {n}").format(place=spot.name, n=f"{spot.came}")
    else:
        told = _("{place}: where it began").format(place=spot.name)
    if spot.things and _been(spot, world.step):
        told = _("{told}; seen there: {things}").format(told=told, things=", ".join(spot.things[:12]))
    return f"<title>{escape(told)}</title>"


# -- rooms


def _rooms(world: WorldMap) -> tuple[str, int]:
    cells = cells_of(world)
    top = min(cell[1] for cell in cells)
    across = {cell[0] for cell in cells}
    left = (WIDTH - CELL[0] * (max(across) - min(across) + 1)) / 2 - min(across) * CELL[0]
    at = [(left + (column + 0.5) * CELL[0], (row - top + 0.5) * CELL[1]) for column, row in cells]
    parts = []
    for way in world.ways:
        one, other = way.one, way.other
        if way.heard <= world.step:
            css = "way gone" if way.gone is not None and way.gone <= world.step else "way"
            blocked = any(
                _between(cell, cells[one], cells[other]) for cell in cells if cell not in (cells[one], cells[other])
            )
            parts.append(f'<path class="{css}" d="{_line(at[one], at[other], bent=blocked)}"/>')
    parts += [_room(world, n, *at[n]) for n, spot in enumerate(world.spots) if spot.heard <= world.step]
    return "".join(parts), (max(cell[1] for cell in cells) - top + 1) * CELL[1]


def _line(one: tuple[float, float], other: tuple[float, float], *, bent: bool) -> str:
    """Straight, or around the room that would lie on the way."""
    (x1, y1), (x2, y2) = one, other
    if not bent:
        return f"M{x1:g} {y1:g}L{x2:g} {y2:g}"
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    if abs(y2 - y1) > abs(x2 - x1) * CELL[1] / CELL[0]:
        x += CELL[0] if x <= WIDTH / 2 else -CELL[0]
    else:
        y += CELL[1]
    return f"M{x1:g} {y1:g}Q{x:g} {y:g} {x2:g} {y2:g}"


def _room(world: WorldMap, number: int, x: float, y: float) -> str:
    name = _name(world.spots[number], world.step)
    shown = name if len(name) <= 15 else f"{name[:14]}…"
    width = max(36.0, 6.3 * len(shown) + 14)
    return (
        f'<g class="spot {_state(world, number)}">{_hint(world, number)}'
        f'<rect x="{x - width / 2:g}" y="{y - CHIP / 2:g}" width="{width:g}" height="{CHIP}" rx="9"/>'
        f'<text x="{x:g}" y="{y + 3.7:g}">{escape(shown)}</text></g>'
    )


def cells_of(world: WorldMap) -> list[Cell]:
    """A cell for each room: beside the room from which it was first seen, where lines cross no other room."""
    cells: list[Cell] = []
    lines: list[tuple[Cell, Cell]] = []
    for number in range(len(world.spots)):
        parent = next((min(w.one, w.other) for w in world.ways if max(w.one, w.other) == number), None)
        if not cells:
            cells.append((1, 0))
            continue
        near = cells[parent] if parent is not None else cells[-1]
        cell = min(_free(cells), key=lambda cell: (_cost(cell, near, cells, lines), cell[1], cell[0]))
        if parent is not None:
            lines.append((near, cell))
        cells.append(cell)
    return cells


def _free(cells: Sequence[Cell]) -> Iterator[Cell]:
    rows = [cell[1] for cell in cells]
    for row in range(min(rows) - 1, max(rows) + 2):
        yield from ((column, row) for column in range(COLUMNS) if (column, row) not in cells)


def _cost(cell: Cell, near: Cell, cells: Sequence[Cell], lines: Sequence[tuple[Cell, Cell]]) -> float:
    far = (cell[0] - near[0]) ** 2 + (cell[1] - near[1]) ** 2
    through = sum(_between(other, cell, near) for other in cells if other != near)
    crossed = sum(_between(cell, *line) for line in lines)
    rows = [cell[1] for cell in cells]
    higher = not min(rows) <= cell[1] <= max(rows)
    return far + 6 * through + 6 * crossed + 0.6 * higher


def _between(cell: Cell, one: Cell, other: Cell) -> bool:
    """The line from one to the other runs through the cell."""
    enter, leave = 0.0, 1.0
    for axis, half in ((0, 0.42), (1, 0.3)):
        start, run = one[axis] - cell[axis], other[axis] - one[axis]
        if not run and abs(start) > half:
            return False
        if run:
            first, last = sorted(((-half - start) / run, (half - start) / run))
            enter, leave = max(enter, first), min(leave, last)
    return enter < leave


# -- households


def _household(world: WorldMap) -> tuple[str, int]:
    """A row for each kind of place: its name, then a mark for each. The room between them counts while one is there."""
    known = [n for n, spot in enumerate(world.spots) if spot.heard <= world.step]
    if len(known) > 1:
        known = [n for n in known if n == world.here or kind_of(world.spots[n].name)[1]]
    ordered = sorted(known, key=lambda n: kind_of(world.spots[n].name))
    parts, y = [], 0
    for kind, group in groupby(ordered, key=lambda n: kind_of(world.spots[n].name)[0]):
        members = list(group)
        shown = kind if len(kind) <= 18 else f"{kind[:17]}…"
        parts.append(f'<text class="kind" x="0" y="{y + 16}">{escape(shown)}</text>')
        a_row = (WIDTH - LABEL) // MARK
        for place, number in enumerate(members):
            parts.append(_mark(world, number, LABEL + place % a_row * MARK, y + place // a_row * ROW))
        y += ROW * (1 + (len(members) - 1) // a_row)
    return "".join(parts), y


def _mark(world: WorldMap, number: int, x: int, y: int) -> str:
    which = kind_of(world.spots[number].name)[1]
    return (
        f'<g class="spot {_state(world, number)}">{_hint(world, number)}'
        f'<rect x="{x + 1}" y="{y + 1.5:g}" width="{MARK - 3}" height="{ROW - 4}" rx="6"/>'
        f'<text x="{x + MARK / 2 - 0.5:g}" y="{y + 15.5:g}">{which or "•"}</text></g>'
    )
