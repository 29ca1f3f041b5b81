"""`main.py users`: the accounts, on the command line of whoever runs Duet."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

from chat.access.accounts import Accounts
from chat.faults import ChatFault


def users(home: Path, action: str, name: str, admin: bool, elsewhere: bool = False) -> int:
    """Passwords are typed twice, or read as one line where no terminal is; none if `elsewhere`. Raises ChatFault."""
    if action != "list" and not name:
        raise ChatFault(f"Whose account? Give a name: `main.py users {action} NAME`.")
    accounts = Accounts(home)
    try:
        if action == "add":
            first = not accounts.all()
            accounts.add(name, None if elsewhere else _password(), "admin" if admin or first else "user")
            print(f"{name} can sign in{' and is an admin' if admin or first else ''}.")
            if first:
                print("A server that runs already asks for names once it is started again.")
        elif action == "remove":
            accounts.remove(name)
            print(f"{name} cannot sign in any more; the conversations stay.")
        elif action == "password":
            accounts.account(name)
            accounts.set_password(name, _password())
            print(f"{name} has a new password and is signed out everywhere.")
        else:
            for account in accounts.all():
                print(f"{account.name:24} {'admin' if account.admin else 'user'}")
    finally:
        accounts.close()
    return 0


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    try:
        first, again = getpass.getpass("Password: "), getpass.getpass("Once more: ")
    except EOFError as closed:
        raise ChatFault("No password was given: nothing was changed.") from closed
    if first != again:
        raise ChatFault("The two passwords differ: try again.")
    return first
