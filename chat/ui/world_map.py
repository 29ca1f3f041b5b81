"""The map of a world episode as SVG, 320 units wide: rooms on a grid with ways between them, or a household's places.

The layout only ever adds: a room keeps its cell while the map grows, so that the eye does not have to search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from chat.ui.language import _
from chat.ui.markup import escape
from chat.worlds.view import Spot, Way, WorldMap, kind_of

WIDTH = 320
COLUMNS, CELL, CHIP = 3, (106, 50), 25
"""Rooms: columns, the width and height of a cell, the height of a room in it."""
ROW, LABEL, MARK = 24, 128, 23
"""Households: the height of a row, the width of its name, the width of a place in it."""
Cell = tuple[int, int]
"""Column and row."""
Point = tuple[float, float]


def draw(world: WorldMap) -> str:
    """The map; empty where nothing is known of any place."""
    known = [number for number, spot in enumerate(world.spots) if spot.heard <= world.step]
    if not known:
        return ""
    body, height = _rooms(world, known) if world.rooms else _household(world, known)
    told = escape(_told(world, [world.spots[number] for number in known]))
    return f'<svg class="map" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{told}">{body}</svg>'


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


def _spot(world: WorldMap, number: int, label: str, middle: Point, size: Point, round_: int) -> str:
    """A place around its middle, with what the mouse tells of it."""
    (x, y), (width, height), been = middle, size, _been(world.spots[number], world.step)
    state = "here" if number == world.here else "been" if been else "hollow"
    return (
        f'<g class="spot {state}"><title>{escape(_hint(world.spots[number], world.step))}</title>'
        f'<rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width:g}" height="{height}" rx="{round_}"/>'
        f'<text x="{x:g}" y="{y + 3.7:g}">{escape(label)}</text></g>'
    )


def _hint(spot: Spot, step: int) -> str:
    if not _been(spot, step):
        return _("{place}: not visited yet").format(place=_name(spot, step))
    told = _("{place}: first visited at step {n}") if spot.came else _("{place}: where it began")
    told = told.format(place=spot.name, n=f"{spot.came}")
    if spot.things:
        told = _("{told}; seen there: {things}").format(told=told, things=", ".join(spot.things[:12]))
    return told


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


# -- rooms


def _rooms(world: WorldMap, known: Sequence[int]) -> tuple[str, int]:
    cells = cells_of(world)
    top = min(row for _column, row in cells)
    columns = [column for column, _row in cells]
    left = (WIDTH - CELL[0] * (max(columns) - min(columns) + 1)) / 2 - min(columns) * CELL[0]
    at = [(left + (column + 0.5) * CELL[0], (row - top + 0.5) * CELL[1]) for column, row in cells]
    parts = [_way(way, world.step, cells, at) for way in world.ways if way.heard <= world.step]
    for number in known:
        label = _short(_name(world.spots[number], world.step), 15)
        parts.append(_spot(world, number, label, at[number], (max(36.0, 6.3 * len(label) + 14), CHIP), 9))
    return "".join(parts), (max(row for _column, row in cells) - top + 1) * CELL[1]


def _way(way: Way, step: int, cells: Sequence[Cell], at: Sequence[Point]) -> str:
    css = "way gone" if way.gone is not None and way.gone <= step else "way"
    ends = cells[way.one], cells[way.other]
    blocked = any(_between(cell, *ends) for cell in cells if cell not in ends)
    return f'<path class="{css}" d="{_line(at[way.one], at[way.other], bent=blocked)}"/>'


def _line(one: Point, other: Point, *, bent: bool) -> str:
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


def _household(world: WorldMap, known: Sequence[int]) -> tuple[str, int]:
    """A row for each kind of place: its name, then a mark for each. The room between them counts while one is there."""
    kinds = {number: kind_of(world.spots[number].name) for number in known}
    shown = [number for number in known if len(known) == 1 or number == world.here or kinds[number][1]]
    parts, y, a_row = [], 0, (WIDTH - LABEL) // MARK
    for kind, group in groupby(sorted(shown, key=lambda number: kinds[number]), key=lambda number: kinds[number][0]):
        parts.append(f'<text class="kind" x="0" y="{y + 16}">{escape(_short(kind, 18))}</text>')
        place = 0
        for place, number in enumerate(group):
            middle = LABEL + place % a_row * MARK + MARK / 2 - 0.5, y + place // a_row * ROW + ROW / 2 - 0.5
            label = str(kinds[number][1] or "•")
            parts.append(_spot(world, number, label, middle, (MARK - 3, ROW - 4), 6))
        y += ROW * (1 + place // a_row)
    return "".join(parts), y
