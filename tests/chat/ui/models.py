"""The real Duet before a small hub, fake servers of this machine, and a fake endpoint: the page's way to better models.

`python -m tests.chat.ui.models PORT HOME HUB PORTS KEYED` serves it; PORTS are `Name=port` with commas, KEYED is the
address that stands in for OpenAI. The catalogue's two first models are what the hub has; a script answers for them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from chat.app import build
from chat.services import Swaps
from chat.settings import Settings
from minds.models import ModelSettings, Role, catalogue, default, listing, open_model
from minds.models.language import LanguageModel
from tests.fakes import SMALL, FakeModel, Heard

DATA = b"weights " * 400_000
"""What the hub gives for every file: 3.2 MB."""


def says(heard: Heard) -> list[str]:
    said = heard.said.removeprefix("User[").removesuffix("]")
    return [f"You said: {said}", "]" if heard.prefix else ""]


def opened(spec: str, settings: ModelSettings, role: Role = "fast") -> LanguageModel:
    """A script answers for the models of this machine; all others are the real ones."""
    if not spec.startswith(("embedded", "gguf")):
        return open_model(spec, settings, role)
    model: Any = FakeModel(says, abilities=replace(SMALL, strong=True), spec=default.meant(spec, settings.models_dir))
    return model  # type: ignore[no-any-return]


def pinned() -> tuple[catalogue.Weights, ...]:
    """The catalogue, of which each file is the hub's own."""
    sums = {"size": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest(), "parts": 0, "package": ""}
    return tuple(replace(one, **sums) for one in catalogue.CATALOGUE)  # type: ignore[arg-type]


def patched(ports: str, keyed: str) -> None:
    """What a test puts in the place of the outer world."""
    catalogue.CATALOGUE = pinned()
    default.SMALL, default.LARGE = catalogue.CATALOGUE[:2]
    default.free_memory = lambda: 8_000_000_000
    here = dict(pair.split("=") for pair in ports.split(",") if pair)
    listing.PORTS.clear()  # type: ignore[attr-defined]
    listing.PORTS.update({name: int(port) for name, port in here.items()})  # type: ignore[attr-defined]
    stand_in = replace(listing.PROVIDERS[0], url=keyed)
    listing.PROVIDERS = (stand_in, *listing.PROVIDERS[1:])


async def serve(port: int, home: Path) -> None:
    import uvicorn
    from fastapi import FastAPI

    from chat.ui.page import mount

    duet = build(Settings(home=home, user="ada"), swaps=Swaps(models=opened))

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        duet.start(warm=False, offering=True)
        yield
        await duet.close()

    app = mount(FastAPI(lifespan=life), duet)
    await uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=1)).serve()


if __name__ == "__main__":
    os.environ["HF_ENDPOINT"] = sys.argv[3]
    patched(sys.argv[4], sys.argv[5])
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2])))
