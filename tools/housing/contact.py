"""Contact details, left voluntarily: checked, read back to the person, and stored only after their yes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from tools.desk import Desk, ToolFault
from tools.ledger import Consent, Findings, Ledger, Proposal, consenting

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

KIND = "contact"
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class Contact(Consent):
    """What `leave_contact` takes: a name with at least one way to reach the person."""

    name: str = Field("", max_length=60)
    phone: str = Field("", max_length=40)
    email: str = Field("", max_length=100)


def make(desk: Desk, folder: Path) -> list[BaseTool]:
    ledger = Ledger(folder, desk.session, before=desk.sessions)

    def store(proposal: Proposal) -> tuple[str, Findings]:
        key = f"{ledger.session} {proposal.code}"
        if not ledger.enter(KIND, key, proposal.details, desk.now.isoformat()):
            return f"These are stored already: {proposal.said}.", {"depends": {"session": ledger.session}}
        ledger.close(proposal, done=True)
        change = {"kind": KIND, "done": "made", "key": key, **proposal.details}
        told = f"Stored: {proposal.said}. An agent will get in touch."
        return told, {"depends": {"session": ledger.session}, "changes": [change]}

    description = "Stores a name with a phone number or an email address, so that an agent calls; asks first."
    return [consenting("leave_contact", description, Contact, ledger, checked, store)]


def checked(name: str, phone: str, email: str) -> tuple[Mapping[str, str], str, str]:
    """What is to be stored. Raises ToolFault with what is missing or wrong."""
    number = re.sub(r"[^\d+]", "", phone)
    if email and not _MAIL.fullmatch(email.strip()):
        raise ToolFault("The email address is not complete; ask the person to say it again, like ann@example.org.")
    if phone and not 7 <= len(number.lstrip("+")) <= 15:
        raise ToolFault(f"{phone} is no whole phone number: it needs 7 to 15 digits; ask the person again.")
    if not email and not phone:
        raise ToolFault("May I have a phone number or an email address? It is used for nothing else.")
    if not name.strip():
        raise ToolFault("Thank you. What name may I put with it?")
    details = {"name": " ".join(name.split()), "phone": number, "email": email.strip()}
    ways = ", ".join([details["name"], *(f"{way} {details[way]}" for way in ("phone", "email") if details[way])])
    return details, f"contact details: {ways}", f"Shall I store {ways}, so that an agent can get in touch?"
