"""The rules of the house: who may import whom, what is loaded when, and that prompts are where they are looked for."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

import pytest
from babel import Locale

from minds.languages import SPOKEN
from prompts import examples, spoken

ROOT = Path(__file__).parents[1]
ROOMS = ("chat", "memory", "minds", "prompts", "storage", "tools")
MAY_IMPORT = {
    "prompts": {"prompts"},
    "storage": {"storage"},
    "tools": {"tools", "storage"},
    "memory": {"memory", "storage"},
    "minds": {"minds", "memory", "prompts", "tools"},
    "chat": {"chat", "memory", "minds", "prompts", "storage", "tools"},
    "main": {"chat", "minds.training"},
}
APART = {
    "chat.bench": ("main.py", "chat/bench/"),
    "minds.training": ("main.py", "minds/training/", "chat/bench/"),
}
"""What a conversation never needs -> who alone imports it. Benchmarks, which main alone imports, measure trainings."""
ONLY_IN = {
    "gradio": ("chat/ui",),
    "chromadb": ("memory/chroma",),
    "xllamacpp": ("minds/models/",),
    "transformers": ("minds/models/hf", "memory/embedder", "minds/training/"),
    "torch": ("minds/models/hf", "memory/embedder", "minds/training/"),
    "bitsandbytes": ("minds/models/hf",),
    "pydantic_monty": ("tools/sandbox/",),
    "openai": ("minds/models/",),
    "authlib": ("chat/access/openid",),
    "joserfc": ("chat/access/openid",),
    "langchain_openai": ("minds/models/",),
    "langchain": ("minds/models/through_langchain",),
    "scienceworld": ("tools/worlds/", "chat/doctor", "minds/training/laboratory_goals"),
    "alfworld": ("tools/worlds/", "chat/doctor"),
    "textworld": ("tools/worlds/alfworld_package", "tools/worlds/textworld", "chat/doctor"),
    "fast_downward": ("tools/worlds/alfworld_package", "chat/doctor"),
    "alembic": ("storage/",),
    "sentence_transformers": (),
    "faster_whisper": ("chat/ui/hearing",),
    "pytest": ("tests/",),
    "prompt_toolkit": ("chat/keyboard", "tests/chat/test_keyboard"),
}
"""A heavy package -> where it may be imported (beginnings of paths)."""
AT_THE_TOP: dict[str, str | tuple[str, ...]] = {
    "gradio": "chat/ui/",
    "openai": "minds/models/endpoint",
    "langchain_openai": "minds/models/endpoint",
    "alembic": "storage/migrations/",
    "prompt_toolkit": "tests/chat/test_keyboard",
    "torch": (
        "minds/training/minilm",
        "minds/training/adapter/train",
        "minds/training/swift/train",
        "minds/training/swift_alfworld/train",
        "minds/training/turns/",
        "minds/training/wishes/",
    ),
}
"""Where a heavy package may be imported at module level: files that are themselves opened late."""
LATE = (
    "chat.ui",
    "minds.models.endpoint",
    "minds.models.through_langchain",
    "minds.models.trial",
    "minds.models.hf",
    "minds.models.embedded",
    "minds.training.swift.train",
    "minds.training.swift_alfworld.train",
    "minds.training.minilm",
    "minds.training.adapter.train",
    "minds.training.turns.train",
    "minds.training.wishes.net",
    "minds.training.wishes.refit",
    "minds.training.wishes.train",
)
"""Modules that cost much and are therefore imported by functions only (outside their own room)."""


@dataclass(frozen=True)
class Import:
    """One import of one file."""

    file: str
    module: str
    line: int
    at_top: bool
    """Runs when the file is imported (and not only for the type checker)."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def sources() -> list[Path]:
    """Python files of ours, tests left out."""
    return [ROOT / "main.py", *sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> tuple[Import, ...]:
    return tuple(found for path in sources() for found in imports_of(path))


def imports_of(path: Path) -> Iterator[Import]:
    file = path.relative_to(ROOT).as_posix()
    for node, at_top in nodes(parsed(path)):
        for module in named_by(node):
            yield Import(file, module, node.lineno, at_top)  # type: ignore[attr-defined]


def nodes(node: ast.AST, at_top: bool = True) -> Iterator[tuple[ast.AST, bool]]:
    """It and all below it, and whether each runs when the file is imported."""
    left = [(node, at_top)]
    while left:
        each, at_top = left.pop()
        at_top = at_top and not is_late(each)
        yield each, at_top
        left += [(below, at_top) for below in ast.iter_child_nodes(each)]


def is_late(node: ast.AST) -> bool:
    checked_only = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
    return checked_only or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def named_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports name the whole path"
        return [node.module or ""]
    if isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
        return [a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return []


def package(module: str) -> str:
    return module.partition(".")[0]


def test_the_reader_of_imports_sees_all_of_them() -> None:
    text = (
        "import a.b\nfrom c import d\nif TYPE_CHECKING:\n    import e\n"
        "def f():\n    import g\n    import_module('h.i')\n"
        "class J:\n    import k\ntry:\n    import m\nexcept ImportError:\n    pass\n"
    )
    path = ROOT / "main.py"
    tree = ast.parse(text)
    assert {module for node in ast.walk(tree) for module in named_by(node)} == {"a.b", "c", "e", "g", "h.i", "k", "m"}
    top = {module for node, at_top in nodes(tree) if at_top for module in named_by(node)}
    assert top == {"a.b", "c", "k", "m"}
    assert {i.module for i in imports_of(path)} >= {"argparse", "chat.faults", "chat.terminal"}


@pytest.mark.slow
def test_rooms_import_only_what_lies_below_them() -> None:
    ours = {*ROOMS, "main", "tests"}
    wrong = [
        str(i)
        for i in imports()
        if package(i.module) in ours and not within(i.module, MAY_IMPORT[i.file.partition("/")[0].removesuffix(".py")])
    ]
    assert wrong == []


def within(module: str, packages: Iterable[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def test_main_alone_imports_benchmarks_and_trainings() -> None:
    wrong = [
        str(i)
        for apart, by in APART.items()
        for i in imports()
        if within(i.module, [apart]) and (not i.file.startswith(by) or (i.file == "main.py" and i.at_top))
    ]
    assert wrong == []
    named = {f"{file}: {apart}" for file, text in outside() for apart in APART if f'"{apart}.' in text}
    assert named == set(), "nor by a name for import_module"


def outside() -> Iterator[tuple[str, str]]:
    """(file, text) of what runs in a conversation."""
    for path in sources():
        file = path.relative_to(ROOT).as_posix()
        if not file.startswith(("chat/bench/", "minds/training/")):
            yield file, path.read_text(encoding="utf-8")


SMALL_MODEL = 600
"""Lines of all that only small models need: it is to stay an addition."""


def test_only_the_wiring_knows_what_small_models_need() -> None:
    wrong = [
        str(i)
        for i in imports()
        if i.module.startswith("minds.small_model")
        and not (i.file == "chat/app.py" or i.file.startswith("minds/small_model/"))
    ]
    assert wrong == []
    own = sorted((ROOT / "minds" / "small_model").rglob("*.py"))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in own)
    assert len(own) > 1 and lines <= SMALL_MODEL, f"{lines} lines"


def test_nothing_outside_benchmarks_and_trainings_reads_the_tests_data() -> None:
    assert [file for file, text in outside() if re.search(r"[\"']tests[\"']|tests/data", text)] == []


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles(graph()) == []


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": set()}) == [{"b", "c"}]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def graph() -> dict[str, set[str]]:
    """Module -> modules of ours that it imports anywhere: at the top, in a function, or for the type checker."""
    names = {name_of(path): path for path in sources()}
    return {name: set(imported(path, names)) - {name} for name, path in names.items()}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path, names: Container[str]) -> Iterator[str]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in names else node.module or "" for name in whole)
        else:
            yield from named_by(node)


def circles(found: dict[str, set[str]]) -> list[set[str]]:
    """Modules that reach one another, each such set once."""
    reached = {name: reachable(name, found) for name in found}
    sets = {frozenset(other for other in reached[name] if name in reached[other]) for name in found}
    return sorted((set(one) for one in sets if one), key=sorted)


def reachable(name: str, found: dict[str, set[str]]) -> set[str]:
    """Itself only where a way leads back to it."""
    seen: set[str] = set()
    ahead = {*found[name]}
    while ahead:
        one = ahead.pop()
        seen.add(one)
        ahead |= found.get(one, set()) - seen
    return seen & set(found)


def test_each_heavy_package_stays_in_its_files() -> None:
    wrong = [
        str(i)
        for i in imports()
        if package(i.module) in ONLY_IN and not i.file.startswith(tuple(ONLY_IN[package(i.module)]) or ("-",))
    ]
    assert wrong == []


def test_heavy_packages_are_imported_late() -> None:
    wrong = [
        str(i)
        for i in imports()
        if i.at_top and package(i.module) in ONLY_IN and not i.file.startswith(AT_THE_TOP.get(package(i.module), "-"))
    ]
    rooms = ("chat/ui/", "minds/models/", "minds/training/")
    wrong += [str(i) for i in imports() if i.at_top and i.module.startswith(LATE) and not i.file.startswith(rooms)]
    assert wrong == []


def test_one_file_alone_knows_each_model_runtime() -> None:
    for runtime in ("xllamacpp", "bitsandbytes", "chromadb"):
        files = {i.file for i in imports() if package(i.module) == runtime}
        assert len(files) <= 1, f"{runtime} is imported by {files}"


HEAVY = (
    "gradio torch transformers chromadb langchain langchain_core openai numpy fastapi uvicorn pint dateparser xllamacpp"
    " sqlalchemy alembic"
)


@pytest.mark.real
@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["serve", "--help"], ["nonsense"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import runpy, sys\n"
        f"sys.argv = {['main.py', *arguments]!r}\n"
        "try:\n    runpy.run_path('main.py', run_name='__main__')\n"
        "except SystemExit:\n    pass\n"
        f"loaded = set({HEAVY.split()!r}) & set(sys.modules)\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "usage: main.py" in done.stdout + done.stderr


# -- prompts


@cache
def rendered() -> tuple[tuple[str, str], ...]:
    """(file, name) of every prompt that is rendered; a part that is filled in is a *."""
    found = []
    for path in sources():
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.Call) or called(node) not in ("render", "spoken", "examples", "shown"):
                continue
            function = ast.unparse(node.func)
            if function in ("render", "spoken", "examples", "prompts.render"):
                found += [(path.relative_to(ROOT).as_posix(), name) for name in names_in(node.args[0])]
            elif function == "shown":
                for name in names_in(node.args[0]):
                    found += [(path.relative_to(ROOT).as_posix(), each) for each in (name, f"{name}_examples")]
    return tuple(found)


def names_in(node: ast.expr) -> list[str]:
    if isinstance(node, ast.IfExp):
        return [*names_in(node.body), *names_in(node.orelse)]
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)]
    return []


def test_every_prompt_that_is_rendered_exists() -> None:
    assert len(rendered()) > 5
    missing = [(file, name) for file, name in rendered() if not list((ROOT / "prompts").glob(f"{name}.txt"))]
    assert missing == []


def test_every_prompt_is_used() -> None:
    used = {path for _, name in rendered() for path in (ROOT / "prompts").glob(f"{name}.txt")}
    texts = [path.read_text(encoding="utf-8") for path in sources()]
    unused = [
        name
        for path in sorted((ROOT / "prompts").rglob("*.txt"))
        if path not in used
        and not any(f'"{(name := path.relative_to(ROOT / "prompts").with_suffix("").as_posix())}"' in t for t in texts)
    ]
    assert unused == []


def test_what_duet_says_itself_is_there_in_the_languages_that_a_small_model_is_greeted_in() -> None:
    languages = [language for language, _ in examples("small/talk_examples")]
    files = {name for path in sources() for name in spoken_names(path)}
    assert len(files) > 3 and len(languages) > 10
    for name in sorted(files):
        blocks = examples(name)
        assert [language for language, _ in blocks] == languages, name
        assert len({text for _, text in blocks}) == len(languages), name
        gaps = [(sorted(Template(text).get_identifiers()), Template(text).is_valid()) for _, text in blocks]
        assert gaps == [(gaps[0][0], True)] * len(languages), f"{name}: the same $names in each language"
    assert spoken("slow/unsure", "Klingon") == spoken("slow/unsure")
    assert [Locale("en").languages[code] for code in SPOKEN] == languages


def spoken_names(path: Path) -> list[str]:
    calls = (node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call))
    called_so = (name for node in calls if ast.unparse(node.func) == "spoken" for name in names_in(node.args[0]))
    found = (file for name in called_so for file in (ROOT / "prompts").glob(f"{name}.txt"))
    return [file.relative_to(ROOT / "prompts").with_suffix("").as_posix() for file in found]


# -- what is written down


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode:
        pytest.skip("this is no git checkout")
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_every_folder_at_the_top_says_what_it_is() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = {path.relative_to(ROOT).parts[0] for path in tracked() if path.parent != ROOT}
    assert [name for name in sorted(folders) if not name.startswith(".") and f"{name}/" not in page] == []


def test_every_module_says_what_it_is() -> None:
    assert [str(p) for p in sources() if not ast.get_docstring(parsed(p))] == []


UNWANTED = re.compile(
    r"/home/(?!USER|user\b)\w+|/Users/\w+|/root/|\bTO" + r"DO\b|\bFIX" + r"ME\b|\bXX" + r"X\b|[A-Z]:\\\\Users"
)
TEXT = {".py", ".txt", ".toml", ".yaml", ".yml", ".sh", ".md", ".js", ".css", ".html", ".cfg", ""}


def test_no_file_holds_somebodys_folder_or_an_unfinished_thought() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {match.group()}"
        for path in tracked()
        if path.suffix in TEXT and path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := UNWANTED.search(line))
    ]
    assert wrong == []
