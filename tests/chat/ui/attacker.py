"""Somebody without a login who wants a file of the machine: tries every event and every route that the page has.

Events and routes are found, not listed here, so that what a later Gradio adds is tried too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx2
from fastapi import FastAPI

LINES = 20_000
"""More than all events say: a server that never ends one must not hold the test up for ever."""


@dataclass
class Attacker:
    """Everything it is given lies outside what the page may serve; `heard` is what came back, by where it came from."""

    client: httpx2.Client
    app: FastAPI
    paths: list[str]
    """Names of the wanted files, as many ways as there are to write them; addresses (http://) among them."""
    heard: dict[str, bytes] = field(default_factory=dict)

    def try_everything(self) -> None:
        self.upload()
        for number, event in enumerate(self.events()):
            self.queue(event, f"s{number}")
            self.call_directly(event)
        self.fetch_named()
        self.walk_routes()

    def try_events(self) -> None:
        """As the page itself sends them, by the queue; then what came of it is fetched."""
        self.upload()
        for number, event in enumerate(self.events()):
            self.queue(event, f"s{number}")
        self.walk_routes()

    def found(self, secret: bytes) -> list[str]:
        """Where the secret came back."""
        return [where for where, body in self.heard.items() if secret in body]

    # -- what there is

    def events(self) -> list[dict[str, Any]]:
        """The page's events that run on the server, each with `values`: what its inputs hold."""
        config = self.client.get("/config").json()
        # A field without a value is an empty one.
        blank = {part["id"]: "" if part["type"] == "textbox" else None for part in config["components"]}
        held = {part["id"]: part["props"].get("value", blank[part["id"]]) for part in config["components"]}
        events = [event for event in config["dependencies"] if event["backend_fn"]]
        return [{**event, "values": [held[part] for part in event["inputs"]]} for event in events]

    def routes(self) -> Iterator[tuple[str, str]]:
        """(method, path) of every route, those of mounted applications too; a path holds {parameters}."""
        stack: list[tuple[str, Any]] = [("", route) for route in self.app.routes]
        while stack:
            before, route = stack.pop()
            path = before + getattr(route, "path", "")
            inner: Any = getattr(route, "original_router", None) or getattr(route, "app", None)
            if within := getattr(inner, "routes", None):
                stack += [(path, each) for each in within]
            elif path:
                yield from ((method, path) for method in getattr(route, "methods", None) or ("GET",))

    def shapes(self) -> Iterator[Any]:
        """What is sent in place of an input: Gradio looks into lists, dictionaries, and files within files."""
        for path in self.paths:
            file = {"path": path, "url": path, "orig_name": "a.md", "size": 1, "meta": {"_type": "gradio.FileData"}}
            plain = {"path": path, "meta": {"_type": "gradio.FileData"}}
            yield plain
            yield [file]
            # Gradio's check of an event's data stops at the first path; its copying goes on to the second.
            yield {"path": "http://", "id": plain, "do": plain, "value": plain}
        yield from self.paths

    # -- ways in

    def queue(self, event: dict[str, Any], session: str) -> None:
        for shape in self.shapes():
            for data, told in self.bodies(event, shape):
                target = event["targets"][0][0]
                body = {"data": data, "event_data": told, "fn_index": event["id"], "trigger_id": target}
                self.keep(
                    "queue/join", self.client.post("/gradio_api/queue/join", json=body | {"session_hash": session})
                )
        self.listen(event, session)

    def bodies(self, event: dict[str, Any], shape: Any) -> Iterator[tuple[list[Any], Any]]:
        """The shape in the place of each input, and as what the event tells of itself."""
        values = event["values"]
        for place in range(len(values)):
            yield [*values[:place], shape, *values[place + 1 :]], None
        yield values, shape
        if not values:
            yield values, {"id": shape, "do": shape, "session": shape, "text": shape}

    def listen(self, event: dict[str, Any], session: str) -> None:
        """What the queue answers, until it has nothing more to say."""
        where = f"queue/data after {event['api_name']}"
        with self.client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as answer:
            for _, line in zip(range(LINES), answer.iter_lines(), strict=False):
                self.heard[where] = self.heard.get(where, b"") + line.encode()
                if "close_stream" in line or "Session not found" in line:
                    break

    def call_directly(self, event: dict[str, Any]) -> None:
        for prefix in ("run", "api", "call", "call/v2"):
            address = f"/gradio_api/{prefix}/{event['api_name']}"
            if self.client.post(address, json={"data": []}).status_code != 404:
                self.call(address, event)

    def call(self, address: str, event: dict[str, Any]) -> None:
        for shape in self.shapes():
            for data, told in self.bodies(event, shape):
                body = {"data": data, "event_data": told, "fn_index": event["id"]}
                with suppress(httpx2.HTTPError, ValueError, KeyError, TypeError):
                    answer = self.client.post(address, json=body)
                    self.keep(address, answer)
                    self.keep(address, self.client.get(f"{address}/{answer.json()['event_id']}"))

    def upload(self) -> None:
        """Uploads under names that are paths; what the server calls them is asked for later."""
        for name in (*self.paths, "../../a.md", "/tmp/a.md", "..", "a\\..\\b.md", "%2e%2e%2fa.md", "a\0b.md"):
            with suppress(httpx2.HTTPError, ValueError):
                sent = self.client.post("/gradio_api/upload", files={"files": (name, b"mine", "text/markdown")})
                self.keep("upload", sent)

    # -- ways out

    def fetch_named(self) -> None:
        """Every path that an answer named, and the wanted ones themselves, by every route that serves files."""
        said = b"\n".join(self.heard.values()).decode(errors="replace")
        named = {json.loads(text) for text in re.findall(r'"[^"\\]*(?:\\.[^"\\]*)*"', said) if "/" in text}
        for path in sorted({*self.paths, *(name.partition("file=")[2] or name for name in named)}):
            for way in ("file=", "file/", "proxy=", "stream/"):
                self.get(f"/gradio_api/{way}{path}")
                self.get(f"/gradio_api/{way}{quote(path, safe='')}")

    def walk_routes(self) -> None:
        """Every route with the wanted paths in place of its parameters; then whatever the page now lists."""
        asked: list[Future[bytes]] = []
        with ThreadPoolExecutor(len(self.paths)) as together:  # at some, each waits for an end that does not come
            for method, route in self.routes():
                for path in self.paths if "{" in route else ("",):
                    address = quote(path).join(re.split(r"\{[^}]*\}", route))
                    asked.append(together.submit(self.get, address, method))
        for each in asked:
            each.result()  # raises what went wrong otherwise
        listed = self.get("/conversations?shown=5000").decode(errors="replace")
        for session in set(re.findall(r'data-session="([^"]+)"|\?c=([\w-]+)', listed)):
            for kind in ("md", "json"):
                self.get(f"/conversations/{''.join(session)}.{kind}")

    def get(self, address: str, method: str = "GET") -> bytes:
        """The answer's first bytes: some routes never end."""
        body = b""
        failed = suppress(httpx2.HTTPError, httpx2.InvalidURL)
        with failed, self.client.stream(method, address, timeout=0.7) as answer:
            for piece in answer.iter_bytes():
                body += piece
                self.heard[f"{method} {address}"] = body
                if len(body) > 200_000:
                    break
        return body

    def keep(self, where: str, answer: httpx2.Response) -> None:
        self.heard[where] = self.heard.get(where, b"") + answer.content
