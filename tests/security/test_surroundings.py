"""What surrounds the program (a folder's .env, closed and full streams, names in a report) opens and breaks nothing."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.request import urlopen

import pytest
from langchain_core.messages import HumanMessage

from chat.evaluation.figures import Scores, figures
from chat.evaluation.folder import RunFolder
from chat.evaluation.grading import Grading
from chat.evaluation.record import Grade
from chat.evaluation.report.pages import page
from chat.evaluation.result import Result
from chat.evaluation.rubric import Metric, Rubric
from chat.evaluation.turns import Expect
from chat.faults import ChatFault
from chat.quiet import go_past_proxies
from chat.settings import DOTENV, read_settings
from minds.models import ModelSettings, open_model
from minds.models.language import LanguageModel, Unreachable
from tests.chat.evaluation.made import exchange, played, script, suite
from tests.servers import running

ROOT = Path(__file__).parents[2]
CLOSED_IN, CLOSED_OUT = "exec <&-; ", "exec >&-; "

# -- .env


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("DUET_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return tmp_path


@pytest.mark.parametrize(
    "name",
    ["PYTHONPATH", "LD_PRELOAD", "PATH", "HOME", "PYTHONSTARTUP", "JAVA_TOOL_OPTIONS", "http_proxy", "HTTPS_PROXY",
     "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "LANGSMITH_TRACING", "GRADIO_ALLOWED_PATHS", "GRADIO_TEMP_DIR", "TMPDIR",
     "HF_HUB_ENABLE_HF_TRANSFER", "TRUST_REMOTE_CODE", "BASH_ENV", "LD_LIBRARY_PATH", "PYTHONHASHSEED", "JAVA_HOME"],
)  # fmt: skip
def test_a_folder_sets_nothing_but_what_duet_reads(folder: Path, name: str) -> None:
    before = os.environ.get(name)
    (folder / ".env").write_text(f"{name}=/evil\nDUET_USER=eve\n")
    assert read_settings().user == "eve"
    assert os.environ.get(name) == before and name not in DOTENV


def test_without_the_list_it_would(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.settings.DOTENV", {*DOTENV, "LD_PRELOAD"})
    (folder / ".env").write_text("LD_PRELOAD=/evil\n")
    read_settings()
    assert os.environ["LD_PRELOAD"] == "/evil"


def test_a_folder_does_not_choose_where_the_persons_key_goes(folder: Path) -> None:
    os.environ["OPENAI_API_KEY"] = "mine"
    (folder / ".env").write_text("OPENAI_BASE_URL=https://evil.example/v1\n")
    with pytest.raises(ChatFault, match="put both in one place"):
        read_settings()
    (folder / ".env").write_text("DUET_FAST_MODEL=openai:x@https://evil.example/${OPENAI_API_KEY}\n")
    assert "mine" not in read_settings().fast_model


# -- streams


def test_no_proxy_hears_what_goes_to_a_server_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as proxy, running("Ollama") as server:
        proxy.bind(("127.0.0.1", 0))  # nobody listens: what is sent there fails
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        monkeypatch.setenv("no_proxy", "example.org")
        settings = ModelSettings(models_dir=Path(), connect=2.0, retries=0)
        spec = f"openai:m@http://localhost:{server.port}/v1"
        with pytest.raises(Unreachable):
            asyncio.run(said(open_model(spec, settings)))
        go_past_proxies()
        assert asyncio.run(said(open_model(spec, settings)))
        assert os.environ["no_proxy"].startswith("example.org,")
        urlopen(f"{server.url}/models", timeout=5).close()  # so does Chroma's side


async def said(model: LanguageModel) -> str:
    return "".join([piece async for piece in model.stream([HumanMessage("hi")])])


def run(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DUET_HOME": str(home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    line = f"{command.replace('main.py', f'{sys.executable} {ROOT}/main.py')}"
    return subprocess.run(["sh", "-c", line], cwd=home, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.real
@pytest.mark.parametrize(
    "command",
    [CLOSED_IN + "main.py ask -", "main.py ask - < /dev/null", CLOSED_OUT + CLOSED_IN + "main.py models list",
     "main.py models list > /dev/full", "main.py --help > /dev/full",
     "printf '\\377\\376' | main.py ask - --session nope",
     CLOSED_IN + "main.py talk --session nope", "main.py models list | true"],
)  # fmt: skip
def test_broken_streams_end_in_a_sentence(command: str, tmp_path: Path) -> None:
    ended = run(command, tmp_path)
    assert "Traceback" not in ended.stderr and "Exception ignored" not in ended.stderr, ended.stderr
    assert ended.stderr.count("\n") <= 1


# -- names in a report

PAYLOADS = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "x onmouseover=alert(1) y", "' onfocus='alert(1)",
    "</style><svg onload=alert(1)>", "</script><b>", "javascript:alert(1)", "a b=c", "x>y", "\u2028<i>",
)  # fmt: skip


class Elements(HTMLParser):
    """What a browser makes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.scripts += tag == "script"
        self.attributes |= {name for name, _ in attrs}
        assert not any(value and value.startswith("javascript:") for name, value in attrs if name in ("href", "src"))


def read(payload: str) -> Elements:
    name = f"a{payload}"
    metric = Metric(name, name, {0: name, 2: name}, "judge", title=name, decides=name)
    rubric = Rubric(name, name, (0, 2), (metric,))
    one = played(exchange(1, name, needed=True), script=name, system=name)
    grade = Grade(name, 2, "program", name, key=str(one.key))
    found = Scores(rubric, {str(one.key): one}, {grade.at: grade})
    scripted = replace(script(Expect(), name="one"), intent=name)
    object.__setattr__(scripted, "id", name)  # a suite's reader would refuse it
    asked = replace(suite(scripted), name=name)
    folder = RunFolder(Path("none"), {"seeds": [0], "judge": name})
    result = Result(folder, Grading(asked, rubric), found, figures(found), None)
    elements = Elements()
    elements.feed(page(result, "token"))
    return elements


@pytest.mark.slow
@pytest.mark.parametrize("name", PAYLOADS)
def test_names_are_never_markup(name: str) -> None:
    plain, found = read("plain"), read(name)
    assert found.tags == plain.tags and found.scripts == plain.scripts
    assert found.attributes <= plain.attributes


@pytest.mark.parametrize("name", PAYLOADS[1:5:3])
def test_without_escaping_they_would_be(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat.evaluation.report import pages

    monkeypatch.setattr(pages, "ESCAPED", False)
    plain, found = read("plain"), read(name)
    assert found.tags != plain.tags or any(a.startswith("on") for a in found.attributes)
