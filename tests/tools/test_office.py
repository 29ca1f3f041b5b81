"""Office files and books are read with their places; what cannot be read, or is a bomb, is one sentence."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from docx import Document
from openpyxl import Workbook
from pptx import Presentation

from tools import office
from tools.desk import ToolFault
from tools.reading import OFFICE, read_document

pytestmark = pytest.mark.slow
"""Each begins a process."""
ODT = """<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
  xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:b="urn:oasis:names:tc:opendocument:xmlns:table:1.0">
<o:body><o:text><t:tracked-changes><t:p>The rent is 700.</t:p></t:tracked-changes><t:h t:outline-level="1">Rent</t:h>
<t:p>The rent<t:s/>is <t:span>900</t:span> euros.</t:p><t:h t:outline-level="1">Rooms</t:h><b:table>
<b:table-row><b:table-cell><t:p>kitchen</t:p></b:table-cell><b:table-cell><t:p>12</t:p></b:table-cell></b:table-row>
</b:table></o:text></o:body></o:document-content>"""
OPF = """<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="b" href="two.xhtml"/>
<item id="a" href="one%20page.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
HTML = "<html xmlns='http://www.w3.org/1999/xhtml'><body><h1>{}</h1><div><p>{}</p></div></body></html>"
BOOK = {
    "META-INF/container.xml": "<container><rootfiles><rootfile full-path='text/book.opf'/></rootfiles></container>",
    "text/book.opf": OPF,
    "text/one page.xhtml": HTML.format("The fox", "A fox – quick &amp; brown."),
    "text/two.xhtml": HTML.format("The dog", "A lazy dog."),
}


def saved(made: Any) -> bytes:
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def zipped(files: dict[str, str]) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as file:
        for name, text in files.items():
            file.writestr(name, text)
    return out.getvalue()


def word() -> bytes:
    made = Document()
    made.add_heading("Rent", 1)
    made.add_paragraph("The rent is 900 euros.")
    made.add_heading("Rooms", 1)
    table = made.add_table(1, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "kitchen"
    table.cell(0, 2).text = "12"
    return saved(made)


def sheets() -> bytes:
    made = Workbook()
    made.active.title = "Prices"
    made.active.append(["tea", 2.5, None, datetime(2026, 3, 1)])
    made.create_sheet("Stock").append(["tea", 40])
    return saved(made)


def slides() -> bytes:
    made = Presentation()
    for title, words in (("Plan", "First this"), ("End", "Thank you")):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, words
    return saved(made)


@pytest.mark.parametrize(
    ("name", "data", "read"),
    [
        ("a.docx", word(), [("Rent", "The rent is 900 euros."), ("Rooms", "| kitchen | 12 |")]),
        ("a.xlsx", sheets(), [("Prices", "| tea | 2.5 |  | 2026-03-01 |"), ("Stock", "| tea | 40 |")]),
        ("a.pptx", slides(), [("slide 1", "Plan\nFirst this"), ("slide 2", "End\nThank you")]),
        ("a.odt", zipped({"content.xml": ODT}), [("Rent", "The rent is 900 euros."), ("Rooms", "| kitchen | 12 |")]),
        ("a.epub", zipped(BOOK), [("The fox", "A fox – quick & brown."), ("The dog", "A lazy dog.")]),
    ],
)
def test_each_is_read_with_its_places(name: str, data: bytes, read: list[tuple[str, str]]) -> None:
    assert name.endswith(OFFICE)
    assert [(chunk.place, chunk.text) for chunk in read_document(name, data)] == read


def test_a_zip_of_other_things_and_a_bomb_are_one_sentence() -> None:
    with pytest.raises(ToolFault, match="cannot be read; save it as PDF or text"):
        read_document("photos.zip", zipped({"a.txt": "words"}))
    bomb = zipped({"content.xml": "a" * (office.LARGEST + 1)})
    assert len(bomb) < 1_000_000
    with pytest.raises(ToolFault, match="takes too long"):
        read_document("bomb.odt", bomb)
    spy = "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/hostname'>]>" + ODT.replace("900", "&a;")
    assert read_document("spy.odt", zipped({"content.xml": spy}))[0].text == "The rent is &a; euros."
