"""Two small calls tell what a model can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minds.models import ModelSettings
from minds.models.keys import keep_key
from minds.models.language import Refused, Unreachable
from minds.models.trial import tried
from tests.servers import running

SETTINGS = ModelSettings(models_dir=Path(), connect=1.0)
KEY = "sk-of-the-tests-1234567890"


async def test_tools_context_and_speed() -> None:
    with running("vLLM") as fake:
        trial = await tried(f"openai:m@{fake.url}", SETTINGS, 40_960)
    assert trial.tools and trial.context == 40_960 and trial.first > 0
    assert trial.spec == f"openai:m@{fake.url}?context=40960"
    assert len(fake.bodies) == 2, "two small calls"
    assert trial.reading(8).spec.endswith("&context=8")


async def test_a_server_without_tools_is_asked_once_more_and_used_without_them() -> None:
    with running("Ollama") as fake:
        fake.tools = False
        trial = await tried(f"openai:m@{fake.url}", SETTINGS)
    assert not trial.tools and trial.spec == f"openai:m@{fake.url}?tools=0" and len(fake.bodies) == 4
    assert "tools" not in fake.bodies[1]


@pytest.mark.parametrize(
    "answer",
    [lambda call: call.begin(), lambda call: call.raw(200, "data: {not json\n\n")],
    ids=["nothing", "no protocol"],
)
async def test_so_is_one_that_answers_a_request_with_tools_badly(fake: Any, answer: Callable[[Any], None]) -> None:
    fake.then(answer, lambda call: call.say("42"), lambda call: call.say("no picture"))
    trial = await tried(f"openai:m@{fake.url}", SETTINGS)
    assert not trial.tools and trial.spec == f"openai:m@{fake.url}?tools=0"


async def test_a_model_sees_that_reads_what_is_in_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda most: 3729)
    for reads, sees in (("4729", True), ("a number", False), ("", False)):
        with running("vLLM") as fake:
            fake.reads = reads
            trial = await tried(f"openai:m@{fake.url}", SETTINGS)
        assert trial.tools and trial.sees == sees and trial.spec.endswith("?see=1") == sees
        assert "data:image/jpeg;base64," in str(fake.bodies[-1]["messages"])


async def test_a_pasted_key_goes_along_and_its_failure_is_told(tmp_path: Path) -> None:
    with running("provider", KEY) as fake:
        settings = ModelSettings(models_dir=tmp_path, keys=tmp_path / "keys.json")
        with pytest.raises(Refused, match="does not accept the key"):
            await tried(f"openai:grand-1@{fake.url}", settings)
        keep_key(fake.url, KEY, tmp_path / "keys.json")
        assert (await tried(f"openai:grand-1@{fake.url}", settings)).tools


async def test_nobody_there() -> None:
    with pytest.raises(Unreachable):
        await tried("openai:m@http://127.0.0.1:9/v1", SETTINGS)
