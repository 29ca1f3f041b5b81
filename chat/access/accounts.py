"""Accounts: who may sign in, by a password or known elsewhere, as what; their sign-ins and tokens, hashed."""

from __future__ import annotations

import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from chat.faults import ChatFault

if TYPE_CHECKING:
    from argon2 import PasswordHasher

FILE = "accounts.sqlite"
Role = Literal["admin", "user"]
ROLES: tuple[Role, ...] = ("admin", "user")
SHORTEST, LONGEST = 10, 200
"""Characters of a password."""
STAYS = 14 * 24 * 3600
"""Seconds for which a sign-in holds."""
TOKENS = 20
"""Of one account."""
PREFIX = "duet_"
NONE = ""
"""In a password's place where there is none: no password is like it."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS accounts(
    name TEXT PRIMARY KEY, password TEXT NOT NULL, role TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE IF NOT EXISTS signed_in(
    id TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tokens(
    id TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE,
    label TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE IF NOT EXISTS elsewhere(identity TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS secret(value TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Account:
    """Who signed in."""

    name: str
    role: Role


@dataclass(frozen=True)
class Token:
    """A token of an account; what it is was shown once."""

    id: str
    label: str
    made: float


class Accounts:
    """One file of the home; any thread, and the command line beside a running server."""

    def __init__(self, home: Path, admins: Collection[str] = (), makes: bool = True) -> None:
        """`admins`: besides those made so; `makes`: a first sign-in elsewhere makes an account. Raises ChatFault."""
        path = home / FILE
        self._admins, self._makes = frozenset(admins), makes
        self.taken: Callable[[str], bool] = lambda name: False
        """Whether something is kept under a name, though no account has it: nobody gets it by coming first."""
        self._lock = threading.RLock()
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(0o600)
            path.chmod(0o600)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
            self._db.execute("PRAGMA foreign_keys=ON")
            self._db.execute("PRAGMA secure_delete=ON")
            self._db.executescript(_SCHEMA)
            if not self._all("SELECT 1 FROM secret"):
                self._do("INSERT INTO secret VALUES (?)", secrets.token_urlsafe(32))
        except (sqlite3.DatabaseError, OSError) as error:
            raise ChatFault(
                f"The accounts {path} cannot be opened ({error}): move the file away to begin anew."
            ) from error

    @property
    def secret(self) -> str:
        """What cookies are signed with."""
        return str(self._all("SELECT value FROM secret")[0][0])

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # -- accounts

    def add(self, name: str, password: str | None, role: Role = "user") -> None:
        """Without a password it is theirs who first sign in elsewhere under this name. Raises ChatFault."""
        if not _NAME.fullmatch(name):
            raise ChatFault("A name has up to 64 small letters, digits and . _ @ -, and begins with a letter or digit.")
        if role not in ROLES:
            raise ChatFault(f"There is no role `{role[:40]}`; choose one of: {', '.join(ROLES)}.")
        row = (name, NONE if password is None else _hashed(password), role, time.time())
        try:
            with self._whole():
                self._do("INSERT INTO accounts VALUES (?,?,?,?)", *row)
                self._do("DELETE FROM elsewhere WHERE name=?", name)  # who had the name before
        except sqlite3.IntegrityError as error:
            raise ChatFault(
                f"There is an account {name} already: give it a new password with `users password`."
            ) from error

    def remove(self, name: str) -> None:
        """Its sign-ins and tokens end at once; its conversations stay. Raises ChatFault."""
        account = self.account(name)
        if account.role == "admin" and len([a for a in self.all() if a.role == "admin"]) == 1 and len(self.all()) > 1:
            raise ChatFault(f"{name} is the last admin: add another one first.")
        self._do("DELETE FROM accounts WHERE name=?", name)

    def set_password(self, name: str, password: str) -> None:
        """Whoever was signed in under this name is not any more. Raises ChatFault."""
        self.account(name)
        self._do("UPDATE accounts SET password=? WHERE name=?", _hashed(password), name)
        self._do("DELETE FROM signed_in WHERE name=?", name)

    def account(self, name: str) -> Account:
        """Raises ChatFault."""
        for row in self._all("SELECT name, role FROM accounts WHERE name=?", name):
            return self._account(*row)
        raise ChatFault(f"There is no account `{name[:64]}`; `users list` names them.")

    def all(self) -> list[Account]:
        return [self._account(*row) for row in self._all("SELECT name, role FROM accounts ORDER BY name")]

    def check(self, name: str, password: str) -> Account | None:
        """Takes as long for a name that does not exist. Tens of milliseconds, and 64 MB while it lasts."""
        rows = self._all("SELECT name, role, password FROM accounts WHERE name=?", name)
        known = bool(rows and rows[0][2] != NONE)
        right = _is(rows[0][2] if known else _nobody(), password[: LONGEST + 1])
        return self._account(*rows[0][:2]) if known and right else None

    def by_password(self) -> bool:
        """Whether anybody has one."""
        return bool(self._all("SELECT 1 FROM accounts WHERE password!=? LIMIT 1", NONE))

    # -- who is known elsewhere

    def elsewhere(self, identity: str) -> Account | None:
        """Who is known there by this, and has an account."""
        return self._who("elsewhere t", "t.identity=?", identity)

    def arrive(self, identity: str, name: str) -> Account:
        """The account of who is known elsewhere by `identity`; the first time it is made. Raises ChatFault.

        A name alone opens nothing: it may have been another's there, or have been written differently.
        """
        if known := self.elsewhere(identity):
            return known
        own = name.lower() if name.isascii() else ""
        if not _NAME.fullmatch(own):
            raise ChatFault(f"{name[:64]!a} cannot be the name of an account here: ask an admin for another one.")
        with self._whole():
            if self._all("SELECT 1 FROM elsewhere WHERE identity=? OR name=?", identity, own):
                raise ChatFault(f"The account {own} was removed, or is somebody else's: ask an admin.")
            if not self._all("SELECT 1 FROM accounts WHERE name=? AND password=?", own, NONE):
                self._make(own)
            self._do("INSERT INTO elsewhere VALUES (?,?)", identity, own)
        return self.account(own)

    def _make(self, name: str) -> None:
        """Raises ChatFault where somebody has the name already, or newcomers are not wanted."""
        if self._all("SELECT 1 FROM accounts WHERE name=?", name) or self.taken(name):
            raise ChatFault(f"The name {name} is taken here: ask an admin (`users add {name} --without-password`).")
        if not self._makes:
            raise ChatFault(f"There is no account {name} here: ask an admin (`users add {name} --without-password`).")
        self._do("INSERT INTO accounts VALUES (?,?,?,?)", name, NONE, "user", time.time())

    # -- who is signed in

    def sign_in(self, name: str) -> str:
        """A new id for a cookie; only its hash is kept."""
        made = secrets.token_urlsafe(32)
        self._do("DELETE FROM signed_in WHERE until<?", time.time())
        self._do("INSERT INTO signed_in VALUES (?,?,?)", _digest(made), name, time.time() + STAYS)
        return made

    def signed_in(self, made: str) -> Account | None:
        return self._who("signed_in t", "t.id=? AND t.until>?", _digest(made), time.time())

    def sign_out(self, made: str) -> None:
        self._do("DELETE FROM signed_in WHERE id=?", _digest(made))

    # -- tokens

    def make_token(self, name: str, label: str) -> str:
        """The token, which is shown once. Raises ChatFault."""
        if len(self.tokens(name)) >= TOKENS:
            raise ChatFault(f"There are {TOKENS} tokens already: revoke one first.")
        made = PREFIX + secrets.token_urlsafe(32)
        self._do("INSERT INTO tokens VALUES (?,?,?,?)", _digest(made), name, label.strip()[:60] or "token", time.time())
        return made

    def tokens(self, name: str) -> list[Token]:
        rows = self._all("SELECT id, label, made FROM tokens WHERE name=? ORDER BY made", name)
        return [Token(*row) for row in rows]

    def revoke(self, name: str, token: str) -> None:
        """By its id; those of others are unknown here."""
        self._do("DELETE FROM tokens WHERE name=? AND id=?", name, token)

    def of_token(self, made: str) -> Account | None:
        return self._who("tokens t", "t.id=?", _digest(made)) if made.startswith(PREFIX) else None

    def _who(self, table: str, where: str, *values: Any) -> Account | None:
        rows = self._all(f"SELECT a.name, a.role FROM {table} JOIN accounts a ON a.name=t.name WHERE {where}", *values)
        return self._account(*rows[0]) if rows else None

    def _account(self, name: str, role: Role) -> Account:
        return Account(name, "admin" if name in self._admins else role)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """All of it or nothing, and nobody else's writing between."""
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield

    def _all(self, query: str, *values: Any) -> Sequence[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def _do(self, query: str, *values: Any) -> None:
        with self._lock:
            self._db.execute(query, values)


def has_accounts(home: Path) -> bool:
    """Whether somebody can sign in here; makes no file."""
    if not (home / FILE).is_file():
        return False
    accounts = Accounts(home)
    try:
        return bool(accounts.all())
    finally:
        accounts.close()


def _digest(made: str) -> str:
    """Of what has 256 random bits: no slower hash is needed."""
    return sha256(made.encode(errors="replace")).hexdigest()


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobody() -> str:
    return _hasher().hash(secrets.token_urlsafe(16))


def _hashed(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        raise ChatFault(f"A password has {SHORTEST} to {LONGEST} characters: choose another one.")
    return _hasher().hash(password)


def _is(hashed: str, password: str) -> bool:
    from argon2.exceptions import Argon2Error, InvalidHashError

    try:
        return _hasher().verify(hashed, password.encode(errors="replace"))
    except (Argon2Error, InvalidHashError):
        return False
