"""Where there are accounts: nobody gets in without one, and each sees its own conversations and nothing else."""

from __future__ import annotations

import asyncio
import io
import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import httpx2
import pytest

from chat.access import sign_in
from chat.access.accounts import FILE, Accounts, Person, has_accounts
from chat.access.door import HELLO, Door
from chat.access.sign_in import ByAccount
from chat.app import Duet
from chat.export import to_json
from chat.faults import ChatFault, DiskFull
from chat.notebook import WISHES
from chat.settings import Settings, check_reach
from chat.transcript import Transcript
from chat.ui.actions import Actions
from chat.ui.follow import Nudges
from chat.ui.guard import Tabs
from main import main
from tests.security.conftest import Remove
from tests.security.ground import KEY, filled, routes_of
from tests.security.people import NOTE, PASSWORDS, People, leaked, people

ANYBODY = {("GET", HELLO), ("GET", "/sign-in"), ("POST", "/sign-in")}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    with people(tmp_path_factory.mktemp("accounts")) as everybody:
        yield everybody


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """The tests sign in more often than people do."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TOGETHER", "BY_ADDRESS", "BY_NAME"):
            patch.setattr(sign_in, name, 10_000)
        yield


@pytest.fixture(scope="module")
def eve(there: People) -> httpx2.Client:
    return there.sign_in("eve")


@pytest.fixture(scope="module")
def ada(there: People) -> httpx2.Client:
    return there.sign_in("ada")


def test_the_page_knows_whose_drafts_it_keeps(ada: httpx2.Client, eve: httpx2.Client) -> None:
    assert (ada.get("/own").json()["name"], eve.get("/own").json()["name"]) == ("ada", "eve")


# -- nobody gets in


def test_every_route_refuses_who_is_not_signed_in(there: People) -> None:
    client = there.server.another()
    let_in = set()
    for method, path in routes_of(there.server.app):
        answer = client.request(method, filled(path))
        if answer.status_code != 401 or (method == "POST" and path == "/sign-in"):
            let_in.add((method, path))
    assert let_in == ANYBODY


def test_a_browser_is_led_to_the_sign_in(there: People) -> None:
    answer = there.server.another().get("/", headers={"accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    page = there.server.another().get("/sign-in")
    assert "<script" not in page.text and "frame-ancestors 'none'" in page.headers["content-security-policy"]


def test_without_the_door_strangers_are_asked_for_by_no_route(there: People, without: Remove) -> None:
    without(Door)
    client = there.server.another()
    assert client.get("/config").status_code == 200  # a page is shown
    with pytest.raises(httpx2.HTTPError):  # and yet nobody's conversations are: no name stands behind the request
        client.get("/conversations").raise_for_status()


@pytest.mark.parametrize(
    ("name", "password"),
    [("ada", ""), ("ada", "wrong password"), ("ada", PASSWORDS["eve"]), ("", ""), ("nobody", PASSWORDS["ada"]),
     ("ada' OR '1'='1", "x" * 12), ("ada", "' OR '1'='1' --"), ("ada\0", PASSWORDS["ada"]), ("ada" * 100, "x" * 5000),
     ("ada", PASSWORDS["ada"] + " "), ("ada", PASSWORDS["ada"].upper()), ("%", "%%%%%%%%%%%%"),
     ("ａｄａ", PASSWORDS["ada"])],
)  # fmt: skip
def test_no_other_password_opens(there: People, name: str, password: str) -> None:
    client = there.server.another()
    answer = client.post("/sign-in", data={"name": name, "password": password})
    assert answer.status_code == 401 and not client.cookies and sign_in.WRONG in answer.text


@pytest.mark.parametrize(
    "body", [b"", b"name", b"\xff\xfe", b"name=ada&name=eve", b"{}", b"a=" * 5000, b"name=ada&password[]=x",
             b"&" * 900],
)  # fmt: skip
def test_a_form_that_is_none_opens_nothing(there: People, body: bytes) -> None:
    assert there.server.another().post("/sign-in", content=body).status_code == 401


@pytest.mark.parametrize(
    "forged",
    ["", "x", "ada", "{made}", "{signed}x", "x{signed}", "{made}.{made}.{made}", "{signed}.x", '"', "..", "a.b.c"],
)
def test_no_forged_cookie_opens(there: People, forged: str) -> None:
    made = there.accounts.sign_in("ada")
    signed = _keeper(there).signer.sign(made).decode()
    value = forged.format(made=made, signed=signed).encode()
    name = _keeper(there).cookie.encode()
    client = there.server.another()
    assert client.get("/conversations", headers=[(b"cookie", name + b"=" + value)]).status_code == 401
    assert client.get("/conversations", headers={"cookie": f"{name.decode()}={signed}"}).status_code == 200


def _keeper(there: People) -> ByAccount:
    layer: Any = there.server.app.middleware_stack
    while not isinstance(layer, Door):
        layer = getattr(layer, "app", None) or getattr(layer, "_app", None)
    assert isinstance(layer._keeper, ByAccount)
    return layer._keeper


def test_the_cookie_is_no_scripts_and_no_other_sites(there: People) -> None:
    client = there.server.another()
    answer = client.post("/sign-in", data={"name": "ada", "password": PASSWORDS["ada"]})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "ada" not in cookie
    again = client.post("/sign-in", data={"name": "ada", "password": PASSWORDS["ada"]}).headers["set-cookie"]
    assert again.split(";")[0] != answer.headers["set-cookie"].split(";")[0]


def test_behind_tls_the_cookie_is_secure(there: People) -> None:
    headers = {"x-forwarded-proto": "https"}
    data = {"name": "ada", "password": PASSWORDS["ada"]}
    assert "secure" in there.server.another().post("/sign-in", data=data, headers=headers).headers["set-cookie"].lower()


def test_who_signs_out_is_out_also_with_the_old_cookie(there: People) -> None:
    client = there.sign_in("ada")
    held = dict(client.cookies)
    assert client.post("/sign-out").status_code == 303
    late = there.server.another(cookies=held)
    assert late.get("/conversations").status_code == 401


def test_a_new_password_and_a_removal_end_what_was_signed_in(there: People) -> None:
    there.accounts.add("bob", "bobs own password")
    PASSWORDS["bob"] = "bobs own password"
    client = there.sign_in("bob")
    token = there.accounts.make_token("bob", "x")
    there.accounts.set_password("bob", "another password")
    assert client.get("/conversations").status_code == 401
    assert client.get("/api/duet/health", headers={"authorization": f"Bearer {token}"}).status_code == 401
    PASSWORDS["bob"] = "another password"
    client, token = there.sign_in("bob"), there.accounts.make_token("bob", "x")
    there.accounts.remove("bob")
    PASSWORDS.pop("bob")
    assert client.get("/conversations").status_code == 401
    refused = client.get("/api/duet/health", headers={"authorization": f"Bearer {token}"})
    assert refused.status_code == 401 and "/account" in refused.json()["error"], "not a key that the person cannot have"


def test_attempts_are_limited_and_others_still_get_in(there: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "TOGETHER", 3)
    client = there.server.another()
    wrong = {"name": "mallory", "password": "wrong password"}
    assert [client.post("/sign-in", data=wrong).status_code for _ in range(5)] == [401, 401, 401, 429, 429]
    assert there.sign_in("ada").get("/conversations").status_code == 200


def test_who_is_given_a_new_password_may_try_at_once(there: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "TOGETHER", 3)
    there.accounts.add("dan", "dans own password")
    client = there.server.another()

    def tried(password: str) -> int:
        return client.post("/sign-in", data={"name": "dan", "password": password}).status_code

    assert [tried("forgotten password") for _ in range(4)] == [401, 401, 401, 429]
    there.accounts.set_password("dan", "a password of the admins")
    assert tried("a password of the admins") == 303
    there.accounts.remove("dan")


def test_a_full_disk_is_told_at_the_sign_in(there: People, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: str) -> str:
        raise DiskFull

    monkeypatch.setattr(there.accounts, "sign_in", full)
    answer = there.server.another().post("/sign-in", data={"name": "ada", "password": PASSWORDS["ada"]})
    assert answer.status_code == 503 and str(DiskFull()) in answer.text


def test_attempts_are_counted_by_address_and_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "TOGETHER", 2)
    monkeypatch.setattr(sign_in, "BY_ADDRESS", 4)
    monkeypatch.setattr(sign_in, "BY_NAME", 4)
    attempts = sign_in.Attempts()
    assert sum(attempts.admit("here", f"name {n}") for n in range(20)) == 4
    assert sum(attempts.admit(f"address {n}", "ada") for n in range(20)) == 4
    monkeypatch.setattr(attempts, "_seconds", 0.0)
    assert attempts.admit("here", "ada")


def test_without_the_limit_one_may_try_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = sign_in.Attempts()
    assert all(attempts.admit("here", "ada") for _ in range(1000))


def test_a_name_that_does_not_exist_takes_as_long(there: People) -> None:
    def taken(name: str) -> float:
        began = time.process_time()
        there.accounts.check(name, "wrong password")
        return time.process_time() - began

    taken("ada"), taken("nobody")
    known, unknown = min(taken("ada") for _ in range(3)), min(taken("nobody") for _ in range(3))
    assert 0.4 < known / unknown < 2.5


def test_nothing_that_is_kept_opens_anything(there: People) -> None:
    token, made = there.accounts.make_token("ada", "mine"), there.accounts.sign_in("ada")
    kept = (there.server.duet.settings.home / FILE).read_bytes()
    for secret in (token, made, *PASSWORDS.values()):
        assert secret.encode() not in kept and secret.removeprefix("duet_").encode() not in kept
    assert (there.server.duet.settings.home / FILE).stat().st_mode & 0o077 == 0


# -- each sees its own


def ours(there: People, path: str) -> Iterator[str]:
    """The path with Ada's ids in place of its parameters."""
    names = [there.session, f"{there.session}.md", f"{there.session}.json", "1.md", "1.json"]
    if "{" not in path:
        yield path
    for name in names:
        yield filled(path, [("session", there.session), ("name", name), ("wish", "undo")])
    if "memory/{wish}" in path:
        yield from (filled(path, [("wish", wish)]) for wish in WISHES)


QUERIES = ("c", "session", "search", "session_hash", "after", "id")


@pytest.mark.slow
def test_no_route_shows_another_account_anything(
    there: People, eve: httpx2.Client, ada: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.access.limits.BURST", 10_000)  # all of them at once
    token = there.accounts.make_token("eve", "x")
    seen, tried = set(), 0
    for method, path in routes_of(there.server.app):
        if path in ("/sign-out", "/sign-in"):
            continue  # she stays who she is
        for address in dict.fromkeys(ours(there, path)):
            for query in ({}, {"c": there.session, "search": "ada"}, {"session": there.session, "id": there.session}):
                tried += 1
                if leaked(_first(eve, method, address, query, token)):
                    seen.add((method, path))
    assert seen == set() and tried > 300
    assert eve.get("/conversations").status_code == 200
    assert leaked(_first(ada, "GET", f"/conversations/{there.session}.json", {}, ""))
    assert there.server.duet.transcript.turns_from(there.session, 1) == [1]


def _first(client: httpx2.Client, method: str, address: str, query: dict[str, str], token: str) -> str:
    """The beginning of an answer: some never end."""
    heard = ""
    headers = {"authorization": f"Bearer {token}"} if address.startswith("/api/") and token else {}
    body = {"session": query.get("session", ""), "text": "x", "user": "ada"}
    try:
        with client.stream(
            method, address, params=query, headers=headers, json=body if method == "POST" else None, timeout=0.4
        ) as answer:
            for piece in answer.iter_text():
                heard += piece
                if len(heard) > 300_000:
                    break
    except httpx2.HTTPError:
        pass
    return heard


DOES = (
    "send", "edit", "retry", "undo", "stop", "pause", "resume", "discard", "feedback", "rename", "delete",
    "remove-document", "desk", "unremembered", "rerun", "pin", "archive", "folder", "choose",
    "shares", "share", "unshare", "put-away", "delete-all",
)  # fmt: skip


@pytest.mark.parametrize("does", DOES)
def test_no_wish_reaches_anothers_conversation(there: People, eve: httpx2.Client, does: str) -> None:
    before = _state(there)
    told = {"session": there.session, "turn": 1, "text": "eve was here", "value": "library",
            "document": there.document}  # fmt: skip
    said = eve.post(f"/act/{does}", json=told).text
    assert not leaked(said) and "There is no conversation" in said
    assert _state(there) == before


def test_the_wishes_tried_are_all_that_there_are() -> None:
    from chat.ui.actions import Actions
    from chat.ui.follow import Nudges

    assert set(Actions(None, Nudges())._does) == set(DOES)  # type: ignore[arg-type]


def test_no_event_gives_another_accounts_anything(there: People, eve: httpx2.Client) -> None:
    before = _state(there)
    events = _events(eve)
    assert len(events) >= 4
    for number, fn in enumerate(events):
        for data in ([there.session] * len(fn["inputs"]), [None] * (len(fn["inputs"]) - 1) + [there.session]):
            said = there.event(
                eve, fn, data[: len(fn["inputs"])], {"session": there.session}, f"all-{number}-{len(data)}"
            )
            assert not leaked(said), fn
    assert _state(there) == before


def _events(client: httpx2.Client) -> list[dict[str, Any]]:
    return [fn for fn in client.get("/config").json()["dependencies"] if fn["backend_fn"]]


def _state(there: People) -> object:
    transcript = there.server.duet.transcript
    return (
        transcript.session(there.session), transcript.options(there.session), transcript.events(there.session),
        transcript.documents(there.session), transcript.marks(there.session).get(1, 0),
        [session.id for session in transcript.sessions("ada")],
    )  # fmt: skip


def test_without_the_check_anothers_conversation_is_shown(
    there: People, eve: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chat.ui import routes

    monkeypatch.setattr(routes, "own_session", lambda duet, session: duet.transcript.session(session))
    # The routes took the name when they were made: they look it up in their module.
    assert leaked(eve.get(f"/conversations/{there.session}.json").text)


def test_nobody_listens_to_anothers_page(there: People, eve: httpx2.Client, ada: httpx2.Client) -> None:
    [load] = [fn for fn in _events(ada) if fn["targets"][0][1] == "options"]
    body = {"data": [], "event_data": {"session": there.session}, "fn_index": load["id"], "session_hash": "adas-tab"}
    assert ada.post("/gradio_api/queue/join", json=body).status_code == 200
    assert eve.get("/gradio_api/queue/data", params={"session_hash": "adas-tab"}).status_code == 403
    assert eve.get("/gradio_api/heartbeat/adas-tab").status_code == 403
    for route in ("queue/join", "cancel", "reset"):
        assert eve.post(f"/gradio_api/{route}", json={**body, "event_id": "x"}).status_code == 403
    assert "process_completed" in there.listen(ada, "adas-tab")


def test_a_page_belongs_to_who_named_it_first() -> None:
    tabs = Tabs()
    assert tabs.let(Person("ada"), "one", "two") and tabs.let(Person("ada"), "one")
    assert not tabs.let(Person("eve"), "one") and not tabs.let(Person("eve"), "three", "two")
    assert not tabs.let(None, "one") and tabs.let(Person("eve"), "four")


@pytest.mark.parametrize("path", ["/sessions", "/turns", "/{session}/stop", "/{session}/undo", "/events/{session}"])
def test_a_token_of_one_account_acts_for_no_other(there: People, path: str) -> None:
    token = there.accounts.make_token("eve", "api")
    client = there.server.another(headers={"authorization": f"Bearer {token}"})
    body = {"user": "ada", "session": there.session, "text": "eve was here"}
    method = "GET" if "events" in path else "POST"
    address = f"/api/duet{path.format(session=there.session)}"
    answer = client.request(method, address, json=body if method == "POST" else None)
    assert answer.status_code == 400 and "no conversation" in answer.text
    opened = client.post("/api/duet/sessions", json={"user": "ada"}).json()["session"]
    assert there.server.duet.transcript.session(opened).user == "eve"
    there.accounts.revoke("eve", there.accounts.tokens("eve")[-1].id)
    assert client.get("/api/duet/health").status_code == 401


@pytest.mark.slow
@pytest.mark.parametrize("wish", WISHES)
def test_no_wish_reaches_anothers_memory(there: People, eve: httpx2.Client, wish: str) -> None:
    notes = there.server.duet.remembering.of("ada").notes
    token = there.accounts.make_token("eve", "memory")
    api = there.server.another(headers={"authorization": f"Bearer {token}"})
    asked = {"user": "ada", "id": NOTE.id, "all": True, "sure": True, "text": "eve was here", "why": "eve"}
    for client, room in ((eve, "/memory"), (api, "/api/memory"), (api, "/api/duet/memory")):
        said = client.post(f"{room}/{wish}", json=asked)
        assert said.status_code in (200, 400) and not leaked(said.text)
    assert not leaked(eve.get("/memory/export.json").text)
    assert notes.get(NOTE.id) == NOTE and notes.count() == 1


def test_ones_own_memory_is_reached_by_oneself_and_by_the_owners_key(there: People, ada: httpx2.Client) -> None:
    assert leaked(ada.post("/memory/list", json={}).text) and leaked(ada.get("/memory/export.json").text)
    api = there.server.another(headers={"authorization": f"Bearer {there.accounts.make_token('ada', 'memory')}"})
    owner = there.server.another(headers={"authorization": f"Bearer {KEY}"})
    for client, asked in ((api, {}), (owner, {"user": "ada"})):
        assert leaked(client.post("/api/memory/list", json=asked).text)
    assert not leaked(owner.post("/api/memory/list", json={}).text)


def test_without_the_rule_anothers_memory_is_shown(
    there: People, eve: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chat.ui import routes

    monkeypatch.setattr(routes, "asking", lambda settings: Person("ada"))
    assert leaked(eve.post("/memory/list", json={}).text)


async def test_a_temporary_conversation_is_of_whoever_began_it(there: People, eve: httpx2.Client) -> None:
    assert eve.post("/act/unremembered", json={}).json()["open"]
    transcript = there.server.duet.transcript
    assert transcript.sessions("") == []
    assert [s.id for s in transcript.sessions("eve") if not transcript.options(s.id).memory] != []


def test_the_owners_key_acts_for_all(there: People) -> None:
    client = there.server.another(headers={"authorization": f"Bearer {KEY}"})
    opened = client.post("/api/duet/sessions", json={"user": "ada", "session": there.session})
    assert opened.json()["session"] == there.session


# -- one's account


def test_tokens_are_made_shown_once_and_revoked(there: People, ada: httpx2.Client) -> None:
    made = ada.post("/account/token", data={"label": "<script>alert(1)</script>"}).text
    token = re.findall(r"<code[^>]*>(duet_[\w-]+)</code>", made)[0]
    assert "<script" not in made and token not in ada.get("/account").text
    api = there.server.another(headers={"authorization": f"Bearer {token}"})
    assert api.get("/api/duet/health").status_code == 200
    assert api.get("/conversations").status_code == 401  # a token is the API's alone
    for mine in there.accounts.tokens("ada"):
        there.sign_in("eve").post("/account/revoke", data={"id": mine.id})
    assert api.get("/api/duet/health").status_code == 200
    for mine in there.accounts.tokens("ada"):
        ada.post("/account/revoke", data={"id": mine.id})
    assert api.get("/api/duet/health").status_code == 401


@pytest.mark.parametrize("old", ["", "wrong password", PASSWORDS["root"]])
def test_a_password_is_changed_by_who_knows_it(there: People, eve: httpx2.Client, old: str) -> None:
    assert eve.post("/account/password", data={"old": old, "new": "taken over by eve"}).status_code == 400
    assert there.accounts.check("eve", PASSWORDS["eve"])


@pytest.mark.parametrize("password", ["", "short", "x" * 201])
def test_a_password_has_a_length(there: People, password: str) -> None:
    with pytest.raises(ChatFault, match="10 to 200"):
        there.accounts.set_password("eve", password)


@pytest.mark.parametrize("name", ["", "A", "ada lovelace", "../x", "ada\n", "x" * 65, "<b>", "-x", "é", "'", ".x"])
def test_a_name_is_plain(there: People, name: str) -> None:
    with pytest.raises(ChatFault, match="small letters"):
        there.accounts.add(name, "a good password")


# -- what only admins may


@pytest.mark.parametrize(
    "spec", ["openai:x@http://169.254.169.254/v1", "gguf:/etc/passwd", "hf:evil/model", "embedded:1.5b"]
)
def test_models_are_chosen_by_admins(there: People, spec: str) -> None:
    for name, said in (("eve", "chosen by the admins"), ("root", "Saved")):
        client = there.sign_in(name)
        [save] = [fn for fn in _events(client) if fn["targets"][0][1] == "click"]
        data = ["", "", spec, "embedded", "react", "auto", 0, 0, True]
        assert said in there.event(client, save, data, None, f"models-{name}-{spec[:9]}")


DEEDS = ("use", "fetch", "fetch-use", "stop-fetch", "drop-fetch", "hub", "key", "forget-key", "try")


@pytest.mark.parametrize("deed", DEEDS)
def test_the_model_picker_is_for_admins(there: People, eve: httpx2.Client, deed: str) -> None:
    asked = {"value": "openai:x@http://169.254.169.254/v1", "mind": "both", "text": "http://169.254.169.254/v1",
             "key": "sk-x", "url": "http://169.254.169.254/v1", "model": "x"}  # fmt: skip
    mine = there.server.duet.transcript.new_session("eve").id
    before, options = there.server.duet.settings, there.server.duet.transcript.options(mine)
    for more in ({}, {"session": mine, "also": True}, {"session": mine}):
        said = eve.post(f"/models/{deed}", json={**asked, **more}).json()
        assert "admins" in said["fault"], said
    assert "no conversation" in eve.post(f"/models/{deed}", json={**asked, "session": there.session}).json()["fault"]
    assert there.server.duet.settings == before and there.server.duet.transcript.options(mine) == options
    assert not (before.home / "keys.json").exists()


def test_the_pickers_deeds_tried_are_all_that_there_are() -> None:
    from unittest.mock import MagicMock

    from chat.ui.picker import Picker

    assert set(Picker(MagicMock(), MagicMock())._does) == {*DEEDS, "look", "probe"}


@pytest.mark.parametrize("deed", ["look", "probe"])
def test_a_look_at_the_machine_by_others_looks_at_nothing(
    there: People, eve: httpx2.Client, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    looked: list[object] = []
    monkeypatch.setattr("chat.ui.picker.running_here", looked.append)
    monkeypatch.setattr("chat.ui.picker.probed", looked.append)
    assert eve.post(f"/models/{deed}", json={}).json() == {} and looked == []


def test_without_the_rule_a_user_chooses_for_all(
    there: People, eve: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chat.ui import picker

    chosen: list[object] = []
    monkeypatch.setattr(picker, "asking", lambda settings: Person("eve"))
    monkeypatch.setattr(picker, "allowed", lambda settings, options, so_far: options)
    monkeypatch.setattr(there.server.duet, "choose", chosen.append)
    eve.post("/models/use", json={"value": "embedded:0.5b", "mind": "both"})
    assert chosen != []


def test_users_choose_among_what_is_allowed(there: People, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat.access.person import allowed, within
    from chat.settings import Options

    own = Settings(allowed_models="embedded:0.5b openai:small", user="")
    monkeypatch.setattr("chat.access.person.asking", lambda settings: Person("eve", admin=False))
    assert allowed(own, Options("openai:small", "embedded:0.5b"))
    with pytest.raises(ChatFault, match="openai:small"):
        allowed(own, Options("openai:large", "embedded"))
    assert within(own, Options("openai:large", "embedded")).fast_model == "embedded"


@pytest.mark.parametrize("task", ["/etc/passwd", "~/x.z8", "../x.z8", "./x.z8", "a/../../x.z8", "chat/app.py", "tests"])
def test_game_files_are_opened_by_admins(there: People, task: str) -> None:
    from tools.worlds.world import WorldFault, WorldSpec

    allows = there.server.duet.running.allows
    transcript = there.server.duet.transcript
    for world in ("alfworld", "textworld"):
        with pytest.raises(WorldFault, match="admins"):
            allows(there.session, WorldSpec(world, task))
        allows(transcript.new_session("root").id, WorldSpec(world, task))
    allows(there.session, WorldSpec("alfworld", "household/pick_and_place_simple"))


# -- quotas


def test_one_account_has_so_many_turns_at_once(there: People, monkeypatch: pytest.MonkeyPatch) -> None:
    duet: Duet = there.server.duet
    mine = [duet.transcript.new_session("eve").id for _ in range(6)]
    monkeypatch.setattr(duet.runs, "under_way", lambda: [(session, 1) for session in mine[:4]])
    assert duet.runs.quota
    with pytest.raises(ChatFault, match="4 turns of yours"):
        duet.runs.quota.run(mine[5])
    duet.runs.quota.run(there.session)


def test_one_account_keeps_so_many_bytes(there: People) -> None:
    duet = there.server.duet
    assert duet.runs.quota
    duet.runs.quota.upload("ada", 1_000_000)
    with pytest.raises(ChatFault, match="more than 200 MB"):
        duet.runs.quota.upload("ada", duet.settings.max_uploaded)


async def test_what_is_imported_counts_among_them(
    there: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duet = there.server.duet
    file = tmp_path / "own" / "conversation.json"
    file.parent.mkdir()
    file.write_text(to_json(duet.transcript, there.session))
    monkeypatch.setattr(duet, "settings", replace(duet.settings, max_uploaded=file.stat().st_size))
    monkeypatch.setattr("chat.ui.actions.asking", lambda _settings: Person("ada", admin=False))
    before = duet.transcript.sessions("ada")
    answer = await Actions(duet, Nudges()).import_conversation(str(file))
    assert "Your files would take more" in answer["fault"] and duet.transcript.sessions("ada") == before


def test_one_accounts_streams_leave_room_for_others(
    there: People, eve: httpx2.Client, ada: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ByAccount, "at_once", 5)
    with ExitStack() as open_:
        statuses = [open_.enter_context(eve.stream("GET", "/follow")).status_code for _ in range(7)]
        assert statuses == [200] * 5 + [429] * 2
        assert ada.get("/conversations").status_code == 200
    until = time.monotonic() + 10
    while eve.get("/conversations").status_code != 200:
        assert time.monotonic() < until, "the streams that were closed still count"


def test_an_open_stream_ends_with_the_sign_in(there: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that somebody left open shows nothing more after a sign-out or a new password."""
    monkeypatch.setattr("chat.access.door.AGAIN", 0.2, raising=False)
    client, until = there.sign_in("eve"), time.monotonic() + 15
    with client.stream("GET", "/follow") as stream, suppress(httpx2.RemoteProtocolError):
        assert stream.status_code == 200
        client.post("/sign-out")
        for _ in stream.iter_lines():
            assert time.monotonic() < until, "it goes on"


def test_who_asks_for_more_than_a_person_can_waits_alone(
    there: People, eve: httpx2.Client, ada: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("chat.access.limits.BURST", 3)
    monkeypatch.setattr("chat.access.limits.RATE", 0.5)
    monkeypatch.setattr("chat.access.limits.asyncio", SimpleNamespace(sleep=sleep, timeout=asyncio.timeout))
    for _ in range(6):
        assert eve.get("/conversations").status_code == 200
    assert waited and waited == sorted(waited), "each one longer than the one before"
    many = len(waited)
    assert ada.get("/conversations").status_code == 200 and len(waited) == many


async def test_ones_worlds_push_out_ones_own_before_those_of_others() -> None:
    from tests.toyworld import ToyWorlds
    from tools.worlds.running import A_PERSON, RunningWorlds
    from tools.worlds.world import WorldSpec

    running = RunningWorlds(lambda _: ToyWorlds())
    running.owner = lambda session: session.partition("-")[0]
    spec = WorldSpec("scienceworld", ToyWorlds().tasks()[0].name)
    await running.open("ada-1", 1, spec)
    for number in range(A_PERSON + 4):
        await running.open(f"eve-{number}", 1, spec)
        await running.park(f"eve-{number}")
    assert running.running("ada-1", 1)
    assert sum(running.running(f"eve-{number}", 1) is not None for number in range(A_PERSON + 4)) == A_PERSON
    await running.shut()


# -- elsewhere


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "duet.example.org", "", "*"])
def test_elsewhere_only_with_accounts(tmp_path: Path, host: str) -> None:
    for own in (Settings(home=tmp_path, host=host), Settings(home=tmp_path, names="duet.example.org")):
        with pytest.raises(ChatFault, match="no accounts here" if own.host else "host is empty"):
            check_reach(own)
    accounts = Accounts(tmp_path)
    assert not has_accounts(tmp_path)
    accounts.add("root", "a good password", "admin")
    accounts.close()
    if host:
        assert check_reach(Settings(home=tmp_path, host=host)).host == host
    else:
        with pytest.raises(ChatFault, match="host is empty"):
            check_reach(Settings(home=tmp_path, host=host))


def test_the_first_account_can_be_made_with_the_settings_that_need_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUET_HOST", "0.0.0.0")
    monkeypatch.setenv("DUET_NAMES", "duet.example.org")
    monkeypatch.setattr("sys.stdin", io.StringIO("a good password\n"))
    assert main(["users", "add", "root", "--home", str(tmp_path)]) == 0 and has_accounts(tmp_path)


def test_the_first_start_makes_no_accounts(tmp_path: Path) -> None:
    assert not has_accounts(tmp_path) and not (tmp_path / FILE).exists()


def test_accounts_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def users(*words: str, typed: str = "") -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        return main(["users", *words, "--home", str(tmp_path)])

    assert users("add", "root", typed="a good password\n") == 0
    assert users("add", "ada", typed="another good one\n") == 0
    assert users("list") == 0
    assert re.findall(r"^(\w+) +(\w+)$", capsys.readouterr().out, re.MULTILINE) == [("ada", "user"), ("root", "admin")]
    assert users("password", "ada", typed="a third good one\n") == 0
    for words in (("remove", "root"), ("add", "ada"), ("add", "x"), ("password", "nobody"), ("remove",), ("add", "A")):
        assert users(*words, typed="short\n" if words == ("add", "x") else "a good password\n") == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert users("remove", "ada") == 0 and users("remove", "root") == 0
    assert not has_accounts(tmp_path)


def test_only_the_servers_owner_deletes_all_that_is_kept_of_somebody(there: People) -> None:
    duet, path = there.server.duet, "/api/duet/users/forget"
    duet.transcript.instruct("ada", "what only ada wished")
    before = _state(there)
    for name in ("eve", "root", "ada"):
        bearer = f"Bearer {there.accounts.make_token(name, 'forget')}"
        said = there.server.another(headers={"authorization": bearer}).post(path, json={"user": "ada"})
        assert "owns the server" in said.text
    assert _state(there) == before
    owner = there.server.another(headers={"authorization": f"Bearer {KEY}"})
    assert owner.post(path, json={"user": "ada"}).json() == {"conversations": 1}
    assert duet.transcript.sessions("ada") == [] and not duet.transcript.own("ada").instructions
    notes = duet.remembering.of("ada").notes
    assert notes.count() == 0 and notes.get(NOTE.id) is None, "nothing is left that could be taken back"


def test_whoever_is_removed_leaves_nothing_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        accounts.add("root", "a good password", "admin")
        accounts.add("bob", "a good password")
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        for user in ("bob", "root", "bob"):
            transcript.begin_turn(transcript.new_session(user).id, f"{user} was here")
    home = ["--home", str(tmp_path)]
    assert main(["users", "password", "bob", "--with-conversations", *home]) == 2
    assert main(["users", "remove", "bob", "--with-conversations", *home]) == 0
    assert "Deleted with bob's memory: 2 conversations." in capsys.readouterr().out
    files = [path.read_bytes() for path in tmp_path.glob("duet.sqlite*")]
    assert files and not any(b"bob was" in data for data in files) and any(b"root was" in data for data in files)


def test_whoever_is_removed_already_can_still_be_deleted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        accounts.add("root", "a good password", "admin")
        accounts.add("bob", "a good password")
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        transcript.new_session("bob")
    command = ["users", "remove", "bob", "--with-conversations", "--home", str(tmp_path)]
    with monkeypatch.context() as broken:
        broken.setattr("chat.commands._forget_user", AsyncMock(side_effect=ChatFault("The server is busy.")))
        assert main(command) == 2
    assert main(command) == 0
    assert "Deleted with bob's memory: 1 conversation." in capsys.readouterr().out
    assert main(command) == 0, "what was begun can be done again"
    assert main(["users", "remove", "Bob", "--with-conversations", "--home", str(tmp_path)]) == 2
    assert "no account" in capsys.readouterr().err


def test_whoever_makes_accounts_is_told_whose_conversations_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = Transcript(tmp_path / "duet.sqlite")
    for user in ("Ada L", "bob", "bob"):
        transcript.new_session(user)
    transcript.close()
    monkeypatch.setattr("sys.stdin", io.StringIO("a good password\n" * 2))
    assert main(["users", "add", "ada", "--home", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "Conversations kept under bob are seen by" in said and "kept under Ada L: `users remove ada`" in said
    assert main(["users", "add", "bob", "--home", str(tmp_path)]) == 0
    assert "bob's from now on: 2 conversations." in (said := capsys.readouterr().out) and "Ada" not in said


def test_admins_of_the_settings_are_admins_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        accounts.add("ada", "a good password", "admin")
        accounts.add("bob", "a good password")
    assert main(["users", "remove", "ada", "--home", str(tmp_path)]) == 2
    monkeypatch.setenv("DUET_ADMINS", "bob")
    assert main(["users", "list", "--home", str(tmp_path)]) == 0
    assert re.search(r"^bob +admin$", capsys.readouterr().out, re.MULTILINE)
    assert main(["users", "remove", "ada", "--home", str(tmp_path)]) == 0


def test_a_thousand_threads_of_one_file(there: People) -> None:
    made = [there.accounts.sign_in("ada") for _ in range(3)]
    found: list[object] = []
    threads = [threading.Thread(target=lambda m=m: found.append(there.accounts.signed_in(m))) for m in made * 10]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 30 and None not in found
