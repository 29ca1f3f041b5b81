"""A small hub on loopback: ranges, redirects, what it publishes about a file, and what may go wrong there."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REVISION = "abc123"


@dataclass
class Hub:
    """One file, `some/repo/tiny.gguf`, whatever revision is asked for."""

    data: bytes
    url: str = ""
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Paths with their ranges."""
    headers: list[dict[str, str]] = field(default_factory=list)
    breaks_at: list[int] = field(default_factory=list)
    """The next answers end behind so many bytes of theirs."""
    refuses: list[int] = field(default_factory=list)
    """The next answers are these statuses."""
    ranges: bool = True
    elsewhere: str = ""
    """Where it sends its callers on to: another hub, as the real one does for large files."""
    pause: float = 0.0
    """Seconds between two pieces."""
    piece: int = 1 << 20

    def about(self) -> dict[str, object]:
        """What the hub publishes about the repository."""
        lfs = {"sha256": hashlib.sha256(self.data).hexdigest(), "size": len(self.data), "pointerSize": 133}
        files = [{"rfilename": "README.md", "size": 3}, {"rfilename": "tiny.gguf", "size": len(self.data), "lfs": lfs}]
        return {"sha": REVISION, "siblings": files, "cardData": {"license": "mit"}}


@contextmanager
def serving(data: bytes) -> Iterator[Hub]:
    state = Hub(data)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.asked.append((self.path, wanted))
            state.headers.append(dict(self.headers))
            if state.refuses:
                self.send_error(state.refuses.pop(0))
            elif state.elsewhere:
                self._redirect()
            elif self.path.startswith("/api/"):
                self._send(json.dumps(state.about()).encode(), 200, {})
            else:
                self._file(wanted)

        def _redirect(self) -> None:
            self.send_response(302)
            self.send_header("Location", state.elsewhere + self.path)
            self.end_headers()

        def _file(self, wanted: str | None) -> None:
            start = int(wanted[6:-1]) if wanted and state.ranges else 0
            total = len(state.data)
            told = {"Content-Range": f"bytes {start}-{total - 1}/{total}"} if wanted and state.ranges else {}
            self._send(state.data[start:], 206 if told else 200, told)

        def _send(self, data: bytes, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            most = state.breaks_at.pop(0) if state.breaks_at else len(data)
            for at in range(0, min(most, len(data)), state.piece):
                self.wfile.write(data[at : min(at + state.piece, most)])
                time.sleep(state.pause)
            self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that leaves in mid-download

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()
