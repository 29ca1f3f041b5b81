"""A link shows one conversation, as it was, to whoever has it; nothing else does, and it can be taken back."""

from __future__ import annotations

import io
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from chat.backups import backup, restore
from chat.faults import ChatFault
from chat.transcript import Transcript
from chat.ui.routes import to_html
from chat.ui.shared import of_link
from main import main
from tests.chat.test_transcript import say
from tests.security.ground import filled, routes_of
from tests.security.people import PASSWORDS, People, people

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    with people(tmp_path_factory.mktemp("shared"), sharing=True) as everybody:
        yield everybody


@pytest.fixture(scope="module")
def nobody(there: People) -> httpx2.Client:
    return there.server.another()


@pytest.fixture
def secret(there: People) -> str:
    return str(there.sign_in("ada").post("/act/share", json={"session": there.session, "value": 1}).json()["secret"])


@pytest.mark.slow
def test_only_below_the_links_more_than_the_sign_in_answers_anybody(there: People, nobody: httpx2.Client) -> None:
    open_to_all = {
        (method, path) for method, path in routes_of(there.server.app)
        if nobody.request(method, filled(path)).status_code != 401
    }  # fmt: skip
    assert open_to_all == {
        ("GET", "/api/duet/hello"), ("GET", "/sign-in"), ("GET", "/shared/{secret}"), ("HEAD", "/shared/{secret}"),
    } - ({("HEAD", "/shared/{secret}")} - set(routes_of(there.server.app)))  # fmt: skip
    for method in ("POST", "PUT", "DELETE"):
        assert nobody.request(method, "/shared/x").status_code == 401


def test_no_log_holds_the_secret_of_a_link(
    nobody: httpx2.Client, secret: str, caplog: pytest.LogCaptureFixture
) -> None:
    """In what goes by the root logger, as duet.log does: pytest's own handlers hear more."""
    caplog.set_level("INFO")
    caplog.set_level("WARNING", "httpx2")  # the client's own
    kept = logging.StreamHandler(io.StringIO())
    logging.getLogger().addHandler(kept)
    assert nobody.get(f"/shared/{secret}").status_code == 200
    assert nobody.get(f"/?token={secret}").status_code == 401
    logging.getLogger("duet").info("and the rest is logged")
    logging.getLogger().removeHandler(kept)
    assert kept.stream.getvalue() == "and the rest is logged\n"


def test_a_link_shows_its_conversation_and_nothing_else(there: People, nobody: httpx2.Client, secret: str) -> None:
    seen = nobody.get(f"/shared/{secret}")
    assert seen.status_code == 200 and "what only ada said" in seen.text
    for hidden in ("what only adas document says", "adas-notes", "adas memory", there.session):
        assert hidden not in seen.text
    assert "default-src 'none'" in seen.headers["content-security-policy"] and "set-cookie" not in seen.headers
    assert "noindex" in seen.headers["x-robots-tag"] and "<script" not in seen.text and "<button" not in seen.text
    for other in (secret[:-1], f"{secret}x", there.session, "", "%00", "..%2f", "x" * 5000):
        assert nobody.get(f"/shared/{other}").status_code in (401, 404)


def test_what_is_said_later_is_not_shown(there: People, nobody: httpx2.Client, secret: str) -> None:
    transcript = there.server.duet.transcript
    say(transcript, there.session, "said after the link was made")
    assert "said after" not in nobody.get(f"/shared/{secret}").text


def test_the_steps_show_nothing_of_documents_and_the_memory(tmp_path: Path) -> None:
    program = "print(int(recall('date')))"
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        session = transcript.new_session("ada").id
        turn = transcript.begin_turn(session, "when is it?").turn
        transcript.append(session, turn, "run", {"state": "started"})
        for number, (action, argument, found) in enumerate(
            [("documents", "date", "a passage"), ("recall", "date", "a note"), ("memory", "show", "all notes"),
             ("python", program, "the note 3 May is no number"), ("python", "print(4 + 5)", "nine is left")], 1,
        ):  # fmt: skip
            step = {"thought": "", "failed": False, "seconds": 0.1, "tokens": 3, "sources": [], "depends": {}}
            step |= {"number": number, "action": action, "argument": argument, "observation": found}
            transcript.append(session, turn, "step", step)
        transcript.append(session, turn, "end", {"state": "done"})
        link = of_link(transcript, transcript.shared(transcript.share(session, steps=True)))
        file = to_html(transcript, session)
    for seen in (link, file):
        assert "nine is left" in seen and "recall" in seen
        for hidden in ("a passage", "a note", "all notes", "3 May"):
            assert hidden not in seen


def test_models_are_named_without_their_address_or_path(tmp_path: Path) -> None:
    models = {
        "model": "gguf:/srv/adas/tiny.gguf?context=4096",
        "thinker": "openai:qwen3@http://10.0.0.5:8000/v1",
    }
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        session = transcript.new_session("ada").id
        turn = transcript.begin_turn(session, "hello").turn
        reply = {"by": "slow", "text": "Hello.", "final": True, "invoke": False, **models}
        transcript.append(session, turn, "reply", reply)
        transcript.append(session, turn, "end", {"state": "done"})
        link = of_link(transcript, transcript.shared(transcript.share(session, steps=True)))
        file = to_html(transcript, session)
    for seen in (link, file):
        assert "tiny" in seen and "qwen3" in seen
        assert "10.0.0.5" not in seen and "/srv/adas" not in seen


def test_a_title_of_later_is_not_shown(there: People, nobody: httpx2.Client, secret: str) -> None:
    there.server.duet.transcript.rename(there.session, "titled after the link was made")
    seen = nobody.get(f"/shared/{secret}").text
    assert "titled after" not in seen and '<h1 dir="auto">what only ada said' in seen


def test_nobody_else_makes_sees_or_takes_back_a_link(there: People, nobody: httpx2.Client, secret: str) -> None:
    eve = there.sign_in("eve")
    [link, *_] = there.server.duet.transcript.links(there.session)
    for does, told in (("share", {}), ("shares", {}), ("unshare", {"document": link.id})):
        assert "There is no conversation" in eve.post(f"/act/{does}", json={"session": there.session, **told}).text
    own = eve.post("/act/unremembered", json={}).json()["open"]
    eve.post("/act/unshare", json={"session": own, "document": link.id})
    assert nobody.get(f"/shared/{secret}").status_code == 200


def test_a_link_that_was_taken_back_shows_nothing(there: People, nobody: httpx2.Client, secret: str) -> None:
    ada = there.sign_in("ada")
    [link, *_] = ada.post("/act/shares", json={"session": there.session}).json()["shares"]
    assert secret not in str(link)
    ada.post("/act/unshare", json={"session": there.session, "document": link["id"]})
    assert nobody.get(f"/shared/{secret}").status_code == 404


def test_the_links_of_a_removed_account_show_nothing(there: People, nobody: httpx2.Client, secret: str) -> None:
    assert nobody.get(f"/shared/{secret}").status_code == 200
    there.accounts.remove("ada")
    assert nobody.get(f"/shared/{secret}").status_code == 404
    there.accounts.add("ada", PASSWORDS["ada"])


def test_the_next_person_of_the_name_has_no_links(there: People, nobody: httpx2.Client, secret: str) -> None:
    """The command works beside the server."""
    session = there.server.duet.transcript.new_session("root").id
    say(there.server.duet.transcript, session, "hello")
    other = there.server.duet.transcript.share(session, steps=False)
    assert main(["users", "remove", "ada", "--home", str(there.server.duet.settings.home)]) == 0
    there.accounts.add("ada", PASSWORDS["ada"])
    assert nobody.get(f"/shared/{secret}").status_code == 404
    assert nobody.get(f"/shared/{other}").status_code == 200


@pytest.mark.slow
def test_where_sharing_is_off_there_are_no_links(tmp_path: Path) -> None:
    with people(tmp_path) as there:
        ada = there.sign_in("ada")
        assert "DUET_SHARING" in ada.post("/act/share", json={"session": there.session}).json()["fault"]
        secret = there.server.duet.transcript.share(there.session, steps=False)
        assert there.server.another().get(f"/shared/{secret}").status_code == 401
        assert ada.get(f"/shared/{secret}").status_code == 404


def test_the_file_holds_no_secret_and_a_restore_brings_no_link_back(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "duet.sqlite")
    session = transcript.new_session("ada", EVIL).id
    with pytest.raises(ChatFault, match="nothing to show"):
        transcript.share(session, steps=True)
    say(transcript, session, EVIL, EVIL)
    secret = transcript.share(session, steps=True)
    with closing(sqlite3.connect(tmp_path / "duet.sqlite")) as db:
        assert secret not in "\n".join(db.iterdump())
    copy = backup(tmp_path)
    [link] = transcript.links(session)
    transcript.take_back(session, link.id)
    transcript.close()
    restore(tmp_path, copy)
    with closing(Transcript(tmp_path / "duet.sqlite")) as again:
        assert again.links(session) == []
        with pytest.raises(ChatFault, match="taken back"):
            again.shared(secret)


def test_a_link_goes_with_its_conversation(tmp_path: Path) -> None:
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        session = transcript.new_session("ada").id
        say(transcript, session, "hello")
        secret = transcript.share(session, steps=False)
        transcript.delete(session)
        with pytest.raises(ChatFault, match="taken back"):
            transcript.shared(secret)
