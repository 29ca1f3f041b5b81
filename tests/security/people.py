"""Three accounts on one server, and what one of them has said and made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from chat.access.accounts import Accounts
from chat.access.sign_in import ByAccount
from memory.memory import Note
from tests.security.ground import Served, served
from tools.desk import Chunk

PASSWORDS = {"root": "the admins password", "ada": "adas own password", "eve": "eves own password"}
SECRETS = ("what only ada said", "what only ada titled", "what only adas document says", "adas-notes", "adas memory")
NOTE = Note("noted", "turn", f"It stands in {SECRETS[4]}.", 1_780_000_000.0, session="before", speaker="user")


@dataclass
class People:
    """The server with everybody's clients; `session` is Ada's conversation."""

    server: Served
    accounts: Accounts
    session: str
    document: str

    def sign_in(self, name: str, **more: Any) -> httpx2.Client:
        client = self.server.another(**more)
        answer = client.post("/sign-in", data={"name": name, "password": PASSWORDS[name]})
        assert (answer.status_code, answer.headers.get("location")) == (303, "/")
        return client

    def event(self, client: httpx2.Client, fn: dict[str, Any], data: list[Any], told: Any, tab: str) -> str:
        """What the event answers."""
        body = {"data": data, "event_data": told, "fn_index": fn["id"], "session_hash": tab}
        joined = client.post("/gradio_api/queue/join", json=body | {"trigger_id": fn["targets"][0][0]})
        if joined.status_code != 200:
            return joined.text
        return self.listen(client, tab)

    def listen(self, client: httpx2.Client, tab: str) -> str:
        heard = []
        with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": tab}) as answer:
            for line in answer.iter_lines():
                heard.append(line)
                if "process_completed" in line or "close_stream" in line or answer.status_code != 200:
                    break
        return "\n".join(heard)


@contextmanager
def people(home: Path, **settings: Any) -> Iterator[People]:
    accounts = Accounts(home)
    for name, password in PASSWORDS.items():
        accounts.add(name, password, "admin" if name == "root" else "user")
    with served(home, lambda _, port: ByAccount(accounts, port), **{"user": "", **settings}) as server:
        transcript = server.duet.transcript
        session = transcript.new_session("ada", SECRETS[1]).id
        turn = transcript.begin_turn(session, SECRETS[0]).turn
        transcript.append(session, turn, "end", {"state": "done"})
        chunk = Chunk("adas-notes.md", "", SECRETS[2])
        document = transcript.add_document(session, "adas-notes.md", "0" * 64, [chunk]).id
        server.duet.remembering.of("ada").keep([NOTE])
        yield People(server, accounts, session, document)
    accounts.close()


def leaked(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text or json.dumps(secret)[1:-1] in text]
