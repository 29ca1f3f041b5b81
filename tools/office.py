"""Office files and books as blocks, in a child process (apart.py). All of them are zips of XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from lxml import etree

LARGEST = 200_000_000
"""Bytes of what a file unpacks to."""
LONGEST_WORD = 17
"""Characters of what reading.py counts as one, with the blank behind it."""
MOST_CHARACTERS = 300_000 * LONGEST_WORD
"""What has more, each word counted as one of the longest, has more words than reading.py takes."""
LONGEST = 200
"""Characters of a heading."""

Block = tuple[int, str]
"""A paragraph or a row of a table with its level as a heading; 0: it is none."""
_EDGE, _ROW, _CELL, _ASIDE, _OUT = "edge", "row", "cell", "aside", "out"
"""What an element is: a block, a row of a table, a cell of it, set beside the block that it stands in, left out."""
_OFFICE = {
    "p": _EDGE, "tr": _ROW, "tc": _CELL, "br": "\n", "cr": "\n", "tab": " ", "ptab": " ", "noBreakHyphen": "-",
    "txbxContent": _ASIDE, "del": _OUT, "moveFrom": _OUT, "Fallback": _OUT, "oMath": _OUT,
}  # fmt: skip
"""By name; any other text stands in for the element."""
_OPEN = {
    "p": _EDGE, "h": _EDGE, "table-row": _ROW, "table-cell": _CELL, "covered-table-cell": _CELL, "line-break": "\n",
    "tab": " ", "s": " ", "note": _ASIDE, "frame": _ASIDE,
    "tracked-changes": _OUT, "annotation": _OUT, "note-citation": _OUT,
}  # fmt: skip
_BLANKS = re.compile(r"\s+")
_LEVEL = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}outline-level"
_BLOCKS = [
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
    "main", "nav", "ol", "p", "pre", "section", "summary", "table", "ul",
]  # fmt: skip
_HTML = {
    **dict.fromkeys(_BLOCKS, _EDGE), "tr": _ROW, "td": _CELL, "th": _CELL, "br": "\n",
    **dict.fromkeys(["head", "script", "style", "template", "rp", "rt"], _OUT),
}  # fmt: skip


def blocks(data: bytes) -> list[Block]:
    """Headings, paragraphs and rows; a sheet and a slide have a heading of their own. Raises ValueError with one word:
    unknown, long, words or damaged."""
    made, total = list[Block](), 0
    try:
        with ZipFile(BytesIO(data)) as file:
            if sum(each.file_size for each in file.infolist()) > LARGEST:
                raise ValueError("long")
            if not (known := [read for sign, read in _READERS.items() if sign in file.namelist()]):
                raise ValueError("unknown")
            for level, text in known[0](file):
                if text:
                    made.append((level if len(text) <= LONGEST else 0, text))
                    total += max(len(text), len(text.split()) * LONGEST_WORD)
                if total > MOST_CHARACTERS:
                    raise ValueError("words")
    except MemoryError:
        raise ValueError("long") from None
    except (Exception, RecursionError) as error:  # a broken file breaks its reader in many ways
        raise ValueError(str(error) if str(error) in ("unknown", "long", "words") else "damaged") from None
    return made


def _word(file: ZipFile) -> Iterator[Block]:
    from docx import Document

    made = Document(file.fp)
    headings = {each.style_id: re.fullmatch(r"Heading (\d)", str(each.name)) for each in made.styles}
    levels = {style: int(found[1]) for style, found in headings.items() if found}
    yield from _walked(made.element.body, _OFFICE, lambda part: levels.get(getattr(part, "style", None), 0), only="t")


def _sheets(file: ZipFile) -> Iterator[Block]:
    from openpyxl import load_workbook

    books = [load_workbook(file.fp, read_only=True, data_only=stored) for stored in (True, False)]
    for sheet, worked in zip(*(book.worksheets for book in books), strict=True):
        yield 1, sheet.title
        sheet.reset_dimensions()  # some programs write wrong ones, and rows would be left out
        worked.reset_dimensions()
        for row, formulas in zip(sheet.iter_rows(), worked.iter_rows(values_only=True), strict=False):
            yield 0, _row([_cell(cell, formula) for cell, formula in zip(row, formulas, strict=False)])


def _cell(cell: Any, formula: Any) -> str:
    """Its value; the formula, where the program that wrote the file did not work it out."""
    if cell.value is None and cell.data_type == "n":  # the empty text is a value, too
        shown = getattr(formula, "text", formula)  # of one that fills many cells
        return shown if isinstance(shown, str) else ""
    return "" if cell.value is None else str(cell.value).removesuffix(" 00:00:00")


def _slides(file: ZipFile) -> Iterator[Block]:
    from pptx import Presentation

    for number, slide in enumerate(Presentation(file.fp).slides, 1):
        yield 1, f"slide {number}"
        yield from _walked(slide.element, _OFFICE, only="t")
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            yield 2, "notes"
            yield from _walked(notes._txBody, _OFFICE, only="t")


def _open_text(file: ZipFile) -> Iterator[Block]:
    def level(part: Any) -> int:
        return min(max(int(part.get(_LEVEL, 1)), 1), 9) if _name(part) == "h" else 0

    yield from _walked(_parsed(file, "content.xml"), _OPEN, level)


def _book(file: ZipFile) -> Iterator[Block]:
    [place] = _parsed(file, "META-INF/container.xml").xpath("(//@full-path)[1]")
    package = _parsed(file, place)
    files = {item.get("id"): item.get("href") for item in package.iter("{*}item")}
    pages = (join(dirname(place), unquote(files[item.get("idref")])) for item in package.iter("{*}itemref"))
    for page in dict.fromkeys(map(normpath, pages)):  # one may be named many times
        parsed = etree.fromstring(file.read(page), etree.HTMLParser(no_network=True, encoding="utf-8"))
        yield from _walked(parsed, _HTML, lambda part: "h1 h2 h3 h4 h5 h6".find(_name(part)) // 3 + 1)


_READERS: Mapping[str, Callable[[ZipFile], Iterator[Block]]] = {
    "word/document.xml": _word, "xl/workbook.xml": _sheets, "ppt/presentation.xml": _slides,
    "META-INF/container.xml": _book, "content.xml": _open_text,
}  # fmt: skip
"""By a file that the zip holds."""


def _walked(
    root: Any, kinds: Mapping[str, str], level: Callable[[Any], int] = lambda part: 0, only: str = ""
) -> Iterator[Block]:
    """The text in it, in order; what is set aside comes behind its block. With `only` no other element holds text."""
    held, cells, aside = list[str](), list[str](), list[Block]()
    rows = heading = 0  # how many it stands in, and of which level
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, part in walk:
        kind, begins = "" if part is root else kinds.get(_name(part), ""), event == "start"
        if begins and kind in (_ASIDE, _OUT):
            walk.skip_subtree()
            aside += _walked(part, kinds, level, only) if kind == _ASIDE else []
            continue
        if kind == _CELL and rows == 1 and not begins:
            cells.append("".join(held))
            held.clear()
        elif kind in (_EDGE, _ROW, _CELL):
            held.append(" ")
            if not rows:
                yield _block(held, heading)
                held.clear()
                heading = (level(part) or heading) if begins else 0
            elif kind == _ROW and rows == 1 and not begins:
                yield 0, _row([*cells, "".join(held)])
                held.clear()
                cells.clear()
            rows += (1 if begins else -1) if kind == _ROW else 0
            if not rows:
                yield from aside
                aside.clear()
        elif begins:
            held.append(kind)
        if begins and (not only or _name(part) == only):
            held.append(_BLANKS.sub(" ", part.text or ""))
        elif not begins and not only and part is not root:
            held.append(_BLANKS.sub(" ", part.tail or ""))
    yield _block(held, heading)
    yield from aside


def _name(part: Any) -> str:
    return str(part.tag).rpartition("}")[2] if isinstance(part.tag, str) else ""


def _parsed(file: ZipFile, name: str) -> Any:
    return etree.fromstring(file.read(name), etree.XMLParser(resolve_entities=False, no_network=True))


def _block(held: Sequence[str], level: int) -> Block:
    lines = [" ".join(line.split()) for line in "".join(held).split("\n")]
    return level, (" " if level else "\n").join(filter(None, lines))


def _row(cells: Sequence[str]) -> str:
    line = " | ".join(" ".join(cell.split()) for cell in cells).rstrip(" |")
    return f"| {line} |" if line else ""
