"""A Duet whose conversation is the real one, in a toy household: what the page shows of worlds is tried against it.

`python -m tests.chat.ui.worlds PORT HOME` serves it, with two conversations that were written beforehand: a laboratory
with many rooms, and a household with many places. With `real` behind it, in the real simulators with the policies.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from chat.fetching import Fetching
from chat.loading import Readiness
from chat.settings import Options, Settings
from tests.chat.ui.fake import FakeHealth, FakeLoading
from tests.chat.ui.scenes import household, lab, write
from tests.chat.worlds.ground import Ground
from tools.worlds import simulator


class WorldDuet:
    """What the page knows of a Duet."""

    def __init__(self, home: Path, *, real: bool = False) -> None:
        self.talk = Ground(home, make_home=simulator if real else None)
        self.talk.strategy = "auto" if real else "oracle"
        self.settings = Settings(home=home, user="ada")
        self.transcript, self.runs, self.worlds = self.talk.transcript, self.talk.runs, self.talk.worlds

        self.fetching = Fetching(self.settings.models_dir)
        self.readiness = Readiness(self.settings.models_dir, lambda _: False)
        self.loading = FakeLoading()

    def health(self, options: Options | None = None) -> list[FakeHealth]:
        return [FakeHealth("fast and slow mind", "ready", "embedded")]


def written(duet: WorldDuet) -> None:
    """Two conversations to look at."""
    one = duet.transcript.new_session("ada", options=Options()).id
    write(duet.transcript, one, "Bring some water to a boil", lab(), "I did not get it done.", solved=False)
    other = duet.transcript.new_session("ada", options=Options()).id
    write(duet.transcript, other, "Cool a mug", household(), "You act here.", by="fast")


async def serve(port: int, home: Path, *, real: bool) -> None:
    import uvicorn
    from fastapi import FastAPI

    from chat.ui.page import mount

    duet = WorldDuet(home, real=real)
    written(duet)
    app = mount(FastAPI(), duet)  # type: ignore[arg-type]
    await uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=1)).serve()
    await duet.talk.close()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2]), real="real" in sys.argv[3:]))
