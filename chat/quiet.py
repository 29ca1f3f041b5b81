"""Nothing phones home: analytics, telemetry, update checks and hub look-ups of all libraries are off, and no proxy
hears what goes to servers of this machine.

Set in the environment before any of them is imported, and inherited by every subprocess.
"""

from __future__ import annotations

import logging
import os
import warnings
from logging.handlers import RotatingFileHandler
from pathlib import Path
from urllib.request import getproxies_environment

from chat.faults import ChatFault

QUIET = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "CHROMA_TELEMETRY_IMPL": "none",
    "CHROMA_OTEL_COLLECTION_ENDPOINT": "",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OTEL_SDK_DISABLED": "true",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
    "BITSANDBYTES_NOWELCOME": "1",
}


def hush() -> None:
    """A person's own settings of HF_* for downloads that they ask for stay as they are."""
    os.environ.update(QUIET)
    go_past_proxies()
    warnings.filterwarnings("ignore")


def go_past_proxies() -> None:
    """Where the environment names a proxy, servers of this machine (of models, of Chroma) are asked without it."""
    proxies = getproxies_environment()
    if (past := proxies.get("no", "")) != "*" and any(proxies.values()):
        os.environ["no_proxy"] = ",".join(filter(None, (past, "localhost,127.0.0.1,::1")))


def log_to(home: Path) -> Path:
    """Everything that is not meant for a person goes to one rotating file; its path. Raises ChatFault."""
    path = home / "logs" / "duet.log"
    try:
        for folder in (home, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=2_000_000, backupCount=3, encoding="utf-8")
    except OSError as error:
        raise ChatFault(f"{home} cannot be written: make it writable, or set DUET_HOME to another folder.") from error
    logging.raiseExceptions = False  # a log that cannot be written (full disk) must not fill the terminal
    line = "%(asctime)s %(levelname)s %(name)s %(message)s"
    logging.basicConfig(level=logging.INFO, format=line, handlers=[handler], force=True)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    return path
