"""The real Duet and its server before the recorded strong model, on the day of the recordings.

`python -m tests.strong.page PORT HOME SPEC` serves it.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from chat.app import build
from chat.home import Address
from chat.server import make_app
from chat.settings import Settings
from tests.strong.play import clock

TODAY = "2026-11-23"


async def serve(port: int, home: Path, spec: str) -> None:
    """Until it is ended. spec: of the recorded model."""
    import uvicorn

    settings = replace(Settings(), home=home, user="ada", fast_model=spec, slow_model=spec)
    duet = build(settings, lambda: clock(TODAY))
    app = make_app(duet, Address(f"http://127.0.0.1:{port}", "token", 0))
    await uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=1)).serve()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
