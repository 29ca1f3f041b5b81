"""`doctor`: what works here, and for what does not, the command that mends it."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from chat.faults import ChatFault, sentence
from chat.home import Home, find_server
from chat.settings import Settings, set_in_vain
from tools.worlds.world import SETUP, WorldFault, WorldSpec

ANEW = "make clean setup"
"""Of what pip takes for installed and is broken."""
OTHERS = "what that says, or other models (DUET_FAST_MODEL, DUET_SLOW_MODEL)"


@dataclass(frozen=True)
class Finding:
    """One line: `mend` is empty where it works."""

    part: str
    text: str
    mend: str = ""


def doctor(settings: Settings) -> int:
    """Prints the findings; 0 when everything works."""
    bad = 0
    for finding in examine(settings):
        bad += bool(finding.mend)
        print(f"{'!!' if finding.mend else 'ok'}  {finding.part:12} {finding.text}", flush=True)
        if finding.mend:
            print(f"    {'':12} mend it with: {finding.mend}", flush=True)
    return 1 if bad else 0


def examine(settings: Settings) -> Iterator[Finding]:
    """Runs every check; one that breaks is a finding too."""
    for part, check in CHECKS.items():
        try:
            yield check(settings)
        except Exception as error:  # a doctor that faints helps nobody
            yield Finding(part, sentence(error), ANEW)


def _python(_: Settings) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("python", version, "" if sys.version_info >= (3, 11) else "make setup PYTHON=python3.11")


def _packages(_: Settings) -> Finding:
    """What requirements.txt pins against what is installed."""
    lines = (Path(__file__).parents[1] / "requirements.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line)
    wrong = [name for name, pin in pins.items() if _installed(name).partition("+")[0] != pin]
    if wrong:
        return Finding("packages", f"missing or of another version: {', '.join(wrong)}", SETUP)
    return Finding("packages", f"all {len(pins)} as pinned")


def _installed(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _settings(_: Settings) -> Finding:
    if wrong := set_in_vain():
        mend = "correct the names in the environment or .env: chat/settings.py has all that there are"
        return Finding("settings", f"of no effect: {', '.join(wrong)}", mend)
    return Finding("settings", "each that is set is known")


def _home(settings: Settings) -> Finding:
    if address := find_server(settings.home):
        return Finding("home", f"{settings.home}; a server runs at {address.url} (process {address.pid})")
    try:
        Home(settings.home).release()
    except ChatFault as fault:
        return Finding("home", str(fault), f"export DUET_HOME={Path.home() / 'duet'}")
    return Finding("home", str(settings.home))


def _disk(settings: Settings) -> Finding:
    free = shutil.disk_usage(_existing(settings.home)).free / 1e9
    return Finding("disk", f"{free:.1f} GB free", "" if free > 2 else "free at least 2 GB where DUET_HOME lies")


def _existing(path: Path) -> Path:
    return path if path.exists() else _existing(path.parent)


def _weights(settings: Settings) -> Finding:
    from minds.models.catalogue import known
    from minds.models.default import called
    from minds.models.spec import parse

    here = [weights.spec for weights in known(settings.models_dir) if weights.here(settings.models_dir)]
    if here:
        which = called("embedded", settings.models_dir)
        return Finding("weights", f"{', '.join(here)} in {settings.models_dir}; embedded is {which}")
    wanted = any(parse(spec).kind == "embedded" for spec in (settings.fast_model, settings.slow_model))
    mend = "python main.py models fetch embedded" if wanted else ""
    return Finding("weights", "the embedded model is not here" + (", and no mind is it" if not wanted else ""), mend)


def _minds(settings: Settings) -> Finding:
    """Both minds say one word."""
    import asyncio

    from langchain_core.messages import HumanMessage

    from minds.models import open_model
    from minds.models.language import Garbled, ModelFault, Usage

    async def speak(spec: str) -> str:
        model = open_model(spec, replace(settings.model_settings, log_dir=None), role="fast")
        usage = Usage()
        try:
            most = model.abilities.room(4)
            return "".join([p async for p in model.stream([HumanMessage("Say hello.")], max_tokens=most, usage=usage)])
        except Garbled:
            if usage.cut:  # it was still thinking, so it works
                return ""
            raise
        finally:
            await model.close()

    specs = list(dict.fromkeys([settings.fast_model, settings.slow_model]))
    for spec in specs:
        try:
            asyncio.run(speak(spec))
        except ModelFault as fault:
            return Finding("minds", f"{spec}: {fault}", OTHERS)
    from minds.models.default import called

    return Finding("minds", f"{' and '.join(called(spec, settings.models_dir) for spec in specs)} answer")


def _embedder(_: Settings) -> Finding:
    from memory.embedder import Embedder

    near = Embedder().embed(["a cat", "a kitten"])
    return Finding("embedder", f"all-MiniLM-L6-v2 works ({near.shape[1]} dimensions)")


def _memory(settings: Settings) -> Finding:
    from memory.embedder import Embedder
    from memory.memory import MemoryFault
    from memory.store import MemoryStore

    if find_server(settings.home):
        return Finding("memory", "held by the running server")
    try:
        store = MemoryStore(settings.home / "memory", Embedder())
        kept = store.user(settings.user).notes.count()
        store.close()
    except MemoryFault as fault:
        return Finding("memory", str(fault), f"mv {settings.home / 'memory'} {settings.home / 'memory.old'}")
    return Finding("memory", f"{kept} note{'s' * (kept != 1)} of {settings.user}")


def _java(_: Settings) -> Finding:
    from tools.worlds.jvm import java

    binary = java()
    if binary is None:
        return Finding("java", "no Java for ScienceWorld", SETUP)
    said = subprocess.run([str(binary), "-version"], capture_output=True, text=True, timeout=30).stderr
    return Finding("java", f"{said.splitlines()[0] if said else 'no version'} ({binary})")


def _scienceworld(_: Settings) -> Finding:
    return _played(WorldSpec("scienceworld", "boil", 0, ("easy",)), "look around")


def _alfworld(_: Settings) -> Finding:
    from tools.worlds.alfworld import splits

    found = _played(WorldSpec("alfworld", "household/pick_and_place_simple", 1), "look")
    here = f"official games: {', '.join(splits())}" if splits() else "ALFWORLD_DATA names no official games (optional)"
    return found if found.mend else Finding(found.part, f"{found.text}; {here}")


def _played(spec: WorldSpec, action: str) -> Finding:
    """A real simulator opens a task, takes a step, and ends."""
    from tools.worlds import simulator

    with closing(simulator(spec.world)) as home:
        if missing := home.ready():
            return Finding(spec.world, missing, SETUP)
        try:
            with closing(home.open(spec)) as world:
                world.reset()
                world.step(action)
        except WorldFault as fault:
            return Finding(spec.world, str(fault), ANEW)
        return Finding(spec.world, f"plays {spec.task} ({len(home.tasks())} kinds of task)")


def _browser(_: Settings) -> Finding:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return Finding("browser", f"{path} (for the browser tests)")
    return Finding("browser", "no Chromium; only the browser tests need one")


_ALL = (
    _python, _packages, _settings, _home, _disk, _weights, _minds, _embedder, _memory, _java, _scienceworld, _alfworld,
    _browser,
)  # fmt: skip
CHECKS: dict[str, Callable[[Settings], Finding]] = {check.__name__[1:]: check for check in _ALL}
