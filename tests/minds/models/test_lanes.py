from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from minds.models.lanes import Lanes, MadeWay
from minds.models.language import Unreachable
from minds.models.server import lease, release
from minds.models.spec import ModelSettings


async def test_a_slow_call_that_reads_makes_way() -> None:
    lanes, reading = Lanes(), asyncio.Event()
    order: list[str] = []

    async def slow() -> None:
        async with lanes.lane("slow"):
            for attempt in (1, 2):
                try:
                    async with lanes.making_way("slow"):
                        reading.set()
                        await asyncio.sleep(3600 if attempt == 1 else 0)
                except MadeWay:
                    order.append("made way")
                else:
                    order.append("read")

    async def fast() -> None:
        async with lanes.lane("fast"), lanes.making_way("fast"):
            await asyncio.sleep(0.02)
            order.append("fast")

    task = asyncio.create_task(slow())
    await reading.wait()
    await asyncio.gather(fast(), fast())
    await task
    assert order == ["made way", "fast", "fast", "read"]


async def test_a_slow_call_that_writes_goes_on() -> None:
    lanes = Lanes()
    async with lanes.lane("slow"):
        async with lanes.making_way("slow"):
            pass
        async with lanes.lane("fast"):
            await asyncio.sleep(0)


async def test_one_call_of_a_mind_at_a_time() -> None:
    lanes, inside = Lanes(), 0

    async def call() -> int:
        nonlocal inside
        async with lanes.lane("fast"):
            inside += 1
            await asyncio.sleep(0)
            seen, inside = inside, inside - 1
            return seen

    assert await asyncio.gather(*(call() for _ in range(5))) == [1] * 5


async def test_time_outs_and_cancellation_stay_what_they_are() -> None:
    lanes = Lanes()
    with pytest.raises(TimeoutError):
        async with lanes.making_way("slow"):
            raise TimeoutError

    async def waits() -> None:
        async with lanes.lane("slow"), lanes.making_way("slow"):
            await asyncio.sleep(3600)

    task = asyncio.create_task(waits())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with lanes.lane("slow"):
        pass


def test_a_server_that_nobody_holds_is_not_started_again(tmp_path: Path) -> None:
    (weights := tmp_path / "tiny.gguf").write_bytes(b"weights")
    server = lease(weights, ModelSettings(models_dir=tmp_path))
    release(server)
    with pytest.raises(Unreachable, match="let go of"):
        server.ensure()
