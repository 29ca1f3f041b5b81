"""Office files and books as Markdown, in a child process (apart.py). All of them are zips of XML."""

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
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_ROW = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}table-row"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BLOCKS = ["p", "li", "dt", "dd", "pre", "blockquote", "td", "th", "div", "h1", "h2", "h3", "h4", "h5", "h6"]


def markdown(data: bytes) -> str:
    """Headings, paragraphs and rows; a sheet and a slide have a heading of their own. Raises ValueError with one word:
    unknown, long or damaged."""
    try:
        with ZipFile(BytesIO(data)) as file:
            if sum(each.file_size for each in file.infolist()) > LARGEST:
                raise ValueError("long")
            if not (known := [read for sign, read in _READERS.items() if sign in file.namelist()]):
                raise ValueError("unknown")
            return "\n\n".join(filter(None, known[0](file)))
    except MemoryError:
        raise ValueError("long") from None
    except (Exception, RecursionError) as error:  # a broken file breaks its reader in many ways
        raise ValueError(str(error) if str(error) in ("unknown", "long") else "damaged") from None


def _word(file: ZipFile) -> Iterator[str]:
    from docx import Document
    from docx.table import Table

    for part in Document(file.fp).iter_inner_content():
        if isinstance(part, Table):
            yield from (_row([cell.text for cell in dict.fromkeys(row.cells)]) for row in part.rows)
        else:
            level = re.fullmatch(r"Heading (\d)", str(part.style.name if part.style else ""))
            yield _block(part.text, int(level[1]) if level else 0)


def _sheets(file: ZipFile) -> Iterator[str]:
    from openpyxl import load_workbook

    for sheet in load_workbook(file.fp, read_only=True, data_only=True).worksheets:
        yield _block(sheet.title, 1)
        sheet.reset_dimensions()  # some programs write wrong ones, and rows would be left out
        for row in sheet.iter_rows(values_only=True):
            yield _row(["" if value is None else str(value).removesuffix(" 00:00:00") for value in row])


def _slides(file: ZipFile) -> Iterator[str]:
    from pptx import Presentation

    for number, slide in enumerate(Presentation(file.fp).slides, 1):
        yield f"# slide {number}"
        for part in slide.element.iter(f"{_DRAWN}p"):
            yield _block("".join(run.text or "" for run in part.iter(f"{_DRAWN}t")))


def _open_text(file: ZipFile) -> Iterator[str]:
    content = _parsed(file, "content.xml")
    etree.strip_elements(content, f"{_TEXT}tracked-changes", with_tail=False)  # what was deleted
    for gap in content.iter(f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"):
        gap.text = " "
    for part in content.iter(f"{_TEXT}h", f"{_TEXT}p", _ROW):
        if part.tag == _ROW:
            yield _row(["".join(cell.itertext()) for cell in part])
        elif next(part.iterancestors(_ROW), None) is None:
            level = int(part.get(f"{_TEXT}outline-level", 1)) if part.tag == f"{_TEXT}h" else 0
            yield _block("".join(part.itertext()), level)


def _book(file: ZipFile) -> Iterator[str]:
    [place] = _parsed(file, "META-INF/container.xml").xpath("(//@full-path)[1]")
    package = _parsed(file, place)
    files = {item.get("id"): item.get("href") for item in package.iter("{*}item")}
    for item in package.iter("{*}itemref"):
        page = file.read(normpath(join(dirname(place), unquote(files[item.get("idref")]))))
        for part in etree.fromstring(page, etree.HTMLParser(no_network=True, encoding="utf-8")).iter(*_BLOCKS):
            if next(part.iterdescendants(*_BLOCKS), None) is None:
                yield _block("".join(part.itertext()), int(part.tag[1]) if part.tag[0] == "h" else 0)


_READERS: Mapping[str, Callable[[ZipFile], Iterator[str]]] = {
    "word/document.xml": _word, "xl/workbook.xml": _sheets, "ppt/presentation.xml": _slides,
    "META-INF/container.xml": _book, "content.xml": _open_text,
}  # fmt: skip
"""By a file that the zip holds."""


def _parsed(file: ZipFile, name: str) -> Any:
    return etree.fromstring(file.read(name), etree.XMLParser(resolve_entities=False, no_network=True))


def _block(text: str, level: int = 0) -> str:
    line = " ".join(text.split())
    return f"{'#' * level} {line}" if level and line else line


def _row(cells: Sequence[str]) -> str:
    line = " | ".join(map(_block, cells)).rstrip(" |")
    return f"| {line} |" if line else ""
