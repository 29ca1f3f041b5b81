"""An upload as the page makes one: the file first, then the event that names it."""

from __future__ import annotations

import secrets

import httpx2


def upload(url: str, session: str, name: str, data: bytes, cookies: dict[str, str] | None = None) -> bool:
    """Whether the page said that it became a document of this conversation. Raises httpx2.HTTPError, ValueError."""
    with httpx2.Client(base_url=url, timeout=60, trust_env=False, cookies=cookies) as page:
        [path] = page.post("/gradio_api/upload", files={"files": (name, data, "text/markdown")}).json()
        events = page.get("/config").json()["dependencies"]
        [add] = [event["id"] for event in events if event["api_name"] == "add"]
        file = {"path": path, "orig_name": name, "size": len(data), "meta": {"_type": "gradio.FileData"}}
        tab = secrets.token_hex(8)
        body = {"data": [[file], session], "fn_index": add, "session_hash": tab}
        if page.post("/gradio_api/queue/join", json=body).status_code != 200:
            return False
        with page.stream("GET", "/gradio_api/queue/data", params={"session_hash": tab}) as answer:
            for line in answer.iter_lines():
                if "process_completed" in line:
                    return '"success":true' in line.replace(" ", "") and '"fault"' not in line
    return False
