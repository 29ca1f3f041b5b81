"""The embedded model's server process: `python llama_server.py` with one JSON line on stdin (see `main`).

It ends when its stdin does, so it cannot outlive the app, not even one that was killed: the pipe's other end dies
with it. (Linux's parent-death signal would not do: it fires when the *thread* that started the process ends.)
It runs as a plain script and imports nothing of ours, so that it starts quickly.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any


def main() -> None:
    """Reads {weights, adapters, key, slots, context, batch, ...}; writes {"url": ...} or {"error": ...}."""
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.umask(0o077)  # saved states are nobody else's business
    os.environ["OMP_WAIT_POLICY"] = "passive"  # otherwise two busy processes starve each other (0.7 tok/s)
    reply = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the library prints to stdout: that goes to the log as well
    try:
        server = start(asked)
        told = {"url": server.listening_address}
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told), file=reply, flush=True)
    reply.close()
    if "url" in told:
        threading.Event().wait()


def start(asked: dict[str, Any]) -> Any:
    """Serves on a free loopback port; returns when the weights are loaded."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = asked["weights"]
    params.model_alias = {"embedded"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [asked["key"]]
    params.cors_origins = ""
    params.ui = False
    params.offline = True
    params.n_parallel = asked["slots"]
    params.n_ctx = asked["context"] * asked["slots"]
    params.n_batch = params.n_ubatch = asked["batch"]
    params.cache_ram_mib = asked["cache_mib"]
    params.slot_save_path = asked["prefixes"]
    # Of no weight but where a request names it.
    params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(path, 0.0) for path in asked["adapters"]]
    if asked["threads"]:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked["threads"]
    params.verbosity = 2  # warnings; never prompts
    return xllamacpp.Server(params)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
