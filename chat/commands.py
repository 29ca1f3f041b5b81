"""What `main.py memory`, `models`, `backup`, `restore` and `users` do; all raise ChatFault and return the exit code."""

from __future__ import annotations

import asyncio
import getpass
import json
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from chat import backups
from chat.access.accounts import Accounts
from chat.access.elsewhere import NAME as ACCOUNT
from chat.backups import NAME
from chat.deletions import deletions, id_of
from chat.faults import ChatFault
from chat.home import Home
from chat.notebook import as_text
from chat.settings import Settings

STAYS = "; what was said stays, without links, for an account of this name"

# -- memory


def memory(settings: Settings, action: str, given: Mapping[str, Any]) -> int:
    """One wish, through the server where one holds DUET_HOME; what was asked for goes to standard output."""
    asked = _asked(action, given)
    answer = asyncio.run(_answered(settings, action, asked))
    if "asks" in answer:
        if not _agreed(answer["asks"]):
            print("Nothing was deleted.")
            return 0
        answer = asyncio.run(_answered(settings, action, {"ids": answer["ids"], "sure": True}))
    print(
        json.dumps(answer, ensure_ascii=False, indent=1) if given.get("json") or action == "export" else as_text(answer)
    )
    return 0


def _asked(action: str, given: Mapping[str, Any]) -> dict[str, Any]:
    what = " ".join(given.get("what") or ())
    names = ("text", "answer", "kind", "state", "since", "until", "limit")
    asked = {name: given[name] for name in names if name in given}
    asked |= {"sure": bool(given.get("yes")), "all": bool(given.get("all"))}
    if action == "import":
        return {**asked, **_file(what)}
    if action in ("list", "search") or (action == "forget" and ":" not in what):
        return {**asked, "words": what}
    return {**asked, "id": what}


def _file(name: str) -> Mapping[str, Any]:
    try:
        read: Any = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as fault:
        raise ChatFault(f"`{name}` cannot be read as an export ({fault}).") from fault
    if not isinstance(read, dict):
        raise ChatFault(f"`{name}` is no export of a memory: it has to be what `memory export` wrote.")
    return read


async def _answered(settings: Settings, action: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    from chat.line import open_line

    async with open_line(settings) as line:
        return await line.memory(settings.user, action, asked)


def _agreed(question: str) -> bool:
    """Deleting asks once; where nobody can be asked, --yes has to stand."""
    if not sys.stdin.isatty():
        raise ChatFault(f"{question} Add --yes to do it.")
    try:
        return input(f"{question} Go on? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


# -- models


def models(settings: Settings, action: str, name: str) -> int:
    """Lists what can be had and what is here, or fetches one."""
    return _list(settings) if action == "list" else _fetch(settings, name)


def _list(settings: Settings) -> int:
    from minds.models.catalogue import known
    from minds.models.default import called
    from minds.models.machine import expected, probed, room

    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    speed, free = probed(settings.home), room()
    rows = known(settings.models_dir)
    width = max(14, *(len(weights.spec) for weights in rows))
    print(f"{'model':{width}} {'size':>8}  {'licence':12} {'memory':>8}  {'expected':>12}  {'fits':4}")
    for weights in rows:
        fits, here = (
            "yes" if weights.room <= free else "no",
            "here" if weights.here(settings.models_dir) else "not here",
        )
        print(
            f"{weights.spec:{width}} {weights.size / 1e9:5.1f} GB  {weights.licence:12} "
            f"{weights.memory / 1e9:5.1f} GB  {expected(weights, speed):5.0f} tokens/s  {fits:4}  {here}"
        )
    print(f"embedded is {called('embedded', settings.models_dir)}")
    _list_servers()
    return 0


def _list_servers() -> None:
    """What runs here already: it can be used, and is not unless somebody says so."""
    from minds.models.listing import running_here

    for found in asyncio.run(running_here()):
        names = ", ".join(model.name for model in found.models[:5])
        print(f"{found.name} runs at {found.url} with {names}: openai:{found.models[0].name}@{found.url}")


def _fetch(settings: Settings, name: str) -> int:
    """`embedded` or an explicit one; without a name, those that the settings' minds are."""
    from minds.models.language import ModelFault

    minds = dict.fromkeys([settings.fast_model, settings.slow_model])
    wanted = [spec for spec in minds if spec.startswith(("embedded", "gguf:hf:"))]
    if name:
        wanted = [name if {":", "/"} & set(name) or name == "embedded" else f"embedded:{name}"]
        if not wanted[0].startswith(("embedded", "gguf:hf:")):
            raise ChatFault(f"`{name}` cannot be fetched: name embedded:SIZE or gguf:hf:OWNER/NAME/FILE.gguf.")
    try:
        for spec in wanted:
            _fetch_one(settings, spec)
    except ModelFault as fault:
        raise ChatFault(str(fault)) from fault
    if not wanted:
        print("Neither mind has an embedded model: nothing is to be fetched.", file=sys.stderr)
    return 0


def _fetch_one(settings: Settings, spec: str) -> None:
    from minds.models.default import called, fetch_default
    from minds.models.spec import parse
    from minds.models.weights import fetch_shown, wanted

    if name := parse(spec).name:
        weights = wanted(name, settings.models_dir)
        path = fetch_shown(weights, settings.models_dir)
        print(f"{weights.spec} is in {path}", file=sys.stderr)
        return
    fetch_default(settings.models_dir, fetch_shown, lambda why: print(why, file=sys.stderr))
    print(f"embedded is {called('embedded', settings.models_dir)}, in {settings.models_dir}", file=sys.stderr)


# -- backups


def backup(home: Path, to: str | None) -> int:
    """A copy of the transcript, in the file `to` or where those of each day lie."""
    print(f"The backup is {backups.backup(home, Path(to) if to else None)}.")
    backups.prune(home)
    return 0


def restore(home: Path, chosen: str | None) -> int:
    """Brings a backup back; it needs the home for itself."""
    held = Home(home)
    try:
        source, aside = backups.restore(home, Path(chosen) if chosen else None)
    finally:
        held.release()
    print(f"Restored from {source}." + (f" What was there is kept as {aside}." if aside else ""))
    return 0


# -- accounts


def users(
    settings: Settings, action: str, name: str, admin: bool, elsewhere: bool = False, wholly: bool = False
) -> int:
    """Passwords are typed twice, or read as one line where no terminal is; none if `elsewhere`. `wholly`: whoever is
    removed leaves nothing here. Raises ChatFault."""
    if wholly and action != "remove":
        raise ChatFault("--with-conversations is for `users remove NAME`.")
    if action != "list" and not name:
        raise ChatFault(f"Whose account? Give a name: `main.py users {action} NAME`.")
    with closing(Accounts(settings.home, settings.admins.split())) as accounts:
        if action == "add":
            first = not accounts.all()
            accounts.add(name, None if elsewhere else _password(), "admin" if admin or first else "user")
            print(f"{name} can sign in{' and is an admin' if admin or first else ''}.")
            tell_whose(settings.home, name, first)
            if first:
                print("A server that runs already asks for names once it is started again.")
        elif action == "remove":
            if not (wholly and _removed_before(settings.home, accounts, name)):
                accounts.account(name)
                _take_links_back(settings.home / NAME, name)  # first: where it cannot be done the account still stands
                accounts.remove(name)
                print(f"{name} cannot sign in any more{'' if wholly else STAYS}.")
            if wholly:
                print(f"Deleted with {name}'s memory: {_conversations(asyncio.run(_forget_user(settings, name)))}.")
        elif action == "password":
            accounts.account(name)
            accounts.set_password(name, _password())
            print(f"{name} has a new password and is signed out everywhere.")
        else:
            for account in accounts.all():
                print(f"{account.name:24} {'admin' if account.admin else 'user'}")
    return 0


def _removed_before(home: Path, accounts: Accounts, name: str) -> bool:
    """Whether no account has the name, and there may be something left of one that had."""
    from chat.sessions import kept

    begun = ("person", id_of(name)) in deletions(home)
    return (begun or name in kept(home)) and all(account.name != name for account in accounts.all())


async def _forget_user(settings: Settings, name: str) -> int:
    from chat.line import open_line

    async with open_line(settings) as line:
        return await line.forget_user(name)


def _take_links_back(transcript: Path, name: str) -> None:
    """Else they would show again, should another person get the name."""
    from chat.sessions import Sessions

    if transcript.is_file():
        with closing(Sessions(transcript)) as opened:
            opened.take_all_back(name)


def _conversations(count: int) -> str:
    return f"{count} conversation{'s' * (count != 1)}"


def tell_whose(home: Path, name: str, first: bool) -> None:
    """Whose the conversations are that are kept already: an account sees those of its own name."""
    from chat.sessions import kept

    counts = kept(home)
    if own := counts.pop(name, 0):
        print(f"Kept under this name already, and {name}'s from now on: {_conversations(own)}.")
    if not first:
        return
    if others := [other for other in counts if ACCOUNT.fullmatch(other)]:
        print(f"Conversations kept under {', '.join(others)} are seen by an account of that name alone.")
    if lost := [other for other in counts if not ACCOUNT.fullmatch(other)]:
        mend = f"`users remove {name}`, export them with `serve --user NAME`, add the account again and import them"
        print(f"No account can have the name of what is kept under {', '.join(lost)}: {mend}.")


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
