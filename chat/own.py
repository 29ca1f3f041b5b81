"""What a person sets for themselves, once for all conversations: instructions for all replies, and prompts by name."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace

from sqlalchemy import delete, insert, select

from chat.faults import ChatFault
from chat.sharing import Sharing
from chat.tables import people

MOST, LONGEST, NAMED = 200, 8_000, 40
"""Prompts of one person; characters of a prompt, or of instructions; of a name."""


@dataclass(frozen=True)
class Own:
    """One person's."""

    instructions: str = ""
    prompts: dict[str, str] = field(default_factory=dict)
    """Name -> text."""


class Owners(Sharing):
    """The conversations of one DUET_HOME, and what those who have them set for themselves."""

    def own(self, user: str) -> Own:
        """Nothing is set where nothing was kept."""
        for row in self._read(select(people.c.instructions, people.c.prompts).where(people.c.user == user)):
            return Own(str(row[0]), {str(name): str(text) for name, text in sorted(row[1].items())})
        return Own()

    def instruct(self, user: str, words: str) -> None:
        """Of all replies from now on; nothing takes them back. Raises ChatFault."""
        self._keep(user, replace(self.own(user), instructions=checked_instructions(words)))

    def keep_prompt(self, user: str, name: str, words: str) -> None:
        """A prompt by its name; without words it goes. Raises ChatFault."""
        name, words = "-".join(name.split()).strip("/")[:NAMED], words.strip()
        if not name:
            raise ChatFault("A prompt needs a name: type one and try again.")
        if len(words) > LONGEST:
            raise ChatFault(f"A prompt has at most {LONGEST:,} characters: shorten it.")
        own = self.own(user)
        others = {other: text for other, text in own.prompts.items() if other != name}
        if words and len(others) >= MOST:
            raise ChatFault(f"You have {MOST} prompts, which is the most: delete one first.")
        self._keep(user, replace(own, prompts=others | ({name: words} if words else {})))

    def _keep(self, user: str, own: Own) -> None:
        with self._transaction() as db:
            db.execute(delete(people).where(people.c.user == user))
            db.execute(insert(people), asdict(own) | {"user": user})


def checked_instructions(words: str) -> str:
    """Raises ChatFault where they are too long."""
    if len(words) > LONGEST:
        raise ChatFault(f"Instructions have at most {LONGEST:,} characters: shorten them.")
    return words.strip()
