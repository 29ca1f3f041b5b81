"""Accounts: who may sign in, by a password or known elsewhere, as what; their sign-ins and tokens, hashed."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Double,
    ForeignKey,
    MetaData,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from chat.access.elsewhere import NAME
from chat.faults import ChatFault, DiskFull, is_disk_full, told_when_full
from storage.engine import Damaged, Store, cause, whole
from storage.schema import MIGRATIONS, Schema, StorageFault

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
_tables = MetaData()


def _key(name: str) -> Column[str]:
    return Column(name, Text, primary_key=True)


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in names]


def _at(name: str) -> Column[float]:
    return Column(name, Double, nullable=False)


def _whose() -> Column[str]:
    return Column("name", Text, ForeignKey("accounts.name", ondelete="CASCADE"), nullable=False)


_accounts = Table("accounts", _tables, _key("name"), *_texts("password", "role"), _at("made"))
_signed_in = Table("signed_in", _tables, _key("id"), _whose(), _at("until"))
_tokens = Table("tokens", _tables, _key("id"), _whose(), *_texts("label"), _at("made"))
_elsewhere = Table(
    "elsewhere", _tables, _key("identity"),
    Column("name", Text, nullable=False, unique=True),  # no reference: it outlasts the account
    info={"since": "0001"},
)  # fmt: skip
_secret = Table("secret", _tables, *_texts("value"))
ACCOUNTS = Schema(_tables, MIGRATIONS / "accounts")
_ACCOUNT = select(_accounts.c.name, _accounts.c.role)


@dataclass(frozen=True)
class Person:
    """Who asks, once this is known."""

    name: str
    admin: bool = True
    """May say which models answer and where they are."""
    owner: bool = False
    """A process of whoever runs Duet (it holds the key in DUET_HOME): acts for every user."""


@dataclass(frozen=True)
class Token:
    """A token of an account; what it is was shown once."""

    id: str
    label: str
    made: float

    @property
    def day(self) -> str:
        return time.strftime("%Y-%m-%d", time.gmtime(self.made))


class Accounts(Store):
    """One file of the home; any thread, and the command line beside a running server."""

    def __init__(self, home: Path, admins: Collection[str] = (), makes: bool = True) -> None:
        """`admins`: besides those made so; `makes`: a first sign-in elsewhere makes an account. Raises ChatFault."""
        self._admins, self._makes = frozenset(admins), makes
        self.taken: Callable[[str], bool] = lambda name: False
        """Whether something is kept under a name, though no account has it: nobody gets it by coming first."""
        try:
            super().__init__(home / FILE, ACCOUNTS.settle, "foreign_keys=ON", "secure_delete=ON", checked=True)
            if not self._read(select(_secret)):
                self._write(insert(_secret), {"value": secrets.token_urlsafe(32)})
        except StorageFault as fault:
            raise ChatFault(str(fault)) from fault
        except (SQLAlchemyError, Damaged, OSError) as error:
            if is_disk_full(error):
                raise DiskFull() from error
            raise ChatFault(
                f"The accounts {home / FILE} cannot be opened ({cause(error)}): move the file away to begin anew."
            ) from error

    @property
    def secret(self) -> str:
        """What cookies are signed with."""
        return str(self._read(select(_secret.c.value))[0][0])

    # -- accounts

    def add(self, name: str, password: str | None, role: Role = "user") -> None:
        """Without a password it is theirs who first sign in elsewhere under this name. Raises ChatFault."""
        if not NAME.fullmatch(name):
            raise ChatFault("A name has up to 64 small letters, digits and . _ @ -, and begins with a letter or digit.")
        if role not in ROLES:
            raise ChatFault(f"There is no role `{role[:40]}`; choose one of: {', '.join(ROLES)}.")
        hashed = NONE if password is None else _hashed(password)
        try:
            with self._transaction():
                self._enter(name, hashed, role)
                self._write(delete(_elsewhere).where(_elsewhere.c.name == name))  # who had the name before
        except IntegrityError as error:
            raise ChatFault(
                f"There is an account {name} already: `users password` gives it a new password, "
                "DUET_ADMINS makes it an admin."
            ) from error

    def remove(self, name: str) -> None:
        """Its sign-ins and tokens end at once; its conversations stay. Raises ChatFault."""
        others = [person for person in self.all() if person.name != name]
        if self.account(name).admin and others and not any(person.admin for person in others):
            raise ChatFault(f"{name} is the last admin: add another one first.")
        self._write(delete(_accounts).where(_accounts.c.name == name))

    def set_password(self, name: str, password: str) -> None:
        """Sign-ins under this name end, and its tokens: who knew the old one may have made some. Raises ChatFault."""
        self.account(name)
        changed = update(_accounts).where(_accounts.c.name == name).values(password=_hashed(password))
        with self._transaction():
            self._write(changed)
            for table in (_signed_in, _tokens):
                self._write(delete(table).where(table.c.name == name))

    def account(self, name: str) -> Person:
        """Raises ChatFault."""
        for row in self._read(_ACCOUNT.where(_accounts.c.name == name)):
            return self._person(*row)
        raise ChatFault(f"There is no account `{name[:64]}`; `users list` names them.")

    def all(self) -> list[Person]:
        return [self._person(*row) for row in self._read(_ACCOUNT.order_by(_accounts.c.name))]

    def check(self, name: str, password: str) -> Person | None:
        """Takes as long for a name that does not exist. Tens of milliseconds, and 64 MB while it lasts."""
        rows = self._read(_ACCOUNT.add_columns(_accounts.c.password).where(_accounts.c.name == name))
        known = bool(rows and rows[0][2] != NONE)
        right = _is(rows[0][2] if known else _nobody(), password[: LONGEST + 1])
        return self._person(*rows[0][:2]) if known and right else None

    def password_of(self, name: str) -> str:
        """As it is kept; "" where there is none."""
        rows = self._read(select(_accounts.c.password).where(_accounts.c.name == name))
        return str(rows[0][0]) if rows else NONE

    def by_password(self) -> bool:
        """Whether anybody has one."""
        return bool(self._read(_ACCOUNT.where(_accounts.c.password != NONE).limit(1)))

    # -- who is known elsewhere

    def elsewhere(self, identity: str) -> Person | None:
        """Who is known there by this, and has an account. Raises ChatFault."""
        if whole(identity) != identity:  # what is stored in its place may be somebody else's
            raise ChatFault("What you are known by there cannot be stored: ask an admin.")
        return self._who(_elsewhere, _elsewhere.c.identity == identity)

    def arrive(self, identity: str, name: str) -> Person:
        """The account of who is known elsewhere by `identity`; the first time it is made. Raises ChatFault.

        A name alone opens nothing: it may have been another's there, or have been written differently.
        """
        if known := self.elsewhere(identity):
            return known
        own = name.lower() if name.isascii() else ""
        if not NAME.fullmatch(own):
            raise ChatFault(f"{name[:64]!a} cannot be the name of an account here: ask an admin for another one.")
        with self._transaction():
            taken = (_elsewhere.c.identity == identity) | (_elsewhere.c.name == own)
            if self._read(select(_elsewhere).where(taken)):
                raise ChatFault(f"The account {own} was removed, or is somebody else's: ask an admin.")
            if not self._read(_ACCOUNT.where(_accounts.c.name == own, _accounts.c.password == NONE)):
                self._make(own)
            self._write(insert(_elsewhere), {"identity": identity, "name": own})
        return self.account(own)

    def _make(self, name: str) -> None:
        """Raises ChatFault where somebody has the name already, or newcomers are not wanted."""
        if self._read(_ACCOUNT.where(_accounts.c.name == name)) or self.taken(name):
            raise ChatFault(f"The name {name} is taken here: ask an admin (`users add {name} --without-password`).")
        if not self._makes:
            raise ChatFault(f"There is no account {name} here: ask an admin (`users add {name} --without-password`).")
        self._enter(name, NONE, "user")

    def _enter(self, name: str, hashed: str, role: Role) -> None:
        self._write(insert(_accounts), {"name": name, "password": hashed, "role": role, "made": time.time()})

    # -- who is signed in

    def sign_in(self, name: str) -> str:
        """A new id for a cookie; only its hash is kept."""
        made = secrets.token_urlsafe(32)
        self._write(delete(_signed_in).where(_signed_in.c.until < time.time()))
        self._write(insert(_signed_in), {"id": _digest(made), "name": name, "until": time.time() + STAYS})
        return made

    def signed_in(self, made: str) -> Person | None:
        return self._who(_signed_in, _signed_in.c.id == _digest(made), _signed_in.c.until > time.time())

    def sign_out(self, made: str) -> None:
        self._write(delete(_signed_in).where(_signed_in.c.id == _digest(made)))

    # -- tokens

    def make_token(self, name: str, label: str) -> str:
        """The token, which is shown once. Raises ChatFault."""
        if len(self.tokens(name)) >= TOKENS:
            raise ChatFault(f"There are {TOKENS} tokens already: revoke one first.")
        made = PREFIX + secrets.token_urlsafe(32)
        row = {"id": _digest(made), "name": name, "label": label.strip()[:60] or "token", "made": time.time()}
        self._write(insert(_tokens), row)
        return made

    def tokens(self, name: str) -> list[Token]:
        query = select(_tokens.c.id, _tokens.c.label, _tokens.c.made).where(_tokens.c.name == name)
        return [Token(*row) for row in self._read(query.order_by(_tokens.c.made))]

    def revoke(self, name: str, token: str) -> None:
        """By its id; those of others are unknown here."""
        self._write(delete(_tokens).where(_tokens.c.name == name, _tokens.c.id == token))

    def of_token(self, made: str) -> Person | None:
        return self._who(_tokens, _tokens.c.id == _digest(made)) if made.startswith(PREFIX) else None

    def _who(self, table: Table, *where: ColumnElement[bool]) -> Person | None:
        rows = self._read(_ACCOUNT.join(table, table.c.name == _accounts.c.name).where(*where))
        return self._person(*rows[0]) if rows else None

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with told_when_full(), super()._transaction() as db:
            yield db

    def _person(self, name: str, role: Role) -> Person:
        return Person(name, admin=role == "admin" or name in self._admins)


def has_accounts(home: Path) -> bool:
    """Whether somebody can sign in here; makes no file."""
    if not (home / FILE).is_file():
        return False
    with closing(Accounts(home)) as accounts:
        return bool(accounts.all())


def _digest(made: str) -> str:
    """Of what has 256 random bits: no slower hash is needed."""
    return sha256(made.encode(errors="replace")).hexdigest()


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobody() -> str:
    return _hasher().hash(secrets.token_urlsafe(16))


def _hashed(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        raise ChatFault(f"A password has {SHORTEST} to {LONGEST} characters: choose another one.")
    return _hasher().hash(password)


def _is(hashed: str, password: str) -> bool:
    try:
        return _hasher().verify(hashed, password.encode(errors="replace"))
    except (Argon2Error, InvalidHashError):
        return False
