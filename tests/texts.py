"""The page's own texts: extracted from where they stand, and brought into each language's catalogue.

`make texts` brings the catalogues up to date; what has no translation yet is empty there, and a test tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from chat.ui.language import LOCALE, SOURCE, languages
from tools.domains import DOMAINS, about

ROOT = Path(__file__).parents[1]
UI = ROOT / "chat" / "ui"
MARKS = ("_", "N_", "ngettext")
TABLES = {
    ROOT / "chat/worlds/commands.py": "WORDS",
    ROOT / "chat/access/sign_in.py": "SAID",
    ROOT / "minds/models/language.py": "WAITS",
}
"""Constants of other packages whose texts the page shows."""
DESKS = {ROOT.joinpath(*module.split("."), "__init__.py"): name for name, module in DOMAINS.items()}
"""The domains, of each of which the page shows the sentence."""
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}
OPTIONS = {"parse_template_string": True, "encoding": "utf-8"}
Found = tuple[str, str | tuple[str, ...]]
"""The file's path, and the text, or the two of a plural."""


def texts() -> Iterator[Found]:
    """All texts, file by file."""
    for path in sorted((*UI.rglob("*.py"), *UI.rglob("*.js"), *UI.rglob("*.html"), *TABLES, *DESKS)):
        name = path.relative_to(ROOT).as_posix()
        yield from ((name, found) for found in dict.fromkeys(_of(path)))


def _of(path: Path) -> Iterator[str | tuple[str, ...]]:
    if path in DESKS:
        yield about(DESKS[path]).sentence
        return
    if path.suffix == ".py":
        tree = ast.parse(path.read_text("utf-8"))
        yield from _table(tree, TABLES[path]) if path in TABLES else _marked(tree)
        return
    kind = "javascript" if path.suffix == ".js" else "jinja2.ext:babel_extract"
    with path.open("rb") as file:
        yield from (message for _line, message, _comments, _context in extract(kind, file, KEYWORDS, options=OPTIONS))


def _marked(tree: ast.AST) -> Iterator[str | tuple[str, ...]]:
    """Babel's own reader does not see what stands in an f-string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            said = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if said:
                yield tuple(said) if node.func.id == "ngettext" else said[0]


def _table(tree: ast.Module, name: str) -> Iterator[str]:
    """The values of a dictionary."""
    for node in tree.body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            yield from map(str, ast.literal_eval(node.value).values())  # type: ignore[attr-defined]


def template() -> Catalog:
    """What every catalogue must have."""
    made = Catalog(domain="duet", project="Duet", fuzzy=False)
    for path, text in texts():
        made.add(text, locations=[(path, 1)])
    return made


def path_of(code: str) -> Path:
    return LOCALE / code / "LC_MESSAGES" / "duet.po"


def update(code: str) -> Catalog:
    """What is new comes in empty, what is gone goes; the rest stays as it is."""
    with path_of(code).open("rb") as file:
        kept = read_po(file, locale=code, domain="duet")
    kept.update(template(), no_fuzzy_matching=True)
    write(code, kept)
    return kept


def write(code: str, kept: Catalog) -> None:
    """Under the header that is there: Babel's own would change with each day."""
    header, _gap, _texts = path_of(code).read_text("utf-8").partition("\n\n")
    body = BytesIO()
    write_po(body, kept, width=120, omit_header=True, ignore_obsolete=True, include_lineno=False)
    path_of(code).write_text(f"{header}\n\n{body.getvalue().decode().strip()}\n", "utf-8")


def main() -> None:
    for code in languages():
        if code != SOURCE:
            empty = sum(not all(_strings(message.string)) for message in update(code) if message.id)
            print(f"{path_of(code).relative_to(ROOT)}: {empty} without a translation")


def _strings(said: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else tuple(said or ("",))


if __name__ == "__main__":
    main()
