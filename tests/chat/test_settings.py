"""Where settings come from, in which order, and what is said of a bad one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from chat.faults import ChatFault
from chat.settings import DOTENV, SENT_TO, Options, Settings, check_options, check_reach, read_settings


def test_defaults_work_with_nothing_configured() -> None:
    settings = read_settings(environ={})
    assert settings.home == Path("~/.local/share/duet").expanduser()
    assert settings.models_dir == settings.home / "models"
    assert (settings.host, settings.port, settings.memory) == ("127.0.0.1", 7860, True)
    assert settings.user and settings.options == Options()


def test_flags_go_before_the_environment_and_this_before_defaults() -> None:
    environ = {"DUET_PORT": "1234", "DUET_USER": "ada", "DUET_TEMPERATURE": "0.5", "DUET_LENGTH": "80"}
    settings = read_settings({"port": 99, "user": None}, environ)
    assert (settings.port, settings.user, settings.temperature) == (99, "ada", 0.5)
    assert settings.options == Options(temperature=0.5, length=80)


def test_a_zone_by_any_name_that_the_system_knows() -> None:
    assert read_settings({}, {"DUET_TIMEZONE": "posix/Europe/Berlin"}).timezone == "posix/Europe/Berlin"


def test_instructions_are_no_longer_than_the_pages_and_come_from_no_env_file() -> None:
    with pytest.raises(ChatFault, match="8,000"):
        read_settings({}, {"DUET_INSTRUCTIONS": "x" * 20_000})
    assert "DUET_INSTRUCTIONS" not in DOTENV and "DUET_LENGTH" in DOTENV


def test_no_setting_makes_every_conversation_delete_itself() -> None:
    settings = read_settings({}, {"DUET_TEMPORARY": "1"})
    assert not settings.temporary and "DUET_TEMPORARY" not in DOTENV
    assert not replace(settings, temporary=True).options.temporary


def test_the_environment_goes_before_the_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text('DUET_USER="from file"\nDUET_PORT=4321\nDUET_KEYS=secret\n')
    monkeypatch.setenv("DUET_USER", "ada")
    monkeypatch.delenv("DUET_PORT", raising=False)
    monkeypatch.setenv("DUET_KEYS", "")
    monkeypatch.delenv("DUET_KEYS")
    settings = read_settings()
    assert (settings.user, settings.port) == ("ada", 4321)
    assert os.environ["DUET_KEYS"] == "secret"  # for the clients that read their keys there
    for name in ("DUET_KEYS", "DUET_PORT"):
        monkeypatch.delenv(name)


def test_an_env_file_that_cannot_be_read_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00DUET")
    with pytest.raises(ChatFault, match=r"\.env cannot be read"):
        read_settings()


def test_a_null_byte_in_an_env_file_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_bytes(b"DUET_USER=e\0ve\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ChatFault, match="null byte"):
        read_settings()


@pytest.mark.parametrize(("server", "key"), SENT_TO)
def test_an_env_file_with_a_key_of_its_own_sends_yours_nowhere(
    server: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(f"{server}=https://evil.example.org\n{key}=x\n")
    monkeypatch.setenv(key, "yours")
    with pytest.raises(ChatFault, match=f"{server}.*put both in one place"):
        read_settings()


@pytest.mark.parametrize(
    ("value", "wanted"), [("1", True), ("on", True), ("TRUE", True), ("yes", True), ("0", False), ("Off", False)]
)
def test_switches_read_as_people_write_them(value: str, wanted: bool) -> None:
    assert read_settings(environ={"DUET_MEMORY": value}).memory is wanted


def test_folders_may_begin_at_home() -> None:
    settings = read_settings(environ={"DUET_HOME": "~/there", "DUET_MODELS": "~/models"})
    assert settings.home == Path("~/there").expanduser()
    assert settings.models_dir == Path("~/models").expanduser()


def test_an_empty_value_is_none() -> None:
    assert read_settings(environ={"DUET_PORT": "", "DUET_HOST": ""}).port == 7860


WRONG = {
    ("DUET_PORT", "many"): "whole number",
    ("DUET_PORT", "70000"): "0 to 65535",
    ("DUET_PORT", "-1"): "0 to 65535",
    ("DUET_TEMPERATURE", "hot"): "a number",
    ("DUET_TEMPERATURE", "9"): "between 0 and 2",
    ("DUET_TEMPERATURE", "nan"): "between 0 and 2",
    ("DUET_MEMORY", "perhaps"): "on or off",
    ("DUET_STRATEGY", "magic"): "react",
    ("DUET_FAST_MODEL", "gpt-4"): "names no model",
    ("DUET_SLOW_MODEL", "gguf:"): "names no model",
    ("DUET_MAX_STEPS", "0"): "greater than 0",
    ("DUET_MAX_TOKENS", "-5"): "greater than 0",
    ("DUET_MAX_SECONDS", "nan"): "greater than 0",
    ("DUET_MAX_MESSAGE", "1.5"): "whole number",
    ("DUET_TIMEZONE", "Mars/Olympus"): "Europe/Berlin",
    ("DUET_TIMEZONE", "../../etc/passwd"): "Europe/Berlin",
    ("DUET_USER", "  "): "user's name",
    ("DUET_NAMES", "https://duet.example.org"): "names alone",
    ("DUET_NAMES", "duet.example.org:443"): "names alone",
    ("DUET_ADMINS", "Ada bob"): "names of accounts",
    ("DUET_ALLOWED_MODELS", "openai:gpt-4.1 gpt-4"): "DUET_ALLOWED_MODELS.* names no model",
}


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_bad_value_is_one_sentence_that_says_what_would_do(name: str, value: str) -> None:
    with pytest.raises(ChatFault, match=WRONG[name, value]) as caught:
        read_settings(environ={name: value})
    said = str(caught.value)
    assert "\n" not in said and said.endswith((".", "?")) and len(said) < 250


def test_lists_that_make_sense_are_taken() -> None:
    given = {"DUET_NAMES": "duet.example.org nas 192.168.1.5 fe80::1", "DUET_ADMINS": "ada bob@example.org"}
    assert read_settings(environ=given | {"DUET_ALLOWED_MODELS": "embedded:4b openai:a"}).names == given["DUET_NAMES"]


def test_commas_between_names_are_as_good_as_spaces() -> None:
    settings = read_settings(environ={"DUET_NAMES": "a.example.org, b.example.org", "DUET_ADMINS": "ada,bob"})
    assert settings.names.split() == ["a.example.org", "b.example.org"] and settings.admins.split() == ["ada", "bob"]


def test_a_line_of_the_env_file_that_is_none_is_told_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("no assignment at all !\n")
    read_settings()
    [told] = caplog.messages
    assert told.startswith("The file .env: ") and told.endswith("line 1")


def test_a_conversations_own_options_are_checked_too() -> None:
    assert check_options(Options(slow_model="openai:gpt-4.1@http://127.0.0.1:1/v1")).strategy == "react"
    for bad in (Options(fast_model=""), Options(strategy=""), Options(temperature=-0.1), Options(length=-1)):
        with pytest.raises(ChatFault):
            check_options(bad)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "0:0:0:0:0:0:0:1", "localhost", "LOCALHOST"])
def test_the_page_may_listen_on_loopback(host: str) -> None:
    for own in (read_settings({"host": host}, {}), read_settings(environ={"DUET_HOST": host})):
        assert check_reach(own).host == host


ELSEWHERE = [
    "", " ", "0.0.0.0", "::", "0", "192.168.1.2", "10.0.0.1", "8.8.8.8", "fe80::1", "::ffff:127.0.0.1", "::1%eth0",
    "127.1", "0177.0.0.1", "2130706433", "127.0.0.1.example.org", "localhost.example.org", "example.org", "*",
    "127.0.0.1 ", "localhost\n", "127.0.0.1/8", "１27.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("host", ELSEWHERE)
def test_the_page_listens_nowhere_else_while_there_are_no_accounts(tmp_path: Path, host: str) -> None:
    refused = "no accounts" if host.strip() else "host is empty"
    with pytest.raises(ChatFault, match=refused) as caught:
        check_reach(read_settings({"host": host, "home": tmp_path}, {}))
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    if host:  # an empty variable counts as none, so that the default stands
        with pytest.raises(ChatFault, match=refused):
            check_reach(read_settings({"home": tmp_path}, {"DUET_HOST": host}))


def test_a_name_that_others_know_it_by_is_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChatFault, match="be called 'duet'") as caught:
        check_reach(Settings(home=tmp_path, names="duet"))
    assert "127.0.0.1" not in str(caught.value)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's clock."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_without_a_zone_each_day_has_the_offset_that_the_machine_gave_it() -> None:
    here, there = Settings().zone, ZoneInfo("Europe/Berlin")
    for moment in (datetime(2026, 1, 15, 22, 30, tzinfo=UTC), datetime(2026, 7, 15, 22, 30, tzinfo=UTC),
                   datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)):  # fmt: skip
        told, wanted = (datetime.fromtimestamp(moment.timestamp(), zone) for zone in (here, there))
        assert told.isoformat() == wanted.isoformat() and told.timestamp() == moment.timestamp()
    assert datetime.now(here).isoformat()[-6:] == datetime.now(there).isoformat()[-6:] and str(here) in ("CET", "CEST")


def test_settings_cannot_be_changed_by_accident() -> None:
    with pytest.raises(AttributeError):
        Settings().port = 1  # type: ignore[misc]
