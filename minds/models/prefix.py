"""What a mind's slot has read of its constant prompt, kept on the disk: a cold prompt of a thousand tokens takes a
laptop twenty seconds, its saved state a few milliseconds (about 12 kB a token for the 0.5B model).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import httpx2
from langchain_core.messages import BaseMessage

from minds.models.server import LlamaServer
from minds.models.spec import Role

log = logging.getLogger(__name__)

SLOT = {"fast": 0, "slow": 1}


@dataclass(frozen=True)
class Prefix:
    """One slot's saved state for one prompt over one weights file. Faults are logged: the prompt is then read anew."""

    server: LlamaServer
    role: Role
    file: str

    @classmethod
    def of(cls, server: LlamaServer, role: Role, messages: Sequence[BaseMessage]) -> Prefix:
        digest = sha256("\0".join(f"{m.type}:{m.text}" for m in messages).encode()).hexdigest()[:16]
        return cls(server, role, f"{server.weights.stem}-{role}-{digest}.bin")

    async def restore(self) -> None:
        if self._path.exists():
            await self._act("restore")

    async def save(self) -> None:
        """Replaces the states of earlier prompts of this mind."""
        for old in self.server.prefixes.glob(f"{self.server.weights.stem}-{self.role}-*.bin"):
            old.unlink(missing_ok=True)
        await self._act("save")

    @property
    def _path(self) -> Path:
        return self.server.prefixes / self.file

    async def _act(self, action: str) -> None:
        address = self.server.running()
        if address is None:
            return
        headers = {"Authorization": f"Bearer {address.key}"}
        url = f"{address.url}/slots/{SLOT[self.role]}?action={action}"
        try:
            async with httpx2.AsyncClient(trust_env=False, timeout=20) as client:
                answer = await client.post(url, json={"filename": self.file}, headers=headers)
            if answer.status_code != 200:
                log.warning("prefix %s: %s %.200s", action, answer.status_code, answer.text)
        except httpx2.HTTPError as error:
            log.warning("prefix %s: %s", action, error)
