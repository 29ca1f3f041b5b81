"""What a mind's slot has read of its constant prompt, kept on the disk: a cold prompt of a thousand tokens takes a
laptop twenty seconds, its saved state a few milliseconds (about 12 kB a token for the 0.5B model,
28 kB for the 1.5B one).

A state is used for the prompt, the weights and the runtime it was made with, and only whole: the runtime refuses a file
that is cut, but takes one with a flipped bit and then talks nonsense, so the name carries the content's checksum.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import httpx2
from langchain_core.messages import BaseMessage

from minds.models.server import Address, LlamaServer
from minds.models.spec import Role
from minds.models.weights import digest as sum_of

log = logging.getLogger(__name__)

SLOT = {"fast": 0, "slow": 1}
KEPT = 10
"""Files in the folder: the states of two versions of the prompts of both minds, a small one's for worlds among them."""
PATIENCE = 20.0
"""Seconds for the server to write or read a state; it does so between two steps of a call."""


@dataclass(frozen=True)
class Prefix:
    """One slot's saved state for one prompt. What goes wrong is logged, and the prompt is then read anew."""

    server: LlamaServer
    role: Role
    key: str
    """Of the prompt, the weights and the runtime."""

    @classmethod
    def of(cls, server: LlamaServer, role: Role, messages: Sequence[BaseMessage]) -> Prefix:
        weights = server.weights.stat()
        made_with = f"{version('xllamacpp')} {server.context} {weights.st_size} {weights.st_mtime_ns}"
        parts = [made_with, *(f"{m.type}:{m.text}" for m in messages)]
        return cls(server, role, sha256("\0".join(parts).encode()).hexdigest()[:16])

    async def restore(self) -> bool:
        """False where the server refused a whole file: its memory may then be spoilt, and it is to be restarted."""
        path = await asyncio.to_thread(self._whole)
        address = self.server.running()
        if path is None or address is None or await self._asked(address, "restore", path.name) is not False:
            return True
        path.unlink(missing_ok=True)
        return False

    async def save(self) -> None:
        """The slot must hold this prompt and nothing that a person said. The oldest files go."""
        address = self.server.running()
        if address is None or not self.server.prefixes.is_dir():
            return
        part = self.server.prefixes / f"{secrets.token_hex(8)}.part"
        try:
            if await self._asked(address, "save", part.name):
                await asyncio.to_thread(self._keep, part)
        except OSError as error:
            log.warning("prefix save: %s", error)
            part.unlink(missing_ok=True)

    @property
    def _stem(self) -> str:
        return f"{self.server.weights.stem}-{self.role}-{self.key}"

    def _whole(self) -> Path | None:
        """The state, where there is one and it is what was saved. A damaged one is removed."""
        for path in self.server.prefixes.glob("*.bin"):
            stem, _, told = path.stem.rpartition("-")
            if stem == self._stem and sum_of(path)[:32] == told:
                os.utime(path)  # the last used are kept
                return path
            if stem == self._stem:
                log.warning("prefix restore: %s is damaged", path.name)
                path.unlink(missing_ok=True)
        return None

    def _keep(self, part: Path) -> None:
        part.replace(part.parent / f"{self._stem}-{sum_of(part)[:32]}.bin")
        files = sorted(part.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in files[KEPT:]:
            old.unlink(missing_ok=True)

    async def _asked(self, address: Address, action: Literal["save", "restore"], name: str) -> bool | None:
        """Whether the server did it; None where it was not heard of."""
        headers = {"Authorization": f"Bearer {address.key}"}
        url = f"{address.url}/slots/{SLOT[self.role]}?action={action}"
        try:
            async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as client:
                answer = await client.post(url, json={"filename": name}, headers=headers)
        except httpx2.HTTPError as error:
            log.warning("prefix %s: %s", action, error)
            return None
        if not answer.is_success:
            log.warning("prefix %s: %s %.200s", action, answer.status_code, answer.text)
        return answer.is_success
