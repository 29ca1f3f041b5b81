"""Office files and books are read with their places; what cannot be read, or is a bomb, is one sentence."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl import Workbook
from pptx import Presentation

from tools import office
from tools.desk import ToolFault
from tools.reading import MOST_WORDS, OFFICE, pieces, read_document

in_a_process = pytest.mark.slow
OPEN = """<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
  xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:b="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
  xmlns:d="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><o:body><o:text>{}</o:text></o:body>
</o:document-content>"""
ODT = OPEN.format("""<t:tracked-changes><t:p>The rent is 700.</t:p></t:tracked-changes>
<t:h t:outline-level="1">Rent</t:h><t:p>The rent<t:s/>is <t:span>900</t:span> euros.</t:p>
<t:h t:outline-level="1">Rooms</t:h><b:table><b:table-row><b:table-cell><t:p>kitchen</t:p></b:table-cell>
<b:table-cell><t:p>12</t:p></b:table-cell></b:table-row></b:table>""")
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


@in_a_process
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


def texts(data: bytes) -> list[str]:
    return [text for _, text in office.blocks(data)]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (
            "<w:p><w:r><w:t xml:space='preserve'>It is </w:t></w:r><w:del><w:r><w:delText>800</w:delText></w:r></w:del>"
            "<w:moveFrom><w:r><w:t>7</w:t></w:r></w:moveFrom><w:ins><w:r><w:t>900</w:t></w:r></w:ins></w:p>",
            ["It is 900"],
        ),
        ("<w:sdt><w:sdtContent><w:p><w:r><w:t>a control</w:t></w:r></w:p></w:sdtContent></w:sdt>", ["a control"]),
        (
            "<w:p><w:sdt><w:sdtContent><w:r><w:t>Alice</w:t></w:r></w:sdtContent></w:sdt><w:r><w:tab/></w:r><w:fldSimple>"
            "<w:r><w:t>May</w:t></w:r></w:fldSimple><w:smartTag><w:r><w:br/><w:t>Ulm</w:t></w:r></w:smartTag></w:p>",
            ["Alice May\nUlm"],
        ),
        (
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>out</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>in</w:t></w:r></w:p>"
            "</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>",
            ["| out in |"],
        ),
        (
            "<w:p><w:r><w:t>one</w:t><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent><w:t> two</w:t>"
            "</w:r></w:p>",
            ["one two", "box"],
        ),
    ],
)
def test_of_word_all_that_stands_there_is_read(body: str, read: list[str]) -> None:
    made = Document()
    for part in parse_xml(f"<w:body {nsdecls('w')}>{body}</w:body>"):
        made.element.body.insert(0, part)
    assert texts(saved(made)) == read


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("<ul><li>Fruit<ul><li>apple</li></ul></li></ul>", ["Fruit", "apple"]),
        ("<div>a<p>b</p>c</div>bare<!-- no -->!<figcaption>d</figcaption>", ["a", "b", "c", "bare!", "d"]),
        (
            "<h1><div>The<br/>fox</div></h1><p>one<br/>two<script>no</script></p><style>no</style>",
            ["The fox", "one\ntwo"],
        ),
        ("<table><tr> <td><p>a</p><p>b</p></td> <td>1</td></tr></table>tail", ["| a b | 1 |", "tail"]),
    ],
)
def test_of_a_book_all_that_stands_there_is_read(body: str, read: list[str]) -> None:
    page = f"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>no</title></head><body>{body}</body></html>"
    book = BOOK | {"text/book.opf": OPF.replace('<itemref idref="b"/>', ""), "text/one page.xhtml": page}
    assert texts(zipped(book)) == read


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (
            "<t:p>It is 900<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>cold</t:p></t:note-body>"
            "</t:note> euros<o:annotation><t:p>too much?</t:p></o:annotation>.</t:p>",
            ["It is 900 euros.", "cold"],
        ),
        ("<t:p>one<d:frame><d:text-box><t:p>box</t:p></d:text-box></d:frame> two</t:p>", ["one two", "box"]),
        (
            "<b:table-row><b:table-cell><t:p>12</t:p><t:p>34</t:p><b:table><b:table-row><b:table-cell><t:p>in</t:p>"
            "</b:table-cell></b:table-row></b:table></b:table-cell></b:table-row>",
            ["| 12 34 in |"],
        ),
    ],
)
def test_of_open_text_each_thing_is_read_once(body: str, read: list[str]) -> None:
    assert texts(zipped({"content.xml": OPEN.format(body)})) == read


def test_a_formula_stands_where_nobody_worked_it_out() -> None:
    made = Workbook()
    made.active.append([2, "=A1*2", None, "end"])
    made.active.append([None, "=A1*3"])
    assert texts(saved(made))[1:] == ["| 2 | =A1*2 |  | end |", "|  | =A1*3 |"]


def test_of_slides_lines_tables_and_notes_are_read() -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text, slide.notes_slide.notes_text_frame.text = "Hello\vWorld", "Smile."
    table = slide.shapes.add_table(1, 2, 0, 0, 9, 9).table
    table.cell(0, 0).text, table.cell(0, 1).text = "tea", "2"
    made.slides.add_slide(made.slide_layouts[6]).notes_slide.notes_text_frame.text = " "
    read = office.blocks(saved(made))
    assert read.pop() == (1, "slide 2")
    assert read[1:] == [(0, "Hello\nWorld"), (0, "| tea | 2 |"), (2, "notes"), (0, "Smile.")]


@in_a_process
def test_signs_of_markdown_are_signs() -> None:
    book = Workbook()
    book.active.title = "Sales_2024"
    book.active.append(["```", 2])
    book.create_sheet("_B_").append(["# 5 bolts"])
    read = [(chunk.place, chunk.text) for chunk in read_document("a.xlsx", saved(book))]
    assert read == [("Sales_2024", "| ``` | 2 |"), ("_B_", "| # 5 bolts |")]
    made = Document()
    for words in ("```", "# 5 bolts"):
        made.add_paragraph(words)
    made.add_heading("net_price", 1)
    made.add_paragraph("It is 9.")
    read = [(chunk.place, chunk.text) for chunk in read_document("a.docx", saved(made))]
    assert read == [("", "```\n# 5 bolts"), ("net_price", "It is 9.")]


def test_a_page_named_often_is_read_once() -> None:
    book = BOOK | {"text/book.opf": OPF.replace("</spine>", '<itemref idref="a"/>' * 9 + "</spine>")}
    assert texts(zipped(book)) == texts(zipped(BOOK))


@pytest.mark.parametrize(("words", "times"), [("a", 7), ("a a a a", 2), ("a" * 60, 2)])
def test_a_text_with_too_many_words_is_told_by_the_child(
    words: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(pieces("a" * 16 + " ")) == 1 and len(pieces("a" * 17)) == 2  # none is longer
    assert (office.LONGEST_WORD, office.MOST_CHARACTERS) == (17, 17 * MOST_WORDS)
    monkeypatch.setattr(office, "MOST_CHARACTERS", 110)
    with pytest.raises(ValueError, match=r"^words$"):
        office.blocks(zipped({"content.xml": OPEN.format(f"<t:p>{words}</t:p>" * times)}))


@in_a_process
def test_a_zip_of_other_things_and_a_bomb_are_one_sentence() -> None:
    with pytest.raises(ToolFault, match="cannot be read; save it as PDF or text"):
        read_document("photos.zip", zipped({"a.txt": "words"}))
    bomb = zipped({"content.xml": "a" * (office.LARGEST + 1)})
    assert len(bomb) < 1_000_000
    with pytest.raises(ToolFault, match="takes too long"):
        read_document("bomb.odt", bomb)
    spy = "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/hostname'>]>" + ODT.replace("900", "&a;")
    assert read_document("spy.odt", zipped({"content.xml": spy}))[0].text == "The rent is &a; euros."
