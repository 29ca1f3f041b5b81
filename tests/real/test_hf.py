"""`hf:` with bitsandbytes on the processor: a small real model makes a typed tool call, and the tool is run."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from minds.acting import use
from minds.dialogue import Dialogue, Episode, Task
from minds.models import ModelSettings, open_model
from minds.models.catalogue import entry
from minds.slow import Workbench
from minds.strategies.react import ReAct
from tests.real.transformers_folder import unpack
from tools import open_tools
from tools.desk import Desk

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")]

HOME = Path(os.environ.get("DUET_HOME") or "~/.local/share/duet").expanduser()
MODELS = Path(os.environ.get("DUET_MODELS") or HOME / "models").expanduser()
ASKED = "How many kilometres are 5 miles?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gguf")
    weights = entry("0.5b").path(MODELS)
    if not weights.is_file():
        pytest.skip("the embedded model is not here: python main.py models fetch embedded:0.5b")
    return unpack(weights, tmp_path_factory.mktemp("qwen"))


async def test_a_quantised_model_makes_a_typed_call(folder: Path) -> None:
    model: Any = open_model(f"hf:{folder}?quant=4bit", ModelSettings(models_dir=folder, first=500, between=500), "slow")
    tools = open_tools(Desk("", datetime.now(UTC)), ["convert"])
    move = await ReAct(Workbench(model, lambda: tools)).act(Episode(Task(ASKED, ASKED, Dialogue("s", "ada"))))
    layer = model.chat.load().model.model.layers[0].mlp.up_proj
    assert type(layer).__module__.startswith("bitsandbytes")

    call = move.calls[0]
    form = tools["convert"].args_schema
    assert call.tool == "convert" and isinstance(form, type) and issubclass(form, BaseModel)
    form.model_validate(call.arguments)
    step = await use(lambda: tools, move, call)
    assert not step.failed and "8.04672" in step.observation
