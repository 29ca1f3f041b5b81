"""The doctor: every check gives one finding, and for what does not work a command."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from chat import doctor
from chat.bench.ground import a_duet, a_model
from chat.doctor import CHECKS, Finding, examine
from chat.evaluation.rubric import read_rubric
from chat.evaluation.run import Plan, opened, opened_model
from chat.home import Home
from chat.services import Swaps
from chat.settings import Settings
from minds.models import ModelSettings, Role
from minds.models.language import Garbled
from tests.chat.evaluation.made import suite
from tests.fakes import STRONG, FakeModel, Heard, Piece, Sign
from tests.test_house import ROOT
from tools.worlds.world import SETUP


def finding(part: str, settings: Settings) -> Finding:
    return CHECKS[part](settings)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "new" / "home")


def test_what_works_needs_no_mending(settings: Settings) -> None:
    for part in ("python", "packages", "home", "disk"):
        assert finding(part, settings).mend == "", finding(part, settings)


@pytest.mark.real
def test_missing_weights_name_the_command_that_fetches_them(settings: Settings) -> None:
    assert finding("weights", settings).mend == "python main.py models fetch embedded"
    program = [sys.executable, "main.py", *finding("weights", settings).mend.split()[2:], "--help"]
    done = subprocess.run(program, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_weights_that_no_mind_is_are_not_missed(settings: Settings) -> None:
    one, both = replace(settings, fast_model="openai:x"), replace(settings, fast_model="openai:x", slow_model="hf:y")
    assert finding("weights", one).mend and not finding("weights", both).mend


def test_settings_that_are_none_are_named(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("DUET_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DUET_INSTRUCTIONS", "Be brief.")
    monkeypatch.setenv("DUET_KEYS", "x")
    assert not finding("settings", settings).mend
    monkeypatch.setenv("DUET_SLOWMODEL", "openai:x")
    (tmp_path / ".env").write_text("DUET_INSTRUCTIONS=Be rude.\nDUET_PORT=1\nHOME=x\n")
    assert "DUET_INSTRUCTIONS, DUET_SLOWMODEL" in finding("settings", settings).text


def test_a_home_held_by_another_says_by_whom(settings: Settings) -> None:
    home = Home(settings.home)
    assert "process" in finding("home", settings).text and finding("home", settings).mend
    home.announce("http://127.0.0.1:1")
    assert "http://127.0.0.1:1" in finding("home", settings).text and not finding("home", settings).mend
    home.release()
    assert not finding("home", settings).mend


def test_a_home_that_cannot_be_written_names_another(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "DUET_HOME" in finding("home", replace(settings, home=tmp_path / "file" / "home")).mend


def test_packages_of_another_version_are_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = doctor._installed
    monkeypatch.setattr(doctor, "_installed", lambda name: "0.0" if name == "gradio" else installed(name))
    found = finding("packages", settings)
    assert "gradio" in found.text and found.mend == "rm -f .venv/.installed; make setup"


@pytest.mark.parametrize("mend", [SETUP, doctor.ANEW])
def test_what_sets_up_again_does_so_where_it_was_done_once(tmp_path: Path, mend: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    stands = tmp_path / ".venv"
    (stands / "bin").mkdir(parents=True)
    for file in (tmp_path / "requirements.lock", stands / "bin" / "python", stands / ".installed"):
        file.touch()
    (tmp_path / "pip").write_text("#!/bin/sh\necho sets up\nexit 1\n")
    (tmp_path / "pip").chmod(0o700)
    again = mend.replace("make ", "make PYTHON=./pip PIP=./pip ")
    ran = subprocess.run(again, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "sets up" in ran.stdout, ran


def test_local_builds_count_as_their_version(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    installed = doctor._installed
    monkeypatch.setattr(doctor, "_installed", lambda name: installed(name).partition("+")[0] + "+cpu")
    assert not finding("packages", settings).mend


def test_a_check_that_breaks_is_a_finding_and_the_others_go_on(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def faints(_: Settings) -> Finding:
        raise RuntimeError("oh")

    monkeypatch.setattr(doctor, "CHECKS", {"python": CHECKS["python"], "java": faints, "disk": CHECKS["disk"]})
    assert [bool(found.mend) for found in examine(settings)] == [False, True, False]
    assert doctor.doctor(settings) == 1
    out = capsys.readouterr().out
    assert "mend it with: make clean setup" in out and "RuntimeError" in out and out.count("ok  ") == 2


def test_all_well_is_code_0(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CHECKS", {part: CHECKS[part] for part in ("python", "disk")})
    assert doctor.doctor(settings) == 0


@pytest.mark.real
def test_java_comes_with_the_requirements() -> None:
    from tools.worlds.jvm import java as java_here

    java = java_here()
    assert java is not None
    assert subprocess.run([java, "-version"], capture_output=True, timeout=60).returncode == 0


async def test_keys_that_were_pasted_on_the_page_count_everywhere(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = list[Path | None]()

    def opens(spec: str, own: ModelSettings, role: Role = "fast") -> FakeModel:
        found.append(own.keys)
        return FakeModel(lambda _: ["hello"])

    keys, swaps = settings.home / "keys.json", Swaps(models=opens)
    monkeypatch.setattr("minds.models.open_model", opens)
    settings = replace(settings, fast_model="openai:x", slow_model="openai:y")
    await asyncio.to_thread(finding, "minds", settings)
    async with a_duet(settings, warm=False, swaps=swaps) as duet:
        duet.minds(settings.options)
    async with a_model(settings, opens=opens), opened_model(settings, "openai:x", swaps):
        pass
    plan = Plan(suite(), read_rubric("duma"), (), (0,), (), settings)
    async with opened(plan, tmp_path / "run", swaps, None) as theatre:
        theatre.duet.minds(settings.options)
    assert len(found) == 8 and set(found) == {keys}


@pytest.mark.parametrize(("cut", "works"), [(True, True), (False, False)])
def test_a_mind_that_is_still_thinking_at_its_limit_works(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, cut: bool, works: bool
) -> None:
    def says(heard: Heard) -> list[Piece]:
        return [*([Sign.CUT] if cut else []), Garbled("It said nothing.")]

    monkeypatch.setattr("minds.models.open_model", lambda *_, **__: FakeModel(says, abilities=STRONG))
    found = finding("minds", replace(settings, fast_model="openai:thinks", slow_model="openai:thinks"))
    assert (found.mend == "") is works, found
