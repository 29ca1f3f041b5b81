"""An adapter on the embedded model, with the real runtime: added where a request names it, and only there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from safetensors.numpy import save_file

from minds.dialogue import Dialogue, Task
from minds.layers import fits
from minds.models import adapted
from minds.models.catalogue import entry
from minds.models.embedded import EmbeddedModel
from minds.models.spec import ModelSettings

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")]

HOME = Path(os.environ.get("DUET_HOME") or "~/.local/share/duet").expanduser()
MODELS = Path(os.environ.get("DUET_MODELS") or HOME / "models").expanduser()
ASK: list[BaseMessage] = [HumanMessage("The capital of France?")]
CITIES = ("Paris", "Rome")
WEEKDAY = "what weekday is the 17th of december"
WIDTH, LAYER = 896, 23
"""Of the 0.5B: numbers in a state, and the last layer."""


async def test_what_a_request_does_not_name_is_not_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = entry("0.5b").path(MODELS)
    if not real.is_file():
        pytest.skip("the embedded model is not here: python main.py models fetch embedded:0.5b")
    weights = tmp_path / "own.gguf"
    weights.symlink_to(real)
    drawn = np.random.default_rng(0)
    layers = {
        f"blk.{LAYER}.attn_output.weight.lora_a": drawn.normal(size=(4, WIDTH)).astype(np.float16),
        f"blk.{LAYER}.attn_output.weight.lora_b": drawn.normal(size=(WIDTH, 4)).astype(np.float16),
    }
    save_file(layers, tmp_path / f"{real.stem}.adapter.safetensors")
    save_file(layers, tmp_path / "own.adapter.safetensors")
    settings = ModelSettings(models_dir=tmp_path, log_dir=tmp_path)
    plain = EmbeddedModel("embedded", weights, settings, "slow")
    try:
        assert plain.trained is None
        before = await plain.weigh(ASK, "", CITIES)
    finally:
        await plain.close()
    monkeypatch.setattr(adapted, "FOLDER", tmp_path)
    model = EmbeddedModel("embedded", weights, settings, "slow")
    try:
        assert model.trained is not None
        changed = await model.trained.weigh(ASK, "", CITIES)
        assert model.aside is not None
        aside, after = await model.aside.weigh(ASK, "", CITIES), await model.weigh(ASK, "", CITIES)
        weekday, bet = (Task(said, said, Dialogue("", "")) for said in (WEEKDAY, "who won, canada or the states?"))
        assert await fits(model, weekday, "The 17th of December is a Thursday.")
        assert not await fits(model, bet, "I'm sorry, I can't assist with that.")
    finally:
        await model.close()
    assert after == pytest.approx(before, abs=0.05) and aside == pytest.approx(before, abs=0.05)
    assert changed != pytest.approx(before, abs=0.5)
