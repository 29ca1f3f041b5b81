"""Settings: frozen, read once from flags, the environment (DUET_*) and a .env file, in this order; below them stand the
models that were chosen on the page for new conversations, which are kept in DUET_HOME.
"""

from __future__ import annotations

import getpass
import json
import logging
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from chat.access.elsewhere import address_of, check_names, check_provider, check_proxy
from chat.faults import ChatFault

if TYPE_CHECKING:
    from minds.models.spec import ModelSettings

MINDS = ("both", "fast", "slow")
"""Which minds answer: one alone is there to measure what each of them is worth."""

LONGEST, INSTRUCTIONS = 100_000, 8_000
"""Tokens of a reply; characters of instructions."""

CHOSEN = ("fast_model", "slow_model")

SHORTEST_TOKEN = 16
"""Characters of a token that a person chooses."""


@dataclass(frozen=True)
class Options:
    """What a conversation may set for itself, in the page's panel."""

    fast_model: str = "embedded"
    slow_model: str = "embedded"
    strategy: str = "react"
    temperature: float = 0.0
    memory: bool = True
    world_strategy: str = "auto"
    """How the slow mind works in text worlds; `auto` is the best that the model at hand can do."""
    domain: str = ""
    """Whose desk the assistant is (tools/domains.py); empty for nobody's."""
    minds: str = "both"
    """One of `MINDS`."""
    instructions: str = ""
    """What the person wishes of the replies of this conversation, beside what they wish of all."""
    length: int = 0
    """Tokens that the fast mind may write in one reply; 0 leaves that to the model."""
    temporary: bool = False
    """Whether the conversation goes a day after its last words."""


class Here(tzinfo):
    """This machine's time zone with its rules for each day: what `astimezone` gives is the offset of one day alone."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return moment.replace(tzinfo=None).astimezone().utcoffset() if moment else None

    def tzname(self, moment: datetime | None) -> str | None:
        return (moment or datetime.now()).replace(tzinfo=None).astimezone().tzname()

    def dst(self, moment: datetime | None) -> None:
        """Is not told."""

    def fromutc(self, moment: datetime) -> datetime:
        return datetime.fromtimestamp(moment.replace(tzinfo=UTC).timestamp()).replace(tzinfo=self)

    def __str__(self) -> str:
        return str(self.tzname(None))


@dataclass(frozen=True)
class Settings(Options):
    """Where Duet lives, and with which options a conversation begins. DUET_<FIELD> sets each but `temporary`."""

    home: Path = Path("~/.local/share/duet")
    models: Path | None = None
    """Folder of model weights; default: home/models."""
    host: str = "127.0.0.1"
    """Loopback, unless there are accounts: whoever reaches the page may do all that its person may."""
    port: int = 7860
    """0 takes any free port."""
    token: str = ""
    """Asked of whoever opens the page; `new` makes one at each start."""
    names: str = ""
    """Names that this machine goes by elsewhere, with spaces between them: `duet.example.org`."""
    oidc_issuer: str = ""
    """A provider of OpenID Connect where people sign in, as it calls itself: https://..."""
    oidc_client_id: str = ""
    oidc_client_secret: str = field(default="", repr=False)
    oidc_claim: str = "preferred_username"
    """What of the provider's names an account at the first sign-in; `email`, if verified."""
    proxy_header: str = ""
    """A header in which a proxy says who asks, as X-Forwarded-User; believed of `proxy_from` alone."""
    proxy_from: str = ""
    """The proxy's addresses or networks, with spaces between them."""
    new_accounts: bool = True
    """Whether a first sign-in by the provider or the proxy makes an account."""
    admins: str = ""
    """Names of accounts that are admins besides those made so, with spaces between them."""
    sharing: bool = False
    """Whether people can make links that show one conversation to whoever has them."""
    allowed_models: str = ""
    """Model specs that an account may choose besides the settings' own, with spaces between them."""
    max_runs: int = 4
    """Turns of one account that are answered at once."""
    max_uploaded: int = 200_000_000
    """Bytes of one account's documents and pictures, as they are kept."""
    user: str = "me"
    max_message: int = 32_000
    """Characters of one message; what is longer is better uploaded as a document."""
    max_steps: int = 16
    """Steps of one slow run."""
    max_tokens: int = 60_000
    """Tokens read (outside the prefix cache) and written in one slow run."""
    max_seconds: float = 300.0
    max_world_steps: int = 300
    """Actions of one slow run in a text world."""
    max_world_tokens: int = 60_000
    max_world_seconds: float = 900.0
    without: str = ""
    """Aids for a small model that are left out, with spaces between them, to see what they bring: gate, program, check,
    worlds, english."""
    chroma: str = ""
    """A Chroma server for the memory's vectors, http://host:port; empty: one of Duet's own, in a folder."""
    whisper: str = "base"
    """What hears people on the page, where faster-whisper is installed: a folder with a Whisper, or a hub's size."""
    prices: str = ""
    """What models cost, so that replies say it: `EUR gpt-4.1=2/8`, or a file of such words (chat/services.py)."""
    timezone: str = ""
    """IANA name; default: the machine's."""

    @property
    def models_dir(self) -> Path:
        return self.models or self.home / "models"

    @property
    def zone(self) -> tzinfo:
        """The person's."""
        return ZoneInfo(self.timezone) if self.timezone else Here()

    @property
    def model_settings(self) -> ModelSettings:
        """What every model is opened with: it finds the weights, and the keys that were pasted on the page."""
        from minds.models.spec import ModelSettings

        return ModelSettings(self.models_dir, self.home / "logs", self.home / "keys.json")

    @property
    def known_elsewhere(self) -> bool:
        """Whether people sign in by a provider or a proxy."""
        return bool(self.oidc_issuer or self.proxy_header)

    @property
    def options(self) -> Options:
        """What a new conversation starts with; it is never temporary."""
        return Options(**{each.name: getattr(self, each.name) for each in fields(Options) if each.name != "temporary"})


DOTENV = frozenset(
    {
        *(f"DUET_{each.name.upper()}" for each in fields(Settings) if each.name not in ("instructions", "temporary")),
        "DUET_KEYS", "ALFWORLD_DATA", "OPENAI_API_KEY",
        "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE",
        "HF_TOKEN", "HF_ENDPOINT",
    }
)  # fmt: skip
"""What a .env file may set: it lies in whatever folder one happens to be in, and others may have written it. So it
tells no mind what to do."""

SENT_TO = (
    ("OPENAI_BASE_URL", "OPENAI_API_KEY"), ("DUET_OIDC_ISSUER", "DUET_OIDC_CLIENT_SECRET"),
    ("HF_ENDPOINT", "HF_TOKEN"), ("HF_ENDPOINT", "HUGGING_FACE_HUB_TOKEN"),
)  # fmt: skip
"""A server, and the key that goes to it."""


def read_settings(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Flags (None means not given) over environment over ./.env over defaults. Raises ChatFault on a bad value."""
    env = dict(os.environ if environ is None else environ)
    if environ is None:
        env = {**_dotenv(), **env}
        # A .env file may also hold OPENAI_API_KEY and the like, which the clients read from the environment.
        os.environ.update({k: v for k, v in env.items() if k not in os.environ})
    given: dict[str, Any] = {"user": _login()}
    for each in fields(Settings):
        if each.name != "temporary" and (value := env.get(f"DUET_{each.name.upper()}", "")):
            given[each.name] = _parse(each.name, value)
    given.update({k: v for k, v in (flags or {}).items() if v is not None})
    home = _place("home", given.get("home", Settings.home))
    settings = replace(Settings(), **{**chosen(home), **given})
    models = _place("models", settings.models) if settings.models else None
    return check(replace(settings, home=home, models=models))


def _place(name: str, given: str | Path) -> Path:
    """Raises ChatFault for `~` with the name of nobody."""
    try:
        return Path(given).expanduser()
    except RuntimeError:
        raise ChatFault(
            f"DUET_{name.upper()} is {str(given)!r}, but nobody is called so here: name a folder."
        ) from None


def check(settings: Settings) -> Settings:
    """Raises ChatFault where a value cannot work."""
    check_options(settings.options)
    check_provider(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, settings.oidc_claim)
    check_proxy(settings.proxy_header, settings.proxy_from)
    check_names(settings.names, settings.admins)
    try:
        check_specs(*settings.allowed_models.split())
    except ChatFault as fault:
        raise ChatFault(f"DUET_ALLOWED_MODELS: {fault}") from fault
    if not 0 <= settings.port <= 65535:
        raise ChatFault(f"DUET_PORT is {settings.port}; it must be a number from 0 to 65535.")
    for name in (each.name for each in fields(Settings) if each.name.startswith("max_")):
        if not getattr(settings, name) > 0:
            raise ChatFault(f"DUET_{name.upper()} must be greater than 0.")
    if settings.token not in ("", "new") and len(settings.token) < SHORTEST_TOKEN:
        raise ChatFault(f"DUET_TOKEN is too easy to guess: it must have at least {SHORTEST_TOKEN} characters.")
    if not settings.user.strip():
        raise ChatFault("The user's name is empty: give one with --user or DUET_USER.")
    try:
        _ = settings.zone
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ChatFault(f"DUET_TIMEZONE is `{settings.timezone}`; it must be a name such as Europe/Berlin.") from None
    return settings


def check_reach(settings: Settings) -> Settings:
    """Whoever is not on this machine signs in. Asked of what serves: accounts are made with the same settings. Raises
    ChatFault."""
    if not settings.host.strip():
        raise ChatFault("The host is empty (--host, DUET_HOST): use 127.0.0.1, or 0.0.0.0 for all that reach it.")
    if is_loopback(settings.host) and not settings.names:
        return settings
    from chat.access.accounts import has_accounts

    if settings.known_elsewhere or has_accounts(settings.home.expanduser()):
        return settings
    if is_loopback(settings.host):
        wrong, mend = f"it cannot be called {settings.names!r} (DUET_NAMES)", "unset that"
    else:
        wrong = f"{settings.host!r} cannot be its host (--host, DUET_HOST)"
        mend = "use 127.0.0.1, ::1 or localhost"
    raise ChatFault(
        f"Duet has no accounts here, so it is for this machine alone: {wrong}; {mend}, or `main.py users add NAME`."
    )


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach `host`; only its plain ways of writing count."""
    address = address_of(host)
    return host.lower() == "localhost" or ("%" not in host and address is not None and address.is_loopback)


def checked_instructions(words: str) -> str:
    """Raises ChatFault where they are too long."""
    if len(words) > INSTRUCTIONS:
        raise ChatFault(f"Instructions have at most {INSTRUCTIONS:,} characters: shorten them.")
    return words.strip()


def check_options(options: Options) -> Options:
    """Raises ChatFault on a strategy, domain, temperature or model spec that does not exist."""
    from minds.strategies import STRATEGIES, WORLD_STRATEGIES
    from tools.domains import DOMAINS

    known: Sequence[tuple[str, Collection[str], str]] = (
        (options.strategy, STRATEGIES, "is no strategy `{}`"),
        (options.world_strategy, ("auto", *WORLD_STRATEGIES), "is no strategy `{}` for worlds"),
        (options.domain, ("", *DOMAINS), "is no domain `{}`"),
        (options.minds, MINDS, "are no minds `{}`"),
    )
    for given, names, there in known:
        if given not in names:
            raise ChatFault(f"There {there.format(given)}; choose one of: {', '.join(filter(None, names))}.")
    checked_instructions(options.instructions)
    if not 0 <= options.temperature <= 2:
        raise ChatFault(f"The temperature is {options.temperature}; it must be between 0 and 2.")
    if not 0 <= options.length <= LONGEST:
        raise ChatFault(f"The longest reply is {options.length} tokens; it must be from 0 (no limit) to {LONGEST:,}.")
    check_specs(options.fast_model, options.slow_model)
    return options


def check_specs(*specs: str) -> None:
    """Raises ChatFault for one that names no model."""
    from minds.models.language import BadSpec
    from minds.models.spec import parse

    for spec in specs:
        try:
            parse(spec)
        except BadSpec as fault:
            raise ChatFault(str(fault)) from fault


def _dotenv() -> dict[str, str]:
    from dotenv import dotenv_values

    logging.getLogger("dotenv.main").addFilter(_with_file)
    try:
        found = {k: v for k, v in dotenv_values(".env", interpolate=False).items() if v is not None}
    except (OSError, UnicodeError) as error:
        raise ChatFault(f"The file .env cannot be read ({error}): mend it or move it away.") from error
    if "\0" in "".join(found.values()):  # no environment can hold it
        raise ChatFault("The file .env holds a null byte: mend it or move it away.")
    for server, key in SENT_TO:
        # Another key in the file does not help: the environment goes before it, so yours would be sent.
        if server in found and os.environ.get(key) not in (None, found.get(key)):
            raise ChatFault(
                f"The file .env names the server ({server}) that your key would go to: put both in one place."
            )
    return {k: v for k, v in found.items() if k in DOTENV}


def _with_file(record: logging.LogRecord) -> bool:
    """What python-dotenv says of a line tells no file."""
    record.msg = f"The file .env: {record.msg}"
    return True


def set_in_vain() -> list[str]:
    """Names of the environment and of ./.env that begin as Duet's settings do and are none; the rest of it is read."""
    from dotenv import dotenv_values

    names = (os.environ.keys() - {"DUET_INSTRUCTIONS"}) | dotenv_values(".env", interpolate=False).keys()
    return sorted(name for name in names - DOTENV if name.startswith("DUET_"))


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without a passwd entry
        return "me"


def _parse(name: str, value: str) -> Any:
    """One environment value as the type of its field. Between names commas are as good as spaces."""
    if name in ("names", "admins"):
        return value.replace(",", " ")
    from pydantic import TypeAdapter, ValidationError

    kind: type = type(getattr(Settings(), name)) if name != "models" else Path
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError:
        wanted = {int: "a whole number", float: "a number", bool: "on or off"}.get(kind, "a value")
        raise ChatFault(f"DUET_{name.upper()} is `{value}`; it must be {wanted}.") from None


def chosen(home: Path) -> dict[str, str]:
    """Settings by name; empty where nothing was chosen, or it cannot be read or is no longer a model."""
    from minds.models.language import BadSpec
    from minds.models.spec import parse

    try:
        noted = json.loads((home / "minds.json").read_text("utf-8"))
        specs = {name: str(noted[name]) for name in CHOSEN if noted.get(name)}
        for spec in specs.values():
            parse(spec)
    except (OSError, ValueError, AttributeError, TypeError, RecursionError, BadSpec):
        return {}
    return specs


def choose(home: Path, fast_model: str, slow_model: str) -> None:
    """For all conversations that begin from now on. Raises OSError."""
    noted = dict(zip(CHOSEN, (fast_model, slow_model), strict=True))
    beside = home / "minds.json.new"
    beside.write_text(json.dumps(noted), "utf-8")
    beside.replace(home / "minds.json")
